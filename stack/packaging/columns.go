package packaging

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"thermsim/internal/printable"
)

// slab is a part of the pile of materials over the footprint of a die.
type slab struct {
	what, material string
	thickness      float64
	cells          int
	die, tier      int // as in Part; a bond has the tier above it
	key            string
}

// dies lays out the dies side by side: all piles are cut wherever one of them changes material, so that every layer has
// a uniform thickness.
func (l *layouter) dies() {
	piles := l.piles()
	heights := cuts(piles)
	equal := !slices.ContainsFunc(piles, func(pile []slab) bool { return len(pile) < len(heights) })
	base := 0.0
	for n, top := range heights {
		y := Layer{Thickness: top - base, Cells: 1, Material: l.around,
			Parts: l.cavity(n == 0 && l.p.Kind != Interposer)}
		if l.p.Kind == Interposer {
			y.Parts = append(y.Parts, Part{"mould", l.p.Mold.Material, l.interposerRect(), -1, 0, false})
		}
		for i, pile := range piles {
			s, bottom, last := at(pile, (base+top)/2)
			part := l.part(i, s.what, s.material)
			if s.die >= 0 {
				part.Name, part.Die, part.Tier = l.p.Dies[i].Name, s.die, s.tier
				if s.tier > 0 {
					part.Name = fmt.Sprintf("%s_tier%d", part.Name, s.tier)
				}
			}
			if l.heats(s, close(base, bottom), close(top, last)) {
				part.Heats = true
				y.PowerAt = "bottom"
				if l.p.Kind == WireBond {
					y.PowerAt = "top"
				}
			}
			y.Parts = append(y.Parts, part)
			y.Cells = max(y.Cells, int(math.Ceil(float64(s.cells)*y.Thickness/s.thickness-1e-9)))
			y.Key = s.key
		}
		y.Name = l.sliceName(piles, base, top, equal)
		l.add(y)
		base = top
	}
}

// heats says whether a piece of a slab has the power of its die: the piece at the active side.
func (l *layouter) heats(s slab, begins, ends bool) bool {
	if l.p.Kind == WireBond {
		return s.die >= 0 && ends
	}
	return s.die >= 0 && begins
}

// sliceName names a layer after the part that begins or ends with it: a die that heats there, else any die, else a part
// as thick as the layer. Of several dies the largest counts. Where all piles are equal, the name has no die.
func (l *layouter) sliceName(piles [][]slab, base, top float64, equal bool) string {
	var found []candidate
	for i, pile := range piles {
		s, bottom, last := at(pile, (base+top)/2)
		c := candidate{slab: s, die: &l.p.Dies[i]}
		switch begins, ends := close(base, bottom), close(top, last); {
		case !begins && !ends:
		case l.heats(s, begins, ends):
			c.rank = 4
		case s.die >= 0:
			c.rank = 3
		case begins && ends:
			c.rank = 2
		default:
			c.rank = 1
		}
		found = append(found, c)
	}
	best := slices.MaxFunc(found, func(a, b candidate) int {
		return cmp.Or(a.rank-b.rank, cmp.Compare(a.die.Width*a.die.Height, b.die.Width*b.die.Height))
	})
	if equal {
		return best.name("", "_")
	}
	owner := best.die.Name
	for _, c := range found {
		if c.what == best.what && c.tier == best.tier && c.die != best.die && stem(c.die.Name) == stem(owner) {
			owner = stem(owner)
			break
		}
	}
	return l.unique(best.name(owner, ""))
}

// candidate is a part that a layer may be named after, in the pile of a die. The highest rank gives the name.
type candidate struct {
	slab
	die  *Die
	rank int
}

// name of the part: of a die, one of its tiers, the bond below a tier or, without a number, a part below or above dies.
func (c *candidate) name(owner, separator string) string {
	what := c.what
	if c.tier > 0 {
		what = fmt.Sprint(what, separator, c.tier)
	}
	switch {
	case owner == "" || len(owner) > 80 || c.slab.die < 0 && c.tier == 0: // names have at most 100 bytes
		return what
	case c.tier > 0:
		return owner + "_" + what
	}
	return owner
}

// stem is the name of a die without the number at its end.
func stem(name string) string {
	if s := strings.TrimRight(name, "0123456789_-. "); s != "" && s != "all" {
		return s
	}
	return name
}

// unique numbers a name that another layer has, or will have above the dies. Case does not count, as in file names.
func (l *layouter) unique(name string) string {
	taken := []string{"mould", "lid", "tim2", "ring_above", "heat_sink"}
	for _, y := range l.Layers {
		taken = append(taken, y.Name)
	}
	return printable.Distinct(name, func(s string) bool {
		return slices.ContainsFunc(taken, func(t string) bool { return strings.EqualFold(t, s) })
	})
}

// piles are those of all dies, filled up to equal height with the material above the dies.
func (l *layouter) piles() [][]slab {
	p := l.p
	top := slab{what: "tim1", material: p.TIM1.Material, thickness: p.TIM1.Thickness, cells: p.TIM1.Cells, die: -1,
		key: "tim1"}
	if !p.Lidded() {
		top = slab{what: "top", material: l.around, cells: 1, die: -1, key: "die"}
		if p.Molded() {
			top.material = p.Mold.Material
		}
	}
	piles := make([][]slab, len(p.Dies))
	highest := 0.0
	for i := range p.Dies {
		piles[i] = l.pile(i)
		highest = max(highest, height(piles[i]))
	}
	for i := range piles { // the uppermost memory die is as thick as it takes to reach the height of its neighbours
		if last := &piles[i][len(piles[i])-1]; last.tier > 0 {
			last.thickness += highest - height(piles[i])
		}
	}
	highest += top.thickness
	for i := range piles {
		t := top
		if t.thickness = highest - height(piles[i]); t.thickness > 1e-9*highest {
			piles[i] = append(piles[i], t)
		}
	}
	return piles
}

// pile is a die from its joints up.
func (l *layouter) pile(i int) []slab {
	p, d := l.p, &l.p.Dies[i]
	var pile []slab
	switch p.Kind {
	case FlipChip, FlipChipLid:
		pile = append(pile, slab{"bumps", "bumps", p.Bumps.Height, p.Bumps.Cells, -1, 0, "bumps"})
	case Interposer, HBM:
		pile = append(pile, slab{"microbumps", "microbumps", p.Microbumps.Height, p.Microbumps.Cells, -1, 0,
			"microbumps"})
	case WireBond:
		pile = append(pile, slab{"attach", p.Attach.Material, p.Attach.Thickness, p.Attach.Cells, -1, 0, "attach"})
	case FanOut:
	}
	pile = append(pile, slab{"die", d.Material, d.Thickness, dieCells, i, 0, "die"})
	for t := range d.Tiers {
		pile = append(pile, slab{"bond", "bond", p.Bond.Height, p.Bond.Cells, -1, t + 1, "bond"},
			slab{"tier", p.Tier.Material, p.Tier.Thickness, p.Tier.Cells, i, t + 1, "tier"})
	}
	return pile
}

// dieCells is the number of cells over the height of a die.
const dieCells = 3

func height(pile []slab) float64 {
	h := 0.0
	for _, s := range pile {
		h += s.thickness
	}
	return h
}

// cuts are the heights at which piles change, ascending, without 0; those that differ by rounding alone count once.
func cuts(piles [][]slab) []float64 {
	var all []float64
	for _, pile := range piles {
		z := 0.0
		for _, s := range pile {
			z += s.thickness
			all = append(all, z)
		}
	}
	slices.Sort(all)
	return slices.CompactFunc(all, close)
}

// close says whether two heights are equal except for rounding: 1 nm.
func close(a, b float64) bool { return math.Abs(a-b) <= 1e-9 }

// at finds the slab of a pile at a height, and where it begins and ends.
func at(pile []slab, z float64) (s slab, bottom, top float64) {
	for _, s = range pile {
		top = bottom + s.thickness
		if z < top {
			return s, bottom, top
		}
		bottom = top
	}
	return s, bottom - s.thickness, bottom
}
