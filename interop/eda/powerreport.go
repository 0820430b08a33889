package eda

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// maxLine is the length of the longest line of a report.
const maxLine = bufferSize

// powerReport reads a report of instances and gives its watts to the cells.
func (m *reading) powerReport(q Request) {
	m.strays.names = newNames()
	switch {
	case q.Power == "" && m.hasWatts:
		return
	case q.Power == "":
		m.faults.Add(stack.Pos{File: q.Placement + q.DEF}, "give the report of instances with --power",
			"no power was given")
		return
	case m.hasWatts:
		m.faults.Add(stack.Pos{File: q.Placement, Line: 1}, "leave out --power, or the column",
			"the placement has a column of watts, and there is a power report too")
		return
	}
	r, done := m.input(q.Power, "power report")
	if r == nil {
		return
	}
	defer done()
	m.strays.file, m.origin = q.Power, q.Power
	p := &reportParser{reading: m, file: q.Power, scale: 1}
	for more := true; more && p.fault == nil; {
		text, err := r.ReadSlice('\n')
		if len(text) > 0 {
			p.line++
		}
		switch {
		case err == nil, errors.Is(err, io.EOF):
			p.read(text)
			more = err == nil
		case errors.Is(err, bufio.ErrBufferFull):
			p.fail(1, "is this a text file?", "the line is longer than %d characters", maxLine)
		default:
			p.line++
			p.fail(1, "is the file complete?", "cannot be read on: %v", err)
		}
	}
	if p.fault != nil {
		m.faults.AddError(p.fault)
		return
	}
	p.finish()
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

// reportParser reads a report line by line: a head that says what the columns are, a line of dashes, and rows. What
// comes before the first head is the program's banner.
type reportParser struct {
	*reading
	file  string
	line  int
	fault *stack.Error

	columns   []role
	nameFirst bool
	table     tableKind
	scale     float64 // W per unit of the table
	scaleOfIt float64 // as a line before the table told it, 0 for none
	fields    []word
	rows      int
	printed   float64 // total of a last line, NaN for none
	sums      sum     // of the rows
	uneven    int     // rows whose total is not the sum of its parts
	unevenAt  int
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

func (p *reportParser) fail(col int, remedy, format string, args ...any) {
	if p.fault == nil {
		p.fault = &stack.Error{Pos: stack.Pos{File: p.file, Line: p.line, Col: col}, Msg: fmt.Sprintf(format, args...),
			Remedy: remedy}
	}
}

// split cuts a line at white space.
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

// read takes one line.
func (p *reportParser) read(text []byte) {
	f := p.split(text)
	if len(f) == 0 {
		return
	}
	switch first := f[0].text; {
	case bytes.IndexByte(text, 0) >= 0:
		p.fail(bytes.IndexByte(text, 0)+1, "is this a text file?", "control character 0x00")
	case p.table == perInstance && p.row(f):
	case p.fault != nil:
	case isRule(text):
	case p.head(f):
	case p.table == perGroup: // its sums are of no use here
	case p.table == banner && startsNumbers(f):
		p.fail(f[0].col, "keep the heading \"Internal Switching Leakage Total\" above the rows",
			"a row of numbers without the heading of its table")
	case first[0] == '#' || p.table == banner || p.unitsOnly(f):
		p.unitLine(f)
	case isWord(first, "TOTAL") && len(f) > 1 && p.totalLine(f[1:]):
	default:
		p.fail(f[0].col, "report the power of instances as text: report_power -instances",
			"expected a row of %d numbers and the name of an instance", len(p.columns))
	}
}

// isRule recognises lines that only draw.
func isRule(text []byte) bool {
	for _, c := range text {
		if c != '-' && c != '=' && c != '_' && c != '*' && c != '+' && c != '|' && !isSpace(c) {
			return false
		}
	}
	return true
}

func startsNumbers(f []word) bool {
	n := 0
	for n < len(f) && n < 3 {
		if _, ok := parseFloat(f[n].text); !ok {
			break
		}
		n++
	}
	return n == 3
}

// row reads a row of the table. It returns false, with or without a fault, where the line is none.
func (p *reportParser) row(f []word) bool {
	numbers := f
	var name word
	if p.nameFirst {
		name, numbers = f[0], f[1:]
	}
	if len(numbers) < len(p.columns) {
		return false
	}
	var value [other + 1]float64
	has := [other + 1]bool{}
	for i, role := range p.columns {
		v, ok := parseFloat(numbers[i].text)
		if !ok {
			if i > 0 {
				p.fail(numbers[i].col, "", "expected a number, got %q", stack.Shorten(string(numbers[i].text)))
			}
			return false
		}
		value[role], has[role] = v, true
	}
	rest := numbers[len(p.columns):]
	for len(rest) > 0 && isPercent(rest[0].text) {
		rest = rest[1:]
	}
	if !p.nameFirst {
		if len(rest) == 0 {
			p.fail(f[len(f)-1].col, "is the file complete?", "the row has no name of an instance")
			return false
		}
		name, rest = rest[0], rest[1:]
	}
	if len(rest) > 0 {
		p.fail(rest[0].col, "", "the row goes on after the name of its instance: %q",
			stack.Shorten(string(rest[0].text)))
		return false
	}
	if p.nameFirst && isWord(name.text, "TOTAL") && p.cells.find(name.text) < 0 {
		p.printed = p.pick(value, has) * p.scale
		return true
	}
	p.add(name, value, has)
	return true
}

func isPercent(text []byte) bool {
	n := len(text)
	if n < 2 || text[n-1] != '%' {
		return false
	}
	_, ok := parseFloat(text[:n-1])
	return ok
}

// pick is the total of a row, or the sum of its parts where there is no column for it.
func (p *reportParser) pick(value [other + 1]float64, has [other + 1]bool) float64 {
	if has[total] {
		return value[total]
	}
	return value[internal] + value[switching] + value[leakage]
}

// add gives the watts of a row to its instance.
func (p *reportParser) add(name word, value [other + 1]float64, has [other + 1]bool) {
	w := p.pick(value, has) * p.scale
	if math.Abs(w) > maxWatts {
		p.fail(1, "is the unit right?", "%.3g W are too many for one instance", w)
		return
	}
	if has[total] && has[internal] && has[switching] && has[leakage] {
		parts := math.Abs(value[internal]) + math.Abs(value[switching]) + math.Abs(value[leakage])
		if d := math.Abs(value[total] - value[internal] - value[switching] - value[leakage]); d > 0.05*parts {
			if p.uneven++; p.uneven == 1 {
				p.unevenAt = p.line
			}
		}
	}
	p.rows++
	p.sums.add(w)
	pos := stack.Pos{File: p.file, Line: p.line, Col: name.col}
	switch i := p.cells.find(name.text); {
	case i == ambiguous:
		p.faults.Add(pos, "report names as they stand in the DEF", "%q may mean several components, whose names "+
			"differ by backslashes", stack.Shorten(string(name.text)))
	case i >= 0:
		in := &p.cells.list[i]
		if in.row > 0 {
			p.faults.Add(pos, "", "instance %q has a row already, on line %d", stack.Shorten(string(name.text)),
				in.row)
			return
		}
		in.watts, in.row = w, int32(p.line)
		p.addWatts(w)
	case !isASCII(name.text):
		p.faults.Add(pos, "", "the name of the instance has characters beyond ASCII: %q",
			stack.Shorten(string(name.text)))
	default:
		n, known := p.strays.names.add(name.text)
		if known {
			p.faults.Add(pos, "", "instance %q has a row already, on line %d", stack.Shorten(string(name.text)),
				p.strays.lines[n])
			return
		}
		p.strays.watts = append(p.strays.watts, w)
		p.strays.lines = append(p.strays.lines, int32(p.line))
		p.addWatts(w)
	}
}

// maxWatts is the most that a single instance may have; more is a slip of units.
const maxWatts = 1e6

// head recognises the heading of a table.
func (p *reportParser) head(f []word) bool {
	var columns []role
	known := 0
	named, group, last := false, false, false
	for i, w := range f {
		text := strings.ToLower(strings.Trim(string(w.text), ":|"))
		r := other
		switch text {
		case "internal":
			r = internal
		case "switching":
			r = switching
		case "leakage":
			r = leakage
		case "total":
			r = total
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
		if r != other {
			known++
		}
		columns = append(columns, r)
	}
	switch {
	case (known >= 3 || named && known >= 2) && known == len(columns):
		p.columns, p.nameFirst, p.table = columns, named && !last, perInstance
		if group {
			p.table = perGroup
		}
		p.scale, p.printed = 1, math.NaN()
		if p.scaleOfIt > 0 {
			p.scale = p.scaleOfIt
		}
		p.unitLine(f)
		return true
	case p.table != banner && len(columns) == 0: // the second line of a heading: Power Power (Watts)
		return true
	}
	return false
}

// totalLine reads a last line of totals.
func (p *reportParser) totalLine(f []word) bool {
	var value [other + 1]float64
	has := [other + 1]bool{}
	if len(f) < len(p.columns) {
		return false
	}
	for i, role := range p.columns {
		v, ok := parseFloat(f[i].text)
		if !ok {
			return false
		}
		value[role], has[role] = v, true
	}
	p.printed = p.pick(value, has) * p.scale
	return true
}

// finish checks what only the whole file tells.
func (p *reportParser) finish() {
	at := stack.Pos{File: p.file, Line: max(p.line, 1)}
	switch {
	case p.rows > 0:
	case p.table == perGroup:
		p.faults.Add(at, "report instances: report_power -instances [get_cells *]", "the report holds sums by groups "+
			"only, and no instances")
	default:
		p.faults.Add(at, "report the power of instances as text: report_power -instances",
			"the report holds no row of an instance")
	}
	if p.uneven > 0 {
		p.note(importer.Warning, stack.Pos{File: p.file, Line: p.unevenAt},
			"in %s, of which this is the first, the total is not the sum of its parts; the total was taken",
			plural(p.uneven, "row"))
	}
	if s := p.sums.value(); !math.IsNaN(p.printed) && p.rows > 0 && math.Abs(s-p.printed) > 0.01*math.Abs(s)+1e-30 &&
		p.table == perInstance {
		p.note(importer.Warning, at, "the rows add up to %.6g W, and the report's total is %.6g W", s, p.printed)
	}
}

func isASCII(text []byte) bool {
	for _, c := range text {
		if c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
