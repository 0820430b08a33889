package hotspot

import (
	"thermsim/interop/importer"
	"thermsim/stack"
)

// Some parameters HotSpot takes from its command line alone: in a configuration it passes over them without a word.

// inConfig tells whether a parameter stands in the configuration and not on the command line.
func (c *converter) inConfig(name string) bool {
	w, given := c.config.values[name]
	return given && w.pos.Line > 0
}

// readDetailed reads detailed_3D. Where the configuration has it, HotSpot calculates without; so does --compat.
func (c *converter) readDetailed() {
	k := c.config
	pos := k.pos("detailed_3D")
	switch k.text("detailed_3D") {
	case "on":
		c.detailed = true
	case "off":
	default:
		c.Faults.Add(pos, "", "detailed_3D is on or off, got %q", importer.Shorten(k.text("detailed_3D")))
	}
	if !c.detailed {
		return
	}
	if c.inConfig("detailed_3D") {
		emulated := c.Emulates(importer.Deviation{
			Name: "detailed-in-config", Pos: pos, Field: true,
			What:    "HotSpot reads detailed_3D from its command line only, and calculates this project without it",
			Instead: "the configuration's detailed_3D holds: materials of blocks count",
		})
		if c.Request.Compat {
			c.Note(importer.Warning, pos, "HotSpot reads detailed_3D from its command line only and calculates "+
				"without it; so does --compat. Give --detailed_3D on if that is meant")
		} else {
			c.Note(importer.Warning, pos, "HotSpot reads detailed_3D from its command line only and calculates "+
				"without it; here it holds")
		}
		c.detailed = !emulated
		return
	}
	if k.path("grid_layer_file") == "" && c.Request.Compat {
		c.Faults.Add(stack.Pos{File: "--detailed_3D"}, "name the layers with --grid_layer_file, or leave out "+
			"--detailed_3D", "HotSpot refuses detailed_3D for a single floorplan, so there is nothing to "+
			"calculate alike")
	}
}

// theirsDetailed tells whether HotSpot calculates this project with detailed_3D.
func (c *converter) theirsDetailed() bool { return c.detailed && !c.inConfig("detailed_3D") }

// tellMaterials warns of a file of materials that HotSpot does not read.
func (c *converter) tellMaterials() {
	if c.config.path("materials_file") != "" && c.inConfig("materials_file") {
		c.Note(importer.Warning, c.config.pos("materials_file"), "HotSpot reads materials_file from its command line "+
			"only, and without it takes -1 for the figures of every material; here the file counts")
	}
}
