package report

import (
	"strings"
	"unicode/utf8"
)

// table is aligned columns of text: names to the left, numbers to the right.
type table struct {
	columns []column
	rows    [][]string
}

type column struct {
	head  string
	right bool
	// name columns give way when the table is wider than the page.
	name bool
}

func number(head string) column { return column{head: head, right: true} }
func name(head string) column   { return column{head: head, name: true} }

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// lines lays the table out, the head first, within width characters where names can be shortened enough.
func (t *table) lines(width int) []string {
	const gap = 2
	w := make([]int, len(t.columns))
	total := gap * (len(w) - 1)
	for c := range t.columns {
		w[c] = utf8.RuneCountInString(t.columns[c].head)
		for _, row := range t.rows {
			w[c] = max(w[c], utf8.RuneCountInString(row[c]))
		}
		total += w[c]
	}
	for total > width {
		widest := -1
		for c := range t.columns {
			if t.columns[c].name && w[c] > 8 && (widest < 0 || w[c] > w[widest]) {
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
	out := make([]string, 0, len(t.rows)+1)
	for _, row := range append([][]string{head}, t.rows...) {
		var b strings.Builder
		for c, cell := range row {
			if c > 0 {
				b.WriteString(strings.Repeat(" ", gap))
			}
			cell = shorten(cell, w[c])
			pad := strings.Repeat(" ", w[c]-utf8.RuneCountInString(cell))
			if t.columns[c].right {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return out
}

// shorten cuts s to n characters and marks the cut.
func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	if n <= 2 {
		return string(r[:n])
	}
	return string(r[:n-2]) + ".."
}
