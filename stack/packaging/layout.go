package packaging

import (
	"fmt"
	"slices"
)

// Names of the materials that a layout defines in addition to those of the library.
const (
	// OpenSpace represents the space above a board in still or moving air. It connects the heat transfer at the top of
	// the domain to the surfaces below, and conducts hardly any heat sideways.
	OpenSpace = "open_space"
	// Insulation is around packages on cold plates.
	Insulation = "insulation"
)

// Rect is a rectangle in the domain with its south-west corner at X, Y.
type Rect struct{ X, Y, Width, Height float64 }

// Layer is a layer of a layout; Key names the table of the stack format that it comes from.
type Layer struct {
	Name, Material, Key string
	Thickness           float64
	Cells               int
	Parts               []Part // later ones take precedence
	PowerAt             string // bottom or top where dies of the layer heat
}

// Part is a region of a layer. Die is the number of its die from 0, or negative; Tier that of its memory die from 1, or
// 0.
type Part struct {
	Name, Material string
	Rect
	Die, Tier int
	Heats     bool // the power of the die arises in it
}

// Layout is a package in its surroundings.
type Layout struct {
	Width, Height float64 // of the domain
	Body          Rect    // footprint of the package
	Sink          Rect    // footprint of the heat sink, if there is one
	Layers        []Layer // bottom to top
	Case          float64 // height of the top of the package above the bottom of the domain
	BoardTop      float64 // that of the board; 0 without one
}

// layouter builds a layout from the bottom to the top.
type layouter struct {
	p *Package
	Layout
	around string // material outside of the body
	board  Rect   // footprint of the board
	gap    Rect   // below the heat sink and above the board
	apart  bool   // the gap is smaller than the domain: open space surrounds it
	ring   *ring  // of a cold plate, nil for none
	z      float64
}

// add puts a layer on top, unless it has no thickness.
func (l *layouter) add(y Layer) {
	if y.Thickness <= 0 {
		return
	}
	if l.ring != nil && y.Key != "board" {
		y.Parts = append(y.Parts, l.ring.parts()...)
	}
	if l.apart {
		l.expose(&y)
	}
	l.Layers = append(l.Layers, y)
	l.z += y.Thickness
}

// expose surrounds a layer with open space, where the board or the heat sink ends within the domain.
func (l *layouter) expose(y *Layer) {
	inner := Part{"gap", y.Material, l.gap, -1, 0, false}
	switch y.Key {
	case "board":
		inner.Name, inner.Rect = "board", l.board
	case "tim2":
		for i := range y.Parts {
			y.Parts[i].Rect = grown(y.Parts[i].Rect, 0, l.Sink)
		}
		y.Parts = slices.DeleteFunc(y.Parts, func(p Part) bool { return p.Width <= 0 || p.Height <= 0 })
	}
	y.Material = OpenSpace
	if !slices.ContainsFunc(y.Parts, func(p Part) bool { return p.covers(inner.Rect) }) {
		y.Parts = slices.Insert(y.Parts, 0, inner)
	}
}

func (r Rect) covers(s Rect) bool {
	return r.X <= s.X && r.Y <= s.Y && r.X+r.Width >= s.X+s.Width && r.Y+r.Height >= s.Y+s.Height
}

// body is a part over the whole package.
func (l *layouter) body(name, material string) Part {
	return Part{name, material, l.Body, -1, 0, false}
}

// sheet is a layer of one material over the body.
func (l *layouter) sheet(name string, s Sheet) {
	l.add(Layer{Name: name, Material: l.around, Key: name, Thickness: s.Thickness, Cells: s.Cells,
		Parts: []Part{l.body(name, s.Material)}})
}

// pack lays out the package itself.
func (l *layouter) pack() {
	p := l.p
	if p.Kind != HBM {
		if p.Board != nil {
			l.sheet("balls", Sheet{"balls", p.Balls.Height, p.Balls.Cells})
		}
		l.sheet("substrate", Sheet{"substrate", p.Substrate.Thickness, p.Substrate.Cells})
	}
	if p.Kind == Interposer {
		l.interposer()
	}
	l.dies()
	if p.Molded() {
		l.sheet("mould", p.Mold)
	}
	if p.Lidded() {
		l.sheet("lid", p.Lid.Sheet)
	}
	l.Case = l.z
	if p.Sink != nil {
		l.tim2()
	}
}

// tim2 is the interface to a heat sink: over the lid or the mold compound, or over bare dies.
func (l *layouter) tim2() {
	p := l.p
	if p.Kind == FlipChip || p.Kind == HBM && p.Mold.Thickness == 0 {
		y := Layer{Name: "tim2", Material: l.around, Key: "tim2", Thickness: p.TIM2.Thickness, Cells: p.TIM2.Cells}
		for i := range p.Dies {
			y.Parts = append(y.Parts, l.part(i, "tim2", p.TIM2.Material))
		}
		l.add(y)
		return
	}
	l.sheet("tim2", p.TIM2)
}

// interposer adds the bumps and the interposer, below all dies.
func (l *layouter) interposer() {
	r := l.interposerRect()
	p := l.p
	for _, s := range []struct {
		name string
		Sheet
	}{{"bumps", Sheet{"bumps", p.Bumps.Height, p.Bumps.Cells}}, {"interposer", p.Interposer.Sheet}} {
		y := Layer{Name: s.name, Material: l.around, Key: s.name, Thickness: s.Thickness, Cells: s.Cells,
			Parts: l.cavity(s.name == "bumps")}
		y.Parts = append(y.Parts, Part{s.name, s.Material, r, -1, 0, false})
		l.add(y)
	}
}

// interposerRect surrounds the dies with a margin, within the body.
func (l *layouter) interposerRect() Rect {
	p := l.p
	west, south, east, north := p.Width, p.Height, 0.0, 0.0
	for _, d := range p.Dies {
		west, south = min(west, d.X), min(south, d.Y)
		east, north = max(east, d.X+d.Width), max(north, d.Y+d.Height)
	}
	m := p.Interposer.Margin
	west, south = max(0, west-m), max(0, south-m)
	east, north = min(p.Width, east+m), min(p.Height, north+m)
	return Rect{l.Body.X + west, l.Body.Y + south, east - west, north - south}
}

// cavity is what surrounds the dies within the body: mold compound, or under a lid air and the foot of the lid on
// adhesive.
func (l *layouter) cavity(lowest bool) []Part {
	p := l.p
	if p.Molded() {
		return []Part{l.body("mould", p.Mold.Material)}
	}
	if !p.Lidded() {
		return nil
	}
	foot := p.Lid.Foot
	if foot == 0 {
		return []Part{l.body("cavity", "air")}
	}
	material := p.Lid.Material
	if lowest {
		material = p.Lid.Adhesive
	}
	inner := Rect{l.Body.X + foot, l.Body.Y + foot, l.Body.Width - 2*foot, l.Body.Height - 2*foot}
	return []Part{l.body("lid_foot", material), {"cavity", "air", inner, -1, 0, false}}
}

// part is one over the footprint of a die.
func (l *layouter) part(die int, name, material string) Part {
	d := &l.p.Dies[die]
	return Part{fmt.Sprintf("%s_%s", d.Name, name), material, Rect{l.Body.X + d.X, l.Body.Y + d.Y, d.Width, d.Height},
		-1, 0, false}
}
