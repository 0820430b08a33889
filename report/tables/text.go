package tables

import (
	"strings"
	"unicode/utf8"

	"thermsim/report/quantity"
)

// textColumn has numbers to the right, or names to the left, which give way when the table is wider than the page.
type textColumn struct {
	number bool
	cells  []string // the head first
}

// layOut aligns the columns, within width characters where names can be shortened enough.
func layOut(columns []textColumn, width int) []string {
	const gap, leastName = 2, 8
	w := make([]int, len(columns))
	total := gap * (len(w) - 1)
	for c := range columns {
		for _, cell := range columns[c].cells {
			w[c] = max(w[c], utf8.RuneCountInString(cell))
		}
		total += w[c]
	}
	for ; total > width; total-- {
		widest := -1
		for c := range columns {
			if !columns[c].number && w[c] > leastName && (widest < 0 || w[c] > w[widest]) {
				widest = c
			}
		}
		if widest < 0 {
			break
		}
		w[widest]--
	}
	lines := make([]string, len(columns[0].cells))
	for row := range lines {
		var b strings.Builder
		for c, column := range columns {
			if c > 0 {
				b.WriteString(strings.Repeat(" ", gap))
			}
			cell := quantity.Shorten(column.cells[row], w[c])
			pad := strings.Repeat(" ", w[c]-utf8.RuneCountInString(cell))
			if column.number {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		lines[row] = strings.TrimRight(b.String(), " ")
	}
	return lines
}
