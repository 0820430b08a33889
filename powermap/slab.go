package powermap

// Slab cuts drawings to the rows (y) from First <= j < End of a grid with NX columns. What it has cut of an outline it
// keeps for the next drawing of it, as devices know outlines by their address.
type Slab struct {
	NX, First, End int

	known map[*Outline]*cutOutline
}

// cutOutline is what a slab has of an outline.
type cutOutline struct {
	outline    *Outline
	footprints []int // their numbers in the whole outline
}

// Cut is the part of drawings that lies in the slab, in drawings on its rows alone. Every cell has the bits it has in
// the whole.
func (s *Slab) Cut(layers []Drawing) []Drawing {
	known := map[*Outline]*cutOutline{}
	all := make([]Drawing, len(layers))
	for n := range layers {
		d := &layers[n]
		p := s.known[d.Outline]
		if p == nil {
			p = s.cut(d.Outline)
		}
		known[d.Outline] = p
		c := Drawing{Outline: p.outline, Factors: d.Factors}
		for _, f := range p.footprints {
			c.Watts = append(c.Watts, d.Watts[f])
		}
		all[n] = c
	}
	s.known = known
	return all
}

func (s *Slab) cut(o *Outline) *cutOutline {
	p := &cutOutline{outline: &Outline{Layer: o.Layer}}
	for n, f := range o.Footprints {
		from, to := max(f.J, s.First), min(f.J+len(f.Y), s.End)
		if from >= to {
			continue
		}
		f.Y = f.Y[from-f.J : to-f.J]
		f.J = from - s.First
		p.outline.Footprints = append(p.outline.Footprints, f)
		p.footprints = append(p.footprints, n)
	}
	for _, plane := range o.Planes {
		p.outline.Planes = append(p.outline.Planes, plane[s.First*s.NX:s.End*s.NX])
	}
	return p
}
