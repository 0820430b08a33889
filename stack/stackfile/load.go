// Package stackfile reads stack files and sweep files, with the floorplans, power traces and maps that they name, and
// writes stacks as files. Values that override those of a file go through the same checks.
package stackfile

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
	"thermsim/stack"
	"thermsim/stack/internal/faults"
	"thermsim/stack/internal/keys"
	"thermsim/stack/internal/tree"
	"thermsim/stack/packaging"
)

// Opener reads the whole of an input file.
type Opener func(path string) ([]byte, error)

// Load reads a stack file and the files it names, relative to its folder. The error is an [stack.ErrorList] with the
// position of every fault, or an *[stack.Error] if the file cannot be read at all. The path "-" is standard input,
// whose files are relative to the working folder. Overrides are applied last, in order.
func Load(path string, overrides ...Override) (*stack.Stack, error) {
	return LoadWith(inputfile.Read, path, overrides...)
}

// LoadWith is Load with the files that the stack file names read by open.
func LoadWith(open Opener, path string, overrides ...Override) (*stack.Stack, error) {
	l, root, err := openStack(open, path, overrides)
	if err != nil {
		return nil, err
	}
	return l.stackOf(root)
}

// openStack reads the tree of a stack file that the user names.
func openStack(open Opener, path string, overrides []Override) (*loader, *tree.Node, error) {
	data, err := readAsked(path, "stack file", ", or run in the folder that holds stack.toml")
	if err != nil {
		return nil, nil, err
	}
	return parseStack(path, data, open, overrides)
}

// parseStack reads the tree of a stack file with its included files and overrides.
func parseStack(name string, data []byte, open Opener, overrides []Override) (*loader, *tree.Node, error) {
	root, fault := tree.Parse(name, data)
	if fault != nil {
		return nil, nil, stack.ErrorList{fault}
	}
	l := &loader{
		decoder: &decoder{format: keys.Stack()},
		name:    name,
		open:    open,
		series:  map[string]*series{},
		stack:   &stack.Stack{File: name},
	}
	l.record(name, data)
	root = l.include(root, []string{filepath.Clean(name)})
	for _, o := range overrides {
		l.override(root, o)
		l.stack.Set = append(l.stack.Set, o.Text)
	}
	return l, root, nil
}

// Parse reads a stack from the text of a stack file. The name stands in messages and is what other inputs are relative
// to; open reads them.
func Parse(name string, data []byte, open Opener, overrides ...Override) (*stack.Stack, error) {
	l, root, err := parseStack(name, data, open, overrides)
	if err != nil {
		return nil, err
	}
	return l.stackOf(root)
}

// stackOf makes a stack of a tree.
func (l *loader) stackOf(root *tree.Node) (*stack.Stack, error) {
	l.decodeStack(root)
	if err := l.faults.Err(l.name); err != nil {
		return nil, err
	}
	if err := stack.Validate(l.stack); err != nil {
		return nil, err
	}
	return l.stack, nil
}

// readAsked reads a file of a kind that the user names.
func readAsked(path, kind, otherwise string) ([]byte, error) {
	data, err := inputfile.ReadAsked(path)
	if err != nil {
		return nil, &stack.Error{Pos: stack.Pos{File: path}, Msg: "cannot read the " + kind + ": " + reason(err),
			Remedy: "give the path of a " + kind + otherwise, Err: err}
	}
	return data, nil
}

// reason is the cause of a failed read without the path, which is in the message.
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
	stack     *stack.Stack
	materials *materialTable
	included  []string                   // files that were included
	templates map[string]*die            // of [[die]]
	ofBlock   map[stack.Pos]int          // materials of blocks, if given
	inTime    map[stack.Pos]*stack.Trace // of blocks with a schedule or a duty cycle
	middle    map[string]float64         // heights of the middles of layers, once all are read
	again     int                        // bytes of files that were read before
	sink      *stack.Rect                // base of the heat sink, nil where it covers the domain
	openSpace int                        // material around that base
	added     []addedConstant            // by overrides
	copied    int                        // regions made of arrays and dies so far
	series    map[string]*series         // .ptrace and CSV traces read so far, by path
	// Traces of dies that are powered by a part of them, each once.
	scaledTraces map[traceShare]*stack.Trace
}

// record adds an input, and says whether it is new.
func (l *loader) record(path string, data []byte) bool {
	for _, in := range l.stack.Inputs {
		if in.Path == path {
			return false
		}
	}
	l.stack.Inputs = append(l.stack.Inputs, stack.Input{Path: path, SHA256: digest(data)})
	return true
}

// maxAgain is the maximum size in bytes of files that are read again because several powers name them: each has
// separate blocks or tiles.
const maxAgain = 32 << 20

// digest of a file, in hexadecimal.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// folderOf is the folder to which paths at a position are relative: that of its file, or the working folder for an
// override.
func folderOf(pos stack.Pos) string {
	if strings.HasPrefix(pos.File, overrideMark) {
		return "."
	}
	return filepath.Dir(pos.File)
}

// input reads a file that the stack file names at n. ok is false after reporting a fault.
func (l *loader) input(n *tree.Node, key string) (path string, data []byte, ok bool) {
	if path, ok = l.inputPath(n, key); ok {
		data, ok = l.read(n, path)
	}
	return path, data, ok
}

// inputPath is the path that a key names.
func (l *loader) inputPath(n *tree.Node, key string) (path string, ok bool) {
	if n.Text == "" {
		l.fail(n.Pos, "", "%s is empty", key)
		return "", false
	}
	if fault := faults.Text(n.Text, faults.MostPathBytes); fault != "" {
		l.fail(n.Pos, "", "%s: the path %q %s", key, faults.Shorten(n.Text), fault)
		return "", false
	}
	path = n.Text
	if !filepath.IsAbs(path) {
		path = filepath.Join(folderOf(n.Pos), path)
	}
	return path, true
}

// read reads the file that a key names.
func (l *loader) read(n *tree.Node, path string) (data []byte, ok bool) {
	data, err := l.open(path)
	if err != nil {
		remedy := ""
		if errors.Is(err, fs.ErrNotExist) {
			remedy = "paths are relative to the folder of the file that names them"
		}
		l.faults.Add(&stack.Error{Pos: n.Pos, Msg: fmt.Sprintf("cannot read %s: %s", path, reason(err)), Remedy: remedy,
			Err: err})
		return nil, false
	}
	if l.record(path, data) {
		return data, true
	}
	if l.again += len(data); l.again > maxAgain {
		l.fail(n.Pos, "describe the die once as [[die]], and place it repeatedly",
			"%s: files that are referenced repeatedly total more than %d MiB", path, maxAgain>>20)
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

// LoadIn reads a stack file with a package as [Load] does, but puts the package into a test, instead of its
// surroundings in the file. h is that of moving air in W/(m2 K), 0 for the file's. The stack is nil if the test does
// not apply: moving air without h, a board under an HBM stack. The error is as that of Load, also for a file without a
// package.
func LoadIn(path, environment string, h float64, overrides ...Override) (*stack.Stack, error) {
	l, root, err := openStack(inputfile.Read, path, overrides)
	if err != nil {
		return nil, err
	}
	p := root.Find("package")
	if p == nil || p.Value.Kind != tree.Table {
		return nil,
			stack.ErrorList{{Pos: root.Pos, Msg: "the stack has no package to test",
				Remedy: "describe it by [package]; a " +
					"stack of layers gets its figures from [jedec] and 'thermsim steady'"}}
	}
	if !putInto(root, p.Value, packaging.Environment(environment), h) {
		return nil, nil
	}
	return l.stackOf(root)
}

// putInto changes the surroundings of a package; false where the test does not apply.
func putInto(root, p *tree.Node, environment packaging.Environment, h float64) bool {
	if h > 0 {
		p.Set("h", &tree.Node{Pos: p.Pos, Kind: tree.Float, Text: strconv.FormatFloat(h, 'g', -1, 64)})
	}
	kind := p.Find("kind")
	if environment == packaging.MovingAir && p.Find("h") == nil || kind != nil &&
		kind.Value.Text == string(packaging.HBM) && environment.OnBoard() {
		return false
	}
	for _, name := range []string{"size", "grid", "boundary", "heat_sink", "jedec", "probe", "measured", "output"} {
		root.Remove(name)
	}
	p.Set("environment", &tree.Node{Pos: p.Pos, Kind: tree.String, Text: string(environment)})
	p.Remove("tim2")
	if b := p.Find("board"); b != nil && b.Value.Kind == tree.String {
		p.Remove("board")
	}
	return true
}

// maxIncludes is the maximum number of included files, directly and indirectly.
const maxIncludes = 100

// include merges the files that a file names with include into its tree. Tables are merged by their keys, and the
// including file takes precedence. Arrays of tables are appended, those of included files first. A file that is
// included repeatedly is read once. from are the files that led to this one.
func (l *loader) include(root *tree.Node, from []string) *tree.Node {
	e := root.Find("include")
	if e == nil {
		return root
	}
	merged := &tree.Node{Pos: root.Pos, Kind: tree.Table}
	for _, item := range l.includes(e.Value) {
		if len(l.included) > maxIncludes {
			break // reported
		}
		if part := l.includedFile(item, from); part != nil {
			l.merge(merged, part, false)
		}
	}
	l.merge(merged, root, true)
	return merged
}

// includes are the paths of an include.
func (l *loader) includes(n *tree.Node) []*tree.Node {
	if n.Kind == tree.Array && !slices.ContainsFunc(n.Items, func(i *tree.Node) bool { return i.Kind != tree.String }) {
		return n.Items
	}
	l.fail(n.Pos, `write include = ["materials.toml"]`, "include must be an array of paths")
	return nil
}

// includedFile reads one file and those that it includes; nil where that fails.
func (l *loader) includedFile(n *tree.Node, from []string) *tree.Node {
	path, ok := l.inputPath(n, "include")
	if !ok {
		return nil
	}
	path = filepath.Clean(path)
	if slices.Contains(from, path) {
		l.fail(n.Pos, "", "%s includes itself", path)
		return nil
	}
	if slices.Contains(l.included, path) {
		return nil
	}
	if l.included = append(l.included, path); len(l.included) > maxIncludes {
		l.fail(n.Pos, "", "more than %d files are included", maxIncludes)
		return nil
	}
	data, ok := l.read(n, path)
	if !ok {
		return nil
	}
	root, fault := tree.Parse(path, data)
	if fault != nil {
		l.faults.Add(fault)
		return nil
	}
	if !l.knownVersion(root) {
		return nil
	}
	return l.include(root, append(slices.Clone(from), path))
}

// merge adds the entries of a file to those of previous files. Entries of the including file take precedence; duplicate
// entries of two included files are a fault.
func (l *loader) merge(into, from *tree.Node, including bool) {
	for i := range from.Entries {
		e := &from.Entries[i]
		was := into.Find(e.Name)
		switch {
		case was == nil:
			into.Add(e.Name, e.Pos, tree.CopyOf(e.Value))
		case e.Name == "include" || e.Name == "schema":
			was.Value = e.Value
		case was.Value.Kind == tree.Table && e.Value.Kind == tree.Table:
			l.merge(was.Value, e.Value, including)
		case tree.Tables(was.Value) && tree.Tables(e.Value):
			was.Value.Items = append(was.Value.Items, e.Value.Items...)
		case including:
			was.Pos, was.Value = e.Pos, e.Value
		default:
			l.fail(e.Pos, "set it in one of them, or in the file that includes both", "%s is in %s too",
				faults.Shorten(e.Name), was.Pos)
		}
	}
}
