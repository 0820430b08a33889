package keys

import "thermsim/stack/internal/units"

func layerSpecs() []Spec {
	return []Spec{
		{"layer", "[[layer]]", "a layer", []Key{
			{Name: "name", Type: Name, Required: true, Doc: "Unique name; maps of the layer are files of this name."},
			{Name: "material", Type: Text, Required: true, Doc: "A material of this file or of the library."},
			{Name: "thickness", Type: Scalar, Quantity: units.Length, Range: Positive, Required: true, Unless: "die",
				Doc: "Thickness; of a layer with dies, the height of the dies."},
			{Name: "cells", Type: Integer, Min: 1, Max: MaxLayerCells, Default: "1",
				Doc: "Number of cells over the thickness."},
			{Name: "contact_resistance", Type: Scalar, Quantity: units.ContactResistance, Range: NonNegative,
				Default: "0", Doc: "Resistance of the interface to the layer above."},
			{Name: "power_at", Type: Enum, Enum: []string{"volume", "bottom", "top"},
				DefDoc: "volume, with a warning above 50 um",
				Doc: "Location of the power of the layer and its regions: the whole thickness, or a slice of " +
					"`power_depth` at the lower or upper surface, as for transistors. The slice gets one cell over " +
					"its height, in addition to `cells` for the rest."},
			{Name: "power_depth", Type: Scalar, Quantity: units.Length, Range: Positive,
				DefDoc: "5 um, or the whole of a thinner layer", Doc: "Height of the slice of `power_at`."},
			{Name: "tmax", Type: Scalar, Quantity: units.Temperature, Range: Positive,
				Doc: "Highest temperature allowed in the layer and its regions."},
			{Name: "mean", Type: Enum, Enum: []string{"chip", "all"}, DefDoc: "chip",
				Doc: "Mean temperature of a layer with regions: `chip` excludes the fill around them, which is " +
					"unpowered parts that conduct below 1.5 W/(m K), or less than a tenth of the best in-plane " +
					"conductivity of the layer; `all` includes everything."},
			{Name: "die", Type: Tables, Sub: "placement",
				Doc: "Dies in the layer. It becomes several layers: one for each range of heights without a boundary " +
					"in any of them."},
			{Name: "region", Type: Tables, Sub: "region",
				Doc: "Parts of another material; later ones take precedence."},
			{Name: "fill", Type: Table, Sub: "fill",
				Doc: "Inclusions in the layer's material, for example vias; regions take precedence."},
			{Name: "coolant", Type: Table, Sub: "coolant",
				Doc: "Makes the layer a cavity with flowing coolant, between solid layers."},
			{Name: "power", Type: TableOrTables, Sub: "power", Doc: "Heat sources in this layer; they add."},
			{Name: "block", Type: Tables, Sub: "block",
				Doc: "Floorplan blocks: shorthand for one more power with these blocks."},
		}},
		{"region", "[[layer.region]]", "a region", []Key{
			{Name: "name", Type: Name,
				Doc: "Name for messages and reports. Regions of the same name in a layer share a row in reports, and " +
					"so do unnamed ones of the same material."},
			{Name: "material", Type: Text, Required: true, Doc: "A material of this file or of the library."},
			{Name: "x", Type: Scalar, Quantity: units.Length, Doc: "West edge. A region has x, y, width and height, " +
				"or circle, or polygon."},
			{Name: "y", Type: Scalar, Quantity: units.Length, Doc: "South edge."},
			{Name: "width", Type: Scalar, Quantity: units.Length, Range: Positive, Doc: "Extent in x."},
			{Name: "height", Type: Scalar, Quantity: units.Length, Range: Positive, Doc: "Extent in y."},
			{Name: "circle", Type: Table, Sub: "circle",
				Doc: "The region is a circle, for example a via, pillar or bump."},
			{Name: "polygon", Type: Points, Quantity: units.Length,
				Doc: "The region is a polygon: corners in order, in either direction, without crossings."},
			{Name: "array", Type: Table, Sub: "array", Doc: "Repeats the region along x and y, to the east and north."},
			{Name: "fill", Type: Table, Sub: "fill", Doc: "Inclusions in the region's material."},
			{Name: "tmax", Type: Scalar, Quantity: units.Temperature, Range: Positive,
				Doc: "Highest temperature allowed in the part of the region that later regions do not cover."},
			{Name: "die", Type: Name,
				Doc: "The die that the region belongs to. The regions of a die, in any layer, share an additional " +
					"row in reports; a `tmax` that several of them share is one limit."},
			{Name: "power", Type: TableOrTables, Sub: "power",
				Doc: "Heat sources in this region, as in a layer; coordinates are relative to the region's " +
					"south-west corner. Circles and polygons accept only uniform and density."},
			{Name: "block", Type: Tables, Sub: "block",
				Doc: "Floorplan blocks, as in a layer; coordinates are relative to the region's south-west corner."},
		}},
		{"circle", "circle", "a circle", []Key{
			{Name: "x", Type: Scalar, Quantity: units.Length, Required: true, Doc: "Center."},
			{Name: "y", Type: Scalar, Quantity: units.Length, Required: true, Doc: "Center."},
			{Name: "diameter", Type: Scalar, Quantity: units.Length, Range: Positive, Required: true, Doc: "Diameter."},
		}},
		{"array", "array", "an array", []Key{
			{Name: "nx", Type: Integer, Min: 1, Max: MaxLayerCells, Required: true, Doc: "Number along x."},
			{Name: "ny", Type: Integer, Min: 1, Max: MaxLayerCells, Required: true,
				Doc: "Number along y; at most a million regions in all."},
			{Name: "pitch", Type: Pair, Quantity: units.Length, Range: Positive, Required: true,
				Doc: "Distance from one to the next."},
		}},
		{"fill", "fill", "a fill", append([]Key{
			{Name: "inclusion", Type: Text, Required: true, Doc: "Material of the inclusions. The matrix is the " +
				"material of the layer or region."},
			{Name: "rule", Type: Enum, Enum: mixRules(), DefDoc: "`square` with a pitch, else `cylinders`",
				Doc: "Mixing rule, see [effective-materials.md](../guides/effective-materials.md)."},
			{Name: "count", Type: Integer, Min: 1, Max: 1_000_000_000,
				Doc: "Number of cylinders in the layer or region, instead of their pitch."},
			{Name: "map", Type: FileOrRows,
				Doc: "One fraction per tile, instead of a single one: path of a CSV, NPY or PNG file, or rows of " +
					"numbers. The tiles divide the layer, or the bounding rectangle of the region, evenly."},
			{Name: "orientation", Type: Enum, Enum: []string{"south-first", "north-first"},
				DefDoc: "required with map, except for PNG (north-first)",
				Doc: "Whether the first row of the map is the southern edge (y = 0) or the northern one (as in an " +
					"image)."},
			{Name: "scale", Type: Scalar, Quantity: units.Number, Range: Positive, Default: "1",
				Doc: "Fraction for the map value 1, or for white in a PNG."},
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
			{Name: "rects", Type: RectList, Quantity: units.Length,
				Doc: "Instead of x, y, width and height: rectangles [x, y, width, height] that share the power by " +
					"area."},
			{Name: "circle", Type: Table, Sub: "circle", Doc: "Instead of x, y, width and height: a circle."},
			{Name: "polygon", Type: Points, Quantity: units.Length,
				Doc: "Instead of x, y, width and height: a polygon, its corners in order."},
			{Name: "power", Type: Scalar, Quantity: units.Power, Range: NonNegative,
				DefDoc: "required, unless given by `watts` or `trace` of the power table",
				Doc:    "Power of the block, distributed evenly; with a trace, its steady-state power."},
			{Name: "material", Type: Text, DefDoc: "that of the layer or region",
				Doc: "Material of the block: shorthand for a region of its name and shape."},
			{Name: "leakage", Type: Table, Sub: "leakage", DefDoc: "that of the power table",
				Doc: "Temperature-dependent power of the block, in addition to `power`."},
			{Name: "tmax", Type: Scalar, Quantity: units.Temperature, Range: Positive,
				DefDoc: "`tmax` of the power table", Doc: "Highest temperature allowed in the block."},
		}},
		{"probe", "[[probe]]", "a probe", []Key{
			{Name: "name", Type: Text, Required: true, Doc: "Unique name."},
			{Name: "x", Type: Scalar, Quantity: units.Length, Required: true, Doc: "Position, from the west edge of " +
				"the domain."},
			{Name: "y", Type: Scalar, Quantity: units.Length, Required: true, Doc: "Position, from the south edge of " +
				"the domain."},
			{Name: "layer", Type: Text, Doc: "Layer; the probe is at mid-thickness. Give layer or z."},
			{Name: "z", Type: Scalar, Quantity: units.Length, Range: NonNegative,
				Doc: "Height above the bottom of the stack."},
			{Name: "side", Type: Enum, Enum: []string{"below", "above"}, DefDoc: "below",
				Doc: "If `z` is an interface between two layers: the surface of the layer below or above. They " +
					"differ if there is a contact resistance."},
		}},
	}
}
