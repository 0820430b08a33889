package meshed_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/coolant"
)

// All heat of an adiabatic stack leaves with the coolant: the mixed temperature at the outlet is that of the inlet plus
// Q/(rho c V).
func TestOutletTakesAllHeat(t *testing.T) {
	for _, model := range []stack.CavityModel{stack.ResolvedChannels, stack.PorousCavity} {
		for _, direction := range []stack.Direction{stack.TowardsEast, stack.TowardsWest, stack.TowardsNorth,
			stack.TowardsSouth} {
			for _, central := range []bool{false, true} {
				s := solves.CooledStack(17, 17, model)
				w := s.Layers[1].Coolant
				w.Direction, w.Central = direction, central
				sol, m := solves.SolveCooled(t, s, gpusolve.Options{Tol: 1e-9})
				c := m.Cavities[0]
				v := solves.PlaneOf(t, sol, m, c.Fluid)
				mixed, all := 0.0, 0.0
				c.Outlets(m.NX(), m.NY(), func(cell, line int) {
					mixed += c.Heat[line] * (v[cell] - w.Inlet)
					all += c.Heat[line]
				})
				want := 13 / (w.Fluid.C * w.Flow)
				if got := mixed / all; math.Abs(got-want) > 1e-10*want {
					t.Errorf("%s %s central %v: %.14g K above the inlet, want %.14g", model, direction, central, got,
						want)
				}
				if e := sol.Energy; e.ImbalanceRel > 1e-10 || math.Abs(e.Coolant[0]-13) > 1e-9 {
					t.Errorf("%s %s central %v: balance %+v", model, direction, central, e)
				}
			}
		}
	}
}

// Under a uniform flux the coolant warms up linearly, cell by cell, and the die lies above it by q (1/h + dz/2k), as
// heat has no other way.
func TestUniformFlux(t *testing.T) {
	s := solves.CooledStack(5, 40, stack.PorousCavity)
	s.Materials[0].K[1], s.Materials[1].K = 1e-12, [3]float64{1e-12, 1e-12, 1e-12}
	s.Layers[2].Powers = nil
	w := s.Layers[1].Coolant
	w.Fluid.K = 0
	sol, m := solves.SolveCooled(t, s, gpusolve.Options{Tol: 1e-9})
	q := 10 / (s.Size[0] * s.Size[1])
	coolant, die := solves.PlaneOf(t, sol, m, 2), solves.PlaneOf(t, sol, m, 0)
	for j := range 40 {
		for i := range 5 {
			at := j*5 + i
			rise := 10 / (w.Fluid.C * w.Flow) * float64(j+1) / 40
			offset := q * (1/w.HBottom + 25e-6/130)
			// Couplings are FP32.
			if math.Abs(coolant[at]-310-rise) > 1e-6*rise || math.Abs(die[at]-coolant[at]-offset) > 1e-6*offset {
				t.Fatalf("cell %d, %d: coolant at %.9g, die at %.9g K; want %.9g and %.9g", i, j, coolant[at], die[at],
					310+rise, 310+rise+offset)
			}
		}
	}
}

// Between a floor and a ceiling at one temperature the coolant approaches it as exp(-h A / (rho c V) y/L), to first
// order in the cells; two extrapolations leave little.
func TestFirstOrderAlongTheFlow(t *testing.T) {
	outlet := func(ny int) float64 {
		s := solves.CooledStack(3, ny, stack.PorousCavity)
		s.Materials[0].K = [3]float64{1e9, 1e9, 1e9}
		s.Materials[1].K = [3]float64{1e-3, 1e-3, 1e-3}
		s.Layers[0].Powers, s.Layers[2].Powers = nil, nil
		held := stack.Boundary{Kind: stack.FixedTemperature, Temperature: 350}
		s.Boundary[stack.Bottom], s.Boundary[stack.Top] = held, held
		s.Layers[1].Coolant.Fluid.K = 0
		sol, m := solves.SolveCooled(t, s, gpusolve.Options{Tol: 1e-8})
		return solves.PlaneOf(t, sol, m, 2)[(ny-1)*3+1]
	}
	a, b, c := outlet(40), outlet(80), outlet(160)
	s := solves.CooledStack(3, 40, stack.PorousCavity)
	w := s.Layers[1].Coolant
	want := 350 - 40*math.Exp(-(w.HBottom+w.HTop)*s.Size[0]*s.Size[1]/(w.Fluid.C*w.Flow))
	order := math.Log2((a - want) / (b - want))
	t.Logf("order %.3f", order)
	if math.Abs(order-1) > 0.05 {
		t.Errorf("order %.3f: errors %.3g, %.3g, %.3g K", order, a-want, b-want, c-want)
	}
	first, second := 2*b-a, 2*c-b
	if got := (4*second - first) / 3; math.Abs(got-want) > 1e-5*40 {
		t.Errorf("extrapolated to %.8g K, want %.8g", got, want)
	}
}

// Coolant that hardly flows is a solid with the films for halves of its cells.
func TestStillCoolantIsASolid(t *testing.T) {
	s := solves.CooledStack(9, 11, stack.ResolvedChannels)
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 500, Temperature: 290}
	w := s.Layers[1].Coolant
	w.Flow, w.Inlet, w.HTop = 1e-30, 300, w.HBottom
	cooled, m := solves.SolveCooled(t, s, gpusolve.Options{Tol: 1e-9})
	solid := solves.CooledStack(9, 11, stack.ResolvedChannels)
	solid.Boundary = s.Boundary
	dx := solid.Size[0] / 9
	side := coolant.AtMiddle(w.HSide, dx, 100e-6, s.Materials[s.Layers[1].Material].K[2])
	solid.Materials = append(solid.Materials,
		stack.Material{Name: "still", K: [3]float64{side * dx / 2, w.Fluid.K, w.HBottom * 50e-6}, C: w.Fluid.C})
	solid.Layers[1].Coolant = nil
	for n := range 4 {
		solid.Layers[1].Regions = append(solid.Layers[1].Regions,
			stack.Region{Material: 2, Rect: stack.Rect{X: float64(2*n+1) * dx, Width: dx, Height: solid.Size[1]}})
	}
	plain, _ := solves.SolveCooled(t, solid, gpusolve.Options{Tol: 1e-9})
	for k := range m.NZ() {
		a, b := solves.PlaneOf(t, cooled, m, k), solves.PlaneOf(t, plain, m, k)
		for c := range a {
			if math.Abs(a[c]-b[c]) > 1e-7*(b[c]-290) {
				t.Fatalf("plane %d, cell %d: %.10g K, as a solid %.10g", k, c, a[c], b[c])
			}
		}
	}
}

// Random stacks against Gaussian elimination of the same matrix, formed by entries and not by rows of products, steady
// and in time.
func TestCooledStacksAgainstElimination(t *testing.T) {
	againstElimination(t, devices.Processor, testtier.Pick[uint64](100, 200))
}
func TestCooledStacksAgainstEliminationOnInterpreter(t *testing.T) {
	t.Parallel()
	againstElimination(t, devices.OnInterpreter(interpreter.Options{NoRaces: true}), testtier.Pick[uint64](2, 8))
}
func TestCooledStacksAgainstEliminationOnGPU(t *testing.T) {
	againstElimination(t, devices.OnGPU(t), 200)
}

func againstElimination(t *testing.T, open func(testing.TB) ops.Device, stacks uint64) {
	worst, iterations := 0.0, 0
	for seed := range stacks {
		r := rand.New(rand.NewPCG(seed, 15))
		m := cooledMesh(t, r, 3+2*r.IntN(2), 3+2*r.IntN(2))
		dt := 0.0
		if r.IntN(2) == 0 {
			dt = math.Pow(10, -5+4*r.Float64())
		}
		worst = math.Max(worst, eliminated(t, open(t), m, dt, &iterations))
	}
	if worst > 1e-9 {
		t.Errorf("off by %.2g of the largest rise", worst)
	}
	t.Logf("off by %.2g of the largest rise; at most %d iterations", worst, iterations)
}

// cooledMesh is a random stack on its grid.
func cooledMesh(t *testing.T, r *rand.Rand, nx, ny int) *mesh.Mesh {
	t.Helper()
	s := cases.Cooled(r, nx, ny)
	cases.Developing(r, s)
	if err := stack.Validate(s); err != nil {
		t.Fatal(err)
	}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// eliminated solves one way on a device, and the other on the host.
func eliminated(t *testing.T, d ops.Device, m *mesh.Mesh, dt float64, most *int) float64 {
	t.Helper()
	defer d.Close()
	sys, source := discretised(t, d, m, dt)
	solver, pre, err := methods.SetUp(sys, "")
	if err != nil {
		t.Fatal(err)
	}
	x, _ := sys.New64()
	solver.StartFromZero()
	o := gpusolve.Options{Tol: 1e-12}
	out := solver.Solve(context.Background(), o.Rule(pre, 1), source, x)
	*most = max(*most, out.Iterations)
	got := make([]float64, m.Cells())
	sys.Read(x, got)
	sys.Free()

	onHost := host.Open()
	defer onHost.Close()
	sys, source = discretised(t, onHost, m, dt)
	rows, err := sys.(ops.Forms).Rows()
	if err != nil {
		t.Fatal(err)
	}
	b := make([]float64, m.Cells())
	source.Read(b)
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

func discretised(t *testing.T, d ops.Device, m *mesh.Mesh, dt float64) (ops.System, ops.HeatSource) {
	t.Helper()
	sys, err := d.Assemble(m, dt)
	if err != nil {
		t.Fatal(err)
	}
	source, err := sys.NewSource(true)
	if err != nil {
		t.Fatal(err)
	}
	source.SetPower(m.Power.Steady())
	return sys, source
}

// Processor and kernels give one field: steady and in time, with the coolant's heat, several cavities and directions.
func TestCooledKernelsSolveAsTheProcessorDoes(t *testing.T) {
	t.Parallel()
	cooledTwins(t, devices.OnInterpreter(interpreter.Options{NoRaces: true}), testtier.Pick[uint64](1, 3),
		testtier.Pick(3, 5))
}
func TestCooledOnGPU(t *testing.T) { cooledTwins(t, devices.OnGPU(t), 40, 20) }

func cooledTwins(t *testing.T, open func(testing.TB) ops.Device, stacks uint64, size int) {
	most := 0.0
	for seed := range stacks {
		r := rand.New(rand.NewPCG(seed, 1516))
		m := cooledMesh(t, r, size+r.IntN(size), size+r.IntN(size))
		for _, steps := range []int{0, 2} {
			want, got := cooledRun(t, m, gpusolve.Options{Device: "cpu", Tol: 1e-9}, steps),
				cooledRun(t, m, gpusolve.Options{Executor: open(t), Tol: 1e-9}, steps)
			largest, off := 0.0, 0.0
			for c, v := range want.field {
				largest, off = math.Max(largest, math.Abs(v-m.Stack.Ambient)), math.Max(off, math.Abs(v-got.field[c]))
			}
			most = math.Max(most, off/largest)
			if off > 1e-9*largest {
				t.Errorf("stack %d, %d steps: fields differ by %g of %g K", seed, steps, off, largest)
			}
			for n, w := range want.Energy.Coolant {
				if math.Abs(w-got.Energy.Coolant[n]) > 1e-8*(math.Abs(w)+math.Abs(want.Energy.Out)) {
					t.Errorf("stack %d, %d steps: coolant of cavity %d carries %.12g W, on the processor %.12g", seed,
						steps, n, got.Energy.Coolant[n], w)
				}
			}
			if got.Status.Iterations > want.Status.Iterations*11/10+3 {
				t.Errorf("stack %d, %d steps: %d iterations, on the processor %d", seed, steps, got.Status.Iterations,
					want.Status.Iterations)
			}
		}
	}
	t.Logf("fields differ by at most %.2g of the largest rise", most)
}

// cooledResult is a solution with its field.
type cooledResult struct {
	*gpusolve.Solution
	field []float64
}

func cooledRun(t *testing.T, m *mesh.Mesh, o gpusolve.Options, steps int) cooledResult {
	t.Helper()
	var sol *gpusolve.Solution
	var err error
	if steps == 0 {
		sol, err = gpusolve.Steady(context.Background(), m, o)
	} else {
		sol, err = gpusolve.Transient(context.Background(), m, o,
			gpusolve.TransientOptions{Steps: steps, Dt: 2e-3, OnStep: func(gpusolve.Step, gpusolve.Field) error {
				return nil
			}})
	}
	if err != nil {
		t.Fatal(err)
	}
	defer sol.Close()
	var all []float64
	for k := range m.NZ() {
		all = append(all, solves.PlaneOf(t, sol, m, k)...)
	}
	return cooledResult{sol, all}
}

// Heat that does not leave is stored, and a long transient ends in the steady state.
func TestCooledTransient(t *testing.T) {
	s := solves.CooledStack(9, 9, stack.PorousCavity)
	s.Transient.Initial = 300
	steady, m := solves.SolveCooled(t, s, gpusolve.Options{Tol: 1e-7})
	sol, err := gpusolve.Transient(context.Background(), m, gpusolve.Options{Tol: 1e-5},
		gpusolve.TransientOptions{Steps: 40, Dt: 5e-3, OnStep: func(gpusolve.Step, gpusolve.Field) error {
			return nil
		}})
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
		sol, m := solves.SolveCooled(t, solves.CooledStack(33, 65, stack.ResolvedChannels), gpusolve.Options{})
		v := solves.PlaneOf(t, sol, m, 1)
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

// Methods that cannot do it say so.
func TestCoolantIsRefused(t *testing.T) {
	m, err := mesh.Build(solves.CooledStack(9, 9, stack.PorousCavity))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []gpusolve.Options{{Preconditioner: "ic"}, {Preconditioner: "cmg"}, {Preconditioner: "fourier"},
		{Preconditioner: "jacobi"}, {Preconditioner: "ilu"}, {Preconditioner: "ddilu", Tol: 1e-3},
		{Preconditioner: "ilu:solver=pcg", RTol: 1e-3}, {Preconditioner: "multigrid:solver=pcg"}} {
		if _, err := gpusolve.Steady(context.Background(), m, o); !errors.Is(err, gpusolve.ErrOption) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if method, why := methods.Choice(m, ""); method != "multigrid" || why == "" {
		t.Errorf("chosen: %s, %s", method, why)
	}
}
