package powermap

// Slab cuts drawings to the rows (y) First <= j < End of a grid with NX columns. It keeps the outlines that it has cut
// for the next drawing, because devices identify outlines by their address.
type Slab struct {
	NX, First, End int

	known map[*Outline]*cutOutline
}

// cutOutline is the part of an outline in a slab.
type cutOutline struct {
	outline    *Outline
	footprints []int // their numbers in the whole outline
}

// Cut is the part of drawings in the slab, as drawings on its rows. Every cell has the same bits as in the whole.
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
