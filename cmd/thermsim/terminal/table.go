package terminal

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"thermsim/report/tables"
)

// Table is a table for the terminal. Numbers are right-aligned. The last column is cut where the terminal ends, and
// left out where little of it could be seen.
type Table struct {
	Header []string // a leading ">" marks a column of numbers
	Rows   [][]string
	// Cut says where rows are that are not printed without details, such as "rth.csv"; "" for a table with all rows.
	Cut string
}

func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Write prints the table, indented by two.
func (t *Table) Write(c *Console, w io.Writer) {
	widths := make([]int, len(t.Header))
	numbers := make([]bool, len(t.Header))
	header := make([]string, len(t.Header))
	for i, h := range t.Header {
		header[i], numbers[i] = strings.CutPrefix(h, ">")
	}
	for _, row := range append([][]string{header}, t.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	columns := len(widths)
	if left := lastWidth(widths, c.Style.Width); left < min(leastWidth, widths[columns-1]) {
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
		return Cut(strings.TrimRight(b.String(), " "), c.Style.Width)
	}
	fmt.Fprintln(w, c.Dim(line(header)))
	rows := t.Rows
	if t.Cut != "" && !c.Style.Details {
		rows = rows[:min(len(rows), tables.BriefRows)]
	}
	for _, row := range rows {
		fmt.Fprintln(w, line(row))
	}
	if more := len(t.Rows) - len(rows); more > 0 {
		fmt.Fprintln(w, c.Dim(fmt.Sprintf("  +%d more: %s", more, t.Cut)))
	}
}

// Titled prints the table on stdout, below a title and a note.
func (t *Table) Titled(c *Console, title, note string) {
	fmt.Fprintf(c.Stdout, "%s  %s\n", c.Bold(title), c.Dim(note))
	t.Write(c, c.Stdout)
}

// leastWidth is how much of a cut column is worth showing.
const leastWidth = 16

// lastWidth is the width that is left for the last column on a line.
func lastWidth(widths []int, line int) int {
	for _, w := range widths[:len(widths)-1] {
		line -= w + 2
	}
	return line - 2
}

// Cut shortens a line to a width and shows that it did.
func Cut(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	return string(runes[:max(0, width-3)]) + "..."
}

// Bytes writes bytes for people.
func Bytes(b float64) string {
	switch {
	case b >= 1e12:
		return fmt.Sprintf("%.3g TB", b/1e12)
	case b >= 1e9:
		return fmt.Sprintf("%.3g GB", b/1e9)
	}
	return fmt.Sprintf("%.3g MB", b/1e6)
}

// Celsius converts from K.
func Celsius(kelvin float64) float64 { return kelvin - 273.15 }

// Length writes metres in the unit people use for it.
func Length(m float64) string {
	switch a := math.Abs(m); {
	case a >= 1e-3:
		return fmt.Sprintf("%.5g mm", m*1e3)
	case a >= 1e-6:
		return fmt.Sprintf("%.5g um", m*1e6)
	}
	return fmt.Sprintf("%.5g nm", m*1e9)
}
