package powermap

// Footprint is a rectangle of uniform power on the grid. Overlap areas are separable, so two vectors suffice: of 1 W,
// cell (I+i, J+j) gets X[i] Y[j] W. X and Y each sum to 1. Of other shapes, each row of cells is a footprint.
type Footprint struct {
	I, J int // the south-western cell
	X, Y []float64
}

// total is the part of 1 W on the grid.
func (s *Footprint) total() float64 {
	var x, y Sum
	for _, share := range s.X {
		x.Add(share)
	}
	for _, share := range s.Y {
		y.Add(share)
	}
	return x.Value() * y.Value()
}

// add draws the footprint's watts into rows [lo, hi) of a plane, W per cell, nx cells a row. dst begins with row lo.
func (s *Footprint) add(watts float64, nx, lo, hi int, dst []float64) {
	for j := max(lo, s.J); j < min(hi, s.J+len(s.Y)); j++ {
		row := dst[(j-lo)*nx+s.I:][:len(s.X)]
		w := watts * s.Y[j-s.J]
		for i, share := range s.X {
			row[i] += w * share
		}
	}
}

// Outline is the area where a layer may have power. It is constant in time, so a device copies it once.
type Outline struct {
	Layer      int // index into Stack.Layers
	Footprints []Footprint
	// Planes are power maps: W per cell, x fastest, nx*ny.
	Planes [][]float64
}

// Drawing is the power of a layer over a step in a few numbers. The power of cell (i, j) is the sum over the footprints
// s of Watts[s] times its share of s, plus the sum over the planes p of Factors[p] times its value in p.
type Drawing struct {
	*Outline           // the same pointer at all times of a Sequence
	Watts    []float64 // of each footprint
	Factors  []float64 // of each plane
}

// Multiple returns the plane and the factor of a drawing that is one plane times a factor; otherwise the plane is nil.
func (d *Drawing) Multiple() (plane []float64, factor float64) {
	if len(d.Footprints) > 0 || len(d.Planes) != 1 {
		return nil, 0
	}
	return d.Planes[0], d.Factors[0]
}

// Scaled multiplies drawings by a factor.
func Scaled(layers []Drawing, factor float64) []Drawing {
	times := func(v []float64) []float64 {
		w := make([]float64, len(v))
		for i, x := range v {
			w[i] = factor * x
		}
		return w
	}
	all := make([]Drawing, len(layers))
	for n := range layers {
		all[n] = Drawing{Outline: layers[n].Outline, Watts: times(layers[n].Watts), Factors: times(layers[n].Factors)}
	}
	return all
}

// Draw fills rows [lo, hi) of a plane of nx cells a row with the watts of its cells. Rows do not depend on each other.
func (d *Drawing) Draw(nx, lo, hi int, plane []float64) {
	clear(plane[lo*nx : hi*nx])
	for n := range d.Footprints {
		if d.Watts[n] != 0 {
			d.Footprints[n].add(d.Watts[n], nx, lo, hi, plane[lo*nx:])
		}
	}
	for n, p := range d.Planes {
		rows, f := plane[lo*nx:hi*nx], d.Factors[n]
		for i, w := range p[lo*nx : hi*nx] {
			rows[i] += f * w
		}
	}
}
