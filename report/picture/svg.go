package picture

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// svgCanvas writes what is drawn on it as SVG. Coordinates are those of gonum/plot, from the lower left; each element
// carries its transform.
type svgCanvas struct {
	sheet
	body bytes.Buffer
	err  error
}

var _ vg.CanvasWriterTo = (*svgCanvas)(nil)

func newSVG(width, height vg.Length) *svgCanvas {
	return &svgCanvas{sheet: newSheet(width, height)}
}

// number has two decimals at most: a hundredth of a point is below anything visible.
func number(v float64) string {
	s := strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
	if s == "-0" {
		return "0"
	}
	return s
}

// paint is a colour as the attributes of an element.
func (s *svgCanvas) paint(attribute string) string {
	c := color.NRGBAModel.Convert(s.state.color).(color.NRGBA)
	text := fmt.Sprintf(`%s="#%02x%02x%02x"`, attribute, c.R, c.G, c.B)
	if c.A < 255 {
		text += fmt.Sprintf(` %s-opacity="%s"`, attribute, number(float64(c.A)/255))
	}
	return text
}

// path in SVG's notation.
func (s *svgCanvas) path(p vg.Path) string {
	var b strings.Builder
	s.walk(p, func(kind vg.PathComp, x, y float64) {
		switch kind.Type {
		case vg.MoveComp:
			b.WriteString("M" + number(x) + " " + number(y))
		case vg.CloseComp:
			b.WriteString("Z")
		default:
			b.WriteString("L" + number(x) + " " + number(y))
		}
	})
	return b.String()
}

func (s *svgCanvas) Fill(p vg.Path) {
	fmt.Fprintf(&s.body, "<path d=\"%s\" %s/>\n", s.path(p), s.paint("fill"))
}

func (s *svgCanvas) Stroke(p vg.Path) {
	size := s.size()
	dash := ""
	if len(s.state.dash) > 0 {
		var parts []string
		for _, d := range s.state.dash {
			parts = append(parts, number(float64(d)*size))
		}
		dash = fmt.Sprintf(` stroke-dasharray="%s" stroke-dashoffset="%s"`, strings.Join(parts, " "),
			number(float64(s.state.offset)*size))
	}
	fmt.Fprintf(&s.body, "<path d=\"%s\" fill=\"none\" %s stroke-width=\"%s\" stroke-linejoin=\"round\"%s/>\n",
		s.path(p), s.paint("stroke"), number(float64(s.state.line)*size), dash)
}

func (s *svgCanvas) FillString(f font.Face, at vg.Point, text string) {
	x, y := s.at(at)
	size := s.size()
	turn := ""
	if angle := s.angle(); angle != 0 {
		turn = fmt.Sprintf(` transform="rotate(%s %s %s)"`, number(-angle), number(x), number(y))
	}
	weight := ""
	if f.Font.Typeface == boldTypeface {
		weight = ` font-weight="bold"`
	}
	fmt.Fprintf(&s.body, `<text x="%s" y="%s" font-size="%s"%s %s textLength="%s" lengthAdjust="spacingAndGlyphs"%s>`,
		number(x), number(y),
		number(float64(f.Font.Size)*size), weight, s.paint("fill"), number(float64(f.Width(text))*size), turn)
	if err := xml.EscapeText(&s.body, []byte(text)); err != nil && s.err == nil {
		s.err = err
	}
	s.body.WriteString("</text>\n")
}

func (s *svgCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil && s.err == nil {
		s.err = err
	}
	x0, y1 := s.at(r.Min)
	x1, y0 := s.at(r.Max)
	fmt.Fprintf(&s.body, "<image x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" preserveAspectRatio=\"none\" "+
		"style=\"image-rendering:pixelated\" href=\"data:image/png;base64,%s\"/>\n",
		number(x0), number(y0), number(x1-x0), number(y1-y0), base64.StdEncoding.EncodeToString(b.Bytes()))
}

// WriteTo writes the document.
func (s *svgCanvas) WriteTo(w io.Writer) (int64, error) {
	if s.err != nil {
		return 0, s.err
	}
	head := fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="%spt" height="%spt" viewBox="0 0 %[1]s %[2]s" font-family="'Liberation Sans',Arial,Helvetica,sans-serif">
`, number(float64(s.width)), number(float64(s.height)))
	var written int64
	for _, part := range [][]byte{[]byte(head), s.body.Bytes(), []byte("</svg>\n")} {
		n, err := w.Write(part)
		written += int64(n)
		if err != nil {
			return written, err
		}
	}
	return written, nil
}
