package picture

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// sheet is what the vector formats share: a page in points, and the state of gonum/plot's canvas with its transform.
// Places come out in points from the upper left corner, as both formats count.
type sheet struct {
	width, height vg.Length
	state         sheetState
	stack         []sheetState
}

// sheetState is what Push keeps. The matrix maps (x, y) to (a x + c y + e, b x + d y + f), y upwards.
type sheetState struct {
	a, b, c, d, e, f float64
	color            color.Color
	line             vg.Length
	dash             []vg.Length
	offset           vg.Length
}

func newSheet(width, height vg.Length) sheet {
	return sheet{width: width, height: height, state: sheetState{a: 1, d: 1, color: color.Black, line: 1}}
}

// Size of the page.
func (s *sheet) Size() (w, h vg.Length) { return s.width, s.height }

// SetLineWidth and the methods after it are those of vg.Canvas.
func (s *sheet) SetLineWidth(w vg.Length) { s.state.line = w }

// SetColor sets the colour of lines, areas and texts.
func (s *sheet) SetColor(c color.Color) { s.state.color = c }

// SetLineDash sets the pattern of lines.
func (s *sheet) SetLineDash(pattern []vg.Length, offset vg.Length) {
	s.state.dash, s.state.offset = pattern, offset
}

// Push keeps the state until Pop.
func (s *sheet) Push() { s.stack = append(s.stack, s.state) }

// Pop returns to the state of the last Push.
func (s *sheet) Pop() { s.state, s.stack = s.stack[len(s.stack)-1], s.stack[:len(s.stack)-1] }

func (s *sheet) multiply(a, b, c, d, e, f float64) {
	m := &s.state
	m.a, m.b, m.c, m.d, m.e, m.f = m.a*a+m.c*b, m.b*a+m.d*b, m.a*c+m.c*d, m.b*c+m.d*d, m.a*e+m.c*f+m.e, m.b*e+m.d*f+m.f
}

// Rotate turns what follows to the left by r radians.
func (s *sheet) Rotate(r float64) {
	s.multiply(math.Cos(r), math.Sin(r), -math.Sin(r), math.Cos(r), 0, 0)
}

// Translate moves what follows.
func (s *sheet) Translate(p vg.Point) { s.multiply(1, 0, 0, 1, float64(p.X), float64(p.Y)) }

// Scale stretches what follows.
func (s *sheet) Scale(x, y float64) { s.multiply(x, 0, 0, y, 0, 0) }

// at is a place on the page.
func (s *sheet) at(p vg.Point) (x, y float64) {
	m := &s.state
	px, py := float64(p.X), float64(p.Y)
	return m.a*px + m.c*py + m.e, float64(s.height) - (m.b*px + m.d*py + m.f)
}

// size is the factor on lengths, angle the turn to the left in degrees.
func (s *sheet) size() float64 { return math.Sqrt(math.Abs(s.state.a*s.state.d - s.state.b*s.state.c)) }

func (s *sheet) angle() float64 { return math.Atan2(s.state.b, s.state.a) * 180 / math.Pi }

// chords is the number of straight pieces of an arc.
const chords = 48

// walk visits the points of a path. Arcs become chords; curves, which are not used, become their chord.
func (s *sheet) walk(p vg.Path, visit func(kind vg.PathComp, x, y float64)) {
	for _, c := range p {
		if c.Type != vg.ArcComp {
			x, y := s.at(c.Pos)
			visit(c, x, y)
			continue
		}
		for n := 1; n <= chords; n++ {
			angle := c.Start + c.Angle*float64(n)/chords
			x, y :=
				s.at(vg.Point{X: c.Pos.X + c.Radius*vg.Length(math.Cos(angle)),
					Y: c.Pos.Y + c.Radius*vg.Length(math.Sin(angle))})
			visit(c, x, y)
		}
	}
}

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

// pdfCanvas draws on one page of a PDF. (gonum/plot's own PDF canvas turns images upside down and knows no text beyond
// ASCII.)
type pdfCanvas struct {
	sheet
	doc    *fpdf.Fpdf
	widths map[int]bool // of images, in pixels
}

var _ vg.CanvasWriterTo = (*pdfCanvas)(nil)

// Sans names the embedded font of documents, which is regular or, with style "B", bold.
const Sans = "LiberationSans"

// NewDocument starts a PDF without pages, of a size in points. The same content gives the same bytes.
func NewDocument(width, height float64) *fpdf.Fpdf {
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: width, Ht: height}})
	doc.SetCatalogSort(true)
	doc.SetCreationDate(time.Unix(0, 0).UTC())
	doc.SetModificationDate(time.Unix(0, 0).UTC())
	doc.SetProducer("thermsim", true)
	doc.SetAutoPageBreak(false, 0)
	doc.SetMargins(0, 0, 0)
	doc.AddUTF8FontFromBytes(Sans, "", liberationsansregular.TTF)
	doc.AddUTF8FontFromBytes(Sans, "B", liberationsansbold.TTF)
	doc.SetLineJoinStyle("round")
	return doc
}

func newPDF(width, height vg.Length) *pdfCanvas {
	doc := NewDocument(float64(width), float64(height))
	doc.AddPage()
	return &pdfCanvas{sheet: newSheet(width, height), doc: doc, widths: map[int]bool{}}
}

// Insert is a writer for pictures in PDF that draws them on the pages of a document instead.
type Insert struct {
	Doc *fpdf.Fpdf
	// Place chooses the page for a picture of a size in points, its upper left corner and its scale.
	Place  func(width, height float64) (x, y, scale float64)
	widths map[int]bool // of images, in pixels
}

// Write implements io.Writer, which pictures do not call.
func (i *Insert) Write([]byte) (int, error) { return 0, errors.New("an insert takes pictures only") }

// draw draws a picture of a size in pixels of the layout.
func (i *Insert) draw(c *canvas, perPoint float64) {
	if i.widths == nil {
		i.widths = map[int]bool{}
	}
	x, y, scale := i.Place(float64(c.w)/perPoint, float64(c.h)/perPoint)
	width, height := i.Doc.GetPageSize()
	to := &pdfCanvas{sheet: newSheet(vg.Length(width), vg.Length(height)), doc: i.Doc, widths: i.widths}
	scale /= perPoint
	to.Translate(vg.Point{X: vg.Length(x), Y: vg.Length(height - y - float64(c.h)*scale)})
	to.Scale(scale, scale)
	c.replay(&target{Canvas: to, fonts: c.text, height: float64(c.h), factor: 2})
	i.Doc.SetAlpha(1, "Normal")
	i.Doc.SetDashPattern(nil, 0)
}

// paint sets the colour of everything.
func (p *pdfCanvas) paint() {
	c := color.NRGBAModel.Convert(p.state.color).(color.NRGBA)
	r, g, b := int(c.R), int(c.G), int(c.B)
	p.doc.SetFillColor(r, g, b)
	p.doc.SetDrawColor(r, g, b)
	p.doc.SetTextColor(r, g, b)
	p.doc.SetAlpha(float64(c.A)/255, "Normal")
}

func (p *pdfCanvas) trace(path vg.Path) {
	p.walk(path, func(kind vg.PathComp, x, y float64) {
		switch kind.Type {
		case vg.MoveComp:
			p.doc.MoveTo(x, y)
		case vg.CloseComp:
			p.doc.ClosePath()
		default:
			p.doc.LineTo(x, y)
		}
	})
}

// Fill fills a path.
func (p *pdfCanvas) Fill(path vg.Path) {
	p.paint()
	p.trace(path)
	p.doc.DrawPath("F")
}

// Stroke draws a path.
func (p *pdfCanvas) Stroke(path vg.Path) {
	p.paint()
	p.doc.SetLineWidth(float64(p.state.line) * p.size())
	dash := make([]float64, len(p.state.dash))
	for i, d := range p.state.dash {
		dash[i] = float64(d) * p.size()
	}
	p.doc.SetDashPattern(dash, float64(p.state.offset)*p.size())
	p.trace(path)
	p.doc.DrawPath("D")
}

// FillString sets a text.
func (p *pdfCanvas) FillString(f font.Face, at vg.Point, text string) {
	p.paint()
	style := ""
	if f.Font.Typeface == boldTypeface {
		style = "B"
	}
	p.doc.SetFont(Sans, style, float64(f.Font.Size)*p.size())
	x, y := p.at(at)
	if angle := p.angle(); angle != 0 {
		p.doc.TransformBegin()
		defer p.doc.TransformEnd()
		p.doc.TransformRotate(angle, x, y)
	}
	p.doc.Text(x, y, text)
}

// DrawImage places an image.
func (p *pdfCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	width := img.Bounds().Dx()
	wide := p.widened(img)
	var b bytes.Buffer
	if err := png.Encode(&b, wide); err != nil {
		p.doc.SetError(err)
		return
	}
	name := fmt.Sprint("image", len(p.widths))
	options := fpdf.ImageOptions{ImageType: "PNG"}
	p.doc.RegisterImageOptionsReader(name, options, &b)
	p.doc.SetAlpha(1, "Normal")
	x0, y1 := p.at(r.Min)
	x1, y0 := p.at(r.Max)
	if wide != img {
		// What is added lies on the right: a clip at the other edges would leave a light line there, where viewers
		// smooth it.
		p.doc.ClipRect(x0-1, y0-1, x1-x0+1, y1-y0+2, false)
		defer p.doc.ClipEnd()
		x1 = x0 + (x1-x0)*float64(wide.Bounds().Dx())/float64(width)
	}
	p.doc.ImageOptions(name, x0, y0, x1-x0, y1-y0, false, options, 0, "")
}

// widened repeats the last column of an image until no image before is as wide: the document sorts its images by width,
// and those of one width come in any order.
func (p *pdfCanvas) widened(img image.Image) image.Image {
	at := img.Bounds()
	width := at.Dx()
	for p.widths[width] {
		width++
	}
	p.widths[width] = true
	if width == at.Dx() {
		return img
	}
	wide := image.NewNRGBA(image.Rect(0, 0, width, at.Dy()))
	draw.Draw(wide, wide.Bounds(), img, at.Min, draw.Src)
	for x := at.Dx(); x < width; x++ {
		draw.Draw(wide, image.Rect(x, 0, x+1, at.Dy()), img, image.Pt(at.Max.X-1, at.Min.Y), draw.Src)
	}
	return wide
}

// WriteTo writes the document.
func (p *pdfCanvas) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if err := p.doc.Output(&b); err != nil {
		return 0, err
	}
	return b.WriteTo(w)
}
