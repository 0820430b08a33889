package eda

import (
	"bytes"
	"cmp"
	"math"
	"strings"

	"thermsim/interop/importer"
	"thermsim/powermap"
	"thermsim/stack"
)

// maxLine is the length of the longest line of a report.
const maxLine = bufferSize

// powerReport reads a report of instances and adds its power to the cells.
func (m *reading) powerReport(q Request) {
	m.strays.names = newNames()
	switch {
	case q.Power == "" && m.hasWatts:
		return
	case q.Power == "":
		m.Faults.Add(stack.Pos{File: q.Placement + q.DEF}, "give the report of instances with --power",
			"no power was given")
		return
	case m.hasWatts:
		m.Faults.Add(stack.Pos{File: q.Placement, Line: 1}, "omit --power, or the column",
			"the placement has a column of watts, and a power report is given too")
		return
	}
	r, done := m.input(q.Power, "power report")
	if r == nil {
		return
	}
	defer done()
	m.strays.file, m.origin = q.Power, q.Power
	p := &reportParser{reading: m, lexer: newLexer(q.Power, r), scale: 1}
	last := 1
	for p.readLine() {
		last = p.lexer.row
		p.read(p.line)
	}
	if p.fault != nil {
		m.Faults.AddError(p.fault)
		return
	}
	p.finish(last)
}

// role of a column of numbers
type role int

const (
	internal role = iota
	switching
	leakage
	total
	other
)

// powers are the numbers of a row by role, in the unit of the table.
type powers struct {
	value [other + 1]float64
	has   [other + 1]bool
}

// sum is the total of a row, or the sum of its parts if there is no column for it.
func (w *powers) sum() float64 {
	if w.has[total] {
		return w.value[total]
	}
	return w.value[internal] + w.value[switching] + w.value[leakage]
}

// uneven reports whether the total differs from the sum of its parts, if the row has all of them.
func (w *powers) uneven() bool {
	for r := internal; r <= total; r++ {
		if !w.has[r] {
			return false
		}
	}
	v := &w.value
	parts := math.Abs(v[internal]) + math.Abs(v[switching]) + math.Abs(v[leakage])
	return math.Abs(v[total]-v[internal]-v[switching]-v[leakage]) > 0.05*parts
}

// reportParser reads a report line by line: a heading that defines the columns, a line of dashes, and rows. Text before
// the first heading is the program's banner.
type reportParser struct {
	*reading
	*lexer

	columns   []role
	nameFirst bool
	table     tableKind
	scale     float64 // W per unit of the table
	announced float64 // the same from a line before the table, 0 for none
	fields    []word
	rows      int
	printed   float64      // total of a last line, NaN for none
	sums      powermap.Sum // of the rows
	uneven    tally        // lines of rows whose total is not the sum of its parts
	json      instanceJSON
}

type tableKind int

const (
	banner tableKind = iota
	perInstance
	perGroup
)

type word struct {
	text []byte
	col  int
}

// shown is the word for messages.
func (w word) shown() string { return stack.Shorten(string(w.text)) }

// failCol records a fault at a column of the current line.
func (p *reportParser) failCol(col int, remedy, format string, args ...any) {
	p.failAt(stack.Pos{File: p.file, Line: p.lexer.row, Col: col}, remedy, format, args...)
}

// split splits a line at white space.
func (p *reportParser) split(text []byte) []word {
	f := p.fields[:0]
	for i := 0; i < len(text); {
		if isSpace(text[i]) {
			i++
			continue
		}
		from := i
		for i < len(text) && !isSpace(text[i]) {
			i++
		}
		f = append(f, word{text[from:i], from + 1})
	}
	p.fields = f
	return f
}

// read reads one line.
func (p *reportParser) read(text []byte) {
	f := p.split(text)
	if len(f) == 0 {
		return
	}
	switch first := f[0].text; {
	case len(text) > maxLine:
		p.failCol(1, "is this a text file?", "the line is longer than %d characters", maxLine)
	case bytes.IndexByte(text, 0) >= 0:
		p.failCol(bytes.IndexByte(text, 0)+1, "is this a text file?", "control character 0x00")
	case p.json.open:
		p.jsonLine(f)
	case p.table == banner && p.startJSON(f):
	case p.table == perInstance && p.row(f):
	case p.fault != nil:
	case len(bytes.Trim(text, "-=_*+| \t\r\n\f\v")) == 0: // a line that is drawn
	case p.head(f):
	case p.table == perGroup: // its sums are not used
	case p.table == banner && startsNumbers(f):
		p.failCol(f[0].col, "keep the heading \"Internal Switching Leakage Total\" above the rows",
			"a row of numbers without the heading of its table")
	case first[0] == '#' || p.table == banner || p.unitsOnly(f):
		p.unitLine(f)
	case isWord(first, "TOTAL") && len(f) > 1 && p.totalLine(f[1:]):
	default:
		p.failCol(f[0].col, "report the power of instances as text: report_power -instances",
			"expected a row of %d numbers and the name of an instance", len(p.columns))
	}
}

func startsNumbers(f []word) bool {
	for n := range 3 {
		if n == len(f) {
			return false
		}
		if _, ok := parseFloat(f[n].text); !ok {
			return false
		}
	}
	return true
}

// powers reads the columns of a row, and returns the number of those that are valid.
func (p *reportParser) powers(f []word) (w powers, valid int) {
	for i, role := range p.columns {
		if i == len(f) {
			return w, i
		}
		v, ok := parseFloat(f[i].text)
		if !ok {
			return w, i
		}
		w.value[role], w.has[role] = v, true
	}
	return w, len(p.columns)
}

// row reads a row of the table. It returns false, with or without a fault, for other lines.
func (p *reportParser) row(f []word) bool {
	numbers := f
	var name word
	if p.nameFirst {
		name, numbers = f[0], f[1:]
	}
	if len(numbers) < len(p.columns) {
		return false
	}
	w, valid := p.powers(numbers)
	if valid < len(p.columns) {
		if valid > 0 {
			p.failCol(numbers[valid].col, "", "expected a number, got %q", numbers[valid].shown())
		}
		return false
	}
	rest := numbers[valid:]
	for len(rest) > 0 && isPercent(rest[0].text) {
		rest = rest[1:]
	}
	if !p.nameFirst {
		if len(rest) == 0 {
			p.failCol(f[len(f)-1].col, "is the file complete?", "the row has no name of an instance")
			return false
		}
		name, rest = rest[0], rest[1:]
	}
	if len(rest) > 0 {
		p.failCol(rest[0].col, "", "the row continues after the name of its instance: %q", rest[0].shown())
		return false
	}
	if p.nameFirst && isWord(name.text, "TOTAL") && p.cells.find(name.text) < 0 {
		p.printed = w.sum() * p.scale
		return true
	}
	p.add(name, &w)
	return true
}

func isPercent(text []byte) bool {
	number, ok := bytes.CutSuffix(text, []byte("%"))
	if ok {
		_, ok = parseFloat(number)
	}
	return ok
}

// maxWatts is the largest power of a single instance; more is a mistake in the unit.
const maxWatts = 1e6

// add adds the power of a row to its instance.
func (p *reportParser) add(name word, values *powers) {
	w := values.sum() * p.scale
	if math.Abs(w) > maxWatts {
		p.failCol(1, "is the unit right?", "%.3g W are too many for one instance", w)
		return
	}
	if values.uneven() {
		p.uneven.add(p.lexer.row)
	}
	p.rows++
	p.sums.Add(w)
	pos := stack.Pos{File: p.file, Line: p.lexer.row, Col: name.col}
	switch i := p.cells.find(name.text); {
	case i == ambiguous:
		p.Faults.Add(pos, "report names as in the DEF", "%q may mean several components, whose names differ by "+
			"backslashes", name.shown())
	case i >= 0:
		in := &p.cells.list[i]
		if in.row > 0 {
			p.Faults.Add(pos, "", "instance %q has a row already, on line %d", name.shown(), in.row)
			return
		}
		in.watts, in.row = w, int32(p.lexer.row)
		p.addWatts(w)
	case bytes.ContainsFunc(name.text, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		p.Faults.Add(pos, "", "the name of the instance has characters beyond ASCII: %q", name.shown())
	default:
		n, known := p.strays.names.add(name.text)
		if known {
			p.Faults.Add(pos, "", "instance %q has a row already, on line %d", name.shown(),
				p.strays.lines[n])
			return
		}
		p.strays.watts = append(p.strays.watts, w)
		p.strays.lines = append(p.strays.lines, int32(p.lexer.row))
		p.addWatts(w)
	}
}

// roles are those of the words in a heading.
var roles = map[string]role{"internal": internal, "switching": switching, "leakage": leakage, "total": total}

// head recognises the heading of a table.
func (p *reportParser) head(f []word) bool {
	var columns []role
	known := 0
	named, group, last := false, false, false
	for i, w := range f {
		text := strings.ToLower(strings.Trim(string(w.text), ":|"))
		switch text {
		case "instance", "name", "cell", "group":
			group = group || text == "group"
			named, last = true, i > 0
			continue
		case "power", "%", "percent", "percentage":
			continue
		}
		if unit, ok := powerUnit(text); ok {
			p.scale = unit
			continue
		}
		r, ok := roles[text]
		if ok {
			known++
		} else {
			r = other
		}
		columns = append(columns, r)
	}
	if (known >= 3 || named && known >= 2) && known == len(columns) {
		p.columns, p.nameFirst, p.table = columns, named && !last, perInstance
		if group {
			p.table = perGroup
		}
		p.scale, p.printed = cmp.Or(p.announced, 1), math.NaN()
		p.unitLine(f)
		return true
	}
	return p.table != banner && len(columns) == 0 // the second line of a heading: Power Power (Watts)
}

// totalLine reads a last line of totals.
func (p *reportParser) totalLine(f []word) bool {
	w, valid := p.powers(f)
	if valid < len(p.columns) {
		return false
	}
	p.printed = w.sum() * p.scale
	return true
}

// finish checks the whole file, of which last is the number of lines.
func (p *reportParser) finish(last int) {
	at := stack.Pos{File: p.file, Line: last}
	switch {
	case p.json.open:
		p.Faults.Add(at, "is the file complete?", "the list of instances has no end")
	case p.rows > 0:
	case p.table == perGroup:
		p.Faults.Add(at, "report instances: report_power -instances [get_cells *]", "the report has sums by groups "+
			"only, and no instances")
	default:
		p.Faults.Add(at, "report the power of instances as text: report_power -instances",
			"the report has no row of an instance")
	}
	if p.uneven.n > 0 {
		p.Note(importer.Warning, stack.Pos{File: p.file, Line: p.uneven.first},
			"the total is not the sum of its parts in %s, of which this is the first; the total is used",
			importer.Plural(p.uneven.n, "row"))
	}
	if s := p.sums.Value(); !math.IsNaN(p.printed) && p.rows > 0 && math.Abs(s-p.printed) > 0.01*math.Abs(s)+1e-30 &&
		p.table == perInstance {
		p.Note(importer.Warning, at, "the rows add up to %.6g W, but the report's total is %.6g W", s, p.printed)
	}
}
