package hotspot

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// optionNames are the parameters that the extensions of further files and the names of thermsim's options mean. CoMeT
// and HotSniper write .trace and .log files.
var optionNames = map[string]string{
	".ptrace": "p", "ptrace": "p", ".trace": "p", ".log": "p", ".flp": "f", "flp": "f", ".lcf": "grid_layer_file",
	".materials": "materials_file", ".init": "init_file", ".steady": "init_file",
}

// options replaces parameters of the configuration by those of the command line, as HotSpot does. Files given after the
// configuration are identified by their extensions.
func (c *converter) options() {
	values := map[string]string{}
	for _, f := range c.Request.Files[1:] {
		name := optionNames[filepath.Ext(strings.TrimSuffix(strings.ToLower(f), ".gz"))]
		if name == "" {
			c.Faults.Add(stack.Pos{File: f}, "give .ptrace, .flp, .lcf, .materials or .init files",
				"unknown file extension")
			continue
		}
		values[name] = f
	}
	for name, value := range c.Request.Named {
		if short := optionNames[name]; short != "" {
			name = short
		}
		values[name] = value
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		delete(c.config.values, name) // a replacement is no repetition
		pos := stack.Pos{File: "--" + name}
		c.config.set(name, pos, word{Text: values[name], Pos: pos})
	}
}

// HotSpot reads some parameters from its command line only, and ignores them silently in a configuration.

// inConfig reports whether a parameter is given in the configuration rather than on the command line.
func (c *converter) inConfig(name string) bool {
	w, given := c.config.values[name]
	return given && w.Pos.Line > 0
}

// readDetailed reads detailed_3D. HotSpot ignores that of the configuration; so does --compat.
func (c *converter) readDetailed() {
	k := c.config
	pos := k.pos("detailed_3D")
	switch k.text("detailed_3D") {
	case "on":
		c.detailed = true
	case "off":
	default:
		c.Faults.Add(pos, "", "detailed_3D is on or off, got %q", stack.Shorten(k.text("detailed_3D")))
	}
	if !c.detailed {
		return
	}
	if c.inConfig("detailed_3D") {
		emulated := c.Emulates(importer.Deviation{
			Name: "detailed-in-config", Pos: pos, Field: true,
			What:    "HotSpot reads detailed_3D from its command line only, and calculates this project without it",
			Instead: "the configuration's detailed_3D applies: blocks have separate materials",
		})
		effect := "thermsim uses it"
		if c.Compat {
			effect = "so does --compat. Give --detailed_3D on if it is intended"
		}
		c.Note(importer.Warning, pos, "HotSpot reads detailed_3D from its command line only and calculates without "+
			"it; %s",
			effect)
		c.detailed = !emulated
		return
	}
	if k.path("grid_layer_file") == "" && c.Compat {
		c.Faults.Add(stack.Pos{File: "--detailed_3D"}, "give the layers with --grid_layer_file, or omit --detailed_3D",
			"HotSpot refuses detailed_3D for a single floorplan, so it has no results to reproduce")
	}
}

// theirsDetailed reports whether HotSpot calculates this project with detailed_3D.
func (c *converter) theirsDetailed() bool { return c.detailed && !c.inConfig("detailed_3D") }
