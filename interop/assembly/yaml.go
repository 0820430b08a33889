package assembly

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"thermsim/internal/inputfile"
	"thermsim/interop/importer"
	"thermsim/stack"
)

// Limits of the text of one file.
const (
	maxText   = 1 << 21 // bytes, after replacements
	maxDepth  = 100
	maxNumber = 1.1e6 // OpenROAD writes coordinates up to 2^31 database units of 1/2000 um
)

// scalar is a word or a number. The zero value is a missing one.
type scalar struct {
	text string
	at   *yaml.Node
}

// number is the same, for numbers only.
type number struct {
	scalar
	value float64
}

// list has the items of a sequence; a single value counts as a sequence of one.
type list[T any] []T

// named has the entries of a mapping in the order of the file.
type named[T any] []entry[T]

type entry[T any] struct {
	key   scalar
	value T
}

// misplaced is a fault of a value.
func misplaced(n *yaml.Node, format string, args ...any) error {
	return &stack.Error{Pos: stack.Pos{Line: n.Line, Col: n.Column}, Msg: fmt.Sprintf(format, args...)}
}

func (s *scalar) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return misplaced(n, "expected a word or a number")
	}
	*s = scalar{strings.TrimSpace(n.Value), n}
	return nil
}

func (v *number) UnmarshalYAML(n *yaml.Node) error {
	err := v.scalar.UnmarshalYAML(n)
	if err != nil {
		return err
	}
	if v.value, err = inputfile.Number(v.text); err != nil || math.Abs(v.value) > maxNumber {
		return misplaced(n, "got %.40q; expected a number of at most %g", v.text, maxNumber)
	}
	return nil
}

func (l *list[T]) UnmarshalYAML(n *yaml.Node) error {
	items := n.Content
	if n.Kind == yaml.ScalarNode {
		items = []*yaml.Node{n}
	} else if n.Kind != yaml.SequenceNode {
		return misplaced(n, "expected a list")
	}
	*l = make([]T, len(items))
	for i, item := range items {
		if err := item.Decode(&(*l)[i]); err != nil {
			return err
		}
	}
	return nil
}

func (m *named[T]) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return misplaced(n, "expected a mapping")
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		e := entry[T]{key: scalar{n.Content[i].Value, n.Content[i]}}
		if err := n.Content[i+1].Decode(&e.value); err != nil {
			return err
		}
		*m = append(*m, e)
	}
	return nil
}

// source is a file that is read.
type source struct {
	*importer.Faults
	file string
}

// pos is the position of a value, or of the file if it is missing.
func (f *source) pos(s scalar) stack.Pos {
	if s.at == nil {
		return stack.Pos{File: f.file, Line: 1, Col: 1}
	}
	return stack.Pos{File: f.file, Line: s.at.Line, Col: s.at.Column}
}

// fail reports a fault of a value.
func (f *source) fail(s scalar, remedy, format string, args ...any) {
	f.Add(f.pos(s), remedy, format, args...)
}

// values copies as many numbers as there are in v, all or none of which must be given.
func (f *source) values(l list[number], v []float64, of scalar, key string) {
	if len(l) != 0 && len(l) != len(v) {
		f.fail(of, "", "%s of %.40q: got a list of %d; expected %d numbers", key, of.text, len(l), len(v))
		return
	}
	for i := range l {
		v[i] = l[i].value
	}
}

// parse reads a mapping into a struct, and notes keys at the top that are not known. ok is false after a fault.
func (f *source) parse(text []byte, into any, known ...string) (others []importer.Note, ok bool) {
	top, err := document(text)
	if err == nil {
		err = top.Decode(into)
	}
	if err != nil {
		f.malformed(err)
		return nil, false
	}
	for i, key := range top.Content {
		if i%2 == 0 && !slices.Contains(known, key.Value) {
			others = append(others, importer.Note{Pos: f.pos(scalar{at: key}), Text: fmt.Sprintf("%.40q", key.Value)})
		}
	}
	return others, true
}

// document is the mapping at the top of a text.
func document(text []byte) (*yaml.Node, error) {
	var n yaml.Node
	if len(text) > maxText {
		return nil, misplaced(&n, "the text has more than %d MiB; split the file", maxText>>20)
	}
	if err := yaml.Unmarshal(text, &n); err != nil {
		return nil, err
	}
	if len(n.Content) != 1 || n.Content[0].Kind != yaml.MappingNode {
		return nil, misplaced(&yaml.Node{Line: 1, Column: 1}, "expected a mapping at the top of the file")
	}
	return n.Content[0], plain(n.Content[0], 0)
}

// syntaxLine is the line in errors of the YAML parser, and the message before the name of a type of Go.
var syntaxLine = regexp.MustCompile(`(?s)^yaml: (?:unmarshal errors:\s*)?(?:line (\d+): )?(.*?)(?: into .*)?$`)

// malformed reports an error of the parser or of a value.
func (f *source) malformed(err error) {
	fault, found := err.(*stack.Error)
	if m := syntaxLine.FindStringSubmatch(err.Error()); !found {
		fault = &stack.Error{Msg: "not valid YAML: " + m[2], Err: err}
		fault.Pos.Line, _ = strconv.Atoi(m[1])
	}
	fault.Pos.File = f.file
	f.AddError(fault)
}

// plain refuses aliases, which can make a small file large, keys that are no words or given twice, and deep nesting.
func plain(n *yaml.Node, depth int) error {
	switch {
	case n.Kind == yaml.AliasNode:
		return misplaced(n, "alias *%.40s: aliases are not supported; write the value again", n.Value)
	case depth > maxDepth:
		return misplaced(n, "values are nested more than %d deep", maxDepth)
	}
	seen := map[string]bool{}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			if child.Kind != yaml.ScalarNode || seen[child.Value] {
				return misplaced(child, "key %.40q: expected a word that is given once", child.Value)
			}
			seen[child.Value] = true
		}
		if err := plain(child, depth+1); err != nil {
			return err
		}
	}
	return nil
}
