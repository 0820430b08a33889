package flags

import (
	"strings"

	"thermsim/interop/assembly"
	"thermsim/interop/ecxml"
	"thermsim/interop/hotspot"
	"thermsim/interop/importer"
	"thermsim/interop/mcpat"
	"thermsim/interop/threedice"
)

// Formats are the simulators whose projects can be imported.
func Formats() []*importer.Format {
	return []*importer.Format{threedice.Format, hotspot.Format, ecxml.Format, hotspot.PACT, mcpat.Format,
		assembly.ThreeDblox, assembly.Chiplet}
}

// FormatOf is the format of which path is a main file, nil for stack files of thermsim's own.
func FormatOf(path string) *importer.Format {
	for _, f := range Formats() {
		if f.IsMain(path) {
			return f
		}
	}
	return nil
}

// FormatNames lists the formats, or those whose projects request output files.
func FormatNames(withOutputs bool) string {
	var names []string
	for _, f := range Formats() {
		if f.Outputs || !withOutputs {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, ", ")
}
