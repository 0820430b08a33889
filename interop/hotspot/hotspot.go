// Package hotspot imports projects of HotSpot 5 to 7 as its grid model reads them: a configuration (.config),
// floorplans (.flp), a power trace (.ptrace), for 3D stacks a layer list (.lcf) with microchannels (.csv), and optional
// materials and initial temperatures. Features of HotSpot that thermsim does not have (channels that bend, package and
// clock models) are refused with their line.
//
// Projects of PACT, whose package and nodes are HotSpot's, are read as well.
//
// docs/guides/import.md describes the grammar, the units and every difference between HotSpot's numerics and
// thermsim's.
package hotspot

import (
	"math"

	"thermsim/interop/importer"
)

// Format is HotSpot as a format to import. Its options are those of HotSpot's command line that name files or are
// commonly given there; any other parameter belongs in the configuration.
var Format = &importer.Format{
	Name: "hotspot", Title: "HotSpot", Extension: ".config", Main: "configuration",
	Files:    "a configuration (.config), then a power trace (.ptrace) and a floorplan (.flp) or layer list (.lcf)",
	MaxFiles: math.MaxInt, Outputs: true,
	Remark: "Both programs count layers from the one furthest from the sink, which is the bottom here.",
	Scope: importer.Scope{
		Carried: "configuration, floorplans, layer lists, materials, power traces, initial temperatures, leakage, " +
			"secondary heat path, microchannels, names of output files",
		NotCarried: namesOf(skipped) + ", connectivity in floorplans, parameters of models that are off",
		Refused:    namesOf(refused) + ", a secondary heat path with microchannels",
	},
	Options: []importer.Option{
		{Name: "ptrace", Short: "p", Usage: "power trace of a HotSpot project, `FILE`.ptrace"},
		{Name: "flp", Short: "f", Usage: "floorplan of a HotSpot project with one layer, `FILE`.flp"},
		{Name: "grid_layer_file", Usage: "layers of a HotSpot project, `FILE`.lcf"},
		{Name: "materials_file", Usage: "materials of a HotSpot project, `FILE`"},
		{Name: "init_file", Usage: "initial temperatures of a HotSpot project, `FILE`"},
		{Name: "detailed_3D", Usage: "HotSpot's detailed_3D, `on|off`"},
		{Name: "model_secondary", Usage: "HotSpot's model_secondary, `0|1`"},
		{Name: "grid_rows", Usage: "HotSpot's grid_rows, `N`"},
		{Name: "grid_cols", Usage: "HotSpot's grid_cols, `N`"},
	},
	Convert: func(c *importer.Collector, main []byte) {
		v := newConverter(c)
		v.config = parseConfig(c, c.Request.Files[0], main)
		v.options()
		if c.Faults.Len() == 0 {
			v.convert()
		}
	},
}
