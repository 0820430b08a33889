package printout

import (
	"strings"
	"unicode/utf8"

	"thermsim/report/quantity"
)

// Table is aligned columns of text: names to the left, numbers to the right.
type Table struct {
	Columns []Column
	rows    [][]string
}

// Column is the head of a column and how its cells lie.
type Column struct {
	head  string
	right bool
	// name columns give way when the table is wider than the page.
	name bool
}

// Number is a column of numbers.
func Number(head string) Column { return Column{head: head, right: true} }

// Name is a column of names.
func Name(head string) Column { return Column{head: head, name: true} }

// Add adds a row.
func (t *Table) Add(cells ...string) { t.rows = append(t.rows, cells) }

// lines lays the table out, the head first, within width characters where names can be shortened enough.
func (t *Table) lines(width int) []string {
	const gap = 2
	w := make([]int, len(t.Columns))
	total := gap * (len(w) - 1)
	for c := range t.Columns {
		w[c] = utf8.RuneCountInString(t.Columns[c].head)
		for _, row := range t.rows {
			w[c] = max(w[c], utf8.RuneCountInString(row[c]))
		}
		total += w[c]
	}
	for total > width {
		widest := -1
		for c := range t.Columns {
			if t.Columns[c].name && w[c] > 8 && (widest < 0 || w[c] > w[widest]) {
				widest = c
			}
		}
		if widest < 0 {
			break
		}
		w[widest]--
		total--
	}
	head := make([]string, len(t.Columns))
	for c := range t.Columns {
		head[c] = t.Columns[c].head
	}
	out := make([]string, 0, len(t.rows)+1)
	for _, row := range append([][]string{head}, t.rows...) {
		var b strings.Builder
		for c, cell := range row {
			if c > 0 {
				b.WriteString(strings.Repeat(" ", gap))
			}
			cell = quantity.Shorten(cell, w[c])
			pad := strings.Repeat(" ", w[c]-utf8.RuneCountInString(cell))
			if t.Columns[c].right {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return out
}
