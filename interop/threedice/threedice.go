// Package threedice imports projects of 3D-ICE 2.x to 4.0: stack descriptions (.stk), the floorplans (.flp) and layouts
// (.mlt) they name. Features of 3D-ICE that thermsim does not have (pluggable heat sinks, channels in non-uniform mode)
// are refused with their line.
//
// docs/guides/import.md describes the grammar, the units and every difference between 3D-ICE's numerics and thermsim's.
package threedice

import "thermsim/interop/importer"

// Format is 3D-ICE as a format to import.
var Format = &importer.Format{
	Name: "3dice", Title: "3D-ICE", Extension: ".stk", Main: "stack description",
	Files:    "one stack description (.stk), which names floorplans and layouts",
	MaxFiles: 1, NextToMain: true, Outputs: true,
	Remark: "Coordinates count from the south-west corner in both programs; 3D-ICE lists layers from the top, this " +
		"file from the bottom.",
	Scope: importer.Scope{
		Carried: "materials, heat sinks, dimensions, layers with layouts, dies, cavities with channels or pin fins, " +
			"the stack, floorplans with powers in time, the solver, outputs",
		NotCarried: "numofcores, T3d outside non-uniform mode, unused materials, layers and dies",
		Refused: "pluggable heat sinks, channels in non-uniform mode, elements outside the chip, numbers that 3D-ICE " +
			"misreads",
	},
	Convert: func(c *importer.Collector, main []byte) {
		v := newConverter(c)
		if v.project = parseStk(c, c.Request.Files[0], main); c.Faults.Len() == 0 {
			v.convert()
		}
	},
}
