// Package netlist reads the power grid of a chip as a SPICE netlist of resistors, voltage sources and current sources,
// and makes the linear system of its node voltages. The form is that of the IBM power grid benchmarks: S. R. Nassif,
// ASP-DAC 2008, 376; vias are resistors of 0 ohm or voltage sources of 0 V between two nodes.
//
// G are the conductances, v the voltages of nodes without a source of their voltage, and V those of the others:
//
//	sum over resistors of a node  g (v - v')  =  current into it          G v = i + G' V
//
// G is symmetric and positive definite where every node has a way to a source.
package netlist

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"thermsim/internal/inputfile"
)

// Error is a fault in a netlist.
type Error = inputfile.Error

// ground is the node of 0 V: 0, gnd or gnd! in files.
const ground = 0

// element connects two nodes.
type element struct {
	a, b  int32
	value float64 // siemens, V from b to a, or A from a through the element to b
	line  int32
}

// Grid is a netlist as read.
type Grid struct {
	File  string
	Names []string // of the nodes, ground first

	resistors, sources, currents []element
	shorts                       []element
}

// Counts of what a netlist holds.
type Counts struct {
	Nodes, Resistors, Shorts, VoltageSources, CurrentSources int
}

// Counts of the netlist.
func (g *Grid) Counts() Counts {
	return Counts{len(g.Names) - 1, len(g.resistors), len(g.shorts), len(g.sources), len(g.currents)}
}

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
		return nil, &Error{File: path, Msg: "cannot read the netlist: " + err.Error(), Err: err}
	}
	defer f.Close()
	in := bufio.NewReader(f)
	if magic, err := in.Peek(2); err != nil || magic[0] != 0x1f || magic[1] != 0x8b {
		return Read(path, in)
	}
	r, err := inputfile.Unpack(in)
	if err != nil {
		return nil, &Error{File: path, Msg: "cannot be unpacked: " + err.Error(), Remedy: "pack it with gzip, or " +
			"leave it unpacked", Err: err}
	}
	return Read(path, r)
}

// Limits: lines of netlists are short, and nodes are counted by 32 bits.
const (
	mostLine  = 1 << 16
	mostNodes = math.MaxInt32 - 1
)

// Read reads a netlist. The first line is an element unless it is none: power grids, other than SPICE decks, have no
// title. Lines that begin with * are comments; .op and .end and printing are passed over; other commands, and elements
// that are no R, V or I, are faults.
func Read(file string, r io.Reader) (*Grid, error) {
	p := &parser{g: &Grid{File: file, Names: []string{"0"}},
		index: map[string]int32{"0": ground, "gnd": ground, "gnd!": ground}, names: map[string]int32{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4096), mostLine)
	ended := false
	for !ended && lines.Scan() {
		p.line++
		var err error
		if ended, err = p.statement(lines.Text()); err != nil {
			return nil, err
		}
	}
	if err := lines.Err(); err != nil {
		remedy := ""
		if errors.Is(err, bufio.ErrTooLong) {
			err, remedy = fmt.Errorf("the line is longer than %d characters", mostLine),
				"write each element on a separate line"
		}
		return nil, &Error{File: file, Line: int(p.line) + 1, Msg: err.Error(), Remedy: remedy, Err: err}
	}
	if len(p.g.resistors)+len(p.g.shorts) == 0 {
		return nil,
			&Error{File: file, Msg: "the netlist has no resistors", Remedy: "they are lines such as R1 n1 n2 0.5"}
	}
	return p.g, nil
}

type parser struct {
	g     *Grid
	index map[string]int32
	names map[string]int32 // lines of the elements, whose names are in lower case as SPICE ignores case
	line  int32
	text  string // of the line
}

// fail blames a word of the line, from 0.
func (p *parser) fail(word int, remedy, format string, args ...any) error {
	return &Error{File: p.g.File, Line: int(p.line), Column: column(p.text, word), Msg: fmt.Sprintf(format, args...),
		Remedy: remedy}
}

// column counts the characters up to the first one of a word.
func column(text string, word int) int {
	at, inside := 0, false
	for _, r := range text {
		at++
		if unicode.IsSpace(r) {
			inside = false
		} else if !inside {
			inside = true
			if word--; word < 0 {
				return at
			}
		}
	}
	return 0
}

// statement reads a line; ended reports that nothing follows.
func (p *parser) statement(text string) (ended bool, err error) {
	text, _, _ = strings.Cut(text, "$")
	p.text = text
	words := strings.Fields(text)
	if len(words) == 0 || words[0][0] == '*' {
		return false, nil
	}
	switch words[0][0] {
	case '.':
		return p.command(strings.ToLower(words[0]))
	case 'R', 'r', 'V', 'v', 'I', 'i':
		return false, p.element(words)
	}
	if p.line == 1 {
		return false, nil // a title
	}
	return false, p.fail(0, "a power grid has resistors R, voltage sources V and current sources I",
		"%s cannot be solved with", quote(words[0]))
}

func (p *parser) command(name string) (ended bool, err error) {
	switch name {
	case ".end":
		return true, nil
	case ".op", ".print", ".plot", ".option", ".options", ".title", ".save", ".probe", ".temp", ".width":
		return false, nil
	}
	return false, p.fail(0, "remove it: voltages are those of constant sources", "the command %s has no meaning here",
		quote(name))
}

// element reads NAME NODE NODE [DC] VALUE.
func (p *parser) element(words []string) error {
	last := 3 // the value's word
	if len(words) == 5 && strings.EqualFold(words[3], "dc") {
		words, last = append(words[:3:3], words[4]), 4
	}
	if len(words) != 4 {
		return p.fail(min(4, len(words)-1), "it has a name, two nodes and a value", "%s has %d words, not 4",
			quote(words[0]), len(words))
	}
	value, err := number(words[3])
	if err != nil {
		return p.fail(last, "a value is a number such as 0.5, 1e-3, 10m or 2.5meg", "%s: %v", quote(words[0]), err)
	}
	a, err := p.node(words[1])
	if err != nil {
		return err
	}
	b, err := p.node(words[2])
	if err != nil {
		return err
	}
	name := strings.Clone(strings.ToLower(words[0])) // not the line around it
	if line := p.names[name]; line > 0 {
		return p.fail(0, "name every element once", "%s is there already, on line %d", quote(words[0]), line)
	}
	p.names[name] = p.line
	e := element{a, b, value, p.line}
	switch words[0][0] {
	case 'R', 'r':
		return p.resistor(words[0], last, e)
	case 'V', 'v':
		return p.source(words[0], e)
	}
	if a != b && value != 0 {
		p.g.currents = append(p.g.currents, e)
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
	case e.a == e.b && e.value != 0:
		return p.fail(1, "connect it to two nodes", "%s: a source of %g V between a node and itself", quote(name),
			e.value)
	case e.a == e.b:
	case e.value == 0 && e.a != ground && e.b != ground:
		p.g.shorts = append(p.g.shorts, e)
	case e.a != ground && e.b != ground:
		return p.fail(1, "connect it to ground", "%s: a source of %g V between two nodes, neither of which is "+
			"ground, is not solved with", quote(name), e.value)
	default:
		if e.a == ground {
			e.a, e.b, e.value = e.b, ground, -e.value
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
