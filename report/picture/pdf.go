package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"time"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pdfCanvas draws on one page of a PDF. (gonum/plot's own PDF canvas turns images upside down and knows no text beyond
// ASCII.)
type pdfCanvas struct {
	sheet
	doc    *fpdf.Fpdf
	widths map[int]bool // of images, in pixels
}

var _ vg.CanvasWriterTo = (*pdfCanvas)(nil)

// sans names the embedded font.
const sans = "LiberationSans"

func newPDF(width, height vg.Length) *pdfCanvas {
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: float64(width), Ht: float64(height)}})
	// The same picture gives the same bytes.
	doc.SetCatalogSort(true)
	doc.SetCreationDate(time.Unix(0, 0).UTC())
	doc.SetModificationDate(time.Unix(0, 0).UTC())
	doc.SetProducer("thermsim", true)
	doc.SetAutoPageBreak(false, 0)
	doc.SetMargins(0, 0, 0)
	doc.AddUTF8FontFromBytes(sans, "", liberationsansregular.TTF)
	doc.AddUTF8FontFromBytes(sans, "B", liberationsansbold.TTF)
	doc.AddPage()
	doc.SetLineJoinStyle("round")
	return &pdfCanvas{sheet: newSheet(width, height), doc: doc, widths: map[int]bool{}}
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
	p.doc.SetFont(sans, style, float64(f.Font.Size)*p.size())
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
