// Package opstest is the conformance suite of package ops: every operation of an executor against a plain FP64
// computation, on grids with odd, prime, flat and thin shapes.
package opstest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/testing/cases"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
)

// Run tests the executor that open makes.
func Run(t *testing.T, open func(testing.TB) ops.Device) {
	OnMeshes(t, open, func(f *Fixture) {
		f.power()
		f.state()
		f.residual()
		f.krylov()
		f.forms()
		f.reductions()
		f.mixing()
	})
	OnCooled(t, open, func(f *Fixture) {
		f.state()
		f.residual()
		f.cooled()
		f.reductions()
	})
}

// OnMeshes checks operations of the executor that open makes on random stacks with odd, prime, flat and thin grids,
// steady and in time.
func OnMeshes(t *testing.T, open func(testing.TB) ops.Device, check func(*Fixture)) {
	shapes := testtier.Pick([][3]int{{5, 3, 33}, {37, 5, 2}, {13, 7, 5}, {5, 1, 3}, {1, 1, 1}, {1, 6, 4}, {2, 2, 1}},
		[][3]int{{9, 11, 33}, {13, 7, 5}, {5, 1, 3}, {1, 1, 1}, {1, 1, 7}, {1, 6, 4}, {2, 2, 1}, {3, 3, 2}, {16, 8, 10},
			{17, 31, 3}})
	for n, shape := range shapes {
		for _, dt := range steps(n) {
			t.Run(fmt.Sprintf("%dx%dx%d,dt=%g", shape[0], shape[1], shape[2], dt), func(t *testing.T) {
				check(NewFixture(t, open(t), shape, dt))
			})
		}
	}
}

// steps are the steps in time of the n-th stack, 0 for a steady state: of either kind, but in the quick tier by turns.
func steps(n int) []float64 {
	both := []float64{0, 1e-3}
	return testtier.Pick(both[n%2:n%2+1], both)
}

// Probe fills, reads and compares the vectors of a system.
type Probe struct {
	*testing.T
	rng   *rand.Rand
	Space ops.Operator
	Work  ops.Workspace
}

// Fixture is a random stack on a device, beside its reference.
type Fixture struct {
	Probe
	m   *mesh.Mesh
	Sys ops.System
	b   ops.HeatSource
	ref *reference
	dt  float64
}

// NewFixture assembles a random stack of a shape.
func NewFixture(t *testing.T, d ops.Device, shape [3]int, dt float64) *Fixture {
	rng := rand.New(rand.NewPCG(uint64(shape[0]), uint64(shape[1]*100+shape[2])))
	return newFixture(t, d, rng, randomStack(rng, shape), dt)
}

func newFixture(t *testing.T, d ops.Device, rng *rand.Rand, s *stack.Stack, dt float64) *Fixture {
	t.Cleanup(func() { d.Close() })
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := d.Assemble(m, dt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		sys.Free()
		if n := d.Allocated(); n != 0 {
			t.Errorf("%d bytes are still allocated after Free", n)
		}
	})
	work, err := sys.NewWorkspace()
	if err != nil {
		t.Fatal(err)
	}
	b, err := sys.NewSource(true)
	if err != nil {
		t.Fatal(err)
	}
	f := &Fixture{Probe{t, rng, sys, work}, m, sys, b, newReference(m, dt), dt}
	b.SetPower(m.Power.Steady())
	f.ref.setPower(m.Power.Layers, nil)
	return f
}

// randomStack has one to three layers of several planes, some heated in a slice at a surface, anisotropic materials,
// regions that cut cells, a contact resistance and a different condition on every face.
func randomStack(rng *rand.Rand, shape [3]int) *stack.Stack {
	s := &stack.Stack{
		Schema: 1, Ambient: 300, Size: [2]float64{8e-3, 6e-3},
		Grid: stack.Grid{X: stack.Axis{Cells: shape[0]}, Y: stack.Axis{Cells: shape[1]}},
	}
	for n := range 4 {
		k := func() float64 { return math.Exp(rng.Float64()*5) / 2 }
		s.Materials = append(s.Materials, stack.Material{Name: fmt.Sprint("m", n), K: [3]float64{k(), k(), k()},
			C: 1e6 * (1 + rng.Float64())})
	}
	for left := shape[2]; left > 0; {
		cells := min(left, 1+rng.IntN(4))
		left -= cells
		l := stack.Layer{
			Name: fmt.Sprint("layer", left), Material: rng.IntN(4), Cells: cells,
			Thickness: math.Exp(-8 - 4*rng.Float64()), ContactResistance: 1e-6 * float64(rng.IntN(3)),
		}
		l.Regions =
			[]stack.Region{{Material: rng.IntN(4), Rect: stack.Rect{X: 1e-3, Y: 0.7e-3, Width: 3.3e-3, Height: 4.1e-3}}}
		l.Powers = randomPowers(rng)
		if at := []stack.HeatedPart{stack.HeatedVolume, stack.HeatedBottom, stack.HeatedTop}[len(s.Layers)%3]; at !=
			stack.HeatedVolume && cells > 1 {
			l.PowerAt, l.PowerDepth, l.Cells = at, 0.2*l.Thickness, cells-1
		}
		s.Layers = append(s.Layers, l)
	}
	s.Boundary = [stack.NumFaces]stack.Boundary{
		stack.Top:    {Kind: stack.Convective, H: 2000, Temperature: 300},
		stack.Bottom: {Kind: stack.LumpedResistance, Resistance: 5, Temperature: 310},
		stack.West:   {Kind: stack.FixedTemperature, Temperature: 295},
		stack.East:   {Kind: stack.HeatFlux, Flux: 1e4},
		stack.South:  {Kind: stack.Convective, H: 500, Temperature: 320},
	}
	if rng.IntN(2) == 0 {
		cases.Patch(rng, s)
	}
	return s
}

// Rand is where the test's random numbers come from.
func (f *Probe) Rand() *rand.Rand { return f.rng }

func (f *Probe) Must(v ops.Vector, err error) ops.Vector {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
	return v
}

// Random fills v with values and returns them as v rounds them.
func (f *Probe) Random(v ops.Vector) []float64 {
	x := make([]float64, v.Len())
	for i := range x {
		x[i] = f.rng.NormFloat64()
	}
	f.Space.Write(v, x)
	f.Space.Read(v, x)
	return x
}

func (f *Probe) Read(v ops.Vector) []float64 {
	x := make([]float64, v.Len())
	f.Space.Read(v, x)
	return x
}

// Near compares vectors relative to scale in the largest norm.
func (f *Probe) Near(what string, got, want []float64, scale, tol float64) {
	f.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tol*scale) {
			f.Errorf("%s: value %d is %g, want %g (scale %g)", what, i, got[i], want[i], scale)
			return
		}
	}
}

func (f *Probe) Scalar(what string, got, want, tol float64) {
	f.Helper()
	if !(math.Abs(got-want) <= tol*(math.Abs(want)+1e-300)) {
		f.Errorf("%s is %.15g, want %.15g", what, got, want)
	}
}

func largest(x []float64) float64 {
	m := 0.0
	for _, v := range x {
		m = math.Max(m, math.Abs(v))
	}
	return m
}

// Rounding of FP64 and FP32 sums of a few dozen terms.
const (
	eps64 = 1e-13
	eps32 = 2e-6
)
