package verify

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"thermsim/stack"
)

// direct is an independent solver for small stacks: dense FP64 Cholesky on a matrix assembled cell by cell from the
// stack, by the formulas of docs/explanation/verification-cases.md. It uses neither package mesh nor package powermap.
// Edges of regions must lie on grid lines.
type direct struct {
	st       *stack.Stack
	faces    [3][]float64 // cell faces along x, y, z
	n        [3]int
	layer    []int     // of each plane
	contact  []float64 // above each plane
	links    []link
	rhs      []float64 // W, without sources
	sources  []float64 // W
	ground   []float64 // W/K, to the temperatures of faces
	capacity []float64 // J/K
}

// link is the conductance between two cells in W/K.
type link struct {
	a, b int
	g    float64
}

func newDirect(st *stack.Stack) *direct {
	d := &direct{st: st}
	d.faces[0] = gridLines(st.Grid.X, st.Size[0])
	d.faces[1] = gridLines(st.Grid.Y, st.Size[1])
	z := 0.0
	d.faces[2] = []float64{0}
	for l, layer := range st.Layers {
		for c := range layer.Cells {
			z += layer.Thickness / float64(layer.Cells)
			d.faces[2] = append(d.faces[2], z)
			d.layer = append(d.layer, l)
			r := 0.0
			if c == layer.Cells-1 {
				r = layer.ContactResistance
			}
			d.contact = append(d.contact, r)
		}
	}
	for a := range 3 {
		d.n[a] = len(d.faces[a]) - 1
	}
	cells := d.n[0] * d.n[1] * d.n[2]
	for _, v := range []*[]float64{&d.rhs, &d.sources, &d.ground, &d.capacity} {
		*v = make([]float64, cells)
	}
	d.eachCell(d.addCell)
	return d
}

func gridLines(a stack.Axis, length float64) []float64 {
	segments := a.Segments
	if len(segments) == 0 {
		segments = []stack.Segment{{To: length, Cells: a.Cells, Ratio: 1}}
	}
	lines := []float64{0}
	for _, s := range segments {
		from := lines[len(lines)-1]
		size := func(i int) float64 { // relative to the first
			if s.Cells == 1 {
				return 1
			}
			return math.Pow(s.Ratio, float64(i)/float64(s.Cells-1))
		}
		total := 0.0
		for i := range s.Cells {
			total += size(i)
		}
		done := 0.0
		for i := range s.Cells {
			done += size(i)
			lines = append(lines, from+(s.To-from)*done/total)
		}
	}
	return lines
}

func (d *direct) eachCell(visit func(c [3]int)) {
	for k := range d.n[2] {
		for j := range d.n[1] {
			for i := range d.n[0] {
				visit([3]int{i, j, k})
			}
		}
	}
}

func (d *direct) index(c [3]int) int { return (c[2]*d.n[1]+c[1])*d.n[0] + c[0] }

func (d *direct) width(axis int, c [3]int) float64 {
	return d.faces[axis][c[axis]+1] - d.faces[axis][c[axis]]
}

func (d *direct) centre(axis int, c [3]int) float64 {
	return (d.faces[axis][c[axis]+1] + d.faces[axis][c[axis]]) / 2
}

func (d *direct) material(c [3]int) stack.Material {
	l := d.st.Layers[d.layer[c[2]]]
	m := l.Material
	for _, r := range l.Regions {
		x, y := d.centre(0, c), d.centre(1, c)
		if x > r.X && x < r.X+r.Width && y > r.Y && y < r.Y+r.Height {
			m = r.Material
		}
	}
	return d.st.Materials[m]
}

// halfResistance from the centre to either face along the axis, in m2 K/W.
func (d *direct) halfResistance(axis int, c [3]int) float64 {
	return d.width(axis, c) / 2 / d.material(c).K[axis]
}

func (d *direct) area(axis int, c [3]int) float64 {
	return d.width((axis+1)%3, c) * d.width((axis+2)%3, c)
}

func (d *direct) addCell(c [3]int) {
	row := d.index(c)
	d.capacity[row] = d.material(c).C * d.width(0, c) * d.width(1, c) * d.width(2, c)
	d.sources[row] = d.watts(c)
	for axis := range 3 {
		if c[axis]+1 < d.n[axis] {
			next := c
			next[axis]++
			r := d.halfResistance(axis, c) + d.halfResistance(axis, next)
			if axis == 2 {
				r += d.contact[c[2]]
			}
			d.links = append(d.links, link{row, d.index(next), d.area(axis, c) / r})
		}
		low := [3]stack.Face{stack.West, stack.South, stack.Bottom}[axis]
		high := [3]stack.Face{stack.East, stack.North, stack.Top}[axis]
		if c[axis] == 0 {
			d.addBoundary(low, axis, c)
		}
		if c[axis] == d.n[axis]-1 {
			d.addBoundary(high, axis, c)
		}
	}
}

func (d *direct) addBoundary(f stack.Face, axis int, c [3]int) {
	row, area, b := d.index(c), d.area(axis, c), d.st.Boundary[f]
	var outer float64 // m2 K/W between the surface and the temperature
	switch b.Kind {
	case stack.Adiabatic:
		return
	case stack.HeatFlux:
		d.rhs[row] += b.Flux * area
		return
	case stack.Convective:
		outer = 1 / b.H
	case stack.LumpedResistance:
		extent := [3]float64{d.st.Size[0], d.st.Size[1], d.st.Height()}
		outer = b.Resistance * extent[(axis+1)%3] * extent[(axis+2)%3]
	case stack.FixedTemperature:
	}
	g := area / (outer + d.halfResistance(axis, c))
	d.ground[row] += g
	d.rhs[row] += g * (b.Temperature - d.st.Ambient)
}

// watts of a cell in a steady state: each source's share by overlap, spread over the layer's planes.
func (d *direct) watts(c [3]int) float64 {
	l := d.st.Layers[d.layer[c[2]]]
	cell := stack.Rect{X: d.faces[0][c[0]], Y: d.faces[1][c[1]], Width: d.width(0, c), Height: d.width(1, c)}
	sum := 0.0
	for _, p := range l.Powers {
		switch {
		case p.Map != nil:
			w, h := p.Area.Width/float64(p.Map.NX), p.Area.Height/float64(p.Map.NY)
			for t, v := range p.Map.Values {
				tile := stack.Rect{X: p.Area.X + w*float64(t%p.Map.NX), Y: p.Area.Y + h*float64(t/p.Map.NX), Width: w,
					Height: h}
				sum += v * overlap(tile, cell) / tile.Area()
			}
		case len(p.Blocks) > 0:
			for _, b := range p.Blocks {
				for _, r := range b.Rects {
					sum += b.Watts * overlap(r, cell) / b.Area()
				}
			}
		default:
			sum += p.Uniform * overlap(p.Area, cell) / p.Area.Area()
		}
	}
	return sum / float64(l.Cells)
}

func overlap(a, b stack.Rect) float64 {
	w := math.Min(a.X+a.Width, b.X+b.Width) - math.Max(a.X, b.X)
	h := math.Min(a.Y+a.Height, b.Y+b.Height) - math.Max(a.Y, b.Y)
	return math.Max(w, 0) * math.Max(h, 0)
}

// steady returns the rises above the ambient.
func (d *direct) steady() []float64 {
	return d.solve(d.ground, func(c int) float64 { return d.rhs[c] + d.sources[c] })
}

// step makes one step of backward Euler from old, with the sources scaled.
func (d *direct) step(dt float64, old []float64, factor float64) []float64 {
	toOld := make([]float64, len(old)) // W/K
	for c, g := range d.ground {
		toOld[c] = g + d.capacity[c]/dt
	}
	return d.solve(toOld, func(c int) float64 { return d.rhs[c] + factor*d.sources[c] + d.capacity[c]/dt*old[c] })
}

// solve finds the rises for which links and conductances to rise 0 carry the heat away. Cholesky alone loses digits
// where the conductances to rise 0 are far below the links; residuals in difference form bring them back.
func (d *direct) solve(toZero []float64, heat func(c int) float64) []float64 {
	n := len(toZero)
	a := mat.NewSymDense(n, nil)
	add := func(i, j int, g float64) { a.SetSym(i, j, a.At(i, j)+g) }
	for c, g := range toZero {
		add(c, c, g)
	}
	for _, l := range d.links {
		add(l.a, l.a, l.g)
		add(l.b, l.b, l.g)
		add(l.a, l.b, -l.g)
	}
	var chol mat.Cholesky
	if !chol.Factorize(a) {
		panic("the matrix is not positive definite")
	}
	rise := make([]float64, n)
	residual := mat.NewVecDense(n, nil)
	var correction mat.VecDense
	for range 4 {
		r := residual.RawVector().Data
		for c, g := range toZero {
			r[c] = heat(c) - g*rise[c]
		}
		for _, l := range d.links {
			w := l.g * (rise[l.a] - rise[l.b])
			r[l.a] -= w
			r[l.b] += w
		}
		// The condition number that comes back as an error is what the loop is for.
		_ = chol.SolveVecTo(&correction, residual)
		for c := range rise {
			rise[c] += correction.AtVec(c)
		}
	}
	return rise
}
