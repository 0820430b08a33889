package keys

import "thermsim/stack/internal/units"

func layerSpecs() []Spec {
	return []Spec{
		{"layer", "[[layer]]", "a layer", []Key{
			{Name: "name", Type: Name, Required: true, Doc: "Unique name; maps of the layer are files of this name."},
			{Name: "material", Type: Text, Required: true, Doc: "A material of this file or of the library."},
			{Name: "thickness", Type: Scalar, Quantity: units.Length, Range: Positive, Required: true, Doc: "Thickness."},
			{Name: "cells", Type: Integer, Min: 1, Max: MaxLayerCells, Default: "1", Doc: "Number of cells over the thickness."},
			{Name: "contact_resistance", Type: Scalar, Quantity: units.ContactResistance, Range: NonNegative, Default: "0", Doc: "Resistance of the interface to the layer above."},
			{Name: "power_at", Type: Enum, Enum: []string{"volume", "bottom", "top"}, DefDoc: "volume, with a warning above 50 um", Doc: "Where the power of the layer and its regions arises: spread over the whole thickness, or in a slice of `power_depth` at its lower or upper surface, as that of transistors does. The slice gets one cell over its height, beside `cells` for the rest."},
			{Name: "power_depth", Type: Scalar, Quantity: units.Length, Range: Positive, DefDoc: "5 um, or all of a thinner layer", Doc: "Height of the slice at the surface that `power_at` names."},
			{Name: "region", Type: Tables, Sub: "region", Doc: "Rectangles of another material; later ones lie over earlier ones."},
			{Name: "power", Type: TableOrTables, Sub: "power", Doc: "Sources of heat in this layer; they add."},
			{Name: "block", Type: Tables, Sub: "block", Doc: "Floorplan blocks written here: short for one more power with these blocks."},
		}},
		{"region", "[[layer.region]]", "a region", []Key{
			{Name: "name", Type: Name, Doc: "Name, for messages and reports."},
			{Name: "material", Type: Text, Required: true, Doc: "A material of this file or of the library."},
			{Name: "x", Type: Scalar, Quantity: units.Length, Required: true, Doc: "West edge."},
			{Name: "y", Type: Scalar, Quantity: units.Length, Required: true, Doc: "South edge."},
			{Name: "width", Type: Scalar, Quantity: units.Length, Range: Positive, Required: true, Doc: "Extent in x."},
			{Name: "height", Type: Scalar, Quantity: units.Length, Range: Positive, Required: true, Doc: "Extent in y."},
			{Name: "power", Type: TableOrTables, Sub: "power", Doc: "Sources of heat in this region, as in a layer; coordinates count from the region's south-west corner."},
			{Name: "block", Type: Tables, Sub: "block", Doc: "Floorplan blocks, as in a layer; coordinates count from the region's south-west corner."},
		}},
		{"block", "[[layer.block]]", "a block", []Key{
			{Name: "name", Type: Text, Required: true, Doc: "Name, unique within the layer."},
			{Name: "x", Type: Scalar, Quantity: units.Length, Doc: "West edge."},
			{Name: "y", Type: Scalar, Quantity: units.Length, Doc: "South edge."},
			{Name: "width", Type: Scalar, Quantity: units.Length, Range: Positive, Doc: "Extent in x."},
			{Name: "height", Type: Scalar, Quantity: units.Length, Range: Positive, Doc: "Extent in y."},
			{Name: "rects", Type: RectList, Quantity: units.Length, Doc: "In place of x, y, width and height: any number of rectangles [x, y, width, height] that share the power by area."},
			{Name: "power", Type: Scalar, Quantity: units.Power, Range: NonNegative, DefDoc: "required, unless `watts` or `trace` of the power table give it", Doc: "Heat of the block, spread evenly; under a trace, its heat in a steady state."},
		}},
		{"probe", "[[probe]]", "a probe", []Key{
			{Name: "name", Type: Text, Required: true, Doc: "Unique name."},
			{Name: "x", Type: Scalar, Quantity: units.Length, Required: true, Doc: "Position, from the west edge of the domain."},
			{Name: "y", Type: Scalar, Quantity: units.Length, Required: true, Doc: "Position, from the south edge of the domain."},
			{Name: "layer", Type: Text, Doc: "The probe sits in the middle of this layer's thickness. Give layer or z."},
			{Name: "z", Type: Scalar, Quantity: units.Length, Range: NonNegative, Doc: "Height above the bottom of the stack."},
			{Name: "side", Type: Enum, Enum: []string{"below", "above"}, DefDoc: "below", Doc: "Where `z` is an interface between two layers: the surface of the layer below it or of the layer above it. A contact resistance makes them differ."},
		}},
	}
}
