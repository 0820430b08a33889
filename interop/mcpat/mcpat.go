// Package mcpat imports the text that McPAT prints: areas become a floorplan, cut by area, and dynamic and leakage
// power become that of its blocks. McPAT's input (XML), if given, has the temperature of the leakage.
//
// docs/guides/import.md describes what is carried over and what is assumed.
package mcpat

import (
	"regexp"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// Format is McPAT as a format to import.
var Format = &importer.Format{
	Name: "mcpat", Title: "McPAT", Main: "output",
	Text:     regexp.MustCompile(`(?m)^\s*Processor\s*:\s*\n\s*Area\s*=.*mm\^2`),
	Files:    "the text that McPAT prints, and optionally its input (.xml)",
	MaxFiles: 2,
	Remark:   "McPAT has areas and powers; positions and cooling are assumptions of this file.",
	Scope: importer.Scope{
		Carried: "areas as a floorplan, runtime dynamic power, subthreshold and gate leakage, the temperature of " +
			"McPAT's input",
		NotCarried: "peak power, leakage with power gating",
		Refused:    "reports without areas",
	},
	Options: []importer.Option{
		{Name: "infile", Usage: "McPAT's input, `FILE`.xml, which has the temperature of the leakage"},
	},
	Convert: func(c *importer.Collector, main []byte) {
		v := &converter{Collector: c}
		v.report = readReport(c, c.Request.Files[0], main)
		if c.Faults.Len() == 0 {
			v.readTemperature()
		}
		if c.Faults.Len() == 0 {
			v.convert()
		}
	},
}

// readTemperature reads the temperature in K that McPAT's input gives the whole chip.
func (c *converter) readTemperature() {
	name := c.Request.Named["infile"]
	if len(c.Request.Files) > 1 {
		name = c.Request.Files[1]
	}
	if name == "" {
		return
	}
	path, data, ok := c.Open(name, stack.Pos{File: c.Request.Files[0]})
	if ok {
		c.kelvin = temperature(c.Collector, path, data)
	}
}
