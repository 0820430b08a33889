// Package ecxml reads and writes ECXML, the neutral format for electronics-cooling models of JEDEC JEP181A:
// axis-aligned boxes, plates and cylinders with materials and powers, in SI units. Later objects take precedence where
// solids overlap.
//
// The format describes conduction and the flow of air. thermsim computes conduction: solids become layers, cut at every
// height at which one of them begins or ends, and their faces get heat-transfer coefficients. [Write] writes stacks in
// the same form, with a processing instruction for what ECXML has no elements for; other programs ignore it.
package ecxml

import (
	"maps"
	"slices"
	"strings"

	"thermsim/interop/importer"
)

// Format is ECXML as a format to import.
var Format = &importer.Format{
	Name: "ecxml", Title: "ECXML", Extension: ".ecxml", Also: ".xml", Main: "ECXML model",
	Files:    "one ECXML model (.ecxml or .xml)",
	MaxFiles: 1, NextToMain: true,
	Remark: "Coordinates count from the lower south-west corner of all solids.",
	Scope: importer.Scope{
		Carried: "materials with conductivities that depend on temperature, ambient temperature, " +
			strings.Join(slices.DeleteFunc(slices.Sorted(maps.Keys(fields)), func(kind string) bool {
				return needsFlow(kind) || kind == externalCAD
			}), ", "),
		NotCarried: "radiant temperature, pressure, " + externalCAD + ", unknown elements",
		Refused:    strings.Join(flowKinds, ", ") + " (unless --" + ignoreFlow + " drops them)",
	},
	Options: []importer.Option{
		{Name: ignoreFlow, Switch: true, Usage: "drop fans, grilles and flow resistances of an ECXML model"},
	},
	Convert: func(c *importer.Collector, main []byte) {
		r := &reader{Collector: c, defined: map[string]*material{}, taken: map[string]bool{},
			unknown: map[string]*unknown{}}
		root := parse(c, main)
		if root == nil {
			return
		}
		if r.read(root); c.Faults.Len() == 0 {
			convert(r, root)
		}
	},
}

// ignoreFlow is the option that drops what needs the flow of air.
const ignoreFlow = "ignore-flow"

// instruction is the target of the processing instruction with what ECXML has no elements for: a stack file with the
// faces, the grid, the materials and the layers without regions and powers.
const instruction = "thermsim"

// Limits of a model. An object has about 18 elements.
const (
	maxDepth    = 200
	maxElements = 800_000
	maxText     = 1 << 16 // bytes in an element
	maxObjects  = 40_000  // solids, and as many sources
	maxParts    = 1_000_000
	maxWork     = 1_000_000_000
)
