package stack

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// kind is the TOML type of a node.
type kind uint8

const (
	tableNode kind = iota
	arrayNode
	stringNode
	integerNode
	floatNode
	boolNode
	dateNode
)

func (k kind) String() string {
	return [...]string{"a table", "an array", "a string", "a whole number", "a number", "true or false", "a date"}[k]
}

// node is a TOML value that knows where it stands.
type node struct {
	pos     Pos
	kind    kind
	origin  origin
	text    string         // contents of a string, else the literal as written
	entries []entry        // of a table, in file order
	index   map[string]int // into entries; nil where there are few
	items   []*node        // of an array
}

// origin is how a table or an array came about, which says what may be added to it.
type origin uint8

const (
	byValue   origin = iota // written as a value: complete
	byHeader                // [table]
	implied                 // a part of a header of another table; may get its own
	byDots                  // a part of a dotted key
	byHeaders               // [[array of tables]]
)

type entry struct {
	name  string
	pos   Pos // of the key
	value *node
}

// find returns the entry of that name, nil if there is none.
func (n *node) find(name string) *entry {
	if n.index == nil {
		for i := range n.entries {
			if n.entries[i].name == name {
				return &n.entries[i]
			}
		}
		return nil
	}
	if i, ok := n.index[name]; ok {
		return &n.entries[i]
	}
	return nil
}

// fewEntries are found as fast without an index, which takes more room than they do.
const fewEntries = 8

func (n *node) add(name string, pos Pos, value *node) {
	if n.index == nil && len(n.entries) == fewEntries {
		n.index = map[string]int{}
		for i := range n.entries {
			n.index[n.entries[i].name] = i
		}
	}
	if n.index != nil {
		n.index[name] = len(n.entries)
	}
	n.entries = append(n.entries, entry{name, pos, value})
}

// parseTree reads a TOML document with the parser of go-toml, whose decoder tells no positions of values that are fine
// as TOML and wrong as a stack. What the parser leaves to the decoder is found here: keys that are there twice, and
// numbers and dates that are none. The decoder would look for each key among all others.
func parseTree(file string, data []byte) (*node, *Error) {
	b := treeBuilder{file: file, data: data, lines: lineStarts(data)}
	if at := excess(data, roomForValues(data)); at >= 0 {
		b.tooMany(b.pos(at))
		return nil, b.fault
	}
	b.parser.Reset(data)
	root := &node{pos: Pos{file, 1, 1}, origin: byHeader}
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

// syntaxError finds the place of what the parser complains of.
func (b *treeBuilder) syntaxError(err error) *Error {
	pos := Pos{File: b.file}
	var pe *unstable.ParserError
	if errors.As(err, &pe) {
		// What the parser shows is a part of the text, or text of its own. Cutting a slice leaves the end of its
		// capacity where it is.
		if at := cap(b.data) - cap(pe.Highlight); at >= 0 && at < len(b.data) {
			pos = b.pos(at)
		}
	}
	msg := strings.TrimPrefix(err.Error(), "toml: ")
	return &Error{Pos: pos, Msg: "not valid TOML: " + msg, Err: err}
}

// fail notes the first fault, which ends the reading.
func (b *treeBuilder) fail(pos Pos, format string, args ...any) {
	if b.fault == nil {
		b.fault = &Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
	}
}

type treeBuilder struct {
	values int // so far
	file   string
	data   []byte
	lines  []int
	parser unstable.Parser
	fault  *Error
}

func (b *treeBuilder) pos(offset int) Pos { return offsetPos(b.file, b.lines, offset) }

// add puts a value into a table, if there is room.
func (b *treeBuilder) add(table *node, name string, pos Pos, value *node) {
	b.count(pos)
	if len(table.entries) >= mostKeys {
		b.fail(pos, "a table has %d keys at most; put blocks and powers into files of their own (floorplan, watts, "+
			"trace, map)", mostKeys)
		return
	}
	table.add(name, pos, value)
}

// count notes a value.
func (b *treeBuilder) count(pos Pos) {
	if b.values++; b.values > roomForValues(b.data) {
		b.tooMany(pos)
	}
}

func (b *treeBuilder) tooMany(pos Pos) {
	b.fail(pos, "more than %d values; put blocks, powers and maps into files of their own (floorplan, watts, "+
		"trace, map)", roomForValues(b.data))
}

// open walks a table header from the root, makes what is missing and returns the table that key-values go into.
func (b *treeBuilder) open(root *node, e *unstable.Node, array bool) *node {
	at := root
	it := e.Key()
	for b.fault == nil && it.Next() {
		key := it.Node()
		name, pos := string(key.Data), b.pos(int(key.Raw.Offset))
		switch found := at.find(name); {
		case it.IsLast() && array:
			at = b.element(at, found, name, pos)
		case it.IsLast():
			at = b.header(at, found, name, pos)
		case found == nil:
			table := &node{pos: pos, origin: implied}
			b.add(at, name, pos, table)
			at = table
		default:
			at = b.enter(found, pos)
		}
	}
	return at
}

// header is the table of a [header].
func (b *treeBuilder) header(at *node, found *entry, name string, pos Pos) *node {
	switch {
	case found == nil:
		table := &node{pos: pos, origin: byHeader}
		b.add(at, name, pos, table)
		return table
	case found.value.kind != tableNode || found.value.origin == byValue:
		b.fail(pos, "not valid TOML: key %s is already defined, and not as a table with a header", shorten(name))
	case found.value.origin != implied:
		b.fail(pos, "not valid TOML: table %s already exists", shorten(name))
	}
	found.value.pos, found.value.origin = pos, byHeader
	return found.value
}

// element is a new table of an [[array of tables]].
func (b *treeBuilder) element(at *node, found *entry, name string, pos Pos) *node {
	table := &node{pos: pos, origin: byHeader}
	switch {
	case found == nil:
		b.add(at, name, pos, &node{pos: pos, kind: arrayNode, origin: byHeaders, items: []*node{table}})
	case found.value.origin != byHeaders:
		b.fail(pos, "not valid TOML: key %s is already defined, and not as an array of tables", shorten(name))
	default:
		b.count(pos)
		found.value.items = append(found.value.items, table)
	}
	return table
}

// enter is the table, or the last of an array of tables, that a header leads through.
func (b *treeBuilder) enter(found *entry, pos Pos) *node {
	switch v := found.value; {
	case v.origin == byHeaders:
		return v.items[len(v.items)-1]
	case v.kind != tableNode || v.origin == byValue:
		b.fail(pos, "not valid TOML: key %s already exists as a value", shorten(found.name))
		return v
	default:
		return v
	}
}

// keyValue adds a key, dotted or not, to a table.
func (b *treeBuilder) keyValue(table *node, e *unstable.Node) {
	end := 0
	it := e.Key()
	for it.Next() {
		key := it.Node()
		offset := int(key.Raw.Offset)
		end = offset + int(key.Raw.Length)
		name := string(key.Data)
		found := table.find(name)
		switch {
		case it.IsLast() && found != nil, found != nil &&
			(found.value.kind != tableNode || found.value.origin != byDots):
			b.fail(b.pos(offset), "not valid TOML: key %s is already defined", shorten(name))
			return
		case it.IsLast():
			b.add(table, name, b.pos(offset), b.value(e.Value(), b.valueOffset(end)))
			return
		case found != nil:
			table = found.value
			continue
		}
		sub := &node{pos: b.pos(offset), origin: byDots}
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

// start is the offset of a value. The parser gives none for arrays: those are looked for before the first value inside.
// It is negative for an empty array.
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

// value converts a parsed value; fallback is where to point if the parser does not tell where it starts.
func (b *treeBuilder) value(v *unstable.Node, fallback int) *node {
	offset := b.start(v)
	if offset < 0 {
		offset = fallback
	}
	n := &node{pos: b.pos(offset), text: string(v.Data)}
	switch v.Kind {
	case unstable.Array:
		n.kind = arrayNode
		items := 0
		for it := v.Children(); it.Next(); {
			items++
		}
		n.items = make([]*node, 0, items)
		for it := v.Children(); it.Next(); {
			if b.fault != nil {
				break
			}
			if it.Node().Kind != unstable.Comment {
				b.count(n.pos)
				n.items = append(n.items, b.value(it.Node(), offset))
			}
		}
	case unstable.InlineTable:
		for it := v.Children(); it.Next(); {
			if it.Node().Kind == unstable.KeyValue {
				b.keyValue(n, it.Node())
			}
		}
	case unstable.String:
		n.kind = stringNode
	case unstable.Integer:
		n.kind = integerNode
		b.literal(n)
	case unstable.Float:
		n.kind = floatNode
		b.literal(n)
	case unstable.Bool:
		n.kind = boolNode
	default:
		n.kind = dateNode
		b.literal(n)
	}
	return n
}

// literal checks a number or a date by the decoder of go-toml, unless it is plain.
func (b *treeBuilder) literal(n *node) {
	if plainNumber(n.text) {
		return
	}
	var discard map[string]any
	if err := toml.Unmarshal([]byte("x = "+n.text), &discard); err != nil {
		b.fail(n.pos, "not valid TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
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

// describe names a node's value in messages.
func (n *node) describe() string {
	switch n.kind {
	case stringNode:
		return fmt.Sprintf("%q", shorten(n.text))
	case integerNode, floatNode, boolNode, dateNode:
		return shorten(n.text)
	}
	return n.kind.String()
}

// shorten keeps messages readable when the input is not.
func shorten(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "..."
	}
	return s
}
