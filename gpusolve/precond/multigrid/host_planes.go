package multigrid

// limited are the weights of interpolation across a flow, 0 where the farther coarse line has no coolant.
type limited struct {
	along  int
	weight []float32
}

// plane of the next level that plane k goes to; walls where they part from coolant.
func (t *hostTransfer) plane(k int) int { return int(t.low[k]) }

// parts is the coolant of a plane that parts, nil of others.
func (t *hostTransfer) parts(k int) *hostFlow {
	if n := t.split[k]; n >= 0 {
		return t.flows[n]
	}
	return nil
}

// pairings of the cells along x and y.
func (t *hostTransfer) pairings() Coarsening { return Coarsening{X: t.x.Pairing, Y: t.y.Pairing} }

// limit keeps coolant from being interpolated from lines without.
func (t *hostTransfer) limit(fine *hostFlow, coarse *flow) {
	d := &t.x
	if fine.of.Along == 0 {
		d = &t.y
	}
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
