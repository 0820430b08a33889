// Package paper writes report.pdf: the content of the page of a run, without its interactive parts, for printing.
package paper

import (
	"fmt"
	"image/color"
	"io"
	"strings"

	"codeberg.org/go-pdf/fpdf"

	"thermsim/report/picture"
	"thermsim/report/webpage"
)

// Figure is a picture in the document.
type Figure interface {
	Write(w io.Writer, format picture.Format) error
}

// Lengths in points on A4 paper.
const (
	pageWidth, pageHeight = 595.28, 841.89
	margin                = 48
	bodyWidth             = pageWidth - 2*margin
	bottom                = pageHeight - margin - 14 // above the footer
	tallest               = 400                      // of a figure
	cellGap               = 10
	mostRows              = 24 // of a table
	allRows               = 70 // of all tables
)

var (
	black = color.RGBA{0, 0, 0, 255}
	soft  = color.RGBA{90, 98, 109, 255}
	faint = color.RGBA{217, 221, 226, 255}
	// Blue and vermilion of Okabe and Ito, which differ for every color vision.
	kinds = map[string]color.RGBA{"pass": {0, 90, 143, 255}, "fail": {179, 71, 0, 255}, "none": soft}
)

type writer struct {
	doc  *fpdf.Fpdf
	y    float64 // of the next line
	most int     // rows of a table
	unit string  // of temperatures
}

// Write writes the document with figures.
func Write(w io.Writer, d *webpage.Document, figures []Figure) error {
	p := &writer{doc: picture.NewDocument(pageWidth, pageHeight), unit: d.Symbol()}
	p.doc.SetTitle(d.Title, true)
	p.doc.SetCellMargin(0)
	p.newPage()
	p.front(d)
	insert := &picture.Insert{Doc: p.doc, Place: p.place}
	for _, f := range figures {
		if err := f.Write(insert, picture.PDF); err != nil {
			return fmt.Errorf("drawing a figure of the report: %w", err)
		}
	}
	p.most = mostRows
	for rowsOf(d, p.most) > allRows && p.most > mostRows/4 {
		p.most--
	}
	for i := range d.Tables {
		p.table(&d.Tables[i])
	}
	for _, g := range d.Groups {
		p.group(g)
	}
	p.footers(d)
	return p.doc.Output(w)
}

// rowsOf counts the rows of all tables if none has more than most.
func rowsOf(d *webpage.Document, most int) (sum int) {
	for i := range d.Tables {
		sum += min(most, len(d.Tables[i].Rows))
	}
	return sum
}

func (p *writer) newPage() {
	p.doc.AddPage()
	p.y = margin
}

// need starts a page unless a height is left on this one.
func (p *writer) need(height float64) {
	if p.y+height > bottom {
		p.newPage()
	}
}

func (p *writer) font(size float64, style string, c color.RGBA) {
	p.doc.SetFont(picture.Sans, style, size)
	p.doc.SetTextColor(int(c.R), int(c.G), int(c.B))
}

// lines splits a text in the current font into lines of a width.
func (p *writer) lines(text string, width float64) (lines []string) {
	for _, word := range strings.Fields(text) {
		if n := len(lines) - 1; n >= 0 && p.doc.GetStringWidth(lines[n]+" "+word) <= width {
			lines[n] += " " + word
			continue
		}
		for p.doc.GetStringWidth(word) > width { // a word that is too long, such as a checksum
			cut := []rune(word)
			for len(cut) > 1 && p.doc.GetStringWidth(string(cut)) > width {
				cut = cut[:len(cut)-1]
			}
			lines, word = append(lines, string(cut)), word[len(string(cut)):]
		}
		lines = append(lines, word)
	}
	return lines
}

// text writes a paragraph from x on.
func (p *writer) text(x, size float64, style string, c color.RGBA, text string) {
	p.font(size, style, c)
	for _, l := range p.lines(text, pageWidth-margin-x) {
		p.need(size * 1.35)
		p.font(size, style, c) // a new page does not matter
		p.doc.Text(x, p.y+size, l)
		p.y += size * 1.35
	}
}

func (p *writer) rule(y float64, c color.RGBA) {
	p.doc.SetDrawColor(int(c.R), int(c.G), int(c.B))
	p.doc.SetLineWidth(0.5)
	p.doc.Line(margin, y, pageWidth-margin, y)
}

// heading starts a section; rest is the height that shall follow on the same page.
func (p *writer) heading(text string, rest float64) {
	p.y += 12
	p.need(22 + rest)
	p.text(margin, 12, "B", black, text)
	p.y += 3
}

// front writes what comes before the figures: title, verdict, facts and warnings.
func (p *writer) front(d *webpage.Document) {
	p.text(margin, 18, "B", black, d.Title)
	p.y += 2
	p.text(margin, 9, "", soft, strings.Join(d.Byline, "  ·  "))
	if d.Caveat != "" {
		p.text(margin, 11, "B", kinds["fail"], d.Caveat)
	}
	p.y += 8
	p.verdict(&d.Verdict, 13)
	for i := range d.Verdict.Limits {
		p.verdict(&d.Verdict.Limits[i], 9)
	}
	p.y += 8
	p.facts(d.Facts)
	p.y += 4
	p.text(margin, 10, "", black, p.plain(d.Lead))
	if len(d.Warnings) > 0 {
		p.heading("Warnings", 30)
	}
	for _, w := range d.Warnings {
		p.text(margin, 8.5, "", black, "– "+w)
	}
}

// verdict writes a mark, the word and the text. Marks differ by shape: a disc for pass, a square for fail.
func (p *writer) verdict(v *webpage.Verdict, size float64) {
	c := kinds[v.Kind]
	p.need(size * 1.6)
	p.doc.SetFillColor(int(c.R), int(c.G), int(c.B))
	r := size * 0.33
	if v.Kind == "pass" {
		p.doc.Circle(margin+r, p.y+size*0.65, r, "F")
	} else {
		p.doc.Rect(margin, p.y+size*0.65-r, 2*r, 2*r, "F")
	}
	p.font(size, "B", c)
	x := margin + 3*r + 2
	p.doc.Text(x, p.y+size, v.Word)
	p.text(x+p.doc.GetStringWidth(v.Word)+size*0.6, size*0.85, "", black, v.Text)
	p.y += 2
}

// facts writes labels above values, in columns.
func (p *writer) facts(facts []webpage.Fact) {
	const columns, height = 4, 30
	for i, f := range facts {
		if i%columns == 0 {
			p.need(height)
			p.y += height
		}
		x, y := margin+float64(i%columns)*bodyWidth/columns, p.y-height
		p.font(8, "", soft)
		p.doc.Text(x, y+9, f.Label)
		p.font(12, "B", black)
		p.doc.Text(x, y+22, p.plain(f.Value))
	}
}

// place is that of a figure: below what is there, scaled to the width of the page and to tallest, or to the whole page
// if it would become illegible.
func (p *writer) place(width, height float64) (x, y, scale float64) {
	const legible = 0.75
	if scale = min(bodyWidth/width, tallest/height); scale < legible {
		scale = min(bodyWidth/width, (bottom-margin-8)/height)
	}
	p.y += 8
	p.need(height * scale)
	y = p.y
	p.y += height * scale
	return margin, y, scale
}

// group writes a list of facts.
func (p *writer) group(g webpage.Group) {
	const label = 130
	p.heading(g.Title, 40)
	for _, f := range g.Facts {
		p.font(9, "", black)
		p.need(12.15)
		y := p.y
		p.font(9, "", soft)
		p.doc.Text(margin, y+9, f.Label)
		p.text(margin+label, 9, "", black, p.plain(f.Value))
		if len(f.Value) == 0 {
			p.y = y + 12.15
		}
	}
}

// footers numbers the pages, when their count is known.
func (p *writer) footers(d *webpage.Document) {
	count := p.doc.PageCount()
	for n := 1; n <= count; n++ {
		p.doc.SetPage(n)
		p.rule(pageHeight-margin-6, faint)
		p.font(8, "", soft)
		p.doc.Text(margin, pageHeight-margin+6, d.Title)
		number := fmt.Sprintf("page %d of %d", n, count)
		p.doc.Text(pageWidth-margin-p.doc.GetStringWidth(number), pageHeight-margin+6, number)
	}
}

// plain is the text of parts, with the unit of temperatures.
func (p *writer) plain(parts []webpage.Part) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(part.Text)
		if part.Unit {
			b.WriteString(" " + p.unit)
		}
	}
	return b.String()
}
