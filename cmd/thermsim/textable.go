package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// textTable is a table for the terminal. Numbers are right-aligned. The last column is cut where the terminal ends, and
// left out where little of it could be seen.
type textTable struct {
	header []string // a leading ">" marks a column of numbers
	rows   [][]string
}

func (t *textTable) add(cells ...string) { t.rows = append(t.rows, cells) }

// write prints the table, indented by two.
func (t *textTable) write(c *console, w io.Writer) {
	widths := make([]int, len(t.header))
	numbers := make([]bool, len(t.header))
	header := make([]string, len(t.header))
	for i, h := range t.header {
		header[i], numbers[i] = strings.CutPrefix(h, ">")
	}
	for _, row := range append([][]string{header}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	columns := len(widths)
	if left := room(widths, c.style.Width); left < min(leastWidth, widths[columns-1]) {
		columns--
	}
	line := func(row []string) string {
		var b strings.Builder
		for i, cell := range row[:columns] {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if numbers[i] {
				cell = pad + cell
			} else {
				cell += pad
			}
			b.WriteString("  " + cell)
		}
		return cut(strings.TrimRight(b.String(), " "), c.style.Width)
	}
	fmt.Fprintln(w, c.dim(line(header)))
	for _, row := range t.rows {
		fmt.Fprintln(w, line(row))
	}
}

// leastWidth is how much of a cut column is worth showing.
const leastWidth = 16

// room is what the last column has on a line.
func room(widths []int, line int) int {
	for _, w := range widths[:len(widths)-1] {
		line -= w + 2
	}
	return line - 2
}

// cut shortens a line to a width and shows that it did.
func cut(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	return string(runes[:max(0, width-3)]) + "..."
}

// byteCount writes bytes for people.
func byteCount(b float64) string {
	switch {
	case b >= 1e12:
		return fmt.Sprintf("%.3g TB", b/1e12)
	case b >= 1e9:
		return fmt.Sprintf("%.3g GB", b/1e9)
	}
	return fmt.Sprintf("%.3g MB", b/1e6)
}
