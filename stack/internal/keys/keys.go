// Package keys is the table of everything a stack file may say: what reads, overrides and prints stack files, the
// reference in docs/reference/stack-format.md and the JSON Schema all use it, so they cannot disagree.
package keys

import "thermsim/stack/internal/units"

// Type is the shape of a key's value.
type Type int

// The shapes.
const (
	Text          Type = iota // any string
	Name                      // a string that can be part of a file name
	Enum                      // one of Key.Enum
	Method                    // one of Key.Enum, alone or with settings: name:key=value,...
	TextList                  // array of strings
	Integer                   // whole number of at least Key.Min
	Bool                      // true or false
	Scalar                    // one quantity
	Pair                      // [x, y]
	Rect                      // [x, y, width, height]
	RectList                  // array of Rect
	Points                    // array of Pair, at least three
	CurveOrTriple             // one quantity or the table that describes a curve, or [x, y, z] of them
	CurveOrScalar             // one quantity, or the table that describes a curve
	OwnScalar                 // a quantity of the key that the table stands under
	Row                       // whole number from 1, "mean" or "max"
	Table                     // a table
	Tables                    // an array of tables
	TableOrTables             // either
	NamedTables               // a table of tables under free names
	TextOrTable               // the only word in Key.Enum, or a table
	FileOrRows                // path of a file, or an array of rows of numbers
	FileOrTable               // path of a file, or a table
	FileOrScalars             // path of a file, or a table of quantities under free names
	NumberRows                // array of rows of numbers
	NumberList                // array of numbers
	Constants                 // a table of values of any kind under free names
	Value                     // a string or a number
	Values                    // array of Value
)

// Range limits quantities.
type Range int

// The ranges.
const (
	Any Range = iota
	NonNegative
	Positive
)

// Key describes one key of a table.
type Key struct {
	Name     string
	Type     Type
	Quantity units.Quantity // of scalars, pairs and rectangles
	Range    Range
	Min, Max int      // of integers
	Enum     []string // of enums
	Sub      string   // name of the table that describes the value
	Required bool
	Unless   string // name of a key that takes the place of this one, where it is required
	Default  string // as written in TOML without quotes; empty for none
	DefDoc   string // the default in words, where it is no fixed value
	Doc      string
}

// Spec describes one table of the format.
type Spec struct {
	Name   string // identifier
	Header string // as it stands in a file
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
