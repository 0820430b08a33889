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
type kind int

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
	text    string         // contents of a string, else the literal as written
	entries []entry        // of a table, in file order
	index   map[string]int // into entries
	items   []*node        // of an array
}

type entry struct {
	name  string
	pos   Pos // of the key
	value *node
}

// find returns the entry of that name, nil if there is none.
func (n *node) find(name string) *entry {
	if i, ok := n.index[name]; ok {
		return &n.entries[i]
	}
	return nil
}

func (n *node) add(name string, pos Pos, value *node) {
	if n.index == nil {
		n.index = map[string]int{}
	}
	n.index[name] = len(n.entries)
	n.entries = append(n.entries, entry{name, pos, value})
}

// parseTree reads a TOML document. The decoder of go-toml first finds what is no TOML, duplicate keys included; its parser
// then gives the tree, because the decoder tells no positions of values that are fine as TOML and wrong as a stack.
func parseTree(file string, data []byte) (*node, *Error) {
	var discard map[string]any
	if err := toml.Unmarshal(data, &discard); err != nil {
		return nil, syntaxError(file, err)
	}
	b := treeBuilder{file: file, data: data, lines: lineStarts(data)}
	b.parser.Reset(data)
	root := &node{pos: Pos{file, 1, 1}}
	current := root
	for b.parser.NextExpression() {
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
	if err := b.parser.Error(); err != nil {
		return nil, &Error{Pos: Pos{File: file}, Msg: err.Error(), Err: err}
	}
	return root, nil
}

func syntaxError(file string, err error) *Error {
	pos := Pos{File: file}
	var de *toml.DecodeError
	if errors.As(err, &de) {
		pos.Line, pos.Col = de.Position()
	}
	msg := strings.TrimPrefix(err.Error(), "toml: ")
	return &Error{Pos: pos, Msg: "not valid TOML: " + msg, Err: err}
}

type treeBuilder struct {
	file   string
	data   []byte
	lines  []int
	parser unstable.Parser
}

func (b *treeBuilder) pos(offset int) Pos { return offsetPos(b.file, b.lines, offset) }

// open walks a table header from the root, makes what is missing and returns the table that key-values go into.
func (b *treeBuilder) open(root *node, e *unstable.Node, array bool) *node {
	at := root
	it := e.Key()
	for it.Next() {
		key := it.Node()
		pos := b.pos(int(key.Raw.Offset))
		found := at.find(string(key.Data))
		last := it.IsLast()
		switch {
		case found == nil && last && array:
			table := &node{pos: pos}
			at.add(string(key.Data), pos, &node{pos: pos, kind: arrayNode, items: []*node{table}})
			at = table
		case found == nil:
			table := &node{pos: pos}
			at.add(string(key.Data), pos, table)
			at = table
		case last && array:
			table := &node{pos: pos}
			found.value.items = append(found.value.items, table)
			at = table
		case found.value.kind == arrayNode && len(found.value.items) > 0:
			at = found.value.items[len(found.value.items)-1]
		default:
			at = found.value
			if last {
				at.pos = pos
			}
		}
	}
	return at
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
		if it.IsLast() {
			table.add(name, b.pos(offset), b.value(e.Value(), b.valueOffset(end)))
			return
		}
		if found := table.find(name); found != nil {
			table = found.value
			continue
		}
		sub := &node{pos: b.pos(offset)}
		table.add(name, b.pos(offset), sub)
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
		for it := v.Children(); it.Next(); {
			if it.Node().Kind != unstable.Comment {
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
	case unstable.Float:
		n.kind = floatNode
	case unstable.Bool:
		n.kind = boolNode
	default:
		n.kind = dateNode
	}
	return n
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
