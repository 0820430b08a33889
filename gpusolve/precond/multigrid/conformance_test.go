package multigrid_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/multigrid"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/gpusolve/testing/opstest/devices"
)

// eps32 is rounding of FP32 sums of a few dozen terms.
const eps32 = 2e-6

// step16 is that of weights on a GPU, which are rounded twice.
const step16 = 1.0 / 65535

func TestOperations(t *testing.T) { operations(t, devices.Processor, 0) }
func TestOperationsOnInterpreter(t *testing.T) {
	operations(t, devices.OnInterpreter(interpreter.Options{}), step16)
}
func TestOperationsWithFewRows(t *testing.T) {
	operations(t, devices.OnInterpreter(devices.FewRows()), step16)
}
func TestOperationsOnGPU(t *testing.T) { operations(t, devices.OnGPU(t), step16) }

var chebyshev = multigrid.Smoothing{First: 0.8, Momentum: 0.22, Second: 0.98}

// probe tests the operations on a system.
type probe struct {
	*opstest.Fixture
	nx, ny, nz int
	m          multigrid.Operations
	rounding   float64 // of weights
}

// operations runs all on random stacks.
func operations(t *testing.T, open func(testing.TB) ops.Device, rounding float64) {
	opstest.OnMeshes(t, open, func(on *opstest.Fixture) {
		m, err := multigrid.On(on.Sys)
		if err != nil {
			on.Fatal(err)
		}
		f := &probe{Fixture: on, m: m, rounding: rounding}
		f.nx, f.ny, f.nz = on.Shape()
		level, err := m.Finest()
		if err != nil {
			on.Fatal(err)
		}
		f.smoothing(level)
		f.transfers(level, f.pairs(false))
		f.transfers(level, f.pairs(true))
		f.weights(level)
		for _, s := range []multigrid.Smoothing{{First: 0.8}, chebyshev} {
			f.bottom(level, s)
		}
		if err := f.Sys.Err(); err != nil {
			f.Fatal(err)
		}
	})
}

func largest(v []float64) float64 { return floats.Norm(v, math.Inf(1)) }

// smoothing checks Start and Step on the finest level against FP64 elimination.
func (f *probe) smoothing(level multigrid.Level) {
	vector := func() ops.Vector { return f.Must(f.m.NewVector(level)) }
	b, x, y, prev := vector(), vector(), vector(), vector()
	bv := f.Random(b)
	f.m.Start(level, x, b, 0.8)
	want := f.solveColumns(bv)
	for i := range want {
		want[i] *= 0.8
	}
	f.Near("Start", f.Read(x), want, largest(want), 50*eps32)

	// From here on vectors have the size of solutions, as in a cycle.
	xv := f.Read(x)
	for i := range xv {
		xv[i] *= 1 + 0.1*f.Rand().Float64()
	}
	f.Sys.Write(x, xv)
	xv = f.Read(x)
	pv := make([]float64, len(xv))
	for i := range pv {
		pv[i] = 0.5 * xv[i]
	}
	f.Sys.Write(prev, pv)
	pv = f.Read(prev)
	residual := f.Times(xv)
	for i := range residual {
		residual[i] = bv[i] - residual[i]
	}
	correction := f.solveColumns(residual)
	const a, c = 0.3, 0.7
	step := func(prev []float64) []float64 {
		w := make([]float64, len(xv))
		for i := range w {
			w[i] = xv[i] + a*(xv[i]-prev[i]) + c*correction[i]
		}
		return w
	}
	f.m.Step(level, y, x, prev, b, multigrid.Relaxation{A: a, C: c})
	f.Near("Step", f.Read(y), step(pv), largest(want), 100*eps32)
	f.m.Step(level, y, x, nil, b, multigrid.Relaxation{A: a, C: c})
	f.Near("Step without prev", f.Read(y), step(make([]float64, len(xv))), largest(want), 100*eps32)
	f.m.Step(level, prev, x, prev, b, multigrid.Relaxation{A: a, C: c})
	f.Near("Step onto prev", f.Read(prev), step(pv), largest(want), 100*eps32)
}

// solveColumns returns T^-1 b by plain Gaussian elimination in FP64.
func (f *probe) solveColumns(b []float64) []float64 {
	sheet := f.nx * f.ny
	d := f.Diagonal()
	up := make([]float64, len(b))
	f.Couplings(func(a, _ int, g float64, lateral bool) {
		if !lateral {
			up[a] = g
		}
	})
	y := append([]float64(nil), b...)
	for c := sheet; c < len(b); c++ {
		f := up[c-sheet] / d[c-sheet]
		d[c] -= f * up[c-sheet]
		y[c] += f * y[c-sheet]
	}
	for c := len(b) - 1; c >= 0; c-- {
		if c+sheet < len(b) {
			y[c] += up[c] * y[c+sheet]
		}
		y[c] /= d[c]
	}
	return y
}

// pairs coarsens both directions from one end, or leaves gaps as graded grids do.
func (f *probe) pairs(gaps bool) multigrid.Coarsening {
	c := multigrid.Coarsening{Weighted: make([]bool, f.nz)}
	if f.nx > 1 {
		c.X = f.pairing(f.nx, gaps)
	}
	if f.ny > 1 {
		c.Y = f.pairing(f.ny, gaps)
	}
	for k := range c.Weighted {
		c.Weighted[k] = k%2 == 0
	}
	return c
}

// pairing merges n cells two by two, some of them singly where gaps is true.
func (f *probe) pairing(n int, gaps bool) multigrid.Pairing {
	var p multigrid.Pairing
	cell := int32(0)
	for i := 0; i < n; cell++ {
		size := min(2, n-i)
		if gaps && f.Rand().IntN(2) == 0 {
			size = 1
		}
		for range size {
			p.Parent = append(p.Parent, cell)
			i++
		}
	}
	for i := range p.Parent {
		far := float32(0.25)
		first := i == 0 || p.Parent[i-1] != p.Parent[i]
		last := i == n-1 || p.Parent[i+1] != p.Parent[i]
		if first && last || first && p.Parent[i] == 0 || last && p.Parent[i] == cell-1 {
			far = 0
		}
		p.Far = append(p.Far, far)
	}
	return p
}
