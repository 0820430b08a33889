// Package tables lays out the tables of a summary: as text, as CSV files and for pages.
package tables

import (
	"strings"
	"unicode/utf8"

	"thermsim/report/quantity"
)

// Table is aligned columns of text: names to the left, numbers to the right.
type Table struct {
	columns []column
	Rows    [][]string
}

// column has numbers to the right, or names, which give way when the table is wider than the page.
type column struct {
	head   string
	number bool
}

// New is a table without rows. A # before its head marks a column of numbers; the others have names.
func New(heads ...string) *Table {
	t := &Table{}
	for _, h := range heads {
		h, number := strings.CutPrefix(h, "#")
		t.columns = append(t.columns, column{h, number})
	}
	return t
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Lines lays the table out, the head first, within width characters where names can be shortened enough.
func (t *Table) Lines(width int) []string {
	const gap = 2
	w := make([]int, len(t.columns))
	total := gap * (len(w) - 1)
	for c := range t.columns {
		w[c] = utf8.RuneCountInString(t.columns[c].head)
		for _, row := range t.Rows {
			w[c] = max(w[c], utf8.RuneCountInString(row[c]))
		}
		total += w[c]
	}
	for total > width {
		widest := -1
		for c := range t.columns {
			if !t.columns[c].number && w[c] > 8 && (widest < 0 || w[c] > w[widest]) {
				widest = c
			}
		}
		if widest < 0 {
			break
		}
		w[widest]--
		total--
	}
	head := make([]string, len(t.columns))
	for c := range t.columns {
		head[c] = t.columns[c].head
	}
	out := make([]string, 0, len(t.Rows)+1)
	for _, row := range append([][]string{head}, t.Rows...) {
		var b strings.Builder
		for c, cell := range row {
			if c > 0 {
				b.WriteString(strings.Repeat(" ", gap))
			}
			cell = quantity.Shorten(cell, w[c])
			pad := strings.Repeat(" ", w[c]-utf8.RuneCountInString(cell))
			if t.columns[c].number {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return out
}
