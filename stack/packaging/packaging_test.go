package packaging

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// twoDies is a 2.5D package of a thick die and a stack of four memory dies.
func twoDies() *Package {
	p := Defaults(Interposer)
	p.Width, p.Height = 40*mm, 30*mm
	p.Board.Width, p.Board.Height, _ = Extent(40 * mm)
	p.Dies = []Die{
		{Name: "soc", X: 6 * mm, Y: 6 * mm, Width: 15 * mm, Height: 16 * mm, Material: "silicon", Thickness: 600 * um},
		{Name: "hbm", X: 24 * mm, Y: 7 * mm, Width: 8 * mm, Height: 11 * mm, Material: "silicon", Thickness: 60 * um,
			Tiers: 4},
	}
	return &p
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
		t.Errorf("%s is %.12g, want %.12g", what, got, want)
	}
}

// Heights add up: board, balls, substrate, bumps, interposer, micro-bumps, die, interface and lid, whatever the memory
// dies cut.
func TestHeights(t *testing.T) {
	p := twoDies()
	l := Lay(p, StillAir, 0, 0)
	sum := 0.0
	for _, y := range l.Layers {
		sum += y.Thickness
	}
	want := 1.6*mm + 0.5*mm + 1.2*mm + 75*um + 100*um + 30*um + 600*um + 50*um + 1*mm
	near(t, "the height of the layers", sum, want)
	near(t, "the height of the case", l.Case, want)
	near(t, "the height of the board", l.BoardTop, 1.6*mm)
	// The body in the middle of the square of 101.5 mm that ends at the northern edge.
	near(t, "west edge", l.Body.X, (101.5-40)/2*mm)
	near(t, "south edge", l.Body.Y, (114.5-101.5/2-15)*mm)
}

// Over the footprint of each die its materials have their thicknesses, however other dies cut the layers; the uppermost
// memory die reaches the height of the thick die. Every source is there once, at the lower surface of its die.
func TestPiles(t *testing.T) {
	p := twoDies()
	l := Lay(p, NoEnvironment, 0, 0)
	thick := map[string]float64{}
	sources := map[string]float64{} // height of the bottom
	z := 0.0
	for _, y := range l.Layers {
		for _, part := range y.Parts {
			thick[part.Name] += y.Thickness
			if part.Heats {
				name := fmt.Sprint(part.Die, part.Tier)
				if _, twice := sources[name]; twice {
					t.Errorf("source %s is there twice", name)
				}
				sources[name] = z
				if y.PowerAt != "bottom" {
					t.Errorf("layer %s heats at %q", y.Name, y.PowerAt)
				}
			}
		}
		z += y.Thickness
	}
	for name, want := range map[string]float64{"soc": 600 * um, "hbm": 60 * um, "hbm_tier1": 50 * um,
		"hbm_tier3": 50 * um, "hbm_tier4": (600 - 60 - 3*70 - 20) * um,
		"hbm_bond": 80 * um, "soc_tim1": 50 * um, "hbm_tim1": 50 * um, "soc_microbumps": 30 * um,
		"hbm_microbumps": 30 * um, "interposer": 100 * um} {
		near(t, name, thick[name], want)
	}
	base := 1.6*mm + 0.5*mm + 1.2*mm + 75*um + 100*um + 30*um
	for name, want := range map[string]float64{"0 0": base, "1 0": base, "1 1": base + 80*um, "1 4": base + 290*um} {
		near(t, "source "+name, sources[name], want)
	}
	if len(sources) != 6 {
		t.Errorf("%d sources, want 6: %v", len(sources), sources)
	}
}

// Each layer over the dies has the name of the part that begins or ends with it.
func TestLayerNames(t *testing.T) {
	die := func(name string, x, height float64, tiers int) Die {
		return Die{name, x, 6 * mm, 6 * mm, 6 * mm, "silicon", height, tiers}
	}
	larger := die("soc", 20*mm, 600*um, 0)
	larger.Width = 8 * mm
	memory := []Die{die("hbm0", 5*mm, 60*um, 2), larger, die("hbm1", 12*mm, 60*um, 2)}
	long := strings.Repeat("x", 100)
	for _, c := range []struct {
		kind Kind
		dies []Die
		want string
	}{
		{Interposer, memory, "interposer microbumps soc hbm_bond1 hbm_tier1 hbm_bond2 hbm_tier2 tim1 lid"},
		{Interposer, memory[:2], "interposer microbumps soc hbm0_bond1 hbm0_tier1 hbm0_bond2 hbm0_tier2 tim1 lid"},
		{Interposer, memory[:1], "interposer microbumps die bond_1 tier_1 bond_2 tier_2 tim1 lid"},
		{HBM, memory, "microbumps soc hbm_bond1 hbm_tier1 hbm_bond2 hbm_tier2"},
		{FlipChipLid, memory[1:2], "bumps die tim1 lid"},
		{FlipChip, []Die{die("low", 5*mm, 300*um, 0), die("high", 12*mm, 500*um, 0)}, "bumps low high"},
		{FlipChip, []Die{die("high", 5*mm, 500*um, 0), die("low", 12*mm, 300*um, 0)}, "bumps high high_2"},
		{FlipChip, []Die{die("1", 5*mm, 500*um, 0), die("2", 12*mm, 300*um, 0)}, "bumps 1 1_2"},
		{FlipChip, []Die{die(long, 5*mm, 500*um, 0), die("low", 12*mm, 300*um, 0)}, "bumps die die_2"},
		// The power of wire-bonded dies is at their tops.
		{WireBond, []Die{die("high", 5*mm, 500*um, 0), die("low", 12*mm, 300*um, 0)}, "attach low high mould"},
		{FlipChipLid, []Die{die("Lid", 5*mm, 500*um, 0), die("low", 12*mm, 300*um, 0)}, "bumps Lid_2 Lid_3 tim1 lid"},
		{FlipChipLid, []Die{die("a", 5*mm, 500*um, 0), die("bumps", 12*mm, 700*um, 0)}, "bumps a bumps_2 tim1 lid"},
	} {
		p := Defaults(c.kind)
		p.Width, p.Height, p.Board, p.Dies = 40*mm, 30*mm, nil, c.dies
		var names []string
		for _, y := range Lay(&p, NoEnvironment, 0, 0).Layers {
			names = append(names, y.Name)
		}
		if got := strings.Join(names, " "); !strings.HasSuffix(" substrate "+got, " "+c.want) {
			t.Errorf("%s: %s, want %s", c.kind, got, c.want)
		}
	}
}

// The gaps between copper layers leave the board as thick as it is, with planes 0.25 mm below its faces.
func TestBoards(t *testing.T) {
	for n := range 9 {
		b := Board{Wiring: Wiring{Thickness: 1.6 * mm}}
		for range n {
			b.Copper = append(b.Copper, Copper{35 * um, 1})
		}
		sum := float64(n) * 35 * um
		for _, g := range b.gaps() {
			sum += g
			if g < 0 {
				t.Errorf("%d layers: a gap of %g", n, g)
			}
		}
		near(t, fmt.Sprint(n, " layers"), sum, 1.6*mm)
	}
	g := TestBoard2s2p().gaps()
	near(t, "the upper prepreg", g[3], 0.25*mm)
	near(t, "the core", g[2], (1.6-0.5-0.07-0.07-0.035-0.035)*mm)
}

// Rings of traces, one inside the other, against the even layer: the resistance from the body to the ends of the traces
// is the same.
func TestTraces(t *testing.T) {
	b := TestBoard2s2p()
	for _, side := range []float64{5 * mm, 20 * mm, 45 * mm} {
		b.Traces(side)
		c := b.Copper[3].Coverage
		const n = 20000
		traces, even := 0.0, 0.0
		for i := range n {
			dr := 25 * mm / n
			perimeter := 4 * (side + 2*(float64(i)+0.5)*dr)
			traces += dr / (4 * 0.4 * side)
			even += dr / (c * perimeter)
		}
		if math.Abs(even/traces-1) > 1e-6 || c > 0.4 {
			t.Errorf("a body of %g: coverage %g, resistance %g of that of the traces", side, c, even/traces)
		}
	}
}
