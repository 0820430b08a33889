// Package threedice imports projects of 3D-ICE 2.x to 4.0: stack descriptions (.stk), the floorplans (.flp) and layouts
// (.mlt) they name. What 3D-ICE can do and thermsim cannot (pluggable heat sinks, channels in non-uniform mode) is
// refused with its line.
//
// docs/guides/import.md tells the grammar, the units and every way in which 3D-ICE's arithmetic differs from
// thermsim's.
package threedice

import (
	"path/filepath"
	"strings"

	"thermsim/internal/inputfile"
	"thermsim/interop/importer"
	"thermsim/stack"
)

// Format is 3D-ICE as a format to import.
type Format struct{}

func (Format) Name() string               { return "3dice" }
func (Format) Title() string              { return "3D-ICE" }
func (Format) Options() []importer.Option { return nil }

// Main is true of stack descriptions, *.stk.
func (Format) Main(path string) bool { return strings.EqualFold(filepath.Ext(path), ".stk") }

// Import reads the stack description Files[0] and what it names: paths are looked for beside it, then in the working
// directory, where 3D-ICE looks.
func (f Format) Import(r importer.Request) (*importer.Result, error) {
	if len(r.Files) != 1 {
		return nil, &stack.Error{Msg: "a 3D-ICE project is one stack description; floorplans and layouts are " +
			"named in it",
			Remedy: "give one .stk file"}
	}
	if r.Open == nil {
		r.Open = inputfile.Read
	}
	c := newConverter(f, r)
	data, err := r.Open(r.Files[0])
	if err != nil {
		return nil, &stack.Error{Pos: stack.Pos{File: r.Files[0]}, Msg: "cannot read the stack description: " +
			importer.Reason(err),
			Remedy: "give the path of a .stk file", Err: err}
	}
	importer.Record(c.stack, r.Files[0], data)
	c.project = parseStk(r.Files[0], data, &c.Faults, &c.Notes)
	if c.Faults.Len() == 0 {
		c.convert()
	}
	if err := c.Faults.Err(r.Files[0]); err != nil {
		return nil, err
	}
	return c.result(), nil
}
