package terminal

import (
	"fmt"
	"io"
	"math"
	"strings"

	"thermsim/report/tables"
)

// Table is a table of texts for the terminal. Numbers are right-aligned.
type Table struct {
	Header []string // a leading ">" marks a column of numbers
	Rows   [][]string
	// Cut says where rows are that are not printed without details, such as "rth.csv"; "" for a table with all rows.
	Cut string
}

func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Write prints the table, indented by two.
func (t *Table) Write(c *Console, w io.Writer) {
	rows := t.Rows
	if t.Cut != "" && !c.Style.Details {
		rows = rows[:min(len(rows), tables.BriefRows)]
	}
	columns := make([]tables.TextColumn, len(t.Header))
	for i, h := range t.Header {
		name, number := strings.CutPrefix(h, ">")
		columns[i] = tables.TextColumn{Number: number, Cells: []string{name}}
		for _, row := range rows {
			columns[i].Cells = append(columns[i].Cells, row[i])
		}
	}
	lines := tables.LayOut(columns, c.Style.Width-2)
	fmt.Fprintln(w, c.Dim("  "+lines[0]))
	for _, line := range lines[1:] {
		fmt.Fprintln(w, "  "+line)
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
