package stackfile

import (
	"path/filepath"
	"reflect"

	"thermsim/stack"
	"thermsim/stack/internal/keys"
	"thermsim/stack/internal/tree"
)

// Parts is a parts file: materials and powers of the parts of an assembly, which its description does not contain.
type Parts struct {
	File   string
	Stack  string `toml:"stack"`  // path of a file with keys of stack files; may be empty
	Around string `toml:"around"` // material
	Tiles  int    `toml:"tiles"`  // of power maps, along x and along y
	parts  map[string]*Part
	bonds  map[string]*Bond
}

// Part is a table of a parts file. Fields without a value are zero.
type Part struct {
	Die             string    `toml:"die"` // name of one in the stack file that replaces the part
	Material        string    `toml:"material"`
	Thickness       float64   `toml:"thickness"` // m
	Wiring          string    `toml:"wiring"`    // material
	WiringThickness float64   `toml:"wiring_thickness"`
	Power           float64   `toml:"power"` // W
	Report          string    `toml:"report"`
	DEF             string    `toml:"def"`
	LEF             []string  `toml:"lef"`
	Pos             stack.Pos // of the table
}

// Bond is a table of a parts file, as Part.
type Bond struct {
	Material string    `toml:"material"`
	Bump     string    `toml:"bump"`
	Diameter float64   `toml:"diameter"` // m
	Pitch    float64   `toml:"pitch"`    // m
	Fraction float64   `toml:"fraction"`
	Pos      stack.Pos // of the table
}

// ParseParts reads a parts file from its text. The error is an [stack.ErrorList].
func ParseParts(path string, data []byte) (*Parts, error) {
	p := &Parts{File: path, parts: map[string]*Part{}, bonds: map[string]*Bond{}}
	err := parse(path, data, keys.Parts(), "parts", func(t *table) {
		at := func(path *string) {
			if *path != "" && !filepath.IsAbs(*path) {
				*path = filepath.Join(filepath.Dir(t.node.Pos.File), *path)
			}
		}
		t.into(p)
		at(&p.Stack)
		t.named("part", func(name string, pt *table) {
			q := &Part{Pos: pt.node.Pos}
			pt.into(q)
			at(&q.Report)
			at(&q.DEF)
			for i := range q.LEF {
				at(&q.LEF[i])
			}
			p.parts[name] = q
		})
		t.named("bond", func(name string, bt *table) {
			p.bonds[name] = &Bond{Pos: bt.node.Pos}
			bt.into(p.bonds[name])
		})
	})
	return p, err
}

// named opens the tables of a table of named tables.
func (t *table) named(key string, visit func(name string, sub *table)) {
	n, k := t.get(key)
	if n == nil {
		return
	}
	if n.Kind != tree.Table {
		t.fail(n.Pos, "write ["+key+".NAME] tables", "%s must be a table of tables, got %s", key, n.Describe())
		return
	}
	for _, e := range n.Entries {
		if sub, ok := t.open(e.Value, k.Sub); ok {
			visit(e.Name, sub)
		}
	}
}

// ParseUnder reads a stack from generated text and from a file with keys of stack files that override it. The name is
// for messages; path may be empty.
func ParseUnder(name string, text []byte, path string, open Opener) (*stack.Stack, error) {
	l, root, err := parseStack(name, text, open, nil)
	if err != nil {
		return nil, err
	}
	l.stack.Inputs = nil // the text is none
	if path != "" {
		data, err := open(path)
		if err != nil {
			return nil, &stack.Error{Pos: stack.Pos{File: path}, Msg: "cannot read the file: " + reason(err), Err: err}
		}
		file, over, err := parseStack(path, data, open, nil)
		if err == nil {
			err = file.faults.Err(path)
		}
		if err != nil {
			return nil, err
		}
		l.stack.Inputs = file.stack.Inputs
		l.merge(root, over, true)
	}
	return l.stackOf(root)
}

// Part has for each key the value of the first of these names that has one.
func (p *Parts) Part(names ...string) (found Part) { return first(p.parts, names) }

// Bond is the same for bonds.
func (p *Parts) Bond(names ...string) (found Bond) { return first(p.bonds, names) }

func first[T any](tables map[string]*T, names []string) (found T) {
	into := reflect.ValueOf(&found).Elem()
	for _, name := range names {
		if tables[name] == nil {
			continue
		}
		from := reflect.ValueOf(tables[name]).Elem()
		for i := range into.NumField() {
			if into.Field(i).IsZero() {
				into.Field(i).Set(from.Field(i))
			}
		}
	}
	return found
}
