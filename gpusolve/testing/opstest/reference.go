package opstest

import (
	"math"

	"thermsim/mesh"
	"thermsim/powermap"
	"thermsim/stack"
)

// reference is the operator as a list of couplings, straight from the discretisation in package mesh and with the
// rounding to FP32 that executors apply to conductances. Everything else is FP64 and cell by cell.
type reference struct {
	m          *mesh.Mesh
	nx, ny, nz int
	links      []link
	ground     []float64                 // W/K
	held       [stack.NumFaces][]float64 // W/K to the faces; they add up to ground
	capacity   []float64                 // C/dt, W/K
	inflow     []float64                 // W from boundaries
	inlets     []float64                 // W with coolant
	source     []float64                 // W from power, boundaries and inlets
	carried    []entry                   // of A, by coolant
}

// entry of A.
type entry struct {
	row, col int
	value    float64
}

// link couples cells a and b.
type link struct {
	a, b    int
	g       float64
	lateral bool
}

func newReference(m *mesh.Mesh, dt float64) *reference {
	r := &reference{m: m, nx: m.NX(), ny: m.NY(), nz: m.NZ()}
	n := m.Cells()
	r.ground, r.capacity, r.inflow, r.inlets, r.source = make([]float64, n), make([]float64, n), make([]float64, n),
		make([]float64, n), make([]float64, n)
	row := make([]float64, r.nx)
	for k := range r.nz {
		for j := range r.ny {
			c := (k*r.ny + j) * r.nx
			m.CouplingX(k, j, row)
			r.link(row[:r.nx-1], c, 1, true)
			if j < r.ny-1 {
				m.CouplingY(k, j, row)
				r.link(row, c, r.nx, true)
			}
			if k < r.nz-1 {
				m.CouplingZ(k, j, row)
				r.link(row, c, r.nx*r.ny, false)
			}
			if m.CouplingFar(k, j, row) {
				r.link(row, c, 2*r.nx*r.ny, false)
			}
			if dt > 0 {
				m.Capacity(k, j, row)
				for i, v := range row {
					r.capacity[c+i] = round32(v / dt)
				}
			}
		}
	}
	for f := range r.held {
		r.held[f] = make([]float64, n)
	}
	for c := range n {
		r.faces(c)
	}
	for _, v := range m.Cavities {
		r.cavity(v)
	}
	return r
}

func round32(v float64) float64 { return float64(float32(v)) }

func (r *reference) link(g []float64, c, stride int, lateral bool) {
	for i, v := range g {
		r.links = append(r.links, link{c + i, c + i + stride, round32(v), lateral})
	}
}

// faces adds what the faces do to cell c: executors round every conductance to FP32, and their sum face by face. What
// the sum is off by belongs to the largest of them, so that ground, held and inflow give one heat balance.
func (r *reference) faces(c int) {
	i, j, k := c%r.nx, c/r.nx%r.ny, c/(r.nx*r.ny)
	off, largest := 0.0, -1
	for f, on := range r.touches(c) {
		if !on {
			continue
		}
		d := r.m.Drive(stack.Face(f), i, j, k)
		r.inflow[c] += d.Flux * r.m.CellFaceArea(stack.Face(f), i, j, k)
		if d.Driven() {
			r.held[f][c] = round32(r.m.FaceConductance(stack.Face(f), i, j, k))
			sum := round32(r.ground[c] + r.held[f][c])
			off += sum - r.ground[c] - r.held[f][c]
			r.ground[c] = sum
			if largest < 0 || r.held[f][c] > r.held[largest][c] {
				largest = f
			}
		}
	}
	if largest >= 0 {
		r.held[largest][c] += off
	}
	for f, on := range r.touches(c) {
		if on {
			d := r.m.Drive(stack.Face(f), i, j, k)
			r.inflow[c] += r.held[f][c] * (d.Temperature - r.m.Stack.Ambient)
		}
	}
}

// touches says which faces cell c lies on.
func (r *reference) touches(c int) [stack.NumFaces]bool {
	i, j, k := c%r.nx, c/r.nx%r.ny, c/(r.nx*r.ny)
	return [...]bool{k == 0, k == r.nz-1, i == 0, i == r.nx-1, j == 0, j == r.ny-1}
}

// setPower makes the source that of layers with power and of the boundaries. Where planes is not nil, it holds the
// watts of the layers' cells instead of those of a steady state.
func (r *reference) setPower(layers []powermap.LayerMap, planes [][]float64) {
	for c, q := range r.inflow {
		r.source[c] = q + r.inlets[c]
	}
	for n := range layers {
		p, watts := r.m.PowerPlanes(layers[n].Layer), layers[n].Watts()
		if planes != nil {
			watts = planes[n]
		}
		for k := p[0]; k < p[1]; k++ {
			for c, w := range watts {
				r.source[k*r.nx*r.ny+c] += w / float64(p[1]-p[0])
			}
		}
	}
}

// apply returns A x.
func (r *reference) apply(x []float64) []float64 {
	y := make([]float64, len(x))
	for _, l := range r.links {
		q := l.g * (x[l.a] - x[l.b])
		y[l.a] += q
		y[l.b] -= q
	}
	for _, e := range r.carried {
		y[e.row] += e.value * x[e.col]
	}
	for c := range y {
		y[c] += (r.ground[c] + r.capacity[c]) * x[c]
	}
	return y
}

// residual returns b - A x.
func (r *reference) residual(x, old []float64) []float64 {
	y := r.apply(x)
	for c := range y {
		y[c] = r.source[c] - y[c]
		if old != nil {
			y[c] += r.capacity[c] * old[c]
		}
	}
	return y
}

func (r *reference) diagonal() []float64 {
	d := make([]float64, len(r.ground))
	for _, l := range r.links {
		d[l.a] += l.g
		d[l.b] += l.g
	}
	for _, e := range r.carried {
		if e.row == e.col {
			d[e.row] += e.value
		}
	}
	for c := range d {
		d[c] += r.ground[c] + r.capacity[c]
	}
	return d
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

func norm(a []float64) float64 { return math.Sqrt(dot(a, a)) }

// Shape of the grid.
func (f *Fixture) Shape() (nx, ny, nz int) { return f.ref.nx, f.ref.ny, f.ref.nz }

// Times returns A x in FP64.
func (f *Fixture) Times(x []float64) []float64 { return f.ref.apply(x) }

// Diagonal of A in FP64.
func (f *Fixture) Diagonal() []float64 { return f.ref.diagonal() }

// Couplings calls each for every pair of neighbouring cells with the conductance between them, in W/K, as executors
// round it.
func (f *Fixture) Couplings(each func(a, b int, conductance float64, lateral bool)) {
	for _, l := range f.ref.links {
		each(l.a, l.b, l.g, l.lateral)
	}
}
