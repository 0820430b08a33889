package packaging

import "math"

const (
	mm = 1e-3
	um = 1e-6
)

// Defaults are the default dimensions and materials of a kind; docs/guides/packages.md gives their sources and reasons.
func Defaults(k Kind) Package {
	p := Package{
		Kind:       k,
		Board:      TestBoard2s2p(),
		Balls:      Joints{0.5 * mm, 0.6 * mm, 1 * mm, "solder_sac305", "air", 2},
		Substrate:  buildUp(),
		Bumps:      Joints{75 * um, 80 * um, 180 * um, "solder_sac305", "underfill", 2},
		Interposer: Plate{Sheet{"silicon_tsv", 100 * um, 2}, 1 * mm},
		Microbumps: Joints{30 * um, 25 * um, 45 * um, "solder_sac305", "underfill", 2},
		Attach:     Sheet{"die_attach_epoxy", 25 * um, 2},
		Mold:       Sheet{"mould_compound", 400 * um, 3},
		TIM1:       Sheet{"tim_gel", 50 * um, 2},
		Lid:        Lid{Sheet{"copper", 1 * mm, 3}, 3 * mm, "underfill"},
		TIM2:       Sheet{"tim_grease", 50 * um, 2},
		Tier:       Sheet{"silicon", 50 * um, 1},
		Bond:       Joints{20 * um, 25 * um, 55 * um, "solder_sac305", "underfill", 1},
	}
	switch k {
	case WireBond:
		p.Substrate = Wiring{0.56 * mm, "bt_core",
			[]Copper{{27 * um, 0.3}, {36 * um, 0.8}, {36 * um, 0.8}, {27 * um, 0.5}}, 0.003, 3}
	case FanOut:
		p.Balls = Joints{0.2 * mm, 0.28 * mm, 0.5 * mm, "solder_sac305", "air", 2}
		p.Substrate = Wiring{30 * um, "polyimide", []Copper{{5 * um, 0.4}, {5 * um, 0.4}}, 0.01, 2}
		p.Mold.Thickness = 100 * um
	case HBM:
		p.Board = nil
		p.Mold.Thickness = 0
	case FlipChip, FlipChipLid, Interposer:
	}
	return p
}

// DefaultDie is the thickness of a die of a kind.
func (k Kind) DefaultDie() float64 {
	switch k {
	case WireBond:
		return 280 * um
	case FanOut:
		return 350 * um
	case HBM:
		return 60 * um
	}
	return 775 * um
}

// buildUp is a substrate with four build-up layers on each side of a core of 0.8 mm, 1.2 mm in all.
func buildUp() Wiring {
	w := Wiring{Thickness: 1.2 * mm, Dielectric: "abf", Vias: 0.003, Cells: 3}
	for range 8 {
		w.Copper = append(w.Copper, Copper{15 * um, 0.6})
	}
	for range 2 { // both sides of the core
		w.Copper = append(w.Copper, Copper{25 * um, 0.8})
	}
	return w
}

// Board is a test board or one of the user's own. Its copper layers are resolved.
type Board struct {
	Wiring
	Name          string  // of the kind of board
	Width, Height float64 // 0 for that of the standard, or of the domain
	Planes        bool    // whole copper layers end short of the edge
	FanOut        float64 // length of traces beyond the body; 0 where the outer copper covers the board
}

// TestBoard1s0p is a board of JESD51-3 or JESD51-9 with a layer of traces, whose coverage Traces sets.
func TestBoard1s0p() *Board {
	return &Board{Wiring: Wiring{1.6 * mm, "fr4", []Copper{{Thickness: 70 * um}}, 0, 2}, Name: "1s0p", FanOut: 25 * mm}
}

// TestBoard2s2p is a board of JESD51-7 or JESD51-9 with traces, whose coverage Traces sets, and two whole planes.
func TestBoard2s2p() *Board {
	return &Board{
		Wiring: Wiring{1.6 * mm, "fr4", []Copper{{70 * um, 0.05}, {35 * um, 1}, {35 * um, 1}, {Thickness: 70 * um}}, 0,
			2}, Name: "2s2p", Planes: true, FanOut: 25 * mm}
}

// Traces sets the copper of the layer of traces for a body of a mean side s. JESD51-9 fans a trace out from each ball
// of the outermost row, 36 to 44 % of the pitch wide, here 40 %. So all traces together have the width W = 4 s 0.4 at
// any distance. Over the length L, their thermal resistance is L/(k t W). The uniform layer with the same resistance
// from a square of the side s to one of s + 2 L has the coverage
//
//	c = W ln(1 + 2 L/s) / (8 L).
func (b *Board) Traces(side float64) {
	b.Copper[len(b.Copper)-1].Coverage = 4 * 0.4 * side * math.Log(1+2*b.FanOut/side) / (8 * b.FanOut)
}

// Extent of the board of JESD51-9 for a body of this length.
func Extent(body float64) (width, height float64, ok bool) {
	switch {
	case body <= 40*mm:
		return 101.5 * mm, 114.5 * mm, true
	case body <= 65*mm:
		return 127 * mm, 139.5 * mm, true
	case body <= 90*mm:
		return 152.5 * mm, 165 * mm, true
	}
	return 0, 0, false
}
