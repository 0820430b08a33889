package solves

import (
	"math"
	"testing"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/stack"
)

// Written is the system of a mesh written down cell by cell in FP64: every conductance is rounded to FP32 once, and no
// sum of them is. It shares nothing with the solvers but the mesh.
type Written struct {
	Nx, Ny, Nz         int
	Gx, Gy, Gz, Ground []float64 // to the next cell along an axis, and to temperatures
	B                  []float64 // W
}

func Write(m *mesh.Mesh) *Written {
	w := &Written{Nx: m.NX(), Ny: m.NY(), Nz: m.NZ()}
	n := m.Cells()
	w.Gx, w.Gy, w.Gz, w.Ground, w.B = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n),
		make([]float64, n)
	for k := range w.Nz {
		for j := range w.Ny {
			c := (k*w.Ny + j) * w.Nx
			for _, along := range []struct {
				take func(k, j int, row []float64)
				g    []float64
			}{{m.CouplingX, w.Gx}, {m.CouplingY, w.Gy}, {m.CouplingZ, w.Gz}} {
				along.take(k, j, along.g[c:c+w.Nx])
				for i := c; i < c+w.Nx; i++ {
					along.g[i] = float64(float32(along.g[i]))
				}
			}
			for i := range w.Nx {
				w.AddFaces(m, i, j, k)
			}
		}
	}
	plane := make([]float64, w.Nx*w.Ny)
	for _, d := range m.Power.Steady() {
		d.Draw(w.Nx, 0, w.Ny, plane)
		planes := m.PowerPlanes(d.Layer)
		for k := planes[0]; k < planes[1]; k++ {
			for c, watts := range plane {
				w.B[k*len(plane)+c] += watts / float64(planes[1]-planes[0])
			}
		}
	}
	return w
}

func (w *Written) AddFaces(m *mesh.Mesh, i, j, k int) {
	c := (k*w.Ny+j)*w.Nx + i
	for f := range stack.Face(stack.NumFaces) {
		if !m.OnFace(f, i, j, k) {
			continue
		}
		at := &m.Stack.Boundary[f]
		w.B[c] += at.Inflow() * m.CellFaceArea(f, i, j, k)
		g := float64(float32(m.FaceConductance(f, i, j, k)))
		w.Ground[c] += g
		w.B[c] += g * (at.Temperature - m.Stack.Ambient)
	}
}

// Neighbours calls see with each neighbour of cell c and the conductance to it, below and above last.
func (w *Written) Neighbours(c int, see func(n int, g float64)) {
	i, j, k := c%w.Nx, c/w.Nx%w.Ny, c/(w.Nx*w.Ny)
	if i > 0 {
		see(c-1, w.Gx[c-1])
	}
	if i < w.Nx-1 {
		see(c+1, w.Gx[c])
	}
	if j > 0 {
		see(c-w.Nx, w.Gy[c-w.Nx])
	}
	if j < w.Ny-1 {
		see(c+w.Nx, w.Gy[c])
	}
	sheet := w.Nx * w.Ny
	if k > 0 {
		see(c-sheet, w.Gz[c-sheet])
	}
	if k < w.Nz-1 {
		see(c+sheet, w.Gz[c])
	}
}

// Multiply sets y = A x, from differences.
func (w *Written) Multiply(y, x []float64) {
	for c := range x {
		sum := w.Ground[c] * x[c]
		w.Neighbours(c, func(n int, g float64) { sum += g * (x[c] - x[n]) })
		y[c] = sum
	}
}

// Columns solves each column along z alone, the rest of its cells' conductances to the ground: a preconditioner.
func (w *Written) Columns(z, r []float64) {
	sheet := w.Nx * w.Ny
	for first := range sheet {
		rest := make([]float64, w.Nz)
		s := 0.0
		for k := range w.Nz {
			c := first + k*sheet
			own := w.Ground[c]
			w.Neighbours(c, func(n int, g float64) {
				if n/sheet == k {
					own += g
				}
			})
			z[c], s = r[c], own
			if k > 0 {
				g := w.Gz[c-sheet]
				s += g * rest[k-1] / (g + rest[k-1])
				z[c] += z[c-sheet] * g / (g + rest[k-1])
			}
			rest[k] = s
		}
		for k := w.Nz - 1; k >= 0; k-- {
			c, g, above := first+k*sheet, 0.0, 0.0
			if k < w.Nz-1 {
				g, above = w.Gz[c], z[c+sheet]
			}
			z[c] = (z[c] + g*above) / (rest[k] + g)
		}
	}
}

// Refine brings a field x in K over the ambient to the solution of A x = b by conjugate gradients in FP64, each time
// from the true residual.
func (w *Written) Refine(t *testing.T, x []float64) {
	n := len(x)
	r, z, p, q := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	dot := func(a, b []float64) (sum float64) {
		for c := range a {
			sum += a[c] * b[c]
		}
		return sum
	}
	for range 2 {
		w.Multiply(r, x)
		for c := range r {
			r[c] = w.B[c] - r[c]
		}
		w.Columns(z, r)
		copy(p, z)
		rz := dot(r, z)
		for least, its := 1e-12*rz, 0; rz > least; its++ {
			if its == 2000 {
				t.Fatal("the reference does not converge")
			}
			w.Multiply(q, p)
			alpha := rz / dot(p, q)
			for c := range x {
				x[c] += alpha * p[c]
				r[c] -= alpha * q[c]
			}
			w.Columns(z, r)
			old := rz
			rz = dot(r, z)
			for c := range p {
				p[c] = z[c] + rz/old*p[c]
			}
		}
	}
}

// Refined is a solution's field in K over the ambient, refined.
func Refined(t *testing.T, m *mesh.Mesh, s *gpusolve.Solution) []float64 {
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
	Write(m).Refine(t, x)
	return x
}

// OffBy is the largest difference of a solution's field from x.
func OffBy(t *testing.T, m *mesh.Mesh, s *gpusolve.Solution, x []float64) (d float64) {
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
