package keys

import "thermsim/stack/internal/units"

func packageSpecs() []Spec {
	length := func(name, doc string) Key {
		return Key{Name: name, Type: Scalar, Quantity: units.Length, Range: Positive, DefDoc: "that of the kind",
			Doc: doc}
	}
	text := func(name, doc string) Key {
		return Key{Name: name, Type: Text, DefDoc: "that of the kind", Doc: doc}
	}
	cells := Key{Name: "cells", Type: Integer, Min: 1, Max: MaxLayerCells, DefDoc: "that of the kind",
		Doc: "Number of cells over the thickness."}
	coppers := Key{Name: "copper", Type: Tables, Sub: "copper", DefDoc: "that of the kind",
		Doc: "The copper layers, bottom to top."}
	vias := Key{Name: "vias", Type: Scalar, Quantity: units.Number, Range: NonNegative, DefDoc: "that of the kind",
		Doc: "Part of the area that is copper through the thickness, 0 to 1; of a board, below the package."}
	part := func(name, doc, sub string) Key {
		return Key{Name: name, Type: Table, Sub: sub, DefDoc: "that of the kind", Doc: doc}
	}
	return []Spec{
		{"package", "[package]", "a package", []Key{
			{Name: "kind", Type: Enum, Enum: []string{"flip-chip-lid", "flip-chip", "wire-bond", "fan-out",
				"interposer", "hbm"}, Required: true, Doc: "The kind, which says what else the package has and how " +
				"thick it is, see [packages.md](../guides/packages.md)."},
			{Name: "size", Type: Pair, Quantity: units.Length, Range: Positive, Required: true,
				Doc: "Extent of the body."},
			{Name: "die", Type: Tables, Sub: "die", Required: true, Doc: "The dies."},
			{Name: "environment", Type: Enum, Enum: []string{"jesd51-2a", "jesd51-6", "jesd51-8", "jesd51-14"},
				DefDoc: "none: `boundary`, `heat_sink` and `size` of the stack say it", Doc: "The test that a JEDEC " +
					"standard prescribes, with its board: still air, moving air, a ring cold plate on the board, a " +
					"cold plate on the case."},
			{Name: "h", Type: Scalar, Quantity: units.HeatTransfer, Range: Positive, DefDoc: "required with jesd51-6",
				Doc: "Heat transfer coefficient on the package and both sides of the board in moving air, for " +
					"jesd51-6 and `thermsim jedec` alone."},
			{Name: "board", Type: TextOrTable, Enum: []string{"none"}, Sub: "board",
				DefDoc: "a 2s2p board, none for hbm", Doc: "The board below."},
			part("balls", "Solder balls between board and substrate.", "joints"),
			part("substrate", "The substrate, in a fan-out package its redistribution layer.", "wiring"),
			part("bumps", "Bumps under the dies, or under the interposer.", "joints"),
			part("interposer", "The interposer.", "interposer"),
			part("microbumps", "Bumps between dies and interposer, or under an HBM stack.", "joints"),
			part("attach", "Adhesive under a die with wires.", "sheet"),
			part("mould", "Mould compound: its thickness counts above the dies.", "sheet"),
			part("tim1", "Interface between the highest die and the lid.", "sheet"),
			part("lid", "The lid.", "lid"),
			part("tim2", "Interface to a heat sink, where there is one.", "sheet"),
			part("tier", "Memory dies on a base die.", "sheet"),
			part("bond", "Bumps below every memory die.", "joints"),
		}},
		{"die", "[[package.die]]", "a die", []Key{
			{Name: "name", Type: Name, Required: true, Doc: "Unique name."},
			{Name: "size", Type: Pair, Quantity: units.Length, Range: Positive, Required: true, Doc: "Extent."},
			{Name: "x", Type: Scalar, Quantity: units.Length, DefDoc: "in the middle, of a single die",
				Doc: "West edge, from the west edge of the body."},
			{Name: "y", Type: Scalar, Quantity: units.Length, DefDoc: "in the middle, of a single die",
				Doc: "South edge, from the south edge of the body."},
			length("thickness", "Thickness."),
			{Name: "material", Type: Text, Default: "silicon", Doc: "Its material."},
			{Name: "tiers", Type: Integer, Min: 1, Max: 64, DefDoc: "none", Doc: "Number of memory dies stacked " +
				"on this one."},
			{Name: "tier_power", Type: Scalar, Quantity: units.Power, Range: NonNegative, DefDoc: "0",
				Doc: "Heat of all memory dies together, spread evenly over them."},
			{Name: "tmax", Type: Scalar, Quantity: units.Temperature, Range: Positive, Doc: "Highest temperature " +
				"allowed in the die, and in its memory dies."},
			{Name: "power", Type: TableOrTables, Sub: "power", Doc: "Sources of heat, as in a region; coordinates " +
				"count from the die's south-west corner."},
			{Name: "block", Type: Tables, Sub: "block", Doc: "Floorplan blocks, as in a region."},
		}},
		{"sheet", "[package.tim1] and other sheets", "a sheet of a package",
			[]Key{text("material", "Its material."), length("thickness", "Thickness."), cells}},
		{"lid", "[package.lid]", "a lid",
			[]Key{text("material", "Its material."), length("thickness", "Thickness of the plate."), cells,
				{Name: "foot", Type: Scalar, Quantity: units.Length, Range: NonNegative, DefDoc: "that of the kind",
					Doc: "Width of the foot along the edges of the body; 0 for a flat lid."},
				text("adhesive", "Material below the foot, as thick as the bumps.")}},
		{"interposer", "[package.interposer]", "an interposer",
			[]Key{text("material", "Its material."), length("thickness", "Thickness."), cells,
				{Name: "margin", Type: Scalar, Quantity: units.Length, Range: NonNegative, Default: "1 mm",
					Doc: "By how much it sticks out beyond the outermost dies."}}},
		{"joints", "[package.balls] and other joints", "a set of joints",
			[]Key{length("height", "Height."), length("diameter", "Diameter."),
				length("pitch", "Distance between neighbours, in a square array."),
				text("solder", "Material of the joints."), text("around", "Material around them."), cells}},
		{"wiring", "[package.substrate]", "a substrate",
			[]Key{length("thickness", "Thickness, copper included."),
				text("dielectric", "Material between the copper."), coppers, vias, cells}},
		{"board", "[package.board]", "a board", []Key{
			{Name: "kind", Type: Enum, Enum: []string{"1s0p", "2s2p"}, DefDoc: "2s2p", Doc: "Test board of JESD51: " +
				"traces alone, or traces and two planes."},
			{Name: "size", Type: Pair, Quantity: units.Length, Range: Positive, DefDoc: "that of JESD51-9; of the " +
				"domain, without environment", Doc: "Extent."},
			length("thickness", "Thickness, copper included."), text("dielectric", "Material between the copper."),
			coppers, vias, cells}},
		{"copper", "copper = [{ ... }]", "a copper layer", []Key{
			{Name: "thickness", Type: Scalar, Quantity: units.Length, Range: Positive, Required: true,
				Doc: "Thickness."},
			{Name: "coverage", Type: Scalar, Quantity: units.Number, Range: NonNegative, Required: true,
				Doc: "Part of its area that is copper, 0 to 1."},
		}},
		{"jedec", "[jedec]", "a set of JEDEC figures", []Key{
			{Name: "environment", Type: Enum, Enum: []string{"jesd51-2a", "jesd51-6", "jesd51-8", "jesd51-14"},
				Required: true, Doc: "The test that the stack stands for. It decides which figures are told and " +
					"changes nothing of the stack."},
			{Name: "case", Type: Text, Required: true, Doc: "Name of the probe in the middle of the top of the case."},
			{Name: "board", Type: Text, DefDoc: "none", Doc: "Name of the probe on the board, 1 mm from the edge of " +
				"the package."},
		}},
	}
}
