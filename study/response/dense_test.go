package response_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/study/response"
)

// modes are all of a small mesh: Z between two weighted sums of cells is the sum of R (1 - exp(-t/tau)) over them,
// without any method of this package.
type modes struct {
	rate    []float64  // 1/s
	vectors *mat.Dense // columns, of C^-1/2 K C^-1/2
	scale   []float64  // C^-1/2
}

func modesOf(t *testing.T, m *mesh.Mesh) *modes {
	t.Helper()
	data, _, err := gpusolve.Export(m)
	if err != nil {
		t.Fatal(err)
	}
	a := data.CSR()
	n := m.Cells()
	x := &modes{scale: make([]float64, n)}
	row := make([]float64, m.NX())
	for k := range m.NZ() {
		for j := range m.NY() {
			m.Capacity(k, j, row)
			for i, c := range row {
				x.scale[(k*m.NY()+j)*m.NX()+i] = 1 / math.Sqrt(c)
			}
		}
	}
	sym := mat.NewSymDense(n, nil)
	for i := range n {
		for p := a.RowPtr[i]; p < a.RowPtr[i+1]; p++ {
			sym.SetSym(i, int(a.Col[p]), float64(a.Val[p])*x.scale[i]*x.scale[a.Col[p]])
		}
	}
	var e mat.EigenSym
	if !e.Factorize(sym, true) {
		t.Fatal("no eigenvalues")
	}
	x.rate = e.Values(nil)
	x.vectors = &mat.Dense{}
	e.VectorsTo(x.vectors)
	return x
}

// project is a weighted sum of cells in the modes.
func (x *modes) project(weights []float64) []float64 {
	b := make([]float64, len(x.rate))
	for i, s := range x.scale {
		if weights[i] != 0 {
			for k := range b {
				b[k] += x.vectors.At(i, k) * s * weights[i]
			}
		}
	}
	return b
}

// z is the response of one sum, where the parts of 1 W go to cells by the weights of another; both are projected.
func (x *modes) z(from, to []float64, t float64) float64 {
	sum := 0.0
	for k, rate := range x.rate {
		sum -= from[k] * to[k] / rate * math.Expm1(-rate*t)
	}
	return sum
}

// parts are those of an input's heat in each cell.
func parts(m *mesh.Mesh, in *ports.Input) []float64 {
	p, sum := make([]float64, m.Cells()), 0.0
	for _, r := range in.Heated(m) {
		for j, y := range r.Y {
			for i, x := range r.X {
				p[(r.Plane*m.NY()+r.J+j)*m.NX()+r.I+i] += x * y * r.Z
				sum += x * y * r.Z
			}
		}
	}
	for c := range p {
		p[c] /= sum
	}
	return p
}

// small is a stack of 10 layers with blocks, a uniform power and probes; with a region it is solved by iteration.
func small(region bool) *stack.Stack {
	s := cases.Stack10(cases.Options{NX: 6, NY: 5})
	s.Layers[7].Powers = []stack.Power{{Uniform: 1, Area: stack.Rect{X: 1e-3, Y: 2e-3, Width: 3e-3, Height: 3e-3}}}
	s.Probes = []stack.Probe{{Name: "lid", X: 2e-3, Y: 3e-3, Z: s.Height()}, {Name: "below", X: 8e-3, Y: 5e-3}}
	if region {
		s.Layers[6].Regions =
			[]stack.Region{{Material: 5, Rect: stack.Rect{X: 4e-3, Y: 1e-3, Width: 3e-3, Height: 5e-3}}}
	}
	return s
}

// Responses over 9 decades are those of all modes of the network: own ones within 1e-4, others within 1e-4 of the mean
// of the own ones.
func TestStepResponsesAgainstAllModes(t *testing.T) {
	for name, s := range map[string]*stack.Stack{"direct": small(false), "multigrid": small(true)} {
		x := steps(t, s, response.Request{From: []int{0, 3}, To: all(len(ports.InputsOf(s))), Probes: true})
		m, err := mesh.Build(ports.Responding(s))
		if err != nil {
			t.Fatal(err)
		}
		exact := modesOf(t, m)
		for _, c := range x.Curves {
			if c.To.Kind == ports.Peak {
				continue // a cell of the mean's own
			}
			from, to := exact.project(parts(m, &x.Inputs[c.From])), make([]float64, m.Cells())
			if c.To.Kind == ports.Mean {
				to = parts(m, &x.Inputs[c.To.Of])
			} else {
				for _, term := range ports.Points(m)[c.To.Of].Terms {
					to[term.Plane*m.NX()*m.NY()+term.Cell] += term.Weight
				}
			}
			to = exact.project(to)
			for n := range x.Times {
				at := x.Times[n]
				want := exact.z(from, to, at)
				scale := want
				if !c.Own() {
					scale = math.Sqrt(exact.z(from, from, at) * exact.z(to, to, at))
				}
				if d := math.Abs(c.Z[n]-want) / scale; !(d <= response.FilterBound) {
					t.Errorf("%s, %s to %s at %.3g s: %g K/W, want %g: %.2g", name, x.Inputs[c.From].Name, c.To.Name,
						at, c.Z[n], want, d)
				}
			}
			if want := exact.z(from, to, 1e6); math.Abs(c.Steady-want) > 1e-8*math.Abs(want) {
				t.Errorf("%s, %s to %s: %.12g K/W, want %.12g", name, x.Inputs[c.From].Name, c.To.Name, c.Steady, want)
			}
		}
	}
}

func all(n int) []int {
	v := make([]int, n)
	for i := range v {
		v[i] = i
	}
	return v
}
