//go:generate go run ./internal/keydoc/gen

package stack

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"thermsim/internal/inputfile"
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
