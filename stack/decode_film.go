package stack

import "thermsim/stack/heatsink"

// films reads what follows the temperature of a face, beside its law: natural convection, which needs the sizes of the
// stack, and radiation.
func (l *loader) films(t *table, b *Boundary, f Face) {
	b.Emissivity = t.scalar("emissivity")
	if b.Emissivity > 1 {
		l.fail(t.pos("emissivity"), "polished metal has 0.05, oxidised metal 0.3, paint and plastic 0.9",
			"emissivity must lie between 0 and 1, got %v", b.Emissivity)
	}
	if !t.has("convection") {
		for _, name := range []string{"orientation", "length"} {
			if t.has(name) {
				l.fail(t.pos(name), `add convection = "natural", or remove it`, "%s belongs to natural convection",
					name)
			}
		}
		return
	}
	t.text("convection")
	b.Natural, b.Length = heatsink.Orientation(t.text("orientation")), t.scalar("length")
	if b.Natural == "" {
		b.Natural = [...]heatsink.Orientation{Bottom: heatsink.Down, Top: heatsink.Up, West: heatsink.Vertical,
			East: heatsink.Vertical, South: heatsink.Vertical, North: heatsink.Vertical}[f]
	}
	if b.Law != nil {
		l.fail(t.pos("convection"), "give h as a constant, or leave one of them out", "convection is there, and h "+
			"follows a law of its own")
	}
	if f <= Top && b.Natural == heatsink.Vertical && !t.has("length") {
		l.fail(t.pos("orientation"), `add length = "40 mm", how high it stands`, "natural convection on a %s that "+
			"stands upright needs its height", f)
	}
	if air := b.Temperature; air > 0 && len(heatsink.Surfaces(air)) == 0 {
		l.fail(t.pos("convection"), "give h", "properties of air are known from %g to %g K, not at %.4g K",
			heatsink.ColdestAir, heatsink.HottestAir, air)
	}
}

// characterise gives natural convection the lengths that the file leaves to the sizes of the faces, once all layers are
// known.
func (l *loader) characterise() {
	s := l.stack
	for f := range Face(NumFaces) {
		b := &s.Boundary[f]
		if b.Natural == "" || b.Length != 0 {
			continue
		}
		size := [2]float64{s.Size[0], s.Size[1]}
		switch {
		case f == West || f == East:
			size = [2]float64{s.Size[1], s.Height()}
		case f >= South:
			size[1] = s.Height()
		}
		if b.Natural == heatsink.Vertical {
			b.Length = size[1]
			continue
		}
		b.Length = size[0] * size[1] / (2 * (size[0] + size[1]))
	}
}
