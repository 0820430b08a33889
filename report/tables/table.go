// Package tables defines the tables of a report. Each table is defined once and written as text, CSV or for a page.
package tables

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"thermsim/internal/printable"
	"thermsim/report/quantity"
	"thermsim/report/summary"
	"thermsim/report/webpage"
)

// Limits of tables for people.
const (
	// BriefRows is the number of rows of a table in a terminal without details; files contain all rows.
	BriefRows = 10
	// ManyRows is the number of rows above which a table on a page has a filter.
	ManyRows = 12
	// mostPageBlocks is the number of blocks in a page: more would slow browsers down.
	mostPageBlocks = 20_000
)

// clickRow is the hint for tables of locations.
const clickRow = "Click a row to show it on the map."

// Table is a table. Its columns access the rows by index.
type Table struct {
	ID        string // on a page
	File      string // name of the CSV file
	Title     string
	PageTitle string // if it differs on pages
	Alarm     string // after the title in a terminal
	Note      string // in a terminal, if all rows are printed
	Cut       string // replaces Note otherwise; formats the numbers of printed rows and of the others
	PageNote  string
	PageHint  string // on using the table on a page
	Short     bool   // never has a filter on a page
	Count     int    // rows
	Columns   []Column
	// Shown returns the rows for terminals and pages, at most most, in their order; nil for the first rows.
	Shown    func(most int) []int
	MostPage int    // rows on a page; 0 for all
	First    string // what they are; "" for the hottest
	// Grouped lists rows with the same numbers once in a terminal, apart from locations: mirrored dies, for example.
	Grouped bool
	// Tier names the rows. Tiers of a memory stack are listed once in a terminal and on paper, by their hottest one
	// (the first one without Kelvin), and folded on a page; nil to list each.
	Tier   func(row int) string
	Kelvin func(row int) float64
}

// tierName is the name of a memory die, or of the bond below it: the stack, and the number from the bottom.
var tierName = regexp.MustCompile(`^(.*_(?:tier|bond))\d+$`)

// stackOf names the memory stack of a row; empty for other rows.
func (t *Table) stackOf(row int) string {
	if t.Tier == nil {
		return ""
	}
	if m := tierName.FindStringSubmatch(t.Tier(row)); m != nil {
		return m[1]
	}
	return ""
}

// hotter reports whether a row represents its stack rather than another row.
func (t *Table) hotter(row, than int) bool { return t.Kelvin != nil && t.Kelvin(row) > t.Kelvin(than) }

// Column is a number, in SI units and K, or a text of every row.
type Column struct {
	CSV, Text, Page string // headings; "" hides the column
	Value           func(row int) float64
	file            func(row int) float64 // in the unit of the file, where it is not that of Value
	Unit            Unit                  // of the value in terminals and pages
	Words           func(row int) string
	Mark            func(row int) string         // after the value in a terminal
	At              func(row int) *summary.Place // location that a click on a page shows
}

// Unit formats numbers for terminals and pages.
type Unit struct {
	scale       float64 // 0 for 1
	temperature bool
	difference  bool // of temperatures
	location    bool
	format      func(deg quantity.Digits, scaled float64) string
}

// Units of columns.
var (
	Celsius     = Unit{temperature: true, format: quantity.Digits.Celsius}
	Kelvin      = Unit{difference: true, format: quantity.Digits.Kelvin} // of differences
	Millimetres = Unit{scale: 1e3, location: true, format: fixed(1e3, 3).format}
	seconds     = Unit{format: func(_ quantity.Digits, v float64) string { return quantity.Seconds(v) }}
	count       = fixed(1, 0)
)

func fixed(scale float64, decimals int) Unit {
	return Unit{scale: scale, format: func(_ quantity.Digits, v float64) string { return quantity.Fixed(v, decimals) }}
}

func significant(scale float64, n int) Unit {
	return Unit{scale: scale, format: func(_ quantity.Digits, v float64) string { return quantity.Significant(v, n) }}
}

// known formats four digits, or a dash for unknown numbers.
func known(scale float64) Unit {
	return Unit{scale: scale, format: func(_ quantity.Digits, v float64) string { return quantity.Known(v, 1) }}
}

// plus adds a plus sign to positive numbers.
func plus(u Unit) Unit {
	plain := u.format
	u.format = func(deg quantity.Digits, v float64) string {
		if v > 0 {
			return "+" + plain(deg, v)
		}
		return plain(deg, v)
	}
	return u
}

func (c *Column) scaled(row int) float64 {
	if c.Unit.scale != 0 {
		return c.Value(row) * c.Unit.scale
	}
	return c.Value(row)
}

// CSV writes the file; for spreadsheets with semicolons and decimal commas, as Excel reads in many languages.
func (t *Table) CSV(w io.Writer, spreadsheet bool) error {
	rows := make([][]string, t.Count+1)
	for _, c := range t.Columns {
		if c.CSV == "" {
			continue
		}
		rows[0] = append(rows[0], c.CSV)
		for n := range t.Count {
			cell := ""
			switch {
			case c.Words != nil:
				cell = c.Words(n)
			case c.file != nil:
				cell = quantity.Number(c.file(n))
			default:
				cell = quantity.Number(c.Value(n))
			}
			if c.Words == nil && spreadsheet {
				cell = strings.Replace(cell, ".", ",", 1)
			}
			rows[n+1] = append(rows[n+1], cell)
		}
	}
	out := csv.NewWriter(w)
	if spreadsheet {
		out.Comma = ';'
		if _, err := io.WriteString(w, "\ufeff"); err != nil { // by which Excel recognizes UTF-8
			return err
		}
	}
	return writeRows(out, rows)
}

// WriteRows writes a table. Texts are escaped so that spreadsheets do not run them as formulas.
func WriteRows(w io.Writer, rows [][]string) error { return writeRows(csv.NewWriter(w), rows) }

func writeRows(w *csv.Writer, rows [][]string) error {
	for _, row := range rows {
		for i, cell := range row {
			if w.Comma == ';' {
				cell = strings.Replace(cell, ",", ".", 1)
			}
			if _, err := strconv.ParseFloat(cell, 64); err != nil {
				row[i] = printable.Cell(row[i])
			}
		}
	}
	return w.WriteAll(rows)
}

// shown returns the rows for terminals and pages, at most most; 0 for all.
func (t *Table) shown(most int) []int {
	if most == 0 {
		most = t.Count
	}
	if t.Shown != nil {
		return t.Shown(most)
	}
	rows := make([]int, min(most, t.Count))
	for n := range rows {
		rows[n] = n
	}
	return rows
}

// Text formats at most most rows (0 for all) for a terminal, the heading first, within width characters if names can be
// shortened enough. note describes the rows.
func (t *Table) Text(deg quantity.Digits, width, most int) (lines []string, note string) {
	if t.Cut == "" {
		most = 0
	}
	rows := t.shown(most)
	groups := each(rows)
	if (t.Grouped || t.Tier != nil) && most > 0 {
		rows = t.shown(most + sort.Search(max(0, t.Count-most), func(n int) bool {
			return len(t.groups(deg, t.shown(most+n+1))) > most
		}))
		groups = t.groups(deg, rows)
	}
	if len(rows) == 0 {
		return nil, ""
	}
	note = t.Note
	if len(rows) < t.Count && t.Cut != "" {
		note = fmt.Sprintf(t.Cut, len(rows), t.Count-len(rows))
	}
	var columns []TextColumn
	for _, c := range t.Columns {
		if c.Text == "" {
			continue
		}
		column := TextColumn{Number: c.Words == nil, Cells: []string{c.Text}}
		for _, g := range groups {
			cell := c.text(g.row, deg)
			if len(columns) == 0 {
				cell += g.more()
			}
			column.Cells = append(column.Cells, cell)
		}
		columns = append(columns, column)
	}
	return LayOut(columns, width), note
}

// group is a row that represents others.
type group struct{ row, equal, tiers int }

// more says how many rows a row represents.
func (g *group) more() string {
	switch {
	case g.tiers > 0:
		return fmt.Sprintf(" (+%d tiers)", g.tiers+g.equal)
	case g.equal > 0:
		return fmt.Sprintf(" (+%d equal)", g.equal)
	}
	return ""
}

// each is a group for each row.
func each(rows []int) (groups []group) {
	for _, n := range rows {
		groups = append(groups, group{row: n})
	}
	return groups
}

// groups joins the tiers of a memory stack, and rows with the same numbers.
func (t *Table) groups(deg quantity.Digits, rows []int) (groups []group) {
	at, stacks := map[string]int{}, map[string]int{}
	for _, n := range rows {
		stack := t.stackOf(n)
		if i, ok := stacks[stack]; ok && stack != "" {
			groups[i].tiers++
			if t.hotter(n, groups[i].row) {
				groups[i].row = n
			}
			continue
		}
		i, ok := at[t.numbers(n, deg)]
		if ok = ok && t.Grouped; ok {
			groups[i].equal++
		} else {
			i = len(groups)
			at[t.numbers(n, deg)], groups = i, append(groups, group{row: n})
		}
		if stack != "" {
			stacks[stack] = i
		}
	}
	return groups
}

// numbers are those of a row, apart from locations.
func (t *Table) numbers(row int, deg quantity.Digits) (key string) {
	for _, c := range t.Columns {
		if c.Text != "" && c.Words == nil && !c.Unit.location {
			key += c.text(row, deg) + " "
		}
	}
	return key
}

func (c *Column) text(row int, deg quantity.Digits) string {
	if c.Words != nil {
		return c.Words(row)
	}
	text := c.Unit.format(deg, c.scaled(row))
	if c.Mark != nil {
		text += c.Mark(row)
	}
	return text
}

// Page formats the table for a page. mark creates cells that show a location.
func (t *Table) Page(deg quantity.Digits, mark func(text string, at *summary.Place) webpage.Cell) webpage.Table {
	page := webpage.Table{ID: t.ID, Title: t.Title, Note: t.PageNote, Hint: t.PageHint,
		Long: !t.Short && t.Count > ManyRows}
	if t.PageTitle != "" {
		page.Title = t.PageTitle
	}
	rows := t.shown(t.MostPage)
	if len(rows) < t.Count {
		page.Note += fmt.Sprintf(" The %s %d of %d; %s has all.", cmp.Or(t.First, "hottest"), len(rows), t.Count,
			t.File)
	}
	page.Rows = make([][]webpage.Cell, len(rows))
	for _, c := range t.Columns {
		if c.Page == "" {
			continue
		}
		page.Columns = append(page.Columns,
			webpage.Column{Name: c.Page, Number: c.Words == nil, Temperature: c.Unit.temperature,
				Difference: c.Unit.difference})
		for i, n := range rows {
			page.Rows[i] = append(page.Rows[i], c.cell(n, deg, mark))
		}
	}
	page.Folds = t.folds(rows)
	return page
}

// folds folds the tiers of each memory stack under one of them.
func (t *Table) folds(rows []int) []webpage.Fold {
	folds := make([]webpage.Fold, len(rows))
	stacks := map[string]int{} // the row that is listed
	for i, n := range rows {
		folds[i].Stack = t.stackOf(n)
		if folds[i].Stack == "" {
			continue
		}
		first, ok := stacks[folds[i].Stack]
		switch {
		case !ok:
			stacks[folds[i].Stack] = i
			continue
		case t.hotter(n, rows[first]):
			stacks[folds[i].Stack], folds[i].More, folds[first].More = i, folds[first].More+1, 0
			folds[first].Folded = true
		default:
			folds[i].Folded = true
			folds[first].More++
		}
	}
	return folds
}

func (c *Column) cell(row int, deg quantity.Digits, mark func(string, *summary.Place) webpage.Cell) webpage.Cell {
	switch {
	case c.At != nil:
		return mark(c.Words(row), c.At(row))
	case c.Words != nil:
		return webpage.Text(c.Words(row))
	case c.Unit.temperature:
		return webpage.Temperature(c.Value(row), int(deg))
	}
	v := c.scaled(row)
	return webpage.Number(v, c.Unit.format(deg, v))
}

// lastStep adds to a note in a terminal that values belong to the end of a transient.
func lastStep(s *summary.Summary, note string) string {
	switch {
	case s.Steps == 0:
		return note
	case note == "":
		return "last step"
	case s.Peak == (summary.Peak{}):
		return "last step; " + note
	}
	return "last step, and the peak over time; " + note
}

// lastStepOnPage does so on a page; what describes the exceptions.
func lastStepOnPage(s *summary.Summary, what, note string) string {
	if s.Steps == 0 {
		return note
	}
	return "Values at the last time step" + what + ". " + note
}

// TextColumn is a column of numbers, aligned to the right, or of names, aligned to the left and shortened if the table
// is too wide.
type TextColumn struct {
	Number bool
	Cells  []string // the head first
}

// LayOut aligns the columns within width characters if names can be shortened enough.
func LayOut(columns []TextColumn, width int) []string {
	const gap, leastName = 2, 8
	w := make([]int, len(columns))
	total := gap * (len(w) - 1)
	for c := range columns {
		for _, cell := range columns[c].Cells {
			w[c] = max(w[c], utf8.RuneCountInString(cell))
		}
		total += w[c]
	}
	for ; total > width; total-- {
		widest := -1
		for c := range columns {
			if !columns[c].Number && w[c] > leastName && (widest < 0 || w[c] > w[widest]) {
				widest = c
			}
		}
		if widest < 0 {
			break
		}
		w[widest]--
	}
	lines := make([]string, len(columns[0].Cells))
	for row := range lines {
		var b strings.Builder
		for c, column := range columns {
			if c > 0 {
				b.WriteString(strings.Repeat(" ", gap))
			}
			cell := quantity.Shorten(column.Cells[row], w[c])
			pad := strings.Repeat(" ", w[c]-utf8.RuneCountInString(cell))
			if column.Number {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		lines[row] = strings.TrimRight(b.String(), " ")
	}
	return lines
}
