package multigrid

// planesTo says where the planes of a level go on the next, where coolant flows.
type planesTo struct {
	to    []int       // plane of each plane, the one of walls where walls and coolant part; nil for the same
	split []*hostFlow // the coolant of planes that part, nil elsewhere
	wet   []*limited  // weights of planes of coolant, by plane, nil for those of the directions
}

// limited are the weights of interpolation across a flow, 0 where the farther coarse line has no coolant.
type limited struct {
	along  int
	weight []float32
}

// newPlanes counts the planes of the next level.
func newPlanes(f *hostLevel) (p planesTo, nz int) {
	if f.cool == nil {
		return p, f.nz
	}
	p = planesTo{make([]int, f.nz), make([]*hostFlow, f.nz), make([]*limited, f.nz)}
	for k := range f.nz {
		p.to[k] = nz
		nz++
		if v := f.cool.at[k]; v != nil && v.split {
			p.split[k] = v
			nz++
		}
	}
	return p, nz
}

// plane of the next level that plane k goes to; walls where they part from coolant.
func (p *planesTo) plane(k int) int {
	if p.to == nil {
		return k
	}
	return p.to[k]
}

// parts is the coolant of a plane that parts, nil of others.
func (p *planesTo) parts(k int) *hostFlow {
	if p.split == nil {
		return nil
	}
	return p.split[k]
}

// limits are the weights of a plane of coolant, nil where they are those of the directions.
func (p *planesTo) limits(k int) *limited {
	if p.wet == nil {
		return nil
	}
	return p.wet[k]
}

// across is the direction across a flow.
func (t *hostTransfer) across(f *hostFlow) *hostDirection {
	if f.of.Along == 0 {
		return &t.y
	}
	return &t.x
}

// limit keeps coolant from being interpolated from lines without.
func (t *hostTransfer) limit(fine, coarse *hostFlow, d *hostDirection) {
	if d.kept() {
		return
	}
	w := make([]float32, len(fine.heat))
	any := false
	for i := range w {
		w[i] = d.Far[i]
		if _, far := d.parents(i); far >= 0 && !coarse.wet[far] {
			w[i], any = 0, true
		}
	}
	if any {
		t.wet[fine.plane] = &limited{fine.of.Along, w}
	}
}

// kind copies the values of row j that belong to walls, or to coolant, and zeros for the others. dst may be v.
func (f *hostFlow) kind(dst, v []float32, j int, coolant bool) {
	for i, x := range v {
		if f.wet[f.line(i, j)] != coolant {
			x = 0
		}
		dst[i] = x
	}
}
