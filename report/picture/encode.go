package picture

import (
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"thermsim/report/quantity"
)

// Look is how a picture is drawn. The zero value leaves everything to the layout.
type Look struct {
	Colors *Colormap // of temperatures; inferno where nil
	Width  float64   // of the whole picture in points (1/72 inch), 0 for as wide as the layout likes
	Font   float64   // size of the numbers on the axes in points, 0 for what suits the width
	DPI    float64   // pixels per inch of a PNG; 0 for 72, one pixel a point
	// Scale is the unit of temperatures; nil for °C.
	Scale *quantity.Scale
}

// layoutFont is the size in pixels that the layout gives the numbers on the axes; everything else is in proportion.
const layoutFont = 13

// perPoint is the number of the layout's pixels in a point of the result.
func (l *Look) perPoint() float64 {
	font := l.Font
	if font <= 0 {
		font = layoutFont
		if l.Width > 0 {
			font = min(max(l.Width/60, 7), layoutFont)
		}
	}
	return layoutFont / font
}

// width of the picture in the layout's pixels, 0 for free.
func (l *Look) width() int { return int(l.Width*l.perPoint() + 0.5) }

// factor is the number of pixels of a PNG per pixel of the layout.
func (l *Look) factor() float64 {
	dpi := l.DPI
	if dpi <= 0 {
		dpi = 72
	}
	return dpi / 72 / l.perPoint()
}

func (l *Look) colors() *Colormap {
	if l.Colors == nil {
		return Inferno()
	}
	return l.Colors
}

// Format is a kind of file.
type Format string

// The formats.
const (
	PNG Format = "png"
	SVG Format = "svg"
	PDF Format = "pdf"
)

// Formats lists them.
func Formats() []Format { return []Format{PNG, SVG, PDF} }

// maxPixels is the largest number of pixels of a picture; more are probably a typo.
const maxPixels = 400e6

// write encodes the picture. PNGs of the layout's own size are what was painted; anything else draws the recording
// again.
func (c *canvas) write(w io.Writer, format Format) error {
	perPoint, factor := c.look.perPoint(), c.look.factor()
	if format == PNG || format == "" {
		if factor == 1 {
			return c.writePNG(w)
		}
		return c.writeScaledPNG(w, factor)
	}
	if i, ok := w.(*Insert); ok && format == PDF {
		i.draw(c, perPoint)
		return i.Doc.Error()
	}
	width, height := vg.Length(float64(c.w)/perPoint), vg.Length(float64(c.h)/perPoint)
	var to vg.CanvasWriterTo
	switch format {
	case SVG:
		to = newSVG(width, height)
	case PDF:
		to = newPDF(width, height)
	default:
		return fmt.Errorf("drawing a picture: format %q is unknown; choose one of %v", format, Formats())
	}
	to.Scale(1/perPoint, 1/perPoint)
	// Twice the pixels of the layout keep the cells' edges crisp on paper.
	c.replay(&target{Canvas: to, fonts: c.text, height: float64(c.h), factor: 2})
	if _, err := to.WriteTo(w); err != nil {
		return fmt.Errorf("drawing a picture as %s: %w", format, err)
	}
	return nil
}

func scaled(pixels int, factor float64) float64 { return math.Round(float64(pixels) * factor) }

func checkPixels(width, height float64) error {
	if width < 1 || height < 1 {
		return errors.New("less than a pixel is left; take a larger width, font or resolution")
	}
	if width*height > maxPixels {
		return fmt.Errorf("%.0f x %.0f pixels are too many; take a smaller width or resolution", width, height)
	}
	return nil
}

func (c *canvas) writeScaledPNG(w io.Writer, factor float64) error {
	width, height := scaled(c.w, factor), scaled(c.h, factor)
	if err := checkPixels(width, height); err != nil {
		return fmt.Errorf("drawing a picture: %w", err)
	}
	to, img := whitePaper(int(width), int(height))
	to.Scale(factor, factor)
	c.replay(&target{Canvas: to, fonts: c.text, height: float64(c.h), factor: factor})
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, img); err != nil {
		return fmt.Errorf("drawing a picture: %w", err)
	}
	return nil
}

func (c *canvas) replay(t *target) {
	t.fill(image.Rect(0, 0, c.w, c.h), white)
	for _, s := range c.steps {
		s(t)
	}
}

// boldTypeface is the bold variant of Liberation.
const boldTypeface = "LiberationBold"

// text sets a text whose box has its upper left corner at box.Min.
func (t *target) text(s style, text string, box image.Rectangle) {
	face := font.Face{Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(s.size)},
		Face: t.fonts.regular}
	if s.bold {
		face.Font.Typeface, face.Face = boldTypeface, t.fonts.bold
	}
	ascent := face.Extents().Ascent
	t.Push()
	defer t.Pop()
	at := vg.Point{X: vg.Length(box.Min.X), Y: vg.Length(t.height-float64(box.Min.Y)) - ascent}
	if s.vertical {
		t.Translate(vg.Point{X: vg.Length(box.Min.X) + ascent, Y: vg.Length(t.height - float64(box.Max.Y))})
		t.Rotate(math.Pi / 2)
		at = vg.Point{}
	}
	if s.halo.A > 0 {
		// gonum/plot has no outlined text: faint copies around the letters do.
		t.SetColor(fade(s.halo, 0.3))
		for _, d := range [...][2]vg.Length{{-1, -1}, {1, -1}, {-1, 1}, {1, 1}, {0, -1.4}, {0, 1.4}, {-1.4, 0},
			{1.4, 0}} {
			t.FillString(face, at.Add(vg.Point{X: d[0], Y: d[1]}), text)
		}
	}
	t.SetColor(s.color)
	t.FillString(face, at, text)
}
