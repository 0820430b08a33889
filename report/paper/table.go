package paper

import (
	"fmt"

	"thermsim/report/webpage"
)

const (
	tableFont = 8
	lineHigh  = tableFont * 1.3
)

// table writes the first rows of a table. Texts are wrapped if it is too wide.
func (p *writer) table(t *webpage.Table) {
	all := t.Listed()
	rows := all[:min(len(all), p.most)]
	widths := p.widths(t, rows)
	p.heading(t.Title, 60)
	if t.Note != "" {
		p.text(margin, 8, "", soft, t.Note)
	}
	if more := len(all) - len(rows); more > 0 {
		p.text(margin, 8, "", soft, fmt.Sprintf("The first %d of %d rows; the interactive page has all.", len(rows),
			len(all)))
	}
	p.y += 3
	head := make([]webpage.Cell, len(t.Columns))
	for i := range t.Columns {
		head[i] = webpage.Text(p.title(&t.Columns[i]))
		head[i].Numeric = t.Columns[i].Number
	}
	p.row(head, widths, "B")
	for _, r := range rows {
		if p.y+p.height(r, widths) > bottom {
			p.newPage()
			p.row(head, widths, "B")
		}
		p.row(r, widths, "")
	}
}

func (p *writer) title(c *webpage.Column) string {
	if c.Temperature {
		return c.Name + " " + p.unit
	}
	return c.Name
}

// widths fits the columns into the page: the widest columns of texts become narrower.
func (p *writer) widths(t *webpage.Table, rows [][]webpage.Cell) []float64 {
	w := make([]float64, len(t.Columns))
	total := cellGap * float64(len(w)-1)
	for i := range w {
		p.font(tableFont, "B", black)
		w[i] = p.doc.GetStringWidth(p.title(&t.Columns[i]))
		p.font(tableFont, "", black)
		for _, r := range rows {
			w[i] = max(w[i], p.doc.GetStringWidth(r[i].Text))
		}
		total += w[i]
	}
	for ; total > bodyWidth; total -= 2 {
		widest := -1
		for i := range w {
			if !t.Columns[i].Number && (widest < 0 || w[i] > w[widest]) {
				widest = i
			}
		}
		if widest < 0 || w[widest] < 40 {
			break
		}
		w[widest] -= 2
	}
	return w
}

// height of a row in points.
func (p *writer) height(cells []webpage.Cell, widths []float64) float64 {
	most := 1
	for i := range cells {
		most = max(most, len(p.lines(cells[i].Text, widths[i]+0.1)))
	}
	return float64(most)*lineHigh + 3
}

// row writes cells and a rule below them.
func (p *writer) row(cells []webpage.Cell, widths []float64, style string) {
	p.font(tableFont, style, black)
	x, height := float64(margin), p.height(cells, widths)
	for i := range cells {
		c := black
		switch cells[i].Text {
		case "PASS":
			c = kinds["pass"]
		case "FAIL":
			c = kinds["fail"]
		}
		p.font(tableFont, style, c)
		for n, l := range p.lines(cells[i].Text, widths[i]+0.1) {
			at := x
			if cells[i].Numeric {
				at += widths[i] - p.doc.GetStringWidth(l)
			}
			p.doc.Text(at, p.y+float64(n)*lineHigh+tableFont, l)
		}
		x += widths[i] + cellGap
	}
	p.y += height
	p.rule(p.y-1, faint)
}
