package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"time"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pdfCanvas draws on one page of a PDF. (gonum/plot's own PDF canvas turns images upside down and knows no text beyond ASCII.)
type pdfCanvas struct {
	sheet
	doc    *fpdf.Fpdf
	images int
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
	return &pdfCanvas{sheet: newSheet(width, height), doc: doc}
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
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		p.doc.SetError(err)
		return
	}
	p.images++
	name := fmt.Sprint("image", p.images)
	options := fpdf.ImageOptions{ImageType: "PNG"}
	p.doc.RegisterImageOptionsReader(name, options, &b)
	p.doc.SetAlpha(1, "Normal")
	x0, y1 := p.at(r.Min)
	x1, y0 := p.at(r.Max)
	p.doc.ImageOptions(name, x0, y0, x1-x0, y1-y0, false, options, 0, "")
}

// WriteTo writes the document.
func (p *pdfCanvas) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if err := p.doc.Output(&b); err != nil {
		return 0, err
	}
	return b.WriteTo(w)
}
