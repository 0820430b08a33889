// Package keys is the table of all keys of stack files: readers, overrides, printers, the reference in
// docs/reference/stack-format.md and the JSON Schema all use it, so they cannot disagree.
package keys

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"thermsim/stack/internal/tree"
	"thermsim/stack/internal/units"
)

// Type is the shape of a key's value.
type Type string

// The shapes that code refers to.
const (
	Text          Type = "text"            // any string
	Name          Type = "name"            // a string that can be part of a file name
	Enum          Type = "word"            // one of Key.Enum
	Method        Type = "method"          // one of Key.Enum, alone or with settings: name:key=value,...
	Integer       Type = "integer"         // whole number from Key.Min to Key.Max
	Bool          Type = "boolean"         // true or false
	Scalar        Type = "scalar"          // one quantity
	Pair          Type = "pair"            // [x, y]
	Texts         Type = "texts"           // array of strings
	Tables        Type = "tables"          // an array of tables
	TableOrTables Type = "table or tables" // either
	NamedTables   Type = "named tables"    // a table of tables under free names
	NumberList    Type = "numbers"         // array of numbers
)

// Range limits quantities.
type Range string

// The ranges; empty for any.
const (
	NonNegative Range = "not negative"
	Positive    Range = "positive"
	Fraction    Range = "fraction" // 0 to 1
)

// Key describes one key of a table.
type Key struct {
	Name     string
	Type     Type
	Quantity units.Quantity // of scalars, pairs and rectangles
	Range    Range
	Min, Max int      // of integers, and of the number of entries of arrays
	Excess   string   // what to do about an array with too many entries
	Enum     []string // of enums
	With     []string // kinds of the table to which the key applies; all if empty
	Excludes []string // keys of the same table that cannot be combined with this one
	Sub      string   // name of the table that describes the value
	Required bool
	Unless   string // name of a key that replaces this one, if it is required
	Default  string // as written in TOML without quotes; empty for none
	DefDoc   string // the default in words, if it is no fixed value
	Doc      string
}

// Fault says what a number violates, as a part of a sentence; empty if it is valid.
func (k *Key) Fault(x float64) string {
	switch {
	case k.Type == Integer && !(x >= float64(k.Min) && x <= float64(k.Max)):
		return fmt.Sprintf("must lie between %d and %d", k.Min, k.Max)
	case k.Range == Positive && !(x > 0):
		return "must be positive"
	case k.Range == NonNegative && !(x >= 0):
		return "must not be negative"
	case k.Range == Fraction && !(x >= 0 && x <= 1):
		return "must lie between 0 and 1"
	}
	return ""
}

// StackKey is a key of a table of stack files, which must exist.
func StackKey(table, name string) *Key {
	k, _ := Stack().Spec(table).Key(name)
	return k
}

// Spec describes one table of the format.
type Spec struct {
	Name   string // identifier
	Header string // as written in a file
	What   string // with article, for messages: "a layer"
	Keys   []Key
}

// Key finds a key by name.
func (s *Spec) Key(name string) (*Key, bool) {
	for i := range s.Keys {
		if s.Keys[i].Name == name {
			return &s.Keys[i], true
		}
	}
	return nil, false
}

// Format is the whole table: every Spec by name, and their order in the documents.
type Format struct {
	Order []string
	specs map[string]*Spec
}

// Spec returns the description of the named table, nil if there is none.
func (f *Format) Spec(name string) *Spec { return f.specs[name] }

//go:embed stack.toml sweep.toml policy.toml parts.toml optimise.toml
var files embed.FS

// Stack is the table of stack files, Sweep that of sweep files, Policies that of policy files, Parts that of parts
// files of assemblies, and Optimise that of optimisation files. They must not be changed.
var (
	Stack    = sync.OnceValue(func() *Format { return read("stack.toml") })
	Sweep    = sync.OnceValue(func() *Format { return read("sweep.toml") })
	Policies = sync.OnceValue(func() *Format { return read("policy.toml") })
	Parts    = sync.OnceValue(func() *Format { return read("parts.toml") })
	Optimise = sync.OnceValue(func() *Format { return read("optimise.toml") })
)

// read makes a format of one of the files. They have no errors, because the tests read them.
func read(file string) *Format {
	data, err := files.ReadFile(file)
	if err != nil {
		panic(err)
	}
	root, fault := tree.Parse(file, data)
	if fault != nil {
		panic(fault)
	}
	f := &Format{specs: map[string]*Spec{}}
	for _, table := range root.Entries {
		s := &Spec{Name: table.Name}
		f.Order, f.specs[s.Name] = append(f.Order, s.Name), s
		for _, e := range table.Value.Entries {
			switch e.Name {
			case "header":
				s.Header = e.Value.Text
			case "what":
				s.What = e.Value.Text
			default:
				k := Key{Type: Scalar}
				for _, field := range e.Value.Entries {
					f.set(&k, field.Name, field.Value)
				}
				k.Name = e.Name
				s.Keys = append(s.Keys, k)
			}
		}
	}
	return f
}

// set gives a field of a key its value.
func (f *Format) set(k *Key, field string, v *tree.Node) {
	switch field {
	case "like":
		table, name, _ := strings.Cut(v.Text, ".")
		other, _ := f.specs[table].Key(name)
		*k = *other
	case "type":
		k.Type = Type(v.Text)
	case "quantity":
		k.Quantity = quantity(v.Text)
	case "range":
		k.Range = Range(v.Text)
	case "limits":
		k.Min, k.Max = whole(v.Items[0]), whole(v.Items[1])
	case "excess":
		k.Excess = v.Text
	case "words":
		k.Enum = words(v)
	case "with":
		k.With = words(v)
	case "excludes":
		k.Excludes = words(v)
	case "table":
		k.Sub = v.Text
	case "required":
		k.Required = true
	case "required_unless":
		k.Required, k.Unless = true, v.Text
	case "default":
		k.Default = v.Text
	case "default_doc":
		k.DefDoc = v.Text
	case "doc":
		k.Doc = v.Text
	default:
		panic(fmt.Sprintf("%s: no field is called %s", v.Pos, field))
	}
}

func words(n *tree.Node) (list []string) {
	for _, word := range n.Items {
		list = append(list, word.Text)
	}
	return list
}

func whole(n *tree.Node) int {
	i, err := strconv.Atoi(n.Text)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", n.Pos, err))
	}
	return i
}

// quantity finds one by its name without the article.
func quantity(name string) units.Quantity {
	for _, q := range units.Quantities {
		if _, bare, _ := strings.Cut(q.Name, " "); bare == name {
			return q
		}
	}
	panic("no quantity is called " + name)
}

// MaxPlaneCells is the largest number of cells in a plane. It keeps typos from requesting more memory than any machine
// has, as the limits of the table do.
const MaxPlaneCells = 1_000_000_000
