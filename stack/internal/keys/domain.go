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
			{Name: "include", Type: TextList, Doc: "Files whose tables belong to this one, such as materials and " +
				"dies of one's own: paths relative to this file."},
			{Name: "define", Type: Constants, Doc: "Constants, by name, for the quantities and whole numbers " +
				"of this file."},
			{Name: "title", Type: Text, Doc: "Free text, shown in reports."},
			{Name: "ambient", Type: Scalar, Quantity: units.Temperature, Range: Positive, Default: "25 degC",
				Doc: "Temperature that boundaries refer to unless they carry their own, and where a transient starts."},
			{Name: "tmax", Type: Scalar, Quantity: units.Temperature, Range: Positive, Doc: "Highest temperature " +
				"allowed anywhere. Commands that solve report the margin and exit with status 5 where it is " +
				"exceeded; `--tmax` takes its place."},
			{Name: "size", Type: Pair, Quantity: units.Length, Range: Positive, Required: true, Unless: "package",
				Doc: "Extent of the domain in x (west to east) and y (south to north). The origin is the " +
					"south-west corner."},
			{Name: "grid", Type: TextOrTable, Enum: []string{"auto"}, Sub: "grid", DefDoc: "128 by 128 equal cells, " +
				"graded around the dies with `package`", Doc: "Lateral cells. With `auto` the grid is chosen, " +
				"along z too."},
			{Name: "boundary", Type: Table, Sub: "boundary", DefDoc: "all faces adiabatic",
				Doc: "What happens on the six faces."},
			{Name: "materials", Type: NamedTables, Sub: "material", Doc: "Materials of this stack, by name. Those of " +
				"the library need no entry; an entry of the same name replaces the library's."},
			{Name: "die", Type: Tables, Sub: "template", Doc: "Dies that layers may hold, as often as one likes."},
			{Name: "layer", Type: Tables, Sub: "layer", Required: true, Unless: "package",
				Doc: "The layers, bottom to top."},
			{Name: "package", Type: Table, Sub: "package", Doc: "A package of a usual kind, in place of layers: it " +
				"becomes layers, regions and probes."},
			{Name: "jedec", Type: Table, Sub: "jedec", DefDoc: "that of `package`",
				Doc: "Figures of JEDEC's standards to report, such as the resistance from junction to ambient."},
			{Name: "heat_sink", Type: Table, Sub: "heat_sink", Doc: "A heat sink on top: one more layer, called " +
				"heat_sink, and the boundary above it."},
			{Name: "probe", Type: Tables, Sub: "probe", Doc: "Points whose temperature is reported."},
			{Name: "transient", Type: Table, Sub: "transient", Doc: "Wishes for transient runs; flags of the " +
				"command beat them."},
			{Name: "solver", Type: Table, Sub: "solver", Doc: "Wishes for the solver; flags of the command beat them."},
			{Name: "output", Type: Table, Sub: "output", Doc: "Wishes for reports; flags of the command beat them."},
		}},
		{"grid", "grid", "a grid", []Key{
			{Name: "nx", Type: Integer, Min: 1, Max: MaxAxisCells, DefDoc: "128, unless x is given",
				Doc: "Number of equal cells along x."},
			{Name: "ny", Type: Integer, Min: 1, Max: MaxAxisCells, DefDoc: "128, unless y is given",
				Doc: "Number of equal cells along y."},
			{Name: "x", Type: Tables, Sub: "segment", Doc: "Runs of cells along x from west to east, in place of nx."},
			{Name: "y", Type: Tables, Sub: "segment", Doc: "Runs of cells along y from south to north, in " +
				"place of ny."},
			{Name: "error", Type: Scalar, Quantity: units.TemperatureRise, Range: Positive,
				Doc: "Lets the grid be chosen so that maxima are off by about this much at most."},
			{Name: "relative_error", Type: Scalar, Quantity: units.Number, Range: Positive,
				DefDoc: "1 %, where the grid is chosen and `error` says nothing", Doc: "The same as a part of the " +
					"highest rise."},
			{Name: "max_cells", Type: Integer, Min: MinAutoCells, Max: MaxAutoCells, Default: "4000000",
				Doc: "Largest number of cells of a grid that is chosen, layers included."},
		}},
		{"segment", "grid.x, grid.y", "a grid segment", []Key{
			{Name: "to", Type: Scalar, Quantity: units.Length, Range: Positive, Required: true,
				Doc: "Where the run ends, measured from the south-west corner. The last run ends at the size of " +
					"the domain."},
			{Name: "cells", Type: Integer, Min: 1, Max: MaxAxisCells, Required: true,
				Doc: "Number of cells in the run."},
			{Name: "ratio", Type: Scalar, Quantity: units.Number, Range: Positive, Default: "1",
				Doc: "Size of the last cell over that of the first; sizes grow geometrically in between. From " +
					"1e-6 to 1e6."},
		}},
		{"boundary", "boundary", "a set of boundaries", faceKeys()},
		{"face", "boundary.top and the other faces", "a boundary", []Key{
			{Name: "h", Type: CurveOrScalar, Quantity: units.HeatTransfer, Range: Positive, Sub: "curve",
				Doc: "Convection: heat transfer coefficient to `ambient`. A table makes it follow the temperature of " +
					"the surface."},
			{Name: "convection", Type: Enum, Enum: []string{"natural"}, Doc: "Natural convection in air at `ambient` " +
				"and 1 atm, by the temperature of the surface; adds to a constant `h`."},
			{Name: "orientation", Type: Enum, Enum: []string{"up", "down", "vertical"},
				DefDoc: "up for the top, down for the bottom, vertical for the sides", Doc: "Where the face looks, " +
					"for natural convection."},
			{Name: "length", Type: Scalar, Quantity: units.Length, Range: Positive, DefDoc: "area over perimeter of " +
				"a face that looks up or down, height of an upright side", Doc: "Length that natural convection " +
				"refers to; required of a top or bottom that stands upright: its height."},
			{Name: "emissivity", Type: Scalar, Quantity: units.Number, Range: Positive,
				Doc: "Radiation to surroundings at `ambient`, from 0 to 1; adds to convection."},
			{Name: "resistance", Type: Scalar, Quantity: units.Resistance, Range: Positive,
				Doc: "Lumped cooler: thermal resistance of the whole face to `ambient`, spread evenly over it."},
			{Name: "temperature", Type: Scalar, Quantity: units.Temperature, Range: Positive,
				Doc: "The surface is held at this temperature."},
			{Name: "flux", Type: Scalar, Quantity: units.Flux, Doc: "Heat that enters per area; negative " +
				"where it leaves."},
			{Name: "ambient", Type: Scalar, Quantity: units.Temperature, Range: Positive,
				DefDoc: "`ambient` of the stack", Doc: "Temperature behind `h`, `convection`, `emissivity` or " +
					"`resistance`."},
			{Name: "patch", Type: Tables, Sub: "patch", Doc: "Parts of the face with conditions of their own, later " +
				"ones over earlier ones. What none of them covers keeps the condition of the face, or is adiabatic. " +
				"See [Parts of a face](#parts-of-a-face)."},
		}},
		{"patch", "[[boundary.top.patch]] and those of the other faces", "a patch", []Key{
			{Name: "name", Type: Text, DefDoc: "patch1, patch2, ... in order", Doc: "For reports; unique on the face."},
			{Name: "x", Type: Scalar, Quantity: units.Length, Range: NonNegative, Doc: "Western edge of a rectangle " +
				"on bottom, top, south and north."},
			{Name: "y", Type: Scalar, Quantity: units.Length, Range: NonNegative, Doc: "Southern edge of a rectangle " +
				"on bottom, top, west and east."},
			{Name: "z", Type: Scalar, Quantity: units.Length, Range: NonNegative, Doc: "Lower edge of a rectangle on " +
				"a side, above the bottom of the stack."},
			{Name: "width", Type: Scalar, Quantity: units.Length, Range: Positive, Doc: "Extent of the rectangle " +
				"along x, on west and east along y."},
			{Name: "height", Type: Scalar, Quantity: units.Length, Range: Positive, Doc: "Extent of the rectangle " +
				"along y, on the sides along z."},
			{Name: "circle", Type: Table, Sub: "circle", Doc: "In place of a rectangle, by the coordinates of the " +
				"face: x and y, on west and east y and z, on south and north x and z."},
			{Name: "polygon", Type: Points, Quantity: units.Length, Doc: "In place of a rectangle, by its corners in " +
				"order, in the same coordinates."},
			{Name: "layers", Type: TextList, Doc: "In place of a rectangle on a side: the layers that it covers from " +
				"edge to edge."},
			{Name: "h", Type: Scalar, Quantity: units.HeatTransfer, Range: Positive, Doc: "Convection: heat transfer " +
				"coefficient to `ambient`."},
			{Name: "map", Type: FileOrRows, Doc: "Convection by place, in place of `h`: path of a CSV, NPY or PNG " +
				"file with one coefficient per tile, or the rows themselves. The tiles divide the rectangle of the " +
				"patch evenly; where one is 0 no heat passes."},
			{Name: "unit", Type: Text, DefDoc: "required with map", Doc: "Unit of the map: \"W/(m^2 K)\", " +
				"\"W/(cm^2 K)\"."},
			{Name: "orientation", Type: Enum, Enum: []string{"south-first", "north-first"},
				DefDoc: "required with map, but for a PNG, which is north-first", Doc: "Whether the first row of the " +
					"map is the southern (on a side the lower) edge or the northern (upper) one."},
			{Name: "scale", Type: Scalar, Quantity: units.Number, Range: Positive, Default: "1",
				DefDoc: "1, required of a PNG", Doc: "What the value 1 of the map stands for, or white in a " +
					"PNG, in `unit`."},
			{Name: "resistance", Type: Scalar, Quantity: units.Resistance, Range: Positive,
				Doc: "Lumped cooler: thermal resistance of what is seen of the patch to `ambient`, spread " +
					"evenly over it."},
			{Name: "temperature", Type: Scalar, Quantity: units.Temperature, Range: Positive,
				Doc: "The surface is held at this temperature."},
			{Name: "flux", Type: Scalar, Quantity: units.Flux, Doc: "Heat that enters per area; negative where it " +
				"leaves, and 0 where no heat passes."},
			{Name: "ambient", Type: Scalar, Quantity: units.Temperature, Range: Positive,
				DefDoc: "that of the face, or `ambient` of the stack", Doc: "Temperature behind `h`, `map` or " +
					"`resistance`."},
		}},
		{"material", "[materials.NAME]", "a material", []Key{
			{Name: "k", Type: CurveOrTriple, Quantity: units.Conductivity, Range: Positive, Sub: "curve",
				Doc: "Thermal conductivity, one value or [kx, ky, kz]. A table makes it follow the temperature."},
			{Name: "c", Type: CurveOrScalar, Quantity: units.VolumetricHeat, Range: Positive, Sub: "curve",
				Doc: "Volumetric heat capacity. Give c, or rho and cp."},
			{Name: "rho", Type: Scalar, Quantity: units.Density, Range: Positive, Doc: "Density."},
			{Name: "cp", Type: CurveOrScalar, Quantity: units.SpecificHeat, Range: Positive, Sub: "curve",
				Doc: "Specific heat."},
			{Name: "mix", Type: Table, Sub: "mix", Doc: "Homogenised mixture (TSVs, bumps, wires), in place " +
				"of k and c."},
			{Name: "laminate", Type: Tables, Sub: "ply", Doc: "Homogenised sheets on each other (BEOL, RDL, boards), " +
				"in place of k and c."},
			{Name: "title", Type: Text, Doc: "Full name, for people."},
			{Name: "source", Type: Text, Doc: "Where the figures come from."},
			{Name: "t_ref", Type: Scalar, Quantity: units.Temperature, Range: Positive, Doc: "Temperature at which " +
				"the figures hold; for information."},
			{Name: "notes", Type: Text, Doc: "Remarks, for people."},
		}},
		{"curve", "k = { ... }, c = { ... }, cp = { ... }", "a property that follows the temperature", []Key{
			{Name: "table", Type: NumberRows, Doc: "Rows [temperature in K, value in SI units], temperatures " +
				"ascending: between them a monotone cubic, which overshoots no row. The range ends with the rows."},
			{Name: "polynomial", Type: NumberList, Doc: "Coefficients a0, a1, ... of a0 + a1 (T - at) + a2 (T - " +
				"at)^2 ... in SI units."},
			{Name: "value", Type: OwnScalar, Range: Positive, DefDoc: "required with `exponent`",
				Doc: "Of a power law: the property at the temperature `at`, with the unit of the property or as a " +
					"bare number in SI units."},
			{Name: "exponent", Type: Scalar, Quantity: units.Number, Doc: "n of the power law value (T/at)^-n. " +
				"Positive where the property falls."},
			{Name: "at", Type: Scalar, Quantity: units.Temperature, Range: Positive, Default: "300 K",
				Doc: "Temperature that a power law or a polynomial refers to."},
			{Name: "range", Type: Pair, Quantity: units.Temperature, Range: Positive,
				DefDoc: "required, but for a table", Doc: "The lowest and the highest temperature for which a power " +
					"law or a polynomial holds."},
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
