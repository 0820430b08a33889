package multigrid_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/multigrid"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
)

func TestCooledOnInterpreter(t *testing.T) {
	multigrid.WithManyColumns(t)
	cooledTwins(t, devices.OnInterpreter(interpreter.Options{}))
}
func TestCooledWithFewRows(t *testing.T) { cooledTwins(t, devices.OnInterpreter(devices.FewRows())) }
func TestCooledOnGPU(t *testing.T)       { cooledTwins(t, devices.OnGPU(t)) }

// Lines of every length that kernels tell apart, and columns of any.
func TestLongLinesOnInterpreter(t *testing.T) {
	longLines(t, devices.OnInterpreter(interpreter.Options{NoRaces: true}), []int{300, 700, 1300})
}
func TestLongLinesOnGPU(t *testing.T) { longLines(t, devices.OnGPU(t), []int{300, 700, 1300, 5000}) }

func longLines(t *testing.T, open func(testing.TB) ops.Device, lengths []int) {
	for n, length := range lengths {
		shapes := [][2]int{{length, 3}, {3, length}}
		for _, shape := range testtier.Pick(shapes[n%2:n%2+1], shapes) {
			p := newTwins(opstest.NewCooled(t, open(t), uint64(n), shape, 0))
			p.tolerance = 2e-7 * float64(length)
			p.smoothing(fmt.Sprintf("%d x %d cells", shape[0], shape[1]))
		}
	}
}

// newTwins sets the finest levels up.
func newTwins(f *opstest.Fixture) *twins {
	d := host.Open()
	f.Cleanup(func() { d.Close() })
	sys, err := d.Assemble(f.Sys.Mesh(), f.Sys.TimeStep())
	if err != nil {
		f.Fatal(err)
	}
	p := &twins{Fixture: f, rng: f.Rand(), tolerance: 2e-5}
	for n, s := range []ops.System{f.Sys, sys} {
		p.sys[n] = s
		if p.ops[n], err = multigrid.On(s); err != nil {
			f.Fatal(err)
		}
		if p.level[n], err = p.ops[n].Finest(); err != nil {
			f.Fatal(err)
		}
	}
	return p
}

// cooledTwins compares every operation on every level of stacks with coolant with the processor's.
func cooledTwins(t *testing.T, open func(testing.TB) ops.Device) {
	opstest.OnCooled(t, open, func(f *opstest.Fixture) {
		p := newTwins(f)
		p.smoothing("finest level")
		for n, c := range multigrid.Choose(f.Sys.Mesh()).Coarsenings {
			c.Weighted = make([]bool, f.Sys.Mesh().NZ())
			p.descend(fmt.Sprintf("level %d", n+1), c)
		}
		p.refresh()
		if err := f.Sys.Err(); err != nil {
			f.Fatal(err)
		}
	})
}

// twins are two executors at one level.
type twins struct {
	*opstest.Fixture
	rng   *rand.Rand
	sys   [2]ops.System
	ops   [2]multigrid.Operations
	level [2]multigrid.Level
	all   [][2]multigrid.Level // finer ones

	tolerance float64 // of FP32 sums, through recurrences as long as columns and lines are
}

// pair is a vector of both.
type pair [2]ops.Vector

func (p *twins) pair() (v pair) {
	p.Helper()
	for n, o := range p.ops {
		v[n] = p.Must(o.NewVector(p.level[n]))
	}
	if a, b := v[0].Len(), v[1].Len(); a != b {
		p.Fatalf("a level of %d cells, of %d on the processor", a, b)
	}
	return v
}

func (p *twins) write(v pair, values []float64) {
	for n, s := range p.sys {
		s.Write(v[n], values)
	}
}

// random fills a vector with values from 1 to 2, as rises of one sign are.
func (p *twins) random() pair {
	v := p.pair()
	x := make([]float64, v[0].Len())
	for i := range x {
		x[i] = float64(float32(1 + p.rng.Float64()))
	}
	p.write(v, x)
	return v
}

// near compares both, and goes on with the processor's.
func (p *twins) near(what string, v pair, tolerance float64) {
	p.Helper()
	got, want := make([]float64, v[0].Len()), make([]float64, v[1].Len())
	p.sys[0].Read(v[0], got)
	p.sys[1].Read(v[1], want)
	p.Near(what, got, want, floats.Norm(want, math.Inf(1)), tolerance)
	p.write(v, want)
}

func (p *twins) both(f func(n int, o multigrid.Operations, l multigrid.Level)) {
	for n, o := range p.ops {
		f(n, o, p.level[n])
	}
}

func (p *twins) smoothing(where string) {
	p.Helper()
	b, x, y, prev := p.random(), p.pair(), p.pair(), p.random()
	p.both(func(n int, o multigrid.Operations, l multigrid.Level) { o.Start(l, x[n], b[n], 0.8) })
	p.near(where+": Start", x, p.tolerance)
	p.both(func(n int, o multigrid.Operations, l multigrid.Level) {
		o.Step(l, y[n], x[n], nil, b[n], multigrid.Relaxation{A: 0.2, C: 0.9})
	})
	p.near(where+": Step", y, p.tolerance)
	p.both(func(n int, o multigrid.Operations, l multigrid.Level) {
		o.Step(l, prev[n], x[n], prev[n], b[n], multigrid.Relaxation{A: 0.2, C: 0.9})
	})
	p.near(where+": Step in place of the one before", prev, p.tolerance)
	p.both(func(n int, o multigrid.Operations, l multigrid.Level) { o.Streams(l, y[n], b[n]) })
	p.near(where+": Streams", y, p.tolerance)
}

// descend compares the transfers to the next level, and what is done there.
func (p *twins) descend(where string, c multigrid.Coarsening) {
	p.Helper()
	fine := p.level
	b, x := p.random(), p.random()
	p.all = append(p.all, fine)
	var err error
	for n, o := range p.ops {
		if p.level[n], err = o.Coarsen(fine[n], c); err != nil {
			p.Fatal(err)
		}
	}
	bc, xc := p.pair(), p.random()
	p.both(func(n int, o multigrid.Operations, l multigrid.Level) {
		o.Restrict(fine[n], l, bc[n], b[n], multigrid.Smoothed{At: x[n]})
	})
	p.near(where+": Restrict", bc, p.tolerance)
	p.both(func(n int, o multigrid.Operations, l multigrid.Level) { o.Prolong(fine[n], l, x[n], xc[n]) })
	p.near(where+": Prolong", x, 1e-6)
	p.smoothing(where)
}

// refresh compares the coarsest level after another flow and time step.
func (p *twins) refresh() {
	for line := range p.sys[0].Mesh().Cavities[0].Heat {
		p.sys[0].Mesh().Cavities[0].Heat[line] *= 3
	}
	for n, s := range p.sys {
		if err := s.Refresh(2 * s.TimeStep()); err != nil {
			p.Fatal(err)
		}
		for _, l := range append(p.all, p.level) {
			if err := p.ops[n].RefreshLevel(l[n]); err != nil {
				p.Fatal(err)
			}
		}
	}
	p.smoothing("after a refresh")
}
