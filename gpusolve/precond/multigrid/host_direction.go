package multigrid

// hostTransfer describes the interpolation between a level and the next.
type hostTransfer struct {
	planeMap
	flows []*hostFlow // of the finer level
	wet   []*limited  // weights of planes of coolant, by plane, nil for those of the directions
	x, y  hostDirection
	// wx[k] and wy[k] are, cell by cell, the weights of the farther coarse neighbour along x and y; nil for planes that
	// interpolate geometrically.
	wx, wy [][]float32
}

// hostDirection is the interpolation along x or y.
type hostDirection struct {
	Pairing
	first []int32 // first fine cell of each coarse one, and the number of fine cells as the last entry
	// regular says that all cells are paired and weigh 3/4 and 1/4, 1 at the ends.
	regular bool
}

func newHostDirection(p Pairing, n int) hostDirection {
	d := hostDirection{Pairing: p}
	if p.Parent == nil {
		return d
	}
	d.first = p.firsts(n)
	d.regular = n%2 == 0 && len(d.first)-1 == n/2
	for i := 1; i < n-1 && d.regular; i++ {
		d.regular = p.Far[i] == 0.25
	}
	return d
}

// kept says that the direction is not coarsened.
func (d *hostDirection) kept() bool { return d.Parent == nil }

// span is the half-open range of fine cells of a coarse one.
func (d *hostDirection) span(c int) (lo, hi int) {
	if d.kept() {
		return c, c + 1
	}
	return int(d.first[c]), int(d.first[c+1])
}

// parents are the coarse cells that fine cell i is interpolated from; far is -1 where there is only one.
func (d *hostDirection) parents(i int) (near, far int) {
	if d.kept() {
		return i, -1
	}
	near = int(d.Parent[i])
	lo, hi := d.span(near)
	switch {
	case hi-lo == 1:
		return near, -1
	case i == lo:
		return near, near - 1
	case near+2 < len(d.first):
		return near, near + 1
	}
	return near, -1
}

// rowsOf returns the coarse rows that fine row j takes part in, and the geometric weight of the farther; far is -1
// where there is none.
func (d *hostDirection) rowsOf(j int) (near, far int, weight float32) {
	near, far = d.parents(j)
	if far >= 0 {
		weight = d.Far[j]
	}
	return near, far, weight
}
