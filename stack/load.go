//go:generate go run ./internal/keydoc/gen

package stack

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"thermsim/internal/inputfile"
	"thermsim/stack/packaging"
)

// Opener reads the whole of an input file.
type Opener func(path string) ([]byte, error)

// Load reads a stack file and the files it names, relative to its folder. The error is an [ErrorList] that tells every
// fault with its place, or an *[Error] if the file cannot be read at all. The path "-" stands for standard input, and
// the files it names are relative to the working folder. Overrides come last, one after the other.
func Load(path string, overrides ...Override) (*Stack, error) {
	return LoadWith(inputfile.Read, path, overrides...)
}

// LoadWith is Load with the files that the stack file names read by open.
func LoadWith(open Opener, path string, overrides ...Override) (*Stack, error) {
	data, err := inputfile.ReadAsked(path)
	if err != nil {
		return nil, &Error{Pos: Pos{File: path}, Msg: "cannot read the stack file: " + reason(err),
			Remedy: "give the path of a stack file, or run in the folder that holds stack.toml", Err: err}
	}
	return Parse(path, data, open, overrides...)
}

// Parse reads a stack from the text of a stack file. The name stands in messages and is what other inputs are relative
// to; open reads them.
func Parse(name string, data []byte, open Opener, overrides ...Override) (*Stack, error) {
	root, fault := parseTree(name, data)
	if fault != nil {
		return nil, ErrorList{fault}
	}
	l := newLoader(name, data, open)
	return l.stackOf(l.whole(root, overrides))
}

// newLoader reads a stack file and those that it names.
func newLoader(name string, data []byte, open Opener) *loader {
	l := &loader{
		decoder: &decoder{format: stackKeys()},
		name:    name,
		open:    open,
		series:  map[string]*series{},
		stack:   &Stack{File: name},
	}
	l.record(name, data)
	return l
}

// whole is the tree of a stack file with what it includes and what is put in place of it.
func (l *loader) whole(root *node, overrides []Override) *node {
	root = l.include(root, []string{filepath.Clean(l.name)})
	for _, o := range overrides {
		l.override(root, o)
		l.stack.Set = append(l.stack.Set, o.Text)
	}
	return root
}

// stackOf makes a stack of a tree.
func (l *loader) stackOf(root *node) (*Stack, error) {
	if l.decodeStack(root); len(l.faults.list) == 0 {
		validate(l.stack, &l.faults)
	}
	if err := l.faults.err(l.name); err != nil {
		return nil, err
	}
	return l.stack, nil
}

// reason is the cause of a failed read without the path, which the message names already.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// loader decodes one stack file.
type loader struct {
	*decoder
	name      string
	open      Opener
	stack     *Stack
	materials *materialTable
	included  []string           // files that were included
	templates map[string]*die    // of [[die]]
	ofBlock   map[Pos]int        // materials of blocks that have their own
	middle    map[string]float64 // heights of the middles of layers, once all are there
	again     int                // bytes of files that were read before
	copied    int                // regions made of arrays and dies so far
	series    map[string]*series // .ptrace and CSV traces read so far, by path
	// Traces of dies that are powered by a part of them, each once.
	scaledTraces map[traceShare]*Trace
}

// record notes an input, and says whether it is the first time.
func (l *loader) record(path string, data []byte) bool {
	for _, in := range l.stack.Inputs {
		if in.Path == path {
			return false
		}
	}
	l.stack.Inputs = append(l.stack.Inputs, Input{path, digest(data)})
	return true
}

// mostAgain bounds the bytes of files that are read again because several powers name them: each has blocks or tiles of
// its own.
const mostAgain = 32 << 20

// digest of a file, in hexadecimal.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// folderOf is where paths begin that are written at a place: the folder of its file, and the working folder for an
// override.
func folderOf(pos Pos) string {
	if strings.HasPrefix(pos.File, overrideMark) {
		return "."
	}
	return filepath.Dir(pos.File)
}

// input reads a file that the stack file names at n. ok is false, and the fault noted, if that fails.
func (l *loader) input(n *node, key string) (path string, data []byte, ok bool) {
	if path, ok = l.inputPath(n, key); ok {
		data, ok = l.read(n, path)
	}
	return path, data, ok
}

// inputPath is the path that a key names.
func (l *loader) inputPath(n *node, key string) (path string, ok bool) {
	if n.text == "" {
		l.fail(n.pos, "", "%s is empty", key)
		return "", false
	}
	if fault := textFault(n.text, mostPathBytes); fault != "" {
		l.fail(n.pos, "", "%s: the path %q %s", key, shorten(n.text), fault)
		return "", false
	}
	path = n.text
	if !filepath.IsAbs(path) {
		path = filepath.Join(folderOf(n.pos), path)
	}
	return path, true
}

// read reads the file that a key names.
func (l *loader) read(n *node, path string) (data []byte, ok bool) {
	data, err := l.open(path)
	if err != nil {
		remedy := ""
		if errors.Is(err, fs.ErrNotExist) {
			remedy = "paths are relative to the folder of the file that names them"
		}
		l.faults.add(&Error{Pos: n.pos, Msg: fmt.Sprintf("cannot read %s: %s", path, reason(err)), Remedy: remedy,
			Err: err})
		return nil, false
	}
	if l.record(path, data) {
		return data, true
	}
	if l.again += len(data); l.again > mostAgain {
		l.fail(n.pos, "describe the die that it belongs to once, by [[die]], and place it",
			"%s: files that are named again and again have more than %d MiB in all", path, mostAgain>>20)
		return nil, false
	}
	return data, true
}

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

// mostIncludes bounds how many files a stack file may include, and they each other.
const mostIncludes = 100

// include merges the files that a file names with include into its tree: tables by their keys, where the file itself
// has the last word, and arrays of tables one after the other, those of included files first. A file that several
// include is taken once. from are the files that led to this one.
func (l *loader) include(root *node, from []string) *node {
	e := root.find("include")
	if e == nil {
		return root
	}
	merged := &node{pos: root.pos, kind: tableNode}
	for _, item := range l.includes(e.value) {
		if len(l.included) > mostIncludes {
			break // which was told
		}
		if part := l.includedFile(item, from); part != nil {
			l.merge(merged, part, false)
		}
	}
	l.merge(merged, root, true)
	return merged
}

// includes are the paths of an include.
func (l *loader) includes(n *node) []*node {
	if n.kind == arrayNode && !slices.ContainsFunc(n.items, func(i *node) bool { return i.kind != stringNode }) {
		return n.items
	}
	l.fail(n.pos, `write include = ["materials.toml"]`, "include must be an array of paths")
	return nil
}

// includedFile reads one file and those that it includes; nil where that fails.
func (l *loader) includedFile(n *node, from []string) *node {
	path, ok := l.inputPath(n, "include")
	if !ok {
		return nil
	}
	path = filepath.Clean(path)
	if slices.Contains(from, path) {
		l.fail(n.pos, "", "%s includes itself", path)
		return nil
	}
	if slices.Contains(l.included, path) {
		return nil
	}
	if l.included = append(l.included, path); len(l.included) > mostIncludes {
		l.fail(n.pos, "", "more than %d files are included", mostIncludes)
		return nil
	}
	data, ok := l.read(n, path)
	if !ok {
		return nil
	}
	root, fault := parseTree(path, data)
	if fault != nil {
		l.faults.add(fault)
		return nil
	}
	if !l.knownVersion(root) {
		return nil
	}
	return l.include(root, append(slices.Clone(from), path))
}

// merge adds the entries of a file to those of the files before it. What both say is taken from it where it includes
// them, and a fault between two included files.
func (l *loader) merge(into, from *node, including bool) {
	for i := range from.entries {
		e := &from.entries[i]
		was := into.find(e.name)
		switch {
		case was == nil:
			into.add(e.name, e.pos, copyOf(e.value))
		case e.name == "include" || e.name == "schema":
			was.value = e.value
		case was.value.kind == tableNode && e.value.kind == tableNode:
			l.merge(was.value, e.value, including)
		case tables(was.value) && tables(e.value):
			was.value.items = append(was.value.items, e.value.items...)
		case including:
			was.pos, was.value = e.pos, e.value
		default:
			l.fail(e.pos, "say it in one of them, or in the file that includes both", "%s is in %s too",
				shorten(e.name), was.pos)
		}
	}
}

// copyOf is a table or an array to which entries can be added while the original stays; anything else itself.
func copyOf(n *node) *node {
	if n.kind != tableNode && !tables(n) {
		return n
	}
	c := *n
	c.entries, c.items, c.index = nil, slices.Clone(n.items), nil
	for i := range n.entries {
		c.add(n.entries[i].name, n.entries[i].pos, copyOf(n.entries[i].value))
	}
	return &c
}

// tables says whether a value is an array of tables.
func tables(n *node) bool {
	return n.kind == arrayNode && len(n.items) > 0 && !slices.ContainsFunc(n.items, func(i *node) bool {
		return i.kind != tableNode
	})
}
