package gpusolve_test

import (
	"math"
	"testing"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/stack"
)

// written is the system of a mesh written down cell by cell in FP64: every conductance is rounded to FP32 once, and no
// sum of them is. It shares nothing with the solvers but the mesh.
type written struct {
	nx, ny, nz         int
	gx, gy, gz, ground []float64 // to the next cell along an axis, and to temperatures
	b                  []float64 // W
}

func write(m *mesh.Mesh) *written {
	w := &written{nx: m.NX(), ny: m.NY(), nz: m.NZ()}
	n := m.Cells()
	w.gx, w.gy, w.gz, w.ground, w.b = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n),
		make([]float64, n)
	for k := range w.nz {
		for j := range w.ny {
			c := (k*w.ny + j) * w.nx
			for _, along := range []struct {
				take func(k, j int, row []float64)
				g    []float64
			}{{m.CouplingX, w.gx}, {m.CouplingY, w.gy}, {m.CouplingZ, w.gz}} {
				along.take(k, j, along.g[c:c+w.nx])
				for i := c; i < c+w.nx; i++ {
					along.g[i] = float64(float32(along.g[i]))
				}
			}
			for i := range w.nx {
				w.addFaces(m, i, j, k)
			}
		}
	}
	plane := make([]float64, w.nx*w.ny)
	for _, d := range m.Power.Steady() {
		d.Draw(w.nx, 0, w.ny, plane)
		planes := m.PowerPlanes(d.Layer)
		for k := planes[0]; k < planes[1]; k++ {
			for c, watts := range plane {
				w.b[k*len(plane)+c] += watts / float64(planes[1]-planes[0])
			}
		}
	}
	return w
}

func (w *written) addFaces(m *mesh.Mesh, i, j, k int) {
	c := (k*w.ny+j)*w.nx + i
	for f := range stack.Face(stack.NumFaces) {
		if !m.OnFace(f, i, j, k) {
			continue
		}
		at := &m.Stack.Boundary[f]
		if at.Kind == stack.HeatFlux {
			w.b[c] += at.Flux * m.CellFaceArea(f, i, j, k)
		}
		g := float64(float32(m.FaceConductance(f, i, j, k)))
		w.ground[c] += g
		w.b[c] += g * (at.Temperature - m.Stack.Ambient)
	}
}

// neighbours calls see with each neighbour of cell c and the conductance to it, below and above last.
func (w *written) neighbours(c int, see func(n int, g float64)) {
	i, j, k := c%w.nx, c/w.nx%w.ny, c/(w.nx*w.ny)
	if i > 0 {
		see(c-1, w.gx[c-1])
	}
	if i < w.nx-1 {
		see(c+1, w.gx[c])
	}
	if j > 0 {
		see(c-w.nx, w.gy[c-w.nx])
	}
	if j < w.ny-1 {
		see(c+w.nx, w.gy[c])
	}
	sheet := w.nx * w.ny
	if k > 0 {
		see(c-sheet, w.gz[c-sheet])
	}
	if k < w.nz-1 {
		see(c+sheet, w.gz[c])
	}
}

// multiply sets y = A x, from differences.
func (w *written) multiply(y, x []float64) {
	for c := range x {
		sum := w.ground[c] * x[c]
		w.neighbours(c, func(n int, g float64) { sum += g * (x[c] - x[n]) })
		y[c] = sum
	}
}

// columns solves each column along z alone, the rest of its cells' conductances to the ground: a preconditioner.
func (w *written) columns(z, r []float64) {
	sheet := w.nx * w.ny
	for first := range sheet {
		rest := make([]float64, w.nz)
		s := 0.0
		for k := range w.nz {
			c := first + k*sheet
			own := w.ground[c]
			w.neighbours(c, func(n int, g float64) {
				if n/sheet == k {
					own += g
				}
			})
			z[c], s = r[c], own
			if k > 0 {
				g := w.gz[c-sheet]
				s += g * rest[k-1] / (g + rest[k-1])
				z[c] += z[c-sheet] * g / (g + rest[k-1])
			}
			rest[k] = s
		}
		for k := w.nz - 1; k >= 0; k-- {
			c, g, above := first+k*sheet, 0.0, 0.0
			if k < w.nz-1 {
				g, above = w.gz[c], z[c+sheet]
			}
			z[c] = (z[c] + g*above) / (rest[k] + g)
		}
	}
}

// refine brings a field x in K over the ambient to the solution of A x = b by conjugate gradients in FP64, each time
// from the true residual.
func (w *written) refine(t *testing.T, x []float64) {
	n := len(x)
	r, z, p, q := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	dot := func(a, b []float64) (sum float64) {
		for c := range a {
			sum += a[c] * b[c]
		}
		return sum
	}
	for range 2 {
		w.multiply(r, x)
		for c := range r {
			r[c] = w.b[c] - r[c]
		}
		w.columns(z, r)
		copy(p, z)
		rz := dot(r, z)
		for least, its := 1e-12*rz, 0; rz > least; its++ {
			if its == 2000 {
				t.Fatal("the reference does not converge")
			}
			w.multiply(q, p)
			alpha := rz / dot(p, q)
			for c := range x {
				x[c] += alpha * p[c]
				r[c] -= alpha * q[c]
			}
			w.columns(z, r)
			old := rz
			rz = dot(r, z)
			for c := range p {
				p[c] = z[c] + rz/old*p[c]
			}
		}
	}
}

// refined is a solution's field in K over the ambient, refined.
func refined(t *testing.T, m *mesh.Mesh, s *gpusolve.Solution) []float64 {
	t.Helper()
	x, sheet := make([]float64, m.Cells()), m.NX()*m.NY()
	for k := range m.NZ() {
		if err := s.Field.Plane(k, x[k*sheet:(k+1)*sheet]); err != nil {
			t.Fatal(err)
		}
	}
	for c := range x {
		x[c] -= m.Stack.Ambient
	}
	write(m).refine(t, x)
	return x
}

// offBy is the largest difference of a solution's field from x.
func offBy(t *testing.T, m *mesh.Mesh, s *gpusolve.Solution, x []float64) (d float64) {
	t.Helper()
	sheet := m.NX() * m.NY()
	plane := make([]float64, sheet)
	for k := range m.NZ() {
		if err := s.Field.Plane(k, plane); err != nil {
			t.Fatal(err)
		}
		for c, v := range plane {
			d = math.Max(d, math.Abs(v-m.Stack.Ambient-x[k*sheet+c]))
		}
	}
	return d
}
