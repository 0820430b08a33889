package gpusolve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/opstest"
	"thermsim/mesh"
	"thermsim/stack"
)

// cooledStack is a die below a cavity and a die above it, with the flow along y. Change it before it is meshed.
func cooledStack(nx, ny int, model stack.CavityModel) *stack.Stack {
	const side = 4e-3
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{side, side}, Grid: stack.Grid{X: stack.Axis{Cells: nx}, Y: stack.Axis{Cells: ny}}}
	s.Materials = []stack.Material{{Name: "silicon", K: [3]float64{130, 130, 130}, C: 1.63e6}, {Name: "wall", K: [3]float64{100, 90, 80}, C: 1.7e6}}
	layer := func(name string, thickness, watts float64) {
		y := stack.Layer{Name: name, Thickness: thickness, Cells: 1}
		if watts > 0 {
			y.Powers = []stack.Power{{Uniform: watts, Area: s.Domain()}}
		}
		s.Layers = append(s.Layers, y)
	}
	layer("lower", 50e-6, 10)
	layer("cavity", 100e-6, 0)
	layer("upper", 30e-6, 3)
	width := side / float64(nx)
	w := &stack.Coolant{Model: model, Fluid: stack.Fluid{K: 0.6, C: 4.17e6}, Inlet: 310, Direction: stack.TowardsNorth, Flow: 2e-7, HSide: 2e4, HBottom: 3e4, HTop: 4e4,
		Channels: &stack.Channels{Width: width, Wall: width, FirstWall: width, Count: (nx - 1) / 2}}
	if model == stack.PorousCavity {
		w.HSide = 0
	}
	s.Layers[1].Material, s.Layers[1].Coolant = 1, w
	return s
}

func solveCooled(t *testing.T, s *stack.Stack, o Options) (*Solution, *mesh.Mesh) {
	t.Helper()
	if err := stack.Validate(s); err != nil {
		t.Fatal(err)
	}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	sol, err := Steady(context.Background(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sol.Close)
	if !sol.Status.Converged {
		t.Fatalf("%+v", sol.Status)
	}
	return sol, m
}

func planeOf(t *testing.T, sol *Solution, m *mesh.Mesh, k int) []float64 {
	t.Helper()
	v := make([]float64, m.NX()*m.NY())
	if err := sol.Field.Plane(k, v); err != nil {
		t.Fatal(err)
	}
	return v
}

// All heat of an adiabatic stack leaves with the coolant: the mixed temperature at the outlet is that of the inlet plus Q/(rho c V).
func TestOutletTakesAllHeat(t *testing.T) {
	for _, model := range []stack.CavityModel{stack.ResolvedChannels, stack.PorousCavity} {
		for _, direction := range []stack.Direction{stack.TowardsEast, stack.TowardsWest, stack.TowardsNorth, stack.TowardsSouth} {
			for _, central := range []bool{false, true} {
				s := cooledStack(17, 17, model)
				w := s.Layers[1].Coolant
				w.Direction, w.Central = direction, central
				sol, m := solveCooled(t, s, Options{Tol: 1e-9})
				c := m.Cavities[0]
				v := planeOf(t, sol, m, c.Fluid)
				mixed, all := 0.0, 0.0
				c.Outlets(m.NX(), m.NY(), func(cell, line int) {
					mixed += c.Heat[line] * (v[cell] - w.Inlet)
					all += c.Heat[line]
				})
				want := 13 / (w.Fluid.C * w.Flow)
				if got := mixed / all; math.Abs(got-want) > 1e-10*want {
					t.Errorf("%s %s central %v: %.14g K above the inlet, want %.14g", model, direction, central, got, want)
				}
				if e := sol.Energy; e.ImbalanceRel > 1e-10 || math.Abs(e.Coolant[0]-13) > 1e-9 {
					t.Errorf("%s %s central %v: balance %+v", model, direction, central, e)
				}
			}
		}
	}
}

// Under a uniform flux the coolant warms up linearly, cell by cell, and the die lies above it by q (1/h + dz/2k), as heat has no other way.
func TestUniformFlux(t *testing.T) {
	s := cooledStack(5, 40, stack.PorousCavity)
	s.Materials[0].K[1], s.Materials[1].K = 1e-12, [3]float64{1e-12, 1e-12, 1e-12}
	s.Layers[2].Powers = nil
	w := s.Layers[1].Coolant
	w.Fluid.K = 0
	sol, m := solveCooled(t, s, Options{Tol: 1e-9})
	q := 10 / (s.Size[0] * s.Size[1])
	coolant, die := planeOf(t, sol, m, 2), planeOf(t, sol, m, 0)
	for j := range 40 {
		for i := range 5 {
			at := j*5 + i
			rise := 10 / (w.Fluid.C * w.Flow) * float64(j+1) / 40
			offset := q * (1/w.HBottom + 25e-6/130)
			// Couplings are FP32.
			if math.Abs(coolant[at]-310-rise) > 1e-6*rise || math.Abs(die[at]-coolant[at]-offset) > 1e-6*offset {
				t.Fatalf("cell %d, %d: coolant at %.9g, die at %.9g K; want %.9g and %.9g", i, j, coolant[at], die[at], 310+rise, 310+rise+offset)
			}
		}
	}
}

// Between a floor and a ceiling at one temperature the coolant approaches it as exp(-h A / (rho c V) y/L), to first order in the cells; two extrapolations leave little.
func TestFirstOrderAlongTheFlow(t *testing.T) {
	outlet := func(ny int) float64 {
		s := cooledStack(3, ny, stack.PorousCavity)
		s.Materials[0].K = [3]float64{1e9, 1e9, 1e9}
		s.Materials[1].K = [3]float64{1e-3, 1e-3, 1e-3}
		s.Layers[0].Powers, s.Layers[2].Powers = nil, nil
		held := stack.Boundary{Kind: stack.FixedTemperature, Temperature: 350}
		s.Boundary[stack.Bottom], s.Boundary[stack.Top] = held, held
		s.Layers[1].Coolant.Fluid.K = 0
		sol, m := solveCooled(t, s, Options{Tol: 1e-8})
		return planeOf(t, sol, m, 2)[(ny-1)*3+1]
	}
	a, b, c := outlet(40), outlet(80), outlet(160)
	s := cooledStack(3, 40, stack.PorousCavity)
	w := s.Layers[1].Coolant
	want := 350 - 40*math.Exp(-(w.HBottom+w.HTop)*s.Size[0]*s.Size[1]/(w.Fluid.C*w.Flow))
	if order := math.Log2((a - want) / (b - want)); math.Abs(order-1) > 0.05 {
		t.Errorf("order %.3f: errors %.3g, %.3g, %.3g K", order, a-want, b-want, c-want)
	}
	first, second := 2*b-a, 2*c-b
	if got := (4*second - first) / 3; math.Abs(got-want) > 1e-5*40 {
		t.Errorf("extrapolated to %.8g K, want %.8g", got, want)
	}
}

// Coolant that hardly flows is a solid with the films for halves of its cells.
func TestStillCoolantIsASolid(t *testing.T) {
	s := cooledStack(9, 11, stack.ResolvedChannels)
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 500, Temperature: 290}
	w := s.Layers[1].Coolant
	w.Flow, w.Inlet, w.HTop = 1e-30, 300, w.HBottom
	cooled, m := solveCooled(t, s, Options{Tol: 1e-9})
	solid := cooledStack(9, 11, stack.ResolvedChannels)
	solid.Boundary = s.Boundary
	dx := solid.Size[0] / 9
	solid.Materials = append(solid.Materials, stack.Material{Name: "still", K: [3]float64{w.HSide * dx / 2, w.Fluid.K, w.HBottom * 50e-6}, C: w.Fluid.C})
	solid.Layers[1].Coolant = nil
	for n := range 4 {
		solid.Layers[1].Regions = append(solid.Layers[1].Regions, stack.Region{Material: 2, Rect: stack.Rect{X: float64(2*n+1) * dx, Width: dx, Height: solid.Size[1]}})
	}
	plain, _ := solveCooled(t, solid, Options{Tol: 1e-9})
	for k := range m.NZ() {
		a, b := planeOf(t, cooled, m, k), planeOf(t, plain, m, k)
		for c := range a {
			if math.Abs(a[c]-b[c]) > 1e-7*(b[c]-290) {
				t.Fatalf("plane %d, cell %d: %.10g K, as a solid %.10g", k, c, a[c], b[c])
			}
		}
	}
}

// randomCooled is a small stack with one to three cavities in any direction.
func randomCooled(r *rand.Rand) *stack.Stack {
	n := [2]int{3 + 2*r.IntN(2), 3 + 2*r.IntN(2)}
	s := cooledStack(n[0], n[1], stack.PorousCavity)
	if r.IntN(2) == 0 {
		s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: math.Exp(10 * r.Float64()), Temperature: 300}
	}
	spread := func(from, to float64) float64 { return from * math.Pow(to/from, r.Float64()) }
	die := s.Layers[0]
	s.Layers = nil
	cavities := 1 + r.IntN(3)
	for c := range cavities + 1 {
		y := die
		y.Name, y.Thickness = fmt.Sprintf("die%d", c), spread(5e-6, 500e-6)
		y.Powers = []stack.Power{{Uniform: spread(0.1, 30), Area: s.Domain()}}
		if r.IntN(3) == 0 {
			y.ContactResistance = spread(1e-7, 1e-5)
		}
		s.Layers = append(s.Layers, y)
		if c == cavities {
			break
		}
		w := &stack.Coolant{Fluid: stack.Fluid{K: spread(0.01, 1), C: spread(1e6, 4e6)}, Inlet: 280 + 40*r.Float64(), Flow: spread(1e-9, 1e-4), HSide: spread(1e3, 1e5), HBottom: spread(1e3, 1e5),
			HTop: spread(1e3, 1e5), Direction: []stack.Direction{"+x", "-x", "+y", "-y"}[r.IntN(4)], Model: stack.PorousCavity, Central: r.IntN(4) == 0}
		across := 1 - w.Direction.Axis()
		width := s.Size[across] / float64(n[across])
		w.Channels = &stack.Channels{Width: width, Wall: width, FirstWall: width, Count: (n[across] - 1) / 2}
		switch r.IntN(3) {
		case 0:
			w.Model = stack.ResolvedChannels
		case 1:
			w.Channels, w.Pins = nil, &stack.Pins{Diameter: 50e-6, Pitch: 120e-6}
		}
		s.Layers = append(s.Layers, stack.Layer{Name: fmt.Sprintf("cavity%d", c), Material: 1, Thickness: spread(50e-6, 400e-6), Cells: 1, Coolant: w})
	}
	return s
}

// Random stacks against Gaussian elimination of the same matrix, formed by entries and not by rows of products, steady and in time.
func TestCooledStacksAgainstElimination(t *testing.T) {
	worst, iterations := 0.0, 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 15))
		s := randomCooled(r)
		if err := stack.Validate(s); err != nil {
			t.Fatal(err)
		}
		m, err := mesh.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		dt := 0.0
		if r.IntN(2) == 0 {
			dt = math.Pow(10, -5+4*r.Float64())
		}
		worst = math.Max(worst, eliminated(t, m, dt, &iterations))
	}
	if worst > 1e-9 {
		t.Errorf("off by %.2g of the largest rise", worst)
	}
	t.Logf("off by %.2g of the largest rise; at most %d iterations", worst, iterations)
}

// eliminated solves one way and the other.
func eliminated(t *testing.T, m *mesh.Mesh, dt float64, most *int) float64 {
	t.Helper()
	d := host.Open()
	defer d.Close()
	sys, err := d.Assemble(m, dt)
	if err != nil {
		t.Fatal(err)
	}
	solver, pre, err := newSolver(sys, "")
	if err != nil {
		t.Fatal(err)
	}
	source, _ := sys.NewSource(true)
	source.SetPower(m.Power.Steady())
	x, _ := sys.New64()
	solver.StartFromZero()
	o := Options{Tol: 1e-12}
	out := solver.Solve(context.Background(), o.rule(pre, 1), source, x)
	*most = max(*most, out.Iterations)
	rows, err := sys.(ops.Forms).Rows()
	if err != nil {
		t.Fatal(err)
	}
	b, got := make([]float64, m.Cells()), make([]float64, m.Cells())
	source.Read(b)
	sys.Read(x, got)
	want := opstest.Eliminate(rows.Download(), b)
	largest, off := 0.0, 0.0
	for c, v := range want {
		largest, off = math.Max(largest, math.Abs(v)), math.Max(off, math.Abs(v-got[c]))
	}
	if !out.Converged || off > 1.01*out.ErrorK+1e-9*largest && out.ErrorK == out.ErrorK {
		t.Errorf("%+v: off by %g of %g K", out, off, largest)
	}
	return off / largest
}

// Heat that does not leave is stored, and a long transient ends in the steady state.
func TestCooledTransient(t *testing.T) {
	s := cooledStack(9, 9, stack.PorousCavity)
	s.Transient.Initial = 300
	steady, m := solveCooled(t, s, Options{Tol: 1e-7})
	sol, err := Transient(context.Background(), m, Options{Tol: 1e-5}, TransientOptions{Steps: 40, Dt: 5e-3, OnStep: func(Step, Field) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer sol.Close()
	if !sol.Status.Converged || sol.Energy.ImbalanceRel > 1e-6 || sol.Status.EstimatedErrorK > 1e-5 {
		t.Errorf("%+v, %+v", sol.Status, sol.Energy)
	}
	if math.Abs(sol.PeakK-steady.PeakK) > 1e-4 {
		t.Errorf("ends at %.8g K, steady %.8g", sol.PeakK, steady.PeakK)
	}
}

// The same bits on one core and on several.
func TestCooledBitsDoNotDependOnCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first []float64
	for _, cores := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(cores)
		sol, m := solveCooled(t, cooledStack(33, 65, stack.ResolvedChannels), Options{})
		v := planeOf(t, sol, m, 1)
		if first == nil {
			first = v
		}
		for c := range v {
			if v[c] != first[c] {
				t.Fatalf("%d cores: cell %d at %v, on one core %v", cores, c, v[c], first[c])
			}
		}
	}
}

// Methods and devices that cannot do it say so.
func TestCoolantIsRefused(t *testing.T) {
	m, err := mesh.Build(cooledStack(9, 9, stack.PorousCavity))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{Preconditioner: "ic"}, {Preconditioner: "cmg"}, {Preconditioner: "fourier"}, {Preconditioner: "jacobi"}, {Preconditioner: "ilu"}, {Preconditioner: "ddilu", Tol: 1e-3},
		{Preconditioner: "ilu:solver=pcg", RTol: 1e-3}, {Preconditioner: "multigrid:solver=pcg"}, {Device: "gpu"}} {
		if _, err := Steady(context.Background(), m, o); !errors.Is(err, ErrOption) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if method, why := Choice(m, ""); method != "multigrid" || why == "" {
		t.Errorf("chosen: %s, %s", method, why)
	}
}
