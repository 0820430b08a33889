package methods_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/mesh"
	"thermsim/stack"
)

// The diagonals of a stack with coolant are those of its rows, and what they leave out are the couplings two planes
// apart, which only porous cavities have.
func TestDiagonalsOfCooledStacks(t *testing.T) {
	for seed := range uint64(40) {
		s := cases.Cooled(rand.New(rand.NewPCG(seed, 15)), 5, 6)
		m, err := mesh.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		d := host.Open()
		sys, err := d.Assemble(m, 0)
		if err != nil {
			t.Fatal(err)
		}
		form, beside, err := ops.NearDiagonals(sys)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := sys.(ops.Forms).Rows()
		if err != nil {
			t.Fatal(err)
		}
		got, want := form.Download().CSR(), rows.Download()
		sheet, left := m.NX()*m.NY(), int64(0)
		for r := range want.N() {
			cols, vals := want.Row(r)
			for n, c := range cols {
				if far := int(c) - r; far == 2*sheet || far == -2*sheet {
					left++
					continue
				}
				if v := got.At(r, int(c)); math.Abs(v-vals[n]) > 1e-14*math.Abs(vals[n]) {
					t.Fatalf("seed %d: entry (%d, %d) is %.17g, want %.17g", seed, r, c, v, vals[n])
				}
			}
		}
		if left != beside || got.Entries() != want.Entries()-int(left) {
			t.Errorf("seed %d: %d entries beside the diagonals, want %d; %d on them", seed, beside, left, got.Entries())
		}
		if _, err := sys.(ops.Forms).Diagonals(); (err == nil) != (left == 0) {
			t.Errorf("seed %d: %d entries beside the diagonals, and %v", seed, left, err)
		}
		d.Close()
	}
}

// Methods with incomplete factors against Gaussian elimination of the same matrix, steady and in time.
func TestIncompleteFactorsBesideCoolant(t *testing.T) {
	ended := map[string]int{}
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 16))
		m, err := mesh.Build(cases.Cooled(r, 5, 6))
		if err != nil {
			t.Fatal(err)
		}
		dt := 0.0
		if r.IntN(2) == 0 {
			dt = math.Pow(10, -5+4*r.Float64())
		}
		for _, spec := range []string{"ilu:order=0", "ilu", "ilu:precision=fp64", "ddilu:rows=40"} {
			if !against(t, m, dt, spec) {
				ended[spec]++
			}
		}
	}
	// Neither kind of factors has a theory for operators that are far from symmetric. Those of ILU serve all of these;
	// of ddilu one solve may end with the reason why, and without a result.
	for spec, n := range ended {
		if spec != "ddilu:rows=40" || n > 1 {
			t.Errorf("%s: %d of 30 did not converge", spec, n)
		}
	}
}

// against compares a solution with elimination's; false where the solver says that it has none.
func against(t *testing.T, m *mesh.Mesh, dt float64, spec string) bool {
	t.Helper()
	d := host.Open()
	defer d.Close()
	sys, err := d.Assemble(m, dt)
	if err != nil {
		t.Fatal(err)
	}
	solver, _, err := methods.SetUp(sys, spec)
	if err != nil {
		t.Fatal(err)
	}
	source, _ := sys.NewSource(true)
	source.SetPower(m.Power.Steady())
	x, _ := sys.New64()
	solver.StartFromZero()
	out := solver.Solve(context.Background(), krylov.Rule{RTol: 1e-13, MaxIter: 2000}, source, x)
	if !out.Converged {
		return false
	}
	rows, err := sys.(ops.Forms).Rows()
	if err != nil {
		t.Fatal(err)
	}
	b, got := make([]float64, m.Cells()), make([]float64, m.Cells())
	source.Read(b)
	sys.Read(x, got)
	largest, off := 0.0, 0.0
	for c, v := range opstest.Eliminate(rows.Download(), b) {
		largest, off = math.Max(largest, math.Abs(v)), math.Max(off, math.Abs(v-got[c]))
	}
	if off > 1e-9*largest {
		t.Errorf("%s: off by %g of %g K: %+v", spec, off, largest, out)
	}
	return true
}

// The same temperatures as with multigrid, the same balance, and a rule in K refused with what to do.
func TestIncompleteFactorsCool(t *testing.T) {
	for _, model := range []stack.CavityModel{stack.ResolvedChannels, stack.PorousCavity} {
		want, m := solves.SolveCooled(t, solves.CooledStack(33, 41, model), gpusolve.Options{Tol: 1e-8})
		for _, spec := range []string{"ilu:order=0", "ilu", "ddilu"} {
			got, _ := solves.SolveCooled(t, solves.CooledStack(33, 41, model),
				gpusolve.Options{Preconditioner: spec, RTol: 1e-11})
			for k := range m.NZ() {
				a, b := solves.PlaneOf(t, want, m, k), solves.PlaneOf(t, got, m, k)
				for c := range a {
					if math.Abs(a[c]-b[c]) > 1e-6 {
						t.Fatalf("%s, %s, plane %d, cell %d: %.10g K, with multigrid %.10g", spec, model, k, c, b[c],
							a[c])
					}
				}
			}
			if got.Status.Method != "bicgstab" || got.Energy.ImbalanceRel > 1e-9 ||
				strings.Contains(got.Status.Details, "without") != (model == stack.PorousCavity) {
				t.Errorf("%s, %s: %+v, %+v", spec, model, got.Status, got.Energy)
			}
			_, err := gpusolve.Steady(context.Background(), m, gpusolve.Options{Preconditioner: spec})
			if !errors.Is(err, gpusolve.ErrOption) ||
				!strings.Contains(err.Error(), "give --rtol or --atol, or choose multigrid") {
				t.Errorf("%s by a rule in K: %v", spec, err)
			}
		}
	}
}

// What is stated beforehand covers what the methods then take beside coolant.
func TestNeedBesideCoolant(t *testing.T) {
	for _, model := range []stack.CavityModel{stack.ResolvedChannels, stack.PorousCavity} {
		s := solves.CooledStack(65, 65, model)
		s.Transient.Initial = s.Ambient
		m, err := mesh.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range []string{"ilu:order=0", "ilu", "ilu:precision=fp64", "ddilu"} {
			for _, inTime := range []bool{false, true} {
				d := host.Open()
				held := solves.SolveOnce(t, m, d, spec, inTime)
				solves.Compare(t, string(model)+", "+spec, memory.OfSystem(m, spec, inTime, false), d.Peak(),
					held,
					true)
			}
		}
	}
}
