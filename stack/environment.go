package stack

import (
	"strconv"

	"thermsim/internal/inputfile"
	"thermsim/stack/packaging"
)

// TestEnvironments lists the tests of JEDEC's standards that a package can be put into, by the names of the key
// environment.
func TestEnvironments() []string {
	var names []string
	for _, e := range packaging.Environments() {
		names = append(names, string(e))
	}
	return names
}

// LoadIn reads a stack file with a package as [Load] does, but puts the package into a test in place of what surrounds
// it in the file. h is that of moving air in W/(m2 K), 0 for the file's. The stack is nil where the test does not
// apply: moving air without h, a board under an HBM stack. The error is as that of Load; a file without a package is
// one.
func LoadIn(path, environment string, h float64, overrides ...Override) (*Stack, error) {
	data, err := inputfile.ReadAsked(path)
	if err != nil {
		return nil, &Error{Pos: Pos{File: path}, Msg: "cannot read the stack file: " + reason(err),
			Remedy: "give the path of a stack file, or run in the folder that holds stack.toml", Err: err}
	}
	root, fault := parseTree(path, data)
	if fault != nil {
		return nil, ErrorList{fault}
	}
	l := newLoader(path, data, inputfile.Read)
	root = l.whole(root, overrides)
	p := root.find("package")
	if p == nil || p.value.kind != tableNode {
		return nil,
			ErrorList{{Pos: root.pos, Msg: "the stack has no package to test", Remedy: "describe it by [package]; a " +
				"stack of layers gets its figures from [jedec] and 'thermsim steady'"}}
	}
	if !putInto(root, p.value, packaging.Environment(environment), h) {
		return nil, nil
	}
	return l.stackOf(root)
}

// putInto changes the surroundings of a package; false where the test does not apply.
func putInto(root, p *node, environment packaging.Environment, h float64) bool {
	if h > 0 {
		p.set("h", &node{pos: p.pos, kind: floatNode, text: strconv.FormatFloat(h, 'g', -1, 64)})
	}
	kind := p.find("kind")
	if environment == packaging.MovingAir && p.find("h") == nil || kind != nil &&
		kind.value.text == string(packaging.HBM) && environment.OnBoard() {
		return false
	}
	for _, name := range []string{"size", "grid", "boundary", "heat_sink", "jedec", "probe", "output"} {
		root.remove(name)
	}
	p.set("environment", &node{pos: p.pos, kind: stringNode, text: string(environment)})
	p.remove("tim2")
	if b := p.find("board"); b != nil && b.value.kind == stringNode {
		p.remove("board")
	}
	return true
}

// set gives a key of a table a value, in place of the one it has.
func (n *node) set(name string, value *node) {
	if e := n.find(name); e != nil {
		e.value = value
		return
	}
	n.add(name, value.pos, value)
}

// remove takes a key out of a table.
func (n *node) remove(name string) {
	if n.find(name) == nil {
		return
	}
	kept := n.entries
	n.entries, n.index = nil, nil
	for _, e := range kept {
		if e.name != name {
			n.add(e.name, e.pos, e.value)
		}
	}
}
