// Package tree reads TOML to a tree with the positions of all keys and values.
package tree

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"thermsim/stack/internal/faults"
)

// kind is the TOML type of a node.
type kind uint8

const (
	Table kind = iota
	Array
	String
	Integer
	Float
	Bool
	Date
)

func (k kind) String() string {
	return [...]string{"a table", "an array", "a string", "a whole number", "a number", "true or false", "a date"}[k]
}

// Node is a TOML value with its position.
type Node struct {
	Pos     faults.Pos
	Kind    kind
	origin  origin
	Text    string         // contents of a string, else the literal as written
	Entries []Entry        // of a table, in file order
	index   map[string]int // into entries; nil where there are few
	Items   []*Node        // of an array
}

// origin is how a table or an array was defined, which determines what may be added to it.
type origin uint8

const (
	byValue   origin = iota // written as a value: complete
	byHeader                // [table]
	implied                 // a part of a header of another table; may get its own
	byDots                  // a part of a dotted key
	byHeaders               // [[array of tables]]
)

type Entry struct {
	Name  string
	Pos   faults.Pos // of the key
	Value *Node
}

// Find returns the entry of that name, nil if there is none.
func (n *Node) Find(name string) *Entry {
	if n.index == nil {
		for i := range n.Entries {
			if n.Entries[i].Name == name {
				return &n.Entries[i]
			}
		}
		return nil
	}
	if i, ok := n.index[name]; ok {
		return &n.Entries[i]
	}
	return nil
}

// fewEntries are found as fast without an index, which takes more memory than they do.
const fewEntries = 8

func (n *Node) Add(name string, pos faults.Pos, value *Node) {
	if n.index == nil && len(n.Entries) == fewEntries {
		n.index = map[string]int{}
		for i := range n.Entries {
			n.index[n.Entries[i].Name] = i
		}
	}
	if n.index != nil {
		n.index[name] = len(n.Entries)
	}
	n.Entries = append(n.Entries, Entry{name, pos, value})
}

// Parse reads a TOML document with the parser of go-toml, whose decoder has no positions of values that are valid as
// TOML but not as a stack. What the parser leaves to the decoder is checked here: duplicate keys, and malformed numbers
// and dates. The decoder would look for each key among all others.
func Parse(file string, data []byte) (*Node, *faults.Error) {
	b := treeBuilder{file: file, data: data, lines: lineStarts(data)}
	if at := excess(data, maxValuesOf(data)); at >= 0 {
		b.tooMany(b.pos(at))
		return nil, b.fault
	}
	b.parser.Reset(data)
	root := &Node{Pos: faults.Pos{File: file, Line: 1, Col: 1}, origin: byHeader}
	current := root
	for b.fault == nil && b.parser.NextExpression() {
		e := b.parser.Expression()
		switch e.Kind {
		case unstable.Table:
			current = b.open(root, e, false)
		case unstable.ArrayTable:
			current = b.open(root, e, true)
		case unstable.KeyValue:
			b.keyValue(current, e)
		}
	}
	if b.fault != nil {
		return nil, b.fault
	}
	if err := b.parser.Error(); err != nil {
		return nil, b.syntaxError(err)
	}
	return root, nil
}

// syntaxError finds the position of an error of the parser.
func (b *treeBuilder) syntaxError(err error) *faults.Error {
	pos := faults.Pos{File: b.file}
	var pe *unstable.ParserError
	if errors.As(err, &pe) {
		// What the parser highlights is a part of the text, or other text. A subslice ends where the capacity of the
		// whole does.
		if at := cap(b.data) - cap(pe.Highlight); at >= 0 && at < len(b.data) {
			pos = b.pos(at)
		}
	}
	msg := strings.TrimPrefix(err.Error(), "toml: ")
	return &faults.Error{Pos: pos, Msg: "not valid TOML: " + msg, Err: err}
}

// fail notes the first fault, which ends the reading.
func (b *treeBuilder) fail(pos faults.Pos, format string, args ...any) {
	if b.fault == nil {
		b.fault = &faults.Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
	}
}

type treeBuilder struct {
	values int // so far
	file   string
	data   []byte
	lines  []int
	parser unstable.Parser
	fault  *faults.Error
}

func (b *treeBuilder) pos(offset int) faults.Pos { return offsetPos(b.file, b.lines, offset) }

// add puts a value into a table, within the limits.
func (b *treeBuilder) add(table *Node, name string, pos faults.Pos, value *Node) {
	b.count(pos)
	if len(table.Entries) >= maxKeys {
		b.fail(pos, "a table has %d keys at most; put blocks and powers into separate files (floorplan, watts, "+
			"trace, map)", maxKeys)
		return
	}
	table.Add(name, pos, value)
}

// count notes a value.
func (b *treeBuilder) count(pos faults.Pos) {
	if b.values++; b.values > maxValuesOf(b.data) {
		b.tooMany(pos)
	}
}

func (b *treeBuilder) tooMany(pos faults.Pos) {
	b.fail(pos, "more than %d values; put blocks, powers and maps into separate files (floorplan, watts, "+
		"trace, map)", maxValuesOf(b.data))
}

// open follows a table header from the root, makes missing tables, and returns the one that gets the next keys.
func (b *treeBuilder) open(root *Node, e *unstable.Node, array bool) *Node {
	at := root
	it := e.Key()
	for b.fault == nil && it.Next() {
		key := it.Node()
		name, pos := string(key.Data), b.pos(int(key.Raw.Offset))
		switch found := at.Find(name); {
		case it.IsLast() && array:
			at = b.element(at, found, name, pos)
		case it.IsLast():
			at = b.header(at, found, name, pos)
		case found == nil:
			table := &Node{Pos: pos, origin: implied}
			b.add(at, name, pos, table)
			at = table
		default:
			at = b.enter(found, pos)
		}
	}
	return at
}

// header is the table of a [header].
func (b *treeBuilder) header(at *Node, found *Entry, name string, pos faults.Pos) *Node {
	switch {
	case found == nil:
		table := &Node{Pos: pos, origin: byHeader}
		b.add(at, name, pos, table)
		return table
	case found.Value.Kind != Table || found.Value.origin == byValue:
		b.fail(pos, "not valid TOML: key %s is already defined, and not as a table with a header", faults.Shorten(name))
	case found.Value.origin != implied:
		b.fail(pos, "not valid TOML: table %s already exists", faults.Shorten(name))
	}
	found.Value.Pos, found.Value.origin = pos, byHeader
	return found.Value
}

// element is a new table of an [[array of tables]].
func (b *treeBuilder) element(at *Node, found *Entry, name string, pos faults.Pos) *Node {
	table := &Node{Pos: pos, origin: byHeader}
	switch {
	case found == nil:
		b.add(at, name, pos, &Node{Pos: pos, Kind: Array, origin: byHeaders, Items: []*Node{table}})
	case found.Value.origin != byHeaders:
		b.fail(pos, "not valid TOML: key %s is already defined, and not as an array of tables", faults.Shorten(name))
	default:
		b.count(pos)
		found.Value.Items = append(found.Value.Items, table)
	}
	return table
}

// enter is the table, or the last of an array of tables, that a header leads through.
func (b *treeBuilder) enter(found *Entry, pos faults.Pos) *Node {
	switch v := found.Value; {
	case v.origin == byHeaders:
		return v.Items[len(v.Items)-1]
	case v.Kind != Table || v.origin == byValue:
		b.fail(pos, "not valid TOML: key %s already exists as a value", faults.Shorten(found.Name))
		return v
	default:
		return v
	}
}

// keyValue adds a key, dotted or not, to a table.
func (b *treeBuilder) keyValue(table *Node, e *unstable.Node) {
	end := 0
	it := e.Key()
	for it.Next() {
		key := it.Node()
		offset := int(key.Raw.Offset)
		end = offset + int(key.Raw.Length)
		name := string(key.Data)
		found := table.Find(name)
		switch {
		case it.IsLast() && found != nil, found != nil &&
			(found.Value.Kind != Table || found.Value.origin != byDots):
			b.fail(b.pos(offset), "not valid TOML: key %s is already defined", faults.Shorten(name))
			return
		case it.IsLast():
			b.add(table, name, b.pos(offset), b.value(e.Value(), b.valueOffset(end)))
			return
		case found != nil:
			table = found.Value
			continue
		}
		sub := &Node{Pos: b.pos(offset), origin: byDots}
		b.add(table, name, b.pos(offset), sub)
		table = sub
	}
}

// valueOffset skips the equals sign after a key: the parser gives no offsets of arrays.
func (b *treeBuilder) valueOffset(offset int) int {
	for offset < len(b.data) && strings.IndexByte(" \t=", b.data[offset]) >= 0 {
		offset++
	}
	return offset
}

// start is the offset of a value. The parser reports none for arrays; their bracket is found before the first value
// inside. It is negative for an empty array.
func (b *treeBuilder) start(v *unstable.Node) int {
	if v.Kind != unstable.Array {
		return int(v.Raw.Offset)
	}
	inner := v.Child()
	if inner == nil {
		return -1
	}
	offset := b.start(inner)
	if offset < 0 {
		return -1
	}
	if before := bytes.TrimRight(b.data[:offset], " \t\r\n"); bytes.HasSuffix(before, []byte("[")) {
		return len(before) - 1
	}
	return offset
}

// value converts a parsed value; fallback is its offset if the parser does not report where it starts.
func (b *treeBuilder) value(v *unstable.Node, fallback int) *Node {
	offset := b.start(v)
	if offset < 0 {
		offset = fallback
	}
	n := &Node{Pos: b.pos(offset), Text: string(v.Data)}
	switch v.Kind {
	case unstable.Array:
		n.Kind = Array
		n.Items = make([]*Node, 0, children(v))
		for it := v.Children(); it.Next(); {
			if b.fault != nil {
				break
			}
			if it.Node().Kind != unstable.Comment {
				b.count(n.Pos)
				n.Items = append(n.Items, b.value(it.Node(), offset))
			}
		}
	case unstable.InlineTable:
		n.Entries = make([]Entry, 0, children(v))
		for it := v.Children(); it.Next(); {
			if it.Node().Kind == unstable.KeyValue {
				b.keyValue(n, it.Node())
			}
		}
	case unstable.String:
		n.Kind = String
	case unstable.Integer:
		n.Kind = Integer
		b.literal(n)
	case unstable.Float:
		n.Kind = Float
		b.literal(n)
	case unstable.Bool:
		n.Kind = Bool
	default:
		n.Kind = Date
		b.literal(n)
	}
	return n
}

// children counts the values inside a value.
func children(v *unstable.Node) (n int) {
	for it := v.Children(); it.Next(); {
		n++
	}
	return n
}

// literal checks a number or a date by the decoder of go-toml, unless it is plain.
func (b *treeBuilder) literal(n *Node) {
	if plainNumber(n.Text) {
		return
	}
	var discard map[string]any
	if err := toml.Unmarshal([]byte("x = "+n.Text), &discard); err != nil {
		b.fail(n.Pos, "not valid TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
}

// plainNumber reports whether text is a decimal number that needs no further look: a sign, at most eighteen digits,
// none of them a leading zero, and at most one point among them.
func plainNumber(text string) bool {
	digits := strings.TrimLeft(text, "+-")
	whole, fraction, point := strings.Cut(digits, ".")
	decimal := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return len(text)-len(digits) <= 1 && len(digits) <= 18 && decimal(whole) && (whole == "0" || whole[0] != '0') &&
		(!point || decimal(fraction))
}

// Describe names a node's value in messages.
func (n *Node) Describe() string {
	switch n.Kind {
	case String:
		return fmt.Sprintf("%q", faults.Shorten(n.Text))
	case Integer, Float, Bool, Date:
		return faults.Shorten(n.Text)
	}
	return n.Kind.String()
}

// Set sets or replaces the value of a key of a table.
func (n *Node) Set(name string, value *Node) {
	if e := n.Find(name); e != nil {
		e.Value = value
		return
	}
	n.Add(name, value.Pos, value)
}

// Remove removes a key of a table.
func (n *Node) Remove(name string) {
	if n.Find(name) == nil {
		return
	}
	kept := n.Entries
	n.Entries, n.index = nil, nil
	for _, e := range kept {
		if e.Name != name {
			n.Add(e.Name, e.Pos, e.Value)
		}
	}
}

// CopyOf is a table or an array to which entries can be added while the original stays; anything else itself.
func CopyOf(n *Node) *Node {
	if n.Kind != Table && !Tables(n) {
		return n
	}
	c := *n
	c.Entries, c.Items, c.index = nil, slices.Clone(n.Items), nil
	for i := range n.Entries {
		c.Add(n.Entries[i].Name, n.Entries[i].Pos, CopyOf(n.Entries[i].Value))
	}
	return &c
}

// Tables says whether a value is an array of tables.
func Tables(n *Node) bool {
	return n.Kind == Array && len(n.Items) > 0 && !slices.ContainsFunc(n.Items, func(i *Node) bool {
		return i.Kind != Table
	})
}
