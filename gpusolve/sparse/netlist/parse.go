package netlist

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"thermsim/internal/inputfile"
	"thermsim/stack"
)

// Is says whether a file's name is that of a netlist, packed or not.
func Is(path string) bool {
	switch strings.ToLower(filepath.Ext(strings.TrimSuffix(path, ".gz"))) {
	case ".sp", ".spi", ".spice", ".cir", ".ckt":
		return true
	}
	return false
}

// Open reads a file, packed with gzip or not.
func Open(path string) (*Grid, error) {
	f, err := inputfile.Open(path)
	if err != nil {
		return nil, &stack.Error{Pos: stack.Pos{File: path}, Msg: "cannot read the netlist: " + err.Error(), Err: err}
	}
	defer f.Close()
	return unpack(path, f)
}

// Parse reads the contents of a file, packed with gzip or not.
func Parse(path string, data []byte) (*Grid, error) { return unpack(path, bytes.NewReader(data)) }

// unpack reads a netlist, packed with gzip or not.
func unpack(path string, from io.Reader) (*Grid, error) {
	in := bufio.NewReader(from)
	if magic, err := in.Peek(2); err != nil || magic[0] != 0x1f || magic[1] != 0x8b {
		return Read(path, in)
	}
	r, err := inputfile.Unpack(in)
	if err != nil {
		return nil, &stack.Error{Pos: stack.Pos{File: path}, Msg: "cannot be unpacked: " + err.Error(),
			Remedy: "pack it with gzip, or leave it unpacked", Err: err}
	}
	return Read(path, r)
}

// Limits: lines of netlists are short, nodes are counted by 32 bits, and time steps take time.
const (
	mostLine  = 1 << 16
	mostNodes = math.MaxInt32 - 1
	mostSteps = 10_000_000
)

// Read reads a netlist. The first line is an element unless it is none: power grids, other than SPICE decks, have no
// title. Lines that begin with * are comments, and those that begin with + continue the line before. Commands are
// .tran, .print and .probe; .op and .end and others of printing are passed over. Other commands, and elements that are
// no R, C, L, V or I, are faults.
func Read(file string, r io.Reader) (*Grid, error) {
	p := &parser{g: &Grid{File: file, Names: []string{"0"}},
		index: map[string]int32{"0": ground, "gnd": ground, "gnd!": ground}, names: map[string]int32{},
		stop: math.Inf(1)}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4096), mostLine)
	read, ended := int32(0), false
	for !ended && lines.Scan() {
		read++
		text, _, _ := strings.Cut(lines.Text(), "$")
		trimmed := strings.TrimSpace(text)
		switch {
		case trimmed == "" || trimmed[0] == '*':
			continue
		case trimmed[0] == '+' && len(p.lines) > 0:
			p.lines = append(p.lines, lineText{strings.Replace(text, "+", " ", 1), read})
			continue
		}
		var err error
		if ended, err = p.statement(); err != nil {
			return nil, err
		}
		p.lines = append(p.lines[:0], lineText{text, read})
	}
	if err := lines.Err(); err != nil {
		remedy := ""
		if errors.Is(err, bufio.ErrTooLong) {
			err, remedy = fmt.Errorf("the line is longer than %d characters", mostLine),
				"write each element on a separate line"
		}
		return nil, &stack.Error{Pos: stack.Pos{File: file, Line: int(read) + 1}, Msg: err.Error(),
			Remedy: remedy, Err: err}
	}
	if !ended {
		if _, err := p.statement(); err != nil {
			return nil, err
		}
	}
	if len(p.g.resistors)+len(p.g.shorts) == 0 {
		return nil, &stack.Error{Pos: stack.Pos{File: file}, Msg: "the netlist has no resistors",
			Remedy: "they are lines such as R1 n1 n2 0.5"}
	}
	return p.g, p.finish()
}

// lineText is a line, without its comment, and its number.
type lineText struct {
	text   string
	number int32
}

type parser struct {
	g       *Grid
	index   map[string]int32
	names   map[string]int32 // lines of the elements, whose names are in lower case as SPICE ignores case
	lines   []lineText       // of the statement
	words   []string
	stop    float64      // s, of .tran
	printed [][]lineText // statements of .print and .probe
}

// separator reports what ends a word.
func separator(r rune) bool {
	return unicode.IsSpace(r) || r == '(' || r == ')' || r == ',' || r == '='
}

// fail reports a word of the statement, from 0.
func (p *parser) fail(word int, remedy, format string, args ...any) error {
	line, column := p.position(word)
	return &stack.Error{Pos: stack.Pos{File: p.g.File, Line: line, Col: column},
		Msg: fmt.Sprintf(format, args...), Remedy: remedy}
}

// position is the line and column of a word; columns are counted in characters.
func (p *parser) position(word int) (line, column int) {
	for _, l := range p.lines {
		column, inside := 0, false
		for _, r := range l.text {
			column++
			if separator(r) {
				inside = false
			} else if !inside {
				inside = true
				if word--; word < 0 {
					return int(l.number), column
				}
			}
		}
	}
	return int(p.lines[0].number), 0
}

// split makes the words of the statement.
func (p *parser) split() {
	p.words = p.words[:0]
	for _, l := range p.lines {
		p.words = append(p.words, strings.FieldsFunc(l.text, separator)...)
	}
}

// statement reads the lines of one; ended reports that nothing follows.
func (p *parser) statement() (ended bool, err error) {
	if len(p.lines) == 0 {
		return false, nil
	}
	p.split()
	words := p.words
	if len(words) == 0 {
		return false, p.fail(0, "remove it", "the line has no words")
	}
	first := unicode.ToLower(rune(words[0][0]))
	switch {
	case first == '.':
		return p.command(strings.ToLower(words[0]))
	case p.lines[0].number == 1 && !strings.ContainsRune("rvi", first) && !p.storage(first):
		return false, nil // a title
	case strings.ContainsRune("rclvi", first):
		return false, p.element(first)
	}
	return false, p.fail(0, "a power grid has resistors R, capacitors C, inductors L, voltage sources V and current "+
		"sources I", "%s cannot be solved with", quote(words[0]))
}

// storage reports whether the first line is a capacitor or inductor and no title.
func (p *parser) storage(first rune) bool {
	if len(p.words) != 4 || first != 'c' && first != 'l' {
		return false
	}
	_, err := number(p.words[3])
	return err == nil
}

func (p *parser) command(name string) (ended bool, err error) {
	switch name {
	case ".end":
		return true, nil
	case ".tran":
		return false, p.tran()
	case ".print", ".probe":
		p.printed = append(p.printed, slices.Clone(p.lines))
		return false, nil
	case ".op", ".plot", ".option", ".options", ".title", ".save", ".temp", ".width":
		return false, nil
	}
	return false, p.fail(0, "remove it; .op, .tran, .print and .probe are supported", "the command %s has no meaning "+
		"here", quote(name))
}

// tran reads .tran STEP STOP.
func (p *parser) tran() error {
	const remedy = "write .tran STEP STOP, such as .tran 10p 10n"
	words := p.words
	if p.g.Tran != nil {
		return p.fail(0, "remove one of them", "a second .tran")
	}
	if len(words) != 3 {
		return p.fail(min(3, len(words)-1), remedy, ".tran has %d values, not 2", len(words)-1)
	}
	var v [2]float64
	for k := range v {
		var err error
		if v[k], err = number(words[1+k]); err == nil && v[k] <= 0 {
			err = fmt.Errorf("a time must be positive, got %g s", v[k])
		}
		if err != nil {
			return p.fail(1+k, remedy, ".tran: %v", err)
		}
	}
	steps := math.Round(v[1] / v[0])
	switch {
	case math.Abs(steps*v[0]-v[1]) > 1e-6*v[0]*math.Max(1, steps) || steps < 1:
		return p.fail(2, remedy, ".tran: the end, %g s, is not a multiple of the step, %g s", v[1], v[0])
	case steps > mostSteps:
		return p.fail(1, remedy, ".tran: %g steps; expected at most %d", steps, mostSteps)
	}
	p.g.Tran, p.stop = &Tran{Step: v[0], Steps: int(steps)}, v[1]
	return nil
}

// finish completes what depends on .tran: waves, and the nodes to print.
func (p *parser) finish() error {
	step := 0.0
	if p.g.Tran != nil {
		step = p.g.Tran.Step
	}
	for _, list := range [][]element{p.g.sources, p.g.currents} {
		for k := range list {
			if e := &list[k]; e.wave != nil {
				e.wave.complete(step, p.stop)
				if p.g.Tran != nil || math.IsNaN(e.value) {
					e.value = e.wave.at(0)
				}
			}
		}
	}
	if p.g.Tran == nil {
		return nil
	}
	seen := map[int32]bool{}
	for _, p.lines = range p.printed {
		p.split()
		words, at := p.words, 1
		if len(words) > 1 && strings.EqualFold(words[1], "tran") {
			at++
		} else if len(words) > 1 && slices.Contains([]string{"dc", "op", "ac", "noise"}, strings.ToLower(words[1])) {
			continue
		}
		for ; at < len(words); at += 2 {
			if !strings.EqualFold(words[at], "v") || at+1 == len(words) {
				return p.fail(at, "write .print tran v(NODE) v(NODE)", "%s cannot be printed, only voltages of nodes",
					quote(words[at]))
			}
			n, ok := p.index[words[at+1]]
			if !ok || n == ground {
				return p.fail(at+1, "name a node of an element", "there is no node %s", quote(words[at+1]))
			}
			if !seen[n] {
				p.g.Print = append(p.g.Print, n)
			}
			seen[n] = true
		}
	}
	return nil
}

// element reads NAME NODE NODE [DC] VALUE, or of a resistor also R=VALUE. A source may have a wave after or in place of
// its value.
func (p *parser) element(kind rune) error {
	words, last := p.words, 3 // the value's word
	if len(words) > 4 && (strings.EqualFold(words[3], "dc") || kind == 'r' && strings.EqualFold(words[3], "r")) {
		last++
	}
	e := element{line: p.lines[0].number}
	source := kind == 'v' || kind == 'i'
	if source && len(words) > last && waveForm(words[last]) != "" {
		e.value, last = math.NaN(), last-1
	} else if len(words) <= last || len(words) > last+1 && !source {
		return p.fail(min(4, len(words)-1), "it has a name, two nodes and a value", "%s has %d words, not 4",
			quote(words[0]), len(words))
	} else {
		var err error
		if e.value, err = number(words[last]); err != nil {
			return p.fail(last, "a value is a number such as 0.5, 1e-3, 10m or 2.5meg", "%s: %v", quote(words[0]), err)
		}
	}
	var err error
	if len(words) > last+1 {
		if e.wave, err = p.wave(last + 1); err != nil {
			return err
		}
	}
	if e.a, err = p.node(words[1]); err != nil {
		return err
	}
	if e.b, err = p.node(words[2]); err != nil {
		return err
	}
	name := strings.Clone(strings.ToLower(words[0])) // not the line around it
	if line := p.names[name]; line > 0 {
		return p.fail(0, "name every element once", "%s is there already, on line %d", quote(words[0]), line)
	}
	p.names[name] = e.line
	switch kind {
	case 'r':
		return p.resistor(words[0], last, e)
	case 'c', 'l':
		return p.store(kind, words[0], last, e)
	case 'v':
		return p.source(words[0], e)
	}
	if e.a != e.b && (e.value != 0 || e.wave != nil) {
		p.g.currents = append(p.g.currents, e)
	}
	return nil
}

// waveForm is the key of forms of a word, "" of others.
func waveForm(word string) string {
	word = strings.ToLower(word)
	if _, ok := forms[word]; ok {
		return word
	}
	return ""
}

// wave reads the words of a wave from its form on.
func (p *parser) wave(first int) (*wave, error) {
	name, words := p.words[0], p.words[first:]
	w := &wave{form: waveForm(words[0])}
	if w.form == "" {
		return nil, p.fail(first, "write a number, or PULSE(...), PWL(...) or SIN(...)", "%s: %s is not a waveform",
			quote(name), quote(words[0]))
	}
	for k, word := range words[1:] {
		v, err := number(word)
		if err != nil {
			return nil, p.fail(first+1+k, "write "+forms[w.form].usage, "%s: %v", quote(name), err)
		}
		w.values = append(w.values, v)
	}
	if at, remedy, problem := w.check(); problem != "" {
		return nil, p.fail(first+1+at, remedy, "%s: %s", quote(name), problem)
	}
	return w, nil
}

// store adds a capacitor or an inductor.
func (p *parser) store(kind rune, name string, word int, e element) error {
	what, list := "a capacitance", &p.g.capacitors
	if kind == 'l' {
		what, list = "an inductance", &p.g.inductors
	}
	switch {
	case e.value < 0:
		return p.fail(word, "remove it, or write its magnitude", "%s: %s must not be negative, got %g", quote(name),
			what, e.value)
	case e.a == e.b:
	case e.value == 0 && kind == 'l':
		p.g.shorts = append(p.g.shorts, e)
	case e.value > 0:
		*list = append(*list, e)
	}
	return nil
}

func (p *parser) resistor(name string, word int, e element) error {
	switch {
	case e.value < 0:
		return p.fail(word, "remove it, or write its magnitude", "%s: a resistance must not be negative, got %g",
			quote(name), e.value)
	case e.a == e.b:
	case e.value == 0:
		p.g.shorts = append(p.g.shorts, e)
	default:
		e.value = 1 / e.value
		if math.IsInf(e.value, 0) {
			return p.fail(word, "write 0 for a short", "%s: a resistance of %g ohm is too small", quote(name),
				1/e.value)
		}
		p.g.resistors = append(p.g.resistors, e)
	}
	return nil
}

func (p *parser) source(name string, e element) error {
	switch {
	case e.a == e.b && (e.value != 0 || e.wave != nil):
		return p.fail(1, "connect it to two nodes", "%s: a source between a node and itself", quote(name))
	case e.a == e.b:
	case e.value == 0 && e.wave == nil && e.a != ground && e.b != ground:
		p.g.shorts = append(p.g.shorts, e)
	case e.a != ground && e.b != ground:
		return p.fail(1, "connect it to ground", "%s: a source between two nodes, neither of which is ground, cannot "+
			"be solved with", quote(name))
	default:
		if e.a == ground {
			e.a, e.b, e.value = e.b, ground, -e.value
			e.wave.negate()
		}
		p.g.sources = append(p.g.sources, e)
	}
	return nil
}

// node finds the number of a node.
func (p *parser) node(name string) (int32, error) {
	if n, ok := p.index[name]; ok {
		return n, nil
	}
	if strings.EqualFold(name, "gnd") || strings.EqualFold(name, "gnd!") {
		return ground, nil
	}
	if len(p.g.Names) > mostNodes {
		return 0, p.fail(1, "merge nodes that shorts connect", "more than %d nodes", mostNodes)
	}
	n := int32(len(p.g.Names))
	name = strings.Clone(name) // not the line around it
	p.g.Names = append(p.g.Names, name)
	p.index[name] = n
	return n, nil
}

// number reads a value with SPICE's suffixes: 1k, 2.5meg, 10mOhm.
func number(text string) (float64, error) {
	lower := strings.ToLower(text)
	end := len(lower)
	for end > 0 {
		if _, err := inputfile.Number(lower[:end]); err == nil || errors.Is(err, strconv.ErrRange) {
			break
		}
		end--
	}
	if end == 0 {
		return 0, fmt.Errorf("%s is no number", quote(text))
	}
	x, err := inputfile.Number(lower[:end])
	suffix := lower[end:]
	factor := 1.0
	for _, s := range []struct {
		text   string
		factor float64
	}{{"meg", 1e6}, {"mil", 25.4e-6}, {"t", 1e12}, {"g", 1e9}, {"k", 1e3}, {"m", 1e-3}, {"u", 1e-6}, {"n", 1e-9},
		{"p", 1e-12}, {"f", 1e-15}} {
		if strings.HasPrefix(suffix, s.text) {
			factor, suffix = s.factor, suffix[len(s.text):]
			break
		}
	}
	switch {
	case strings.Trim(suffix, "abcdefghijklmnopqrstuvwxyz") != "":
		return 0, fmt.Errorf("%s is no number", quote(text))
	case err != nil || math.IsInf(x*factor, 0):
		return 0, fmt.Errorf("%s is out of range", quote(text))
	}
	return x * factor, nil
}

// quote keeps messages readable when the input is not.
func quote(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "..."
	}
	return strconv.Quote(text)
}
