// Package hotspot imports projects of HotSpot 5 to 7 as its grid model reads them: a configuration (.config),
// floorplans (.flp), a power trace (.ptrace), for 3D stacks a layer list (.lcf) with microchannels (.csv), and where
// they are named materials and initial temperatures. What HotSpot can do and thermsim cannot (a secondary heat path,
// leakage, channels that bend, package and clock models) is refused with its line.
//
// docs/guides/import.md tells the grammar, the units and every way in which HotSpot's arithmetic differs from
// thermsim's.
package hotspot

import (
	"path/filepath"
	"strings"

	"thermsim/internal/inputfile"
	"thermsim/interop/importer"
	"thermsim/stack"
)

// Format is HotSpot as a format to import.
type Format struct{}

func (Format) Name() string  { return "hotspot" }
func (Format) Title() string { return "HotSpot" }

// Options are those of HotSpot's command line that name files or are commonly given there; any other parameter belongs
// into the configuration.
func (Format) Options() []importer.Option {
	return []importer.Option{
		{Name: "ptrace", Short: "p", Usage: "power trace of a HotSpot project, `FILE`.ptrace"},
		{Name: "flp", Short: "f", Usage: "floorplan of a HotSpot project with one layer, `FILE`.flp"},
		{Name: "grid_layer_file", Usage: "layers of a HotSpot project, `FILE`.lcf"},
		{Name: "materials_file", Usage: "materials of a HotSpot project, `FILE`"},
		{Name: "init_file", Usage: "initial temperatures of a HotSpot project, `FILE`"},
		{Name: "detailed_3D", Usage: "HotSpot's detailed_3D, `on|off`"},
		{Name: "grid_rows", Usage: "HotSpot's grid_rows, `N`"},
		{Name: "grid_cols", Usage: "HotSpot's grid_cols, `N`"},
	}
}

// Main is true of configurations, *.config.
func (Format) Main(path string) bool { return strings.EqualFold(filepath.Ext(path), ".config") }

// Import reads the configuration Files[0] and what it and the options name. Further files are taken for what their
// extensions say. Paths are looked for in the working directory, where HotSpot looks, then beside the configuration.
func (f Format) Import(r importer.Request) (*importer.Result, error) {
	if len(r.Files) == 0 {
		return nil, &stack.Error{Msg: "a HotSpot project begins with its configuration",
			Remedy: "give a .config file, then the .ptrace and the .flp or .lcf file"}
	}
	if r.Open == nil {
		r.Open = inputfile.Read
	}
	c := newConverter(f, r)
	data, err := r.Open(r.Files[0])
	if err != nil {
		return nil, &stack.Error{Pos: stack.Pos{File: r.Files[0]}, Msg: "cannot read the configuration: " +
			importer.Reason(err), Remedy: "give the path of a .config file", Err: err}
	}
	importer.Record(c.stack, r.Files[0], data)
	c.config = parseConfig(r.Files[0], data, &c.Faults, &c.Notes)
	c.options()
	if c.Faults.Len() == 0 {
		c.convert()
	}
	if err := c.Faults.Err(r.Files[0]); err != nil {
		return nil, err
	}
	return c.result(), nil
}
