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
		Doc: "Copper area fraction through the thickness, 0 to 1; of a board, below the package."}
	part := func(name, doc, sub string) Key {
		return Key{Name: name, Type: Table, Sub: sub, DefDoc: "that of the kind", Doc: doc}
	}
	return []Spec{
		{"package", "[package]", "a package", []Key{
			{Name: "kind", Type: Enum, Enum: []string{"flip-chip-lid", "flip-chip", "wire-bond", "fan-out",
				"interposer", "hbm"}, Required: true,
				Doc: "Kind of package, which determines all defaults, see [packages.md](../guides/packages.md)."},
			{Name: "size", Type: Pair, Quantity: units.Length, Range: Positive, Required: true,
				Doc: "Size of the body."},
			{Name: "die", Type: Tables, Sub: "die", Required: true, Doc: "The dies."},
			{Name: "environment", Type: Enum, Enum: []string{"jesd51-2a", "jesd51-6", "jesd51-8", "jesd51-14"},
				DefDoc: "none: use `boundary`, `heat_sink` and `size` of the stack",
				Doc: "JEDEC test environment, with its board: still air, moving air, a ring cold plate on the board, " +
					"a cold plate on the case."},
			{Name: "h", Type: Scalar, Quantity: units.HeatTransfer, Range: Positive, DefDoc: "required with jesd51-6",
				Doc: "Heat-transfer coefficient on the package and both sides of the board in moving air, for " +
					"jesd51-6 and `thermsim jedec` only."},
			{Name: "board", Type: TextOrTable, Enum: []string{"none"}, Sub: "board",
				DefDoc: "a 2s2p board; none for hbm", Doc: "The board."},
			part("balls", "Solder balls between board and substrate.", "joints"),
			part("substrate", "The substrate, in a fan-out package its redistribution layer.", "wiring"),
			part("bumps", "Bumps below the dies, or below the interposer.", "joints"),
			part("interposer", "The interposer.", "interposer"),
			part("microbumps", "Bumps between dies and interposer, or below an HBM stack.", "joints"),
			part("attach", "Adhesive below a wire-bonded die.", "sheet"),
			part("mould", "Mold compound; its thickness is measured from the top of the dies.", "sheet"),
			part("tim1", "Interface between the tallest die and the lid.", "sheet"),
			part("lid", "The lid.", "lid"),
			part("tim2", "Interface to a heat sink, if any.", "sheet"),
			part("tier", "Memory dies on a base die.", "sheet"),
			part("bond", "Bumps below every memory die.", "joints"),
		}},
		{"die", "[[package.die]]", "a die", []Key{
			{Name: "name", Type: Name, Required: true, Doc: "Unique name."},
			{Name: "size", Type: Pair, Quantity: units.Length, Range: Positive, Required: true, Doc: "Extent."},
			{Name: "x", Type: Scalar, Quantity: units.Length, DefDoc: "centered, for a single die",
				Doc: "West edge, from the west edge of the body."},
			{Name: "y", Type: Scalar, Quantity: units.Length, DefDoc: "centered, for a single die",
				Doc: "South edge, from the south edge of the body."},
			length("thickness", "Thickness."),
			{Name: "material", Type: Text, Default: "silicon", Doc: "Material."},
			{Name: "tiers", Type: Integer, Min: 1, Max: 64, DefDoc: "none", Doc: "Number of memory dies stacked " +
				"on this one."},
			{Name: "tier_power", Type: Scalar, Quantity: units.Power, Range: NonNegative, DefDoc: "0",
				Doc: "Total power of all memory dies, distributed evenly."},
			{Name: "tmax", Type: Scalar, Quantity: units.Temperature, Range: Positive,
				Doc: "Highest temperature allowed in the die and in its memory dies."},
			{Name: "power", Type: TableOrTables, Sub: "power",
				Doc: "Heat sources, as in a region; coordinates are relative to the die's south-west corner."},
			{Name: "block", Type: Tables, Sub: "block", Doc: "Floorplan blocks, as in a region."},
		}},
		{"sheet", "[package.tim1] and other sheets", "a sheet of a package",
			[]Key{text("material", "Material."), length("thickness", "Thickness."), cells}},
		{"lid", "[package.lid]", "a lid",
			[]Key{text("material", "Material."), length("thickness", "Thickness of the plate."), cells,
				{Name: "foot", Type: Scalar, Quantity: units.Length, Range: NonNegative, DefDoc: "that of the kind",
					Doc: "Width of the foot along the edges of the body; 0 for a flat lid."},
				text("adhesive", "Material below the foot, of the height of the bumps.")}},
		{"interposer", "[package.interposer]", "an interposer",
			[]Key{text("material", "Material."), length("thickness", "Thickness."), cells,
				{Name: "margin", Type: Scalar, Quantity: units.Length, Range: NonNegative, Default: "1 mm",
					Doc: "Extent beyond the outermost dies."}}},
		{"joints", "[package.balls] and other joints", "a set of joints",
			[]Key{length("height", "Height."), length("diameter", "Diameter."),
				length("pitch", "Pitch of the square array."),
				text("solder", "Material of the joints."), text("around", "Surrounding material."), cells}},
		{"wiring", "[package.substrate]", "a substrate",
			[]Key{length("thickness", "Thickness, copper included."),
				text("dielectric", "Material between the copper."), coppers, vias, cells}},
		{"board", "[package.board]", "a board", []Key{
			{Name: "kind", Type: Enum, Enum: []string{"1s0p", "2s2p"}, DefDoc: "2s2p",
				Doc: "Test board of JESD51: traces only, or traces and two planes."},
			{Name: "size", Type: Pair, Quantity: units.Length, Range: Positive,
				DefDoc: "that of JESD51-9; without environment, that of the domain", Doc: "Size."},
			length("thickness", "Thickness, copper included."), text("dielectric", "Material between the copper."),
			coppers, vias, cells}},
		{"copper", "copper = [{ ... }]", "a copper layer", []Key{
			{Name: "thickness", Type: Scalar, Quantity: units.Length, Range: Positive, Required: true,
				Doc: "Thickness."},
			{Name: "coverage", Type: Scalar, Quantity: units.Number, Range: NonNegative, Required: true,
				Doc: "Area fraction of copper, 0 to 1."},
		}},
		{"jedec", "[jedec]", "a set of JEDEC figures", []Key{
			{Name: "environment", Type: Enum, Enum: []string{"jesd51-2a", "jesd51-6", "jesd51-8", "jesd51-14"},
				Required: true,
				Doc: "The test that the stack represents. It determines which metrics are reported and does not " +
					"change the stack."},
			{Name: "case", Type: Text, Required: true, Doc: "Name of the probe at the center of the case top."},
			{Name: "board", Type: Text, DefDoc: "none", Doc: "Name of the probe on the board, 1 mm from the edge of " +
				"the package."},
		}},
	}
}
