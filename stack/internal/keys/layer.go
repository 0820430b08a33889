package keys

import "thermsim/stack/internal/units"

func layerSpecs() []Spec {
	return []Spec{
		{"layer", "[[layer]]", "a layer", []Key{
			{Name: "name", Type: Name, Required: true, Doc: "Unique name; maps of the layer are files of this name."},
			{Name: "material", Type: Text, Required: true, Doc: "A material of this file or of the library."},
			{Name: "thickness", Type: Scalar, Quantity: units.Length, Range: Positive, Required: true, Unless: "die",
				Doc: "Thickness; of a layer that holds dies, as high as they reach."},
			{Name: "cells", Type: Integer, Min: 1, Max: MaxLayerCells, Default: "1",
				Doc: "Number of cells over the thickness."},
			{Name: "contact_resistance", Type: Scalar, Quantity: units.ContactResistance, Range: NonNegative,
				Default: "0", Doc: "Resistance of the interface to the layer above."},
			{Name: "power_at", Type: Enum, Enum: []string{"volume", "bottom", "top"},
				DefDoc: "volume, with a warning above 50 um", Doc: "Where the power of the layer and its regions " +
					"arises: spread over the whole thickness, or in a slice of `power_depth` at its lower or upper " +
					"surface, as that of transistors does. The slice gets one cell over its height, beside `cells` " +
					"for the rest."},
			{Name: "power_depth", Type: Scalar, Quantity: units.Length, Range: Positive,
				DefDoc: "5 um, or all of a thinner layer", Doc: "Height of the slice at the surface that " +
					"`power_at` names."},
			{Name: "tmax", Type: Scalar, Quantity: units.Temperature, Range: Positive, Doc: "Highest temperature " +
				"allowed in the layer, regions included."},
			{Name: "mean", Type: Enum, Enum: []string{"chip", "all"}, DefDoc: "chip", Doc: "What the layer's mean " +
				"temperature is of, where it has regions: `chip` leaves out what fills the room around them, parts " +
				"without power that conduct below 1.5 W/(m K), or less than a tenth as well in the plane as the best " +
				"of the layer; `all` takes everything."},
			{Name: "die", Type: Tables, Sub: "placement", Doc: "Dies that lie in the layer. It becomes several " +
				"layers: one for each range of heights in which none of them has a boundary."},
			{Name: "region", Type: Tables, Sub: "region", Doc: "Parts of another material; later ones lie over " +
				"earlier ones."},
			{Name: "fill", Type: Table, Sub: "fill", Doc: "Inclusions in the layer's material, such as vias; regions " +
				"lie over them."},
			{Name: "coolant", Type: Table, Sub: "coolant", Doc: "Makes the layer a cavity that coolant flows " +
				"through, between layers of solids."},
			{Name: "power", Type: TableOrTables, Sub: "power", Doc: "Sources of heat in this layer; they add."},
			{Name: "block", Type: Tables, Sub: "block", Doc: "Floorplan blocks written here: short for one more " +
				"power with these blocks."},
		}},
		{"region", "[[layer.region]]", "a region", []Key{
			{Name: "name", Type: Name, Doc: "Name, for messages and reports. Regions of one name in a layer have one " +
				"row in reports, and so have those without a name of one material."},
			{Name: "material", Type: Text, Required: true, Doc: "A material of this file or of the library."},
			{Name: "x", Type: Scalar, Quantity: units.Length, Doc: "West edge. A region has x, y, width and height, " +
				"or circle, or polygon."},
			{Name: "y", Type: Scalar, Quantity: units.Length, Doc: "South edge."},
			{Name: "width", Type: Scalar, Quantity: units.Length, Range: Positive, Doc: "Extent in x."},
			{Name: "height", Type: Scalar, Quantity: units.Length, Range: Positive, Doc: "Extent in y."},
			{Name: "circle", Type: Table, Sub: "circle", Doc: "The region is a circle: a via, a pillar, a bump."},
			{Name: "polygon", Type: Points, Quantity: units.Length, Doc: "The region is a polygon: its corners in " +
				"order, either way round. It may not cross itself."},
			{Name: "array", Type: Table, Sub: "array", Doc: "The region is repeated along x and y, to the east and " +
				"the north of where it stands."},
			{Name: "fill", Type: Table, Sub: "fill", Doc: "Inclusions in the region's material."},
			{Name: "tmax", Type: Scalar, Quantity: units.Temperature, Range: Positive, Doc: "Highest temperature " +
				"allowed in the region, as far as later regions do not lie over it; of one that they hide none."},
			{Name: "die", Type: Name, Doc: "The die that the region is a part of. The regions of one die, of " +
				"whatever layers, have a row together in reports, beside their own; a `tmax` that several of them " +
				"share is one limit."},
			{Name: "power", Type: TableOrTables, Sub: "power", Doc: "Sources of heat in this region, as in a layer; " +
				"coordinates count from the region's south-west corner. A circle or polygon takes uniform and " +
				"density alone, which act on it."},
			{Name: "block", Type: Tables, Sub: "block", Doc: "Floorplan blocks, as in a layer; coordinates count " +
				"from the region's south-west corner."},
		}},
		{"circle", "circle", "a circle", []Key{
			{Name: "x", Type: Scalar, Quantity: units.Length, Required: true, Doc: "Centre."},
			{Name: "y", Type: Scalar, Quantity: units.Length, Required: true, Doc: "Centre."},
			{Name: "diameter", Type: Scalar, Quantity: units.Length, Range: Positive, Required: true, Doc: "Diameter."},
		}},
		{"array", "array", "an array", []Key{
			{Name: "nx", Type: Integer, Min: 1, Max: MaxLayerCells, Required: true, Doc: "Number along x."},
			{Name: "ny", Type: Integer, Min: 1, Max: MaxLayerCells, Required: true, Doc: "Number along y; a million " +
				"regions in all at most."},
			{Name: "pitch", Type: Pair, Quantity: units.Length, Range: Positive, Required: true,
				Doc: "From one to the next."},
		}},
		{"fill", "fill", "a fill", append([]Key{
			{Name: "inclusion", Type: Text, Required: true, Doc: "Material of the inclusions. The matrix is the " +
				"material of the layer or region."},
			{Name: "rule", Type: Enum, Enum: mixRules(), DefDoc: "`square` where a pitch is given, else `cylinders`",
				Doc: "How the mixture conducts, see [effective-materials.md](../guides/effective-materials.md)."},
			{Name: "count", Type: Integer, Min: 1, Max: 1_000_000_000, Doc: "Number of cylinders on the layer or " +
				"region, in place of their pitch."},
			{Name: "map", Type: FileOrRows, Doc: "One fraction per tile, in place of one for all: path of a CSV, NPY " +
				"or PNG file, or rows. The tiles divide the layer, or the rectangle around the region, evenly."},
			{Name: "orientation", Type: Enum, Enum: []string{"south-first", "north-first"},
				DefDoc: "required with map, but for a PNG, which is north-first", Doc: "Whether the first row of the " +
					"map is the southern edge (y = 0) or the northern one (as in a picture)."},
			{Name: "scale", Type: Scalar, Quantity: units.Number, Range: Positive, Default: "1",
				Doc: "Fraction that the value 1 of the map stands for, or white in a PNG."},
		}, fractionKeys()...)},
	}
}

// blockSpecs are what a layer's floorplan is made of, and the points to watch.
func blockSpecs() []Spec {
	return []Spec{
		{"block", "[[layer.block]]", "a block", []Key{
			{Name: "name", Type: Text, Required: true, Doc: "Name, unique within the layer."},
			{Name: "x", Type: Scalar, Quantity: units.Length, Doc: "West edge."},
			{Name: "y", Type: Scalar, Quantity: units.Length, Doc: "South edge."},
			{Name: "width", Type: Scalar, Quantity: units.Length, Range: Positive, Doc: "Extent in x."},
			{Name: "height", Type: Scalar, Quantity: units.Length, Range: Positive, Doc: "Extent in y."},
			{Name: "rects", Type: RectList, Quantity: units.Length, Doc: "In place of x, y, width and height: any " +
				"number of rectangles [x, y, width, height] that share the power by area."},
			{Name: "circle", Type: Table, Sub: "circle", Doc: "In place of x, y, width and height: the block " +
				"is a circle."},
			{Name: "polygon", Type: Points, Quantity: units.Length, Doc: "In place of x, y, width and height: the " +
				"block is a polygon, its corners in order."},
			{Name: "power", Type: Scalar, Quantity: units.Power, Range: NonNegative,
				DefDoc: "required, unless `watts` or `trace` of the power table give it",
				Doc:    "Heat of the block, spread evenly; under a trace, its heat in a steady state."},
			{Name: "material", Type: Text, DefDoc: "that of the layer or region", Doc: "Material of the block: short " +
				"for a region of its name and shape."},
			{Name: "leakage", Type: Table, Sub: "leakage", DefDoc: "that of the power table",
				Doc: "Heat of the block that follows the temperature, beside `power`."},
			{Name: "tmax", Type: Scalar, Quantity: units.Temperature, Range: Positive,
				DefDoc: "`tmax` of the power table", Doc: "Highest temperature allowed in the block."},
		}},
		{"probe", "[[probe]]", "a probe", []Key{
			{Name: "name", Type: Text, Required: true, Doc: "Unique name."},
			{Name: "x", Type: Scalar, Quantity: units.Length, Required: true, Doc: "Position, from the west edge of " +
				"the domain."},
			{Name: "y", Type: Scalar, Quantity: units.Length, Required: true, Doc: "Position, from the south edge of " +
				"the domain."},
			{Name: "layer", Type: Text, Doc: "The probe sits in the middle of this layer's thickness. Give " +
				"layer or z."},
			{Name: "z", Type: Scalar, Quantity: units.Length, Range: NonNegative,
				Doc: "Height above the bottom of the stack."},
			{Name: "side", Type: Enum, Enum: []string{"below", "above"}, DefDoc: "below",
				Doc: "Where `z` is an interface between two layers: the surface of the layer below it or of the " +
					"layer above it. A contact resistance makes them differ."},
		}},
	}
}
