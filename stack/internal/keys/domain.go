package keys

import "thermsim/stack/internal/units"

// Limits on what a file may ask for. They keep a slip of the pen from asking for more memory than any machine has.
const (
	MaxAxisCells  = 100_000
	MaxPlaneCells = 1_000_000_000
	MaxLayerCells = 10_000
	MaxSteps      = 1_000_000_000
	MinAutoCells  = 1_000
	MaxAutoCells  = 1_000_000_000
)

func domainSpecs() []Spec {
	return []Spec{
		{"stack", "top of the file", "a stack file", []Key{
			{Name: "schema", Type: Integer, Min: 1, Max: 1, Required: true, Doc: "Version of this format."},
			{Name: "include", Type: TextList,
				Doc: "Files to include, for example with your own materials and dies: paths relative to this file."},
			{Name: "define", Type: Constants,
				Doc: "Named constants for the quantities and whole numbers of this file."},
			{Name: "title", Type: Text, Doc: "Free text, shown in reports."},
			{Name: "ambient", Type: Scalar, Quantity: units.Temperature, Range: Positive, Default: "25 degC",
				Doc: "Ambient temperature of boundaries without their own, and default initial temperature of " +
					"transients."},
			{Name: "tmax", Type: Scalar, Quantity: units.Temperature, Range: Positive,
				Doc: "Highest temperature allowed anywhere. Runs report the margin and exit with status 5 if it is " +
					"exceeded; `--tmax` overrides it."},
			{Name: "size", Type: Pair, Quantity: units.Length, Range: Positive, Required: true, Unless: "package",
				Doc: "Extent of the domain in x (west to east) and y (south to north). The origin is the " +
					"south-west corner."},
			{Name: "grid", Type: TextOrTable, Enum: []string{"auto"}, Sub: "grid",
				DefDoc: "128 by 128 equal cells; graded around the dies with `package`",
				Doc:    "Lateral cells. `auto` chooses the grid, in z too."},
			{Name: "boundary", Type: Table, Sub: "boundary", DefDoc: "all faces adiabatic",
				Doc: "Boundary conditions on the six faces."},
			{Name: "materials", Type: NamedTables, Sub: "material",
				Doc: "Materials of this stack, by name. They override library materials of the same name."},
			{Name: "die", Type: Tables, Sub: "template", Doc: "Dies that can be placed in layers repeatedly."},
			{Name: "layer", Type: Tables, Sub: "layer", Required: true, Unless: "package",
				Doc: "The layers, bottom to top."},
			{Name: "package", Type: Table, Sub: "package",
				Doc: "A standard package, instead of layers: it becomes layers, regions and probes."},
			{Name: "jedec", Type: Table, Sub: "jedec", DefDoc: "that of `package`",
				Doc: "JEDEC metrics to report, for example the resistance from junction to ambient."},
			{Name: "heat_sink", Type: Table, Sub: "heat_sink",
				Doc: "A heat sink on top: an additional layer, heat_sink, and the boundary above it."},
			{Name: "probe", Type: Tables, Sub: "probe", Doc: "Points whose temperature is reported."},
			{Name: "transient", Type: Table, Sub: "transient",
				Doc: "Defaults for transient runs; flags override them."},
			{Name: "solver", Type: Table, Sub: "solver", Doc: "Defaults for the solver; flags override them."},
			{Name: "output", Type: Table, Sub: "output", Doc: "Defaults for output; flags override them."},
		}},
		{"grid", "grid", "a grid", []Key{
			{Name: "nx", Type: Integer, Min: 1, Max: MaxAxisCells, DefDoc: "128, unless x is given",
				Doc: "Number of equal cells along x."},
			{Name: "ny", Type: Integer, Min: 1, Max: MaxAxisCells, DefDoc: "128, unless y is given",
				Doc: "Number of equal cells along y."},
			{Name: "x", Type: Tables, Sub: "segment", Doc: "Segments along x from west to east, instead of nx."},
			{Name: "y", Type: Tables, Sub: "segment", Doc: "Segments along y from south to north, instead of ny."},
			{Name: "error", Type: Scalar, Quantity: units.TemperatureRise, Range: Positive,
				Doc: "Chooses the grid for this error of maxima."},
			{Name: "relative_error", Type: Scalar, Quantity: units.Number, Range: Positive,
				DefDoc: "1 % if the grid is chosen without `error`",
				Doc:    "The same, relative to the highest temperature rise."},
			{Name: "max_cells", Type: Integer, Min: MinAutoCells, Max: MaxAutoCells, Default: "4000000",
				Doc: "Largest number of cells of a chosen grid, in all layers."},
		}},
		{"segment", "grid.x, grid.y", "a grid segment", []Key{
			{Name: "to", Type: Scalar, Quantity: units.Length, Range: Positive, Required: true,
				Doc: "End of the segment, from the south-west corner. The last segment ends at the size of the " +
					"domain."},
			{Name: "cells", Type: Integer, Min: 1, Max: MaxAxisCells, Required: true,
				Doc: "Number of cells."},
			{Name: "ratio", Type: Scalar, Quantity: units.Number, Range: Positive, Default: "1",
				Doc: "Ratio of the last cell's size to the first's; sizes grow geometrically. From 1e-6 to 1e6."},
		}},
		{"boundary", "boundary", "a set of boundaries", faceKeys()},
		{"face", "boundary.top and the other faces", "a boundary", []Key{
			{Name: "h", Type: CurveOrScalar, Quantity: units.HeatTransfer, Range: Positive, Sub: "curve",
				Doc: "Convection: heat-transfer coefficient to `ambient`. A table makes it depend on the surface " +
					"temperature."},
			{Name: "convection", Type: Enum, Enum: []string{"natural"},
				Doc: "Natural convection in air at `ambient` and 1 atm, depending on the surface temperature; adds " +
					"to a constant `h`."},
			{Name: "orientation", Type: Enum, Enum: []string{"up", "down", "vertical"},
				DefDoc: "up for the top, down for the bottom, vertical for the sides",
				Doc:    "Orientation of the face for natural convection."},
			{Name: "length", Type: Scalar, Quantity: units.Length, Range: Positive,
				DefDoc: "area over perimeter of a horizontal face, height of a vertical side",
				Doc:    "Length for natural convection; required for a vertical top or bottom: its height."},
			{Name: "emissivity", Type: Scalar, Quantity: units.Number, Range: Positive,
				Doc: "Radiation to surroundings at `ambient`, 0 to 1; adds to convection."},
			{Name: "resistance", Type: Scalar, Quantity: units.Resistance, Range: Positive,
				Doc: "Lumped cooler: thermal resistance of the whole face to `ambient`, distributed evenly."},
			{Name: "temperature", Type: Scalar, Quantity: units.Temperature, Range: Positive,
				Doc: "Fixed surface temperature."},
			{Name: "flux", Type: Scalar, Quantity: units.Flux, Doc: "Heat flux into the stack; negative if it leaves."},
			{Name: "ambient", Type: Scalar, Quantity: units.Temperature, Range: Positive,
				DefDoc: "`ambient` of the stack",
				Doc:    "Fluid temperature for `h`, `convection`, `emissivity` or `resistance`."},
			{Name: "patch", Type: Tables, Sub: "patch",
				Doc: "Parts of the face with other conditions; later ones take precedence. The rest keeps the " +
					"condition of the face, or is adiabatic. See [Parts of a face](#parts-of-a-face)."},
		}},
		{"patch", "[[boundary.top.patch]] and those of the other faces", "a patch", []Key{
			{Name: "name", Type: Text, DefDoc: "patch1, patch2, ... in order",
				Doc: "Name for reports; unique on the face."},
			{Name: "x", Type: Scalar, Quantity: units.Length, Range: NonNegative,
				Doc: "West edge of a rectangle on bottom, top, south and north."},
			{Name: "y", Type: Scalar, Quantity: units.Length, Range: NonNegative,
				Doc: "South edge of a rectangle on bottom, top, west and east."},
			{Name: "z", Type: Scalar, Quantity: units.Length, Range: NonNegative, Doc: "Lower edge of a rectangle on " +
				"a side, above the bottom of the stack."},
			{Name: "width", Type: Scalar, Quantity: units.Length, Range: Positive,
				Doc: "Extent of the rectangle in x; on west and east in y."},
			{Name: "height", Type: Scalar, Quantity: units.Length, Range: Positive,
				Doc: "Extent of the rectangle in y; on the sides in z."},
			{Name: "circle", Type: Table, Sub: "circle",
				Doc: "Instead of a rectangle, in the coordinates of the face: x and y; on west and east y and z; on " +
					"south and north x and z."},
			{Name: "polygon", Type: Points, Quantity: units.Length,
				Doc: "Instead of a rectangle: corners in order, in the same coordinates."},
			{Name: "layers", Type: TextList,
				Doc: "Instead of a rectangle on a side: the layers that it covers from edge to edge."},
			{Name: "h", Type: Scalar, Quantity: units.HeatTransfer, Range: Positive,
				Doc: "Convection: heat-transfer coefficient to `ambient`."},
			{Name: "map", Type: FileOrRows,
				Doc: "Nonuniform convection, instead of `h`: path of a CSV, NPY or PNG file with one coefficient per " +
					"tile, or rows of numbers. The tiles divide the rectangle of the patch evenly; 0 is adiabatic."},
			{Name: "unit", Type: Text, DefDoc: "required with map", Doc: "Unit of the map: \"W/(m^2 K)\", " +
				"\"W/(cm^2 K)\"."},
			{Name: "orientation", Type: Enum, Enum: []string{"south-first", "north-first"},
				DefDoc: "required with map, except for PNG (north-first)",
				Doc: "Whether the first row of the map is the southern edge (on a side the lower one) or the " +
					"northern (upper) one."},
			{Name: "scale", Type: Scalar, Quantity: units.Number, Range: Positive, Default: "1",
				DefDoc: "1; required for PNG",
				Doc:    "Coefficient for the map value 1, or for white in a PNG, in `unit`."},
			{Name: "resistance", Type: Scalar, Quantity: units.Resistance, Range: Positive,
				Doc: "Lumped cooler: thermal resistance of the visible part of the patch to `ambient`, distributed " +
					"evenly."},
			{Name: "temperature", Type: Scalar, Quantity: units.Temperature, Range: Positive,
				Doc: "Fixed surface temperature."},
			{Name: "flux", Type: Scalar, Quantity: units.Flux,
				Doc: "Heat flux into the stack; negative if it leaves, 0 for adiabatic."},
			{Name: "ambient", Type: Scalar, Quantity: units.Temperature, Range: Positive,
				DefDoc: "that of the face, or `ambient` of the stack",
				Doc:    "Fluid temperature for `h`, `map` or `resistance`."},
		}},
		{"material", "[materials.NAME]", "a material", []Key{
			{Name: "k", Type: CurveOrTriple, Quantity: units.Conductivity, Range: Positive, Sub: "curve",
				Doc: "Thermal conductivity, one value or [kx, ky, kz]. A table makes it temperature-dependent."},
			{Name: "c", Type: CurveOrScalar, Quantity: units.VolumetricHeat, Range: Positive, Sub: "curve",
				Doc: "Volumetric heat capacity. Give c, or rho and cp."},
			{Name: "rho", Type: Scalar, Quantity: units.Density, Range: Positive, Doc: "Density."},
			{Name: "cp", Type: CurveOrScalar, Quantity: units.SpecificHeat, Range: Positive, Sub: "curve",
				Doc: "Specific heat."},
			{Name: "mix", Type: Table, Sub: "mix",
				Doc: "Homogenized mixture (TSVs, bumps, wires), instead of k and c."},
			{Name: "laminate", Type: Tables, Sub: "ply",
				Doc: "Homogenized laminate (BEOL, RDL, boards), instead of k and c."},
			{Name: "title", Type: Text, Doc: "Full name."},
			{Name: "source", Type: Text, Doc: "Source of the data."},
			{Name: "t_ref", Type: Scalar, Quantity: units.Temperature, Range: Positive,
				Doc: "Temperature of the data; for information."},
			{Name: "notes", Type: Text, Doc: "Remarks."},
		}},
		{"curve", "k = { ... }, c = { ... }, cp = { ... }", "a property that follows the temperature", []Key{
			{Name: "table", Type: NumberRows,
				Doc: "Rows [temperature in K, value in SI units], temperatures ascending, interpolated by a monotone " +
					"cubic. The range is that of the rows."},
			{Name: "polynomial", Type: NumberList, Doc: "Coefficients a0, a1, ... of a0 + a1 (T - at) + a2 (T - " +
				"at)^2 ... in SI units."},
			{Name: "value", Type: OwnScalar, Range: Positive, DefDoc: "required with `exponent`",
				Doc: "Power law: value at the temperature `at`, with unit or in SI units."},
			{Name: "exponent", Type: Scalar, Quantity: units.Number,
				Doc: "n of the power law value (T/at)^-n; positive if the property decreases."},
			{Name: "at", Type: Scalar, Quantity: units.Temperature, Range: Positive, Default: "300 K",
				Doc: "Reference temperature of a power law or polynomial."},
			{Name: "range", Type: Pair, Quantity: units.Temperature, Range: Positive,
				DefDoc: "required, except for a table",
				Doc:    "Lowest and highest temperature of a power law or polynomial."},
		}},
	}
}

func faceKeys() []Key {
	var list []Key
	for _, f := range [][2]string{{"bottom", "z = 0"}, {"top", "z = height of the stack"}, {"west", "x = 0"},
		{"east", "x = size"}, {"south", "y = 0"}, {"north", "y = size"}} {
		list = append(list, Key{Name: f[0], Type: TextOrTable, Enum: []string{"adiabatic"}, Sub: "face",
			Default: "adiabatic", Doc: "The face at " + f[1] + "."})
	}
	return list
}
