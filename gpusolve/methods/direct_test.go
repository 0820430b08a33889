package methods_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"thermsim/gpusolve/testing/solves"
	"thermsim/stack/stackfile"

	"thermsim/gpusolve"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
)

// layered is a random stack of homogeneous layers that fourier solves directly: 1 to 30 layers, odd, prime and 1-wide
// grids, anisotropic materials, contacts, both faces, sides of all kinds that it takes, blocks and uniform powers.
func layered(rng *rand.Rand) *stack.Stack {
	sizes := []int{1, 2, 3, 5, 7, 8, 11, 12, 13, 16, 17, 23, 24, 31, 37}
	s := &stack.Stack{Schema: 1, Title: "random layers", Ambient: 300,
		Size: [2]float64{uniformly(rng, 1e-3, 2e-2), uniformly(rng, 1e-3, 2e-2)}}
	s.Grid.X.Cells, s.Grid.Y.Cells = sizes[rng.IntN(len(sizes))], sizes[rng.IntN(len(sizes))]
	temperature := func() float64 {
		if rng.IntN(2) == 0 {
			return s.Ambient
		}
		return 290 + 30*rng.Float64()
	}
	for f := range s.Boundary {
		b := &s.Boundary[f]
		b.Temperature = temperature()
		switch kind := rng.IntN(6); {
		case kind == 0:
			b.Kind = stack.FixedTemperature
		case kind == 1:
			b.Kind, b.Flux = stack.HeatFlux, 1e3*rng.NormFloat64()
		case kind > 1 && stack.Face(f) <= stack.Top:
			b.Kind, b.H = stack.Convective, math.Pow(10, uniformly(rng, 1, 5))
		}
	}
	if b := &s.Boundary[stack.Top]; b.Kind == stack.Adiabatic || b.Kind == stack.HeatFlux {
		*b = stack.Boundary{Kind: stack.Convective, H: 1e4, Temperature: temperature()}
	}
	for m := range 1 + rng.IntN(4) {
		k := math.Pow(10, uniformly(rng, -1, 2.7))
		s.Materials = append(s.Materials,
			stack.Material{Name: fmt.Sprint("m", m),
				K: [3]float64{k, k * uniformly(rng, 0.3, 3), k * uniformly(rng, 0.1, 2)}, C: uniformly(rng, 1e6, 4e6)})
	}
	for l := range 1 + rng.IntN(30) {
		layer := stack.Layer{Name: fmt.Sprint("l", l), Material: rng.IntN(len(s.Materials)),
			Thickness: math.Pow(10, uniformly(rng, -6, -3)), Cells: 1 + rng.IntN(2)}
		if rng.IntN(4) == 0 {
			layer.ContactResistance = math.Pow(10, uniformly(rng, -8, -5))
		}
		if rng.IntN(3) == 0 || l == 0 {
			layer.Powers = sources(rng, s)
		}
		s.Layers = append(s.Layers, layer)
	}
	return s
}

// sources are three blocks whose edges cut cells and a uniform power.
func sources(rng *rand.Rand, s *stack.Stack) []stack.Power {
	blocks := stack.Power{Area: s.Domain(), AllowOverlap: true}
	for b := range 3 {
		x, y := 0.8*rng.Float64(), 0.8*rng.Float64()
		r := stack.Rect{X: x * s.Size[0], Y: y * s.Size[1], Width: (1 - x) * rng.Float64() * s.Size[0],
			Height: (1 - y) * rng.Float64() * s.Size[1]}
		blocks.Blocks = append(blocks.Blocks, stack.Block{Name: fmt.Sprint("b", b), Rects: []stack.Rect{r},
			Watts: 0.05 * rng.Float64()})
	}
	return []stack.Power{blocks, {Area: s.Domain(), Uniform: 0.01}}
}

func uniformly(rng *rand.Rand, low, high float64) float64 { return low + (high-low)*rng.Float64() }

// The direct solver and a multigrid to rtol 1e-13 agree on the fields of random stacks to 1e-8 K.
//
// Where two faces at temperatures meet, the executors of the iterations round the sum of their conductances to FP32, at
// most twice a cell, and the direct solver cannot: its conductances are those of whole planes and sides. That is an
// error of 2^-24 of the ground g of these cells. As A^-1 g <= 1, it moves the field by no more than 2^-23 of the span
// between it and the faces' temperatures. There the reference is multigrid's field refined in FP64 on the system with
// sums that are not rounded.
func TestFourierAgreesWithMultigrid(t *testing.T) {
	var worst, rounding float64
	for trial := range testtier.Pick(16, 200) {
		s := layered(rand.New(rand.NewPCG(uint64(trial), 13)))
		m, err := mesh.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		direct := solves.Solve(t, m, gpusolve.Options{Device: "cpu", Preconditioner: "fourier"})
		if direct.Status.Method != "direct" || !direct.Status.Converged {
			t.Fatalf("trial %d: %+v", trial, direct.Status)
		}
		tight := solves.Solve(t, m, gpusolve.Options{Device: "cpu", Preconditioner: "multigrid", RTol: 1e-13})
		d, span := solves.FieldDifference(t, m, direct, tight)
		peaks := 1e-8
		if facesMeet(m) {
			bound := 0x1p-23 * (span + 20) // faces are up to 20 K above the ambient
			if rounding, peaks = math.Max(rounding, d), peaks+bound; d > peaks {
				t.Errorf("trial %d: fields differ by %.2g K, rounding of sums allows %.2g", trial, d, bound)
			}
			d = solves.OffBy(t, m, direct, solves.Refined(t, m, tight))
		}
		worst = math.Max(worst, d)
		if d > 1e-8 {
			t.Errorf("trial %d, %d x %d x %d: fields differ by %.2g K of %.3g K; multigrid says %.2g, direct %.2g",
				trial, m.NX(), m.NY(), m.NZ(), d, span,
				tight.Status.EstimatedErrorK, direct.Status.EstimatedErrorK)
		}
		if d := math.Abs(direct.PeakK - tight.PeakK); d > peaks || direct.Energy.ImbalanceRel > 1e-8 {
			t.Errorf("trial %d: peaks differ by %.2g K; heat %+v", trial, d, direct.Energy)
		}
		direct.Close()
		tight.Close()
	}
	t.Logf("largest differences: %.2g K, and %.2g K before the refinement where faces at temperatures meet", worst,
		rounding)
}

// facesMeet says whether some cell lies on two faces that lead to temperatures.
func facesMeet(m *mesh.Mesh) bool {
	s, axes := m.Stack, 0
	for axis, cells := range []int{m.NZ(), m.NX(), m.NY()} {
		faces := 0
		for f := stack.Face(2 * axis); f < stack.Face(2*axis+2); f++ {
			if s.Boundary[f].Kind != stack.Adiabatic && s.Boundary[f].Kind != stack.HeatFlux {
				faces++
			}
		}
		if faces > 0 {
			axes++
		}
		if faces == 2 && cells == 1 {
			return true
		}
	}
	return axes > 1
}

// Fifty steps of random stacks, under a power that is switched on and off, agree with those of a tight multigrid at
// every step: the fields and what is told of them.
func TestFourierAgreesWithMultigridInTime(t *testing.T) {
	for trial := range testtier.Pick(6, 40) {
		rng := rand.New(rand.NewPCG(uint64(trial), 17))
		s := layered(rng)
		for f := stack.West; f < stack.NumFaces; f++ {
			if trial%2 == 0 && s.Boundary[f].Kind == stack.FixedTemperature {
				s.Boundary[f] = stack.Boundary{Temperature: s.Ambient}
			}
		}
		dt := math.Pow(10, uniformly(rng, -5, -1))
		for l := range s.Layers {
			for p := range s.Layers[l].Powers {
				if rng.IntN(2) == 0 {
					s.Layers[l].Powers[p].Schedule = []stack.ScalePoint{{Time: 0, Factor: 1},
						{Time: (5 + 20*rng.Float64()) * dt, Factor: 0.2}, {Time: 40 * dt, Factor: 2}}
				}
			}
		}
		m, err := mesh.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		direct, fields := stepped(t, m, gpusolve.Options{Device: "cpu", Preconditioner: "fourier"}, dt)
		tight, others := stepped(t, m, gpusolve.Options{Device: "cpu", Preconditioner: "multigrid", RTol: 1e-13}, dt)
		span := 0.0
		for _, v := range fields[len(fields)-1] {
			span = math.Max(span, math.Abs(v-s.Ambient))
		}
		limit := 1e-8
		if facesMeet(m) {
			limit += 0x1p-23 * (span + 20)
		}
		for n := range fields {
			for c := range fields[n] {
				if d := math.Abs(fields[n][c] - others[n][c]); d > limit {
					t.Fatalf("trial %d, step %d, cell %d: fields differ by %.2g K of %.3g K, limit %.2g", trial, n, c,
						d, span, limit)
				}
			}
			if d := math.Abs(direct.Steps[n].MaxK - tight.Steps[n].MaxK); d > limit {
				t.Fatalf("trial %d, step %d: hottest cells differ by %.2g K", trial, n, d)
			}
		}
		if e, f := direct.Energy, tight.Energy; math.Abs(e.Stored-f.Stored)+math.Abs(e.Out-f.Out)+math.Abs(e.In-f.In) >
			1e-6*f.Scale || e.ImbalanceRel > 1e-6 {
			t.Errorf("trial %d: heat %+v, by multigrid %+v", trial, e, f)
		}
		if !direct.Status.Converged || direct.Status.Reason != "direct" {
			t.Errorf("trial %d: %+v", trial, direct.Status)
		}
	}
}

// stepped is a run of fifty steps with the fields at the end of each.
func stepped(t *testing.T, m *mesh.Mesh, o gpusolve.Options, dt float64) (*gpusolve.Solution, [][]float64) {
	t.Helper()
	var fields [][]float64
	s, err := gpusolve.Transient(t.Context(), m, o,
		gpusolve.TransientOptions{Steps: 50, Dt: dt, OnStep: func(_ gpusolve.Step, f gpusolve.Field) error {
			sheet := m.NX() * m.NY()
			v := make([]float64, m.Cells())
			fields = append(fields, v)
			for k := range m.NZ() {
				if err := f.Plane(k, v[k*sheet:(k+1)*sheet]); err != nil {
					return err
				}
			}
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	return s, fields
}

// The same bits twice, whatever the number of workers.
func TestFourierDeterminism(t *testing.T) {
	s := cases.Stack10(cases.Options{NX: 131, NY: 97})
	trial := func(procs int) []float64 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		return solves.Field(t, s, solves.Steady(t, s, gpusolve.Options{Preconditioner: "fourier"}).Field)
	}
	want := trial(1)
	for _, procs := range []int{1, 2, 5} {
		if d := solves.LargestDifference(want, trial(procs)); d != 0 {
			t.Errorf("GOMAXPROCS=%d: fields differ by %g K", procs, d)
		}
	}
}

// Asked for where it cannot work, the method says what stands in the way. Layers with regions are left to it as a
// preconditioner.
func TestFourierSaysWhatStandsInTheWay(t *testing.T) {
	side := cases.Stack10(cases.Options{NX: 8})
	side.Boundary[stack.West] = stack.Boundary{Kind: stack.Convective, H: 10, Temperature: 300}
	resistance := cases.Stack10(cases.Options{NX: 8})
	resistance.Boundary[stack.North] = stack.Boundary{Kind: stack.LumpedResistance, Resistance: 1, Temperature: 300}
	warm := cases.Stack10(cases.Options{NX: 8})
	law := &stack.Curve{Law: stack.PowerLaw, Value: warm.Materials[0].K[0], At: 300, Exponent: 1.3,
		Range: [2]float64{200, 600}}
	warm.Materials[0].KCurve = [3]*stack.Curve{law, law, law}
	for want, s := range map[string]*stack.Stack{
		"material " + warm.Materials[0].Name + " is temperature-dependent": warm,
		"the west face is neither adiabatic nor at a fixed temperature":    side,
		"the north face is neither adiabatic nor at a fixed temperature":   resistance,
	} {
		_, err := gpusolve.Steady(t.Context(), solves.Build(t, s),
			gpusolve.Options{Preconditioner: "fourier", Device: "cpu"})
		if !errors.Is(err, gpusolve.ErrOption) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if refused := gpusolve.Refusal(s, gpusolve.Options{Preconditioner: "fourier"}); refused == nil ||
			refused.Error() != err.Error() {
			t.Errorf("%v before the mesh, %v after it", refused, err)
		}
		if _, why := methods.Choice(solves.Build(t, s), ""); !strings.Contains(why, want) {
			t.Errorf("%q, want %q", why, want)
		}
		if st := solves.Steady(t, s, gpusolve.Options{Device: "cpu"}).Status; st.Preconditioner != "multigrid" {
			t.Errorf("%s: auto took %s", want, st.Preconditioner)
		}
	}
	regions := cases.Interposer(cases.Stack10(cases.Options{NX: 16}))
	if st := solves.Steady(t, regions, gpusolve.Options{Preconditioner: "fourier"}).Status; st.Method != "pcg" ||
		!st.Converged {
		t.Errorf("%+v", st)
	}
	if method, why := methods.Choice(solves.Build(t, regions), ""); method != "multigrid" ||
		!strings.Contains(why, "has a region of") {
		t.Errorf("%s, %s", method, why)
	}
}

// The examples that qualify, on coarser grids, agree with a tight multigrid.
func TestFourierSolvesTheExamples(t *testing.T) {
	for _, name := range []string{"mol10-9core", "mol10-ev6", "mol10-sparc", "quickstart", "trace"} {
		s, err := stackfile.Load("../../examples/" + name + "/stack.toml")
		if err != nil {
			t.Fatal(err)
		}
		s.Grid.X.Cells, s.Grid.Y.Cells = exampleCells, exampleCells-3
		m := solves.Build(t, s)
		direct := solves.Solve(t, m, gpusolve.Options{Device: "cpu"})
		tight := solves.Solve(t, m, gpusolve.Options{Device: "cpu", Preconditioner: "multigrid", RTol: 1e-11})
		d, span := solves.FieldDifference(t, m, direct, tight)
		t.Logf("%s: %.2g K of %.3g K, bounds %.2g and %.2g K", name, d, span, direct.Status.EstimatedErrorK,
			tight.Status.EstimatedErrorK)
		if d > 1e-8 || direct.Status.Method != "direct" {
			t.Errorf("%s: fields differ by %g K; %+v", name, d, direct.Status)
		}
		direct.Close()
		tight.Close()
	}
}

const exampleCells = 63

// gradedStack is the stack of ten layers on a grid of nx by ny cells that differ in width.
func gradedStack(nx, ny int) *stack.Stack {
	return cases.Graded(cases.Stack10(cases.Options{NX: nx, NY: ny}), 6)
}

// Dense transforms cost more per cell the longer the axes are: long axes of few planes are left to multigrid, unless
// the method is named.
func TestLongGradedAxesAreLeftToMultigrid(t *testing.T) {
	for _, c := range []struct {
		s      *stack.Stack
		planes int
		want   string
	}{{gradedStack(60, 50), 10, "fourier"}, {gradedStack(300, 300), 10, "fourier"},
		{gradedStack(300, 300), 1, "multigrid"}, {cases.Stack10(cases.Options{NX: 300, NY: 300}), 1, "fourier"}} {
		c.s.Layers = c.s.Layers[:c.planes]
		m := solves.Build(t, c.s)
		method, why := methods.Choice(m, "")
		faster := strings.Contains(why, "multigrid is faster than eigenvectors on 300 x 300 cells")
		if direct := c.want == "fourier"; method != c.want || faster == direct ||
			methods.MaySolveDirectly(c.s, "") != direct {
			t.Errorf("%d planes: %s: %s", c.planes, method, why)
		}
		if method, why := methods.Choice(m, "fourier"); method != "fourier" || why != "" ||
			!methods.SolvesDirectly(m, "fourier") {
			t.Errorf("%d planes, named: %s: %s", c.planes, method, why)
		}
	}
}

// On an interpreted GPU graded layers have the processor's fields, in a steady state and in steps from a field.
func TestGradedLayersOnInterpreter(t *testing.T) {
	t.Parallel()
	s := gradedStack(20, 9)
	s.Grid.Y = stack.Axis{Cells: 9}
	m := solves.Build(t, s)
	want := solves.Solve(t, m, gpusolve.Options{Device: "cpu"})
	defer want.Close()
	machine := devices.Machine(interpreter.Options{NoRaces: true})
	onGPU := func() gpusolve.Options { return gpusolve.Options{Executor: solves.OnInterpreter(t, machine)} }
	got := solves.Solve(t, m, onGPU())
	d, rise := solves.FieldDifference(t, m, got, want)
	const details = "eigenvectors along x, cosines along y"
	if st := got.Status; st.Method != "direct" || !st.Converged || d > 1e-11*rise || st.Details != details {
		t.Errorf("fields differ by %.2g K of %.3g K: %+v", d, rise, st)
	}
	got.Close()
	for _, on := range []gpusolve.Options{{Device: "cpu"}, onGPU()} {
		steps, err := gpusolve.Transient(t.Context(), m, on,
			gpusolve.TransientOptions{Steps: 2, Dt: 1e9, Initial: want.Field})
		if err != nil {
			t.Fatal(err)
		}
		if d, _ := solves.FieldDifference(t, m, steps, want); d > 1e-6*rise {
			t.Errorf("steps from the steady state leave it by %.2g K", d)
		}
		steps.Close()
	}
	solves.Empty(t, machine)
}

// With regions that differ little from their layers, the direct solver of their means is a good preconditioner on
// graded grids too: no more iterations than on equal cells.
func TestMeansOfGradedLayersPrecondition(t *testing.T) {
	iterations := func(s *stack.Stack) int {
		l := &s.Layers[3]
		own := s.Materials[l.Material]
		other := own
		other.Name = "other"
		for a := range other.K {
			other.K[a] *= 1.1
		}
		s.Materials = append(s.Materials, other)
		l.Regions = append(l.Regions, stack.Region{Name: "r", Material: len(s.Materials) - 1,
			Rect: stack.Rect{X: s.Size[0] / 4, Y: s.Size[1] / 3, Width: s.Size[0] / 2, Height: s.Size[1] / 3}})
		st := solves.Steady(t, s, gpusolve.Options{Device: "cpu", Preconditioner: "fourier"}).Status
		if st.Method != "pcg" || !st.Converged || st.Preconditioner != "fourier" {
			t.Errorf("%+v", st)
		}
		return st.Iterations
	}
	equal, graded := iterations(cases.Stack10(cases.Options{NX: 40, NY: 30})), iterations(gradedStack(40, 30))
	if graded > equal+1 || graded > 6 {
		t.Errorf("%d iterations on graded cells, %d on equal ones", graded, equal)
	}
}
