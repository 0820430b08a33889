package matrix_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/sparse/graphs"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/gpusolve/testing/opstest/devices"
)

// A x = lambda v has the solution v for an eigenvector v, whatever the method and the device.
func TestMatrixWithKnownSolution(t *testing.T) {
	nx, ny, nz := 13, 11, 5
	a := solves.NewMatrix(t, solves.Laplacian(nx, ny, nz).CSR())
	if a.Grid() != (matrix.Shape{NX: nx, NY: ny, NZ: nz}) || !a.Symmetric {
		t.Fatalf("recognised as %v, symmetric %v", a.Grid(), a.Symmetric)
	}
	angle := func(i, n int) float64 { return math.Pi * float64(i) / float64(n+1) }
	lambda := 6 - 2*math.Cos(angle(2, nx)) - 2*math.Cos(angle(1, ny)) - 2*math.Cos(angle(3, nz))
	v, b := make([]float64, a.N()), make([]float64, a.N())
	for c := range v {
		i, j, k := c%nx, c/nx%ny, c/(nx*ny)
		v[c] = math.Sin(2*angle(i+1, nx)) * math.Sin(angle(j+1, ny)) * math.Sin(3*angle(k+1, nz))
		b[c] = lambda * v[c]
	}
	for _, spec := range methods.Names() {
		if spec == "multigrid" || spec == "fourier" {
			continue // needs the geometry
		}
		open := map[string]func() ops.Device{"cpu": func() ops.Device { return nil }}
		if spec == "jacobi" { // the others' kernels have their own tests
			open["interpreter"] = func() ops.Device {
				return solves.OnInterpreter(t, devices.Machine(interpreter.Options{NoRaces: true}))
			}
		}
		for name, executor := range open {
			s, err := matrix.Solve(context.Background(), a, b,
				gpusolve.Options{Device: "cpu", Preconditioner: spec, RTol: 1e-9, Executor: executor()})
			if err != nil {
				t.Errorf("%s on %s: %v", spec, name, err)
				continue
			}
			worst := 0.0
			for c := range v {
				worst = math.Max(worst, math.Abs(s.X[c]-v[c]))
			}
			if !s.Status.Converged || !(s.Status.RelativeResidual <= 1e-9) || !(worst < 1e-7) {
				t.Errorf("%s on %s: %+v, largest error %.2g", spec, name, s.Status, worst)
			}
		}
	}
}

// Graphs have no grid; Gaussian elimination tells the solution.
func TestGraphAgainstElimination(t *testing.T) {
	for _, family := range graphs.All() {
		a := family.Build(80, 3)
		b := graphs.Source(a.N(), 4)
		want := opstest.Eliminate(a, b)
		m := solves.NewMatrix(t, a)
		s, err := matrix.Solve(context.Background(), m, b, gpusolve.Options{Device: "cpu", RTol: 1e-13})
		if err != nil || !s.Status.Converged {
			t.Errorf("%s: %v %+v", family.Name, err, s)
			continue
		}
		scale, worst := 0.0, 0.0
		for i := range want {
			scale, worst = math.Max(scale, math.Abs(want[i])), math.Max(worst, math.Abs(want[i]-s.X[i]))
		}
		if !(worst < 1e-6*scale) {
			t.Errorf("%s: largest error %.2g of %.2g", family.Name, worst, scale)
		}
	}
}

// The system that Export writes out has the temperatures that Steady finds.
func TestExportedSystemGivesTheSameTemperatures(t *testing.T) {
	stack := cases.Stack10(cases.Options{NX: 17, NY: 12})
	mesh := solves.Build(t, stack)
	d, b, err := gpusolve.Export(mesh)
	if err != nil {
		t.Fatal(err)
	}
	watts := 0.0
	for _, v := range b {
		watts += v
	}
	if math.Abs(watts-mesh.Power.Mapped) > 1e-4 {
		t.Errorf("the sources add up to %g W of %g W", watts, mesh.Power.Mapped)
	}
	a := solves.NewMatrix(t, d.CSR())
	if a.Grid() != (matrix.Shape{NX: 17, NY: 12, NZ: 10}) {
		t.Errorf("recognised as %v", a.Grid())
	}
	s, err := matrix.Solve(context.Background(), a, b, gpusolve.Options{Device: "cpu", RTol: 1e-12})
	if err != nil || !s.Status.Converged {
		t.Fatalf("%v %+v", err, s)
	}
	want := solves.Field(t, stack, solves.Steady(t, stack, gpusolve.Options{Device: "cpu", Tol: 1e-7}).Field)
	for c, v := range want {
		if d := math.Abs(s.X[c] + stack.Ambient - v); !(d < 1e-5) {
			t.Fatalf("cell %d differs by %.2g K", c, d)
		}
	}
}

func TestMatricesThatCannotBeSolved(t *testing.T) {
	change := func(at int, v float64) *sparse.CSR {
		a := solves.Laplacian(3, 3, 2).CSR()
		a.Val[at] = v
		return a
	}
	for what, c := range map[string]struct {
		a    *sparse.CSR
		grid matrix.Shape
		want string
	}{
		"empty":               {&sparse.CSR{RowPtr: []int64{0}}, matrix.Shape{}, "the matrix is empty"},
		"not a number":        {change(1, math.NaN()), matrix.Shape{}, "entry (1, 2) is NaN"},
		"a negative diagonal": {change(0, -6), matrix.Shape{}, "the diagonal entry of row 1 is -6"},
		"a wrong grid": {change(0, 6), matrix.Shape{NX: 2, NY: 3, NZ: 3}, "does not tie neighbours of a " +
			"grid of 2 x 3 x 3"},
		"a grid too large": {change(0, 6), matrix.Shape{NX: 1 << 40, NY: 1 << 40, NZ: 1 << 40},
			"the product must be the number of rows"},
		"a grid that wraps": {solves.Laplacian(2, 2, 1).CSR(), matrix.Shape{NX: 4, NY: 1, NZ: 1 + 1<<62},
			"the product must be the number of rows"},
		"no matrix": {nil, matrix.Shape{}, "the matrix is empty"},
		"pointers that end early": {&sparse.CSR{RowPtr: []int64{0, 1, 1}, Col: []int32{0, 1}, Val: []float64{1, 1}},
			matrix.Shape{}, "row pointers go from 0 to 1 for 2 columns and 2 values"},
		"pointers that descend": {&sparse.CSR{RowPtr: []int64{0, 3, 2}, Col: []int32{0, 1}, Val: []float64{1, 1}},
			matrix.Shape{}, "row 1 begins at entry 0 and ends before entry 3 of 2"},
		"columns in no order": {&sparse.CSR{RowPtr: []int64{0, 2, 3}, Col: []int32{1, 0, 1},
			Val: []float64{-1, 2, 2}}, matrix.Shape{}, "row 1 has column 0 (counted from 0) in place 2"},
		"a column twice": {&sparse.CSR{RowPtr: []int64{0, 2, 3}, Col: []int32{0, 0, 1},
			Val: []float64{1, 1, 2}}, matrix.Shape{}, "row 1 has column 0 (counted from 0) in place 2"},
		"a column beyond": {&sparse.CSR{RowPtr: []int64{0, 1, 2}, Col: []int32{0, 2}, Val: []float64{1, 1}},
			matrix.Shape{}, "row 2 has column 2 (counted from 0) in place 1"},
	} {
		if _, err := matrix.New(c.a, c.grid); !errors.Is(err, matrix.ErrMatrix) ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	good, b := solves.NewMatrix(t, change(0, 6)), make([]float64, 18)
	b[3] = 1
	bad := append([]float64(nil), b...)
	bad[7] = math.Inf(1)
	for _, c := range []struct {
		b    []float64
		o    gpusolve.Options
		kind error
		want string
	}{
		{b[1:], gpusolve.Options{}, matrix.ErrMatrix, "the right-hand side has 17 values, the matrix 18 rows"},
		{bad, gpusolve.Options{}, matrix.ErrMatrix, "value 8 of the right-hand side is +Inf"},
		{b, gpusolve.Options{Tol: 1e-3}, gpusolve.ErrOption, "says nothing of a matrix"},
		{b, gpusolve.Options{Preconditioner: "multigrid"}, gpusolve.ErrOption, "needs the geometry of a stack"},
		{b, gpusolve.Options{Preconditioner: "magic"}, gpusolve.ErrOption, `"magic" is unknown`},
		{b, gpusolve.Options{Device: "abacus"}, gpusolve.ErrOption, `device "abacus" is unknown`},
	} {
		if _, err := matrix.Solve(context.Background(), good, c.b, c.o); !errors.Is(err, c.kind) ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
}

// Units of a matrix and of a right side are free. A power of two on either changes nothing but the power of two of the
// solution, however far it goes.
func TestUnitsOfAMatrixAreFree(t *testing.T) {
	d := solves.Laplacian(7, 5, 3)
	plain := d.CSR()
	times := func(v []float64, e int) []float64 {
		to := make([]float64, len(v))
		for i, x := range v {
			to[i] = math.Ldexp(x, e)
		}
		return to
	}
	want := make([]float64, plain.N())
	for c := range want {
		want[c] = 1 + math.Sin(float64(c))
	}
	b := make([]float64, len(want))
	plain.Multiply(b, want)
	for _, e := range [][2]int{{0, 0}, {-990, -990}, {980, 990}, {-200, 10}, {150, -60}, {0, -1000}, {0, 1000},
		{-500, 500}} {
		for _, spec := range []string{"jacobi", "chebyshev", "chebyshev:form=scaled", "cmg", "none"} {
			a := solves.NewMatrix(t, &sparse.CSR{RowPtr: plain.RowPtr, Col: plain.Col, Val: times(plain.Val, e[0])})
			s, err := matrix.Solve(context.Background(), a, times(b, e[1]),
				gpusolve.Options{Device: "cpu", Preconditioner: spec, RTol: 1e-9})
			if err != nil {
				t.Errorf("%s, 2^%d and 2^%d: %v", spec, e[0], e[1], err)
				continue
			}
			worst := 0.0
			for c, x := range times(s.X, e[0]-e[1]) {
				worst = math.Max(worst, math.Abs(x-want[c]))
			}
			// ||b|| is about 30.
			if residual := math.Ldexp(s.Status.ResidualW, -e[1]); !s.Status.Converged || !(worst < 1e-7) ||
				!(residual < 1e-7) {
				t.Errorf("%s, 2^%d and 2^%d: largest error %.2g, residual %.2g, %+v", spec, e[0], e[1], worst, residual,
					s.Status)
			}
			// The rule is in the units of b.
			s, err = matrix.Solve(context.Background(), a, times(b, e[1]),
				gpusolve.Options{Device: "cpu", Preconditioner: spec, ATol: math.Ldexp(1e-3, e[1])})
			if err != nil || !s.Status.Converged || !(s.Status.RelativeResidual > 1e-9) {
				t.Errorf("%s, 2^%d and 2^%d, absolute: %+v, %v", spec, e[0], e[1], s, err)
			}
		}
	}
	a := solves.NewMatrix(t, &sparse.CSR{RowPtr: plain.RowPtr, Col: plain.Col, Val: times(plain.Val, -600)})
	if _, err := matrix.Solve(context.Background(), a, times(b, 600),
		gpusolve.Options{Device: "cpu"}); !errors.Is(err, matrix.ErrMatrix) {
		t.Errorf("a solution of 2^1200: %v", err)
	}
}

// What a solve that breaks down hands back is a number.
func TestNothingFoundIsZero(t *testing.T) {
	// The least entries are no numbers of FP32.
	a := solves.NewMatrix(t, &sparse.CSR{RowPtr: []int64{0, 1, 2, 3}, Col: []int32{0, 1, 2},
		Val: []float64{1e-60, 3, 1e-60}})
	s, err := matrix.Solve(context.Background(), a, []float64{3e-60, 4, 0},
		gpusolve.Options{Device: "cpu", Preconditioner: "jacobi"})
	if err != nil || s.Status.Converged || s.Status.RelativeResidual != 1 || math.Abs(s.Status.ResidualW-4) > 1e-12 {
		t.Fatalf("%+v, %v", s, err)
	}
	for c, x := range s.X {
		if x != 0 {
			t.Errorf("value %d is %g", c, x)
		}
	}
}

// Matrices that are not symmetric are told from those that are, and go to methods for them or nowhere.
func TestNonsymmetricMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	d := solves.Laplacian(6, 5, 4)
	d.LowerX, d.LowerY, d.LowerZ = append([]float64(nil), d.X...), append([]float64(nil), d.Y...),
		append([]float64(nil), d.Z...)
	for _, band := range [][]float64{d.LowerX, d.LowerY, d.LowerZ} {
		for i := range band {
			band[i] *= 0.5 + 0.5*rng.Float64()
		}
	}
	a := d.CSR()
	m := solves.NewMatrix(t, a)
	if m.Symmetric || m.Diagonals == nil || m.Diagonals.Symmetric() {
		t.Fatal("not recognised")
	}
	b := graphs.Source(m.N(), 1)
	_, err := matrix.Solve(context.Background(), m, b, gpusolve.Options{Device: "cpu", Preconditioner: "cmg"})
	if !errors.Is(err, matrix.ErrMatrix) || !strings.Contains(err.Error(), "the matrix is not symmetric: entry (") {
		t.Errorf("cmg: %v", err)
	}
	spec := matrix.Preconditioner(m)
	if spec == "" {
		return
	}
	s, err := matrix.Solve(context.Background(), m, b, gpusolve.Options{Device: "cpu", RTol: 1e-12})
	if err != nil || !s.Status.Converged {
		t.Fatalf("%s: %v %+v", spec, err, s)
	}
	for i, want := range opstest.Eliminate(a, b) {
		if math.Abs(s.X[i]-want) > 1e-8 {
			t.Fatalf("%s: value %d is %g, want %g", spec, i, s.X[i], want)
		}
	}
}

// An indefinite matrix that no entry gives away breaks conjugate gradients down, and the status says so.
func TestIndefiniteMatrixBreaksDown(t *testing.T) {
	var e sparse.Triplets
	for r, row := range [][]float64{{1, 0.9, 0.9}, {0.9, 1, -0.9}, {0.9, -0.9, 1}} {
		for c, v := range row {
			e.Add(int32(r), int32(c), v)
		}
	}
	a, _, err := sparse.FromTriplets(3, &e)
	if err != nil {
		t.Fatal(err)
	}
	s, err := matrix.Solve(context.Background(), solves.NewMatrix(t, a), []float64{1, -1, -1},
		gpusolve.Options{Device: "cpu", Preconditioner: "none"})
	if err != nil || s.Status.Converged || s.Status.Reason != solution.ReasonBreakdown {
		t.Errorf("%v %+v", err, s)
	}
}

func TestMatrixSolveInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	a := solves.NewMatrix(t, solves.Laplacian(9, 9, 9).CSR())
	b := graphs.Source(a.N(), 1)
	s, err := matrix.Solve(ctx, a, b, gpusolve.Options{Device: "cpu", RTol: 1e-12})
	if !errors.Is(err, context.Canceled) || len(s.X) != a.N() || s.Status.Converged {
		t.Errorf("%v %+v", err, s)
	}
}

// One device serves solves of all kinds, one after the other.
func TestSharedDevice(t *testing.T) {
	d, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Release()
	for range 2 {
		s := solves.Steady(t, cases.Stack10(cases.Options{NX: 8}), gpusolve.Options{Executor: d})
		if !s.Status.Converged || s.Device.Kind != "cpu" {
			t.Errorf("%+v on %+v", s.Status, s.Device)
		}
		s.Close()
		a := solves.NewMatrix(t, solves.Laplacian(4, 4, 4).CSR())
		if s, err := matrix.Solve(context.Background(), a, make([]float64, 64),
			gpusolve.Options{Executor: d}); err != nil || !s.Status.Converged {
			t.Errorf("%v %+v", err, s)
		}
	}
	if d.Allocated() != 0 {
		t.Errorf("%d bytes are left", d.Allocated())
	}
	if _, err := device.Open("gpu:99"); !errors.Is(err, gpusolve.ErrDevice) {
		t.Errorf("gpu:99: %v", err)
	}
}

// From a solution nothing is left to iterate, and from elsewhere the solution is the same; also where powers of two
// are taken out of matrix and right-hand side.
func TestSolveFrom(t *testing.T) {
	for _, powers := range [][2]int{{0, 0}, {60, -50}, {-70, 0}} {
		csr := solves.Laplacian(7, 5, 3).CSR()
		for i := range csr.Val {
			csr.Val[i] = math.Ldexp(csr.Val[i], powers[0])
		}
		a := solves.NewMatrix(t, csr)
		x, b := make([]float64, a.N()), make([]float64, a.N())
		for i := range x {
			x[i] = math.Ldexp(1+float64(i%4), powers[1]-powers[0])
		}
		a.Multiply(b, x)
		for _, executor := range []ops.Device{nil,
			solves.OnInterpreter(t, devices.Machine(interpreter.Options{NoRaces: true}))} {
			o := gpusolve.Options{Device: "cpu", Preconditioner: "jacobi", RTol: 1e-10, Executor: executor}
			m, err := matrix.Open(a, o)
			if err != nil {
				t.Fatal(err)
			}
			for n, start := range [][]float64{x, b} {
				s, err := m.SolveFrom(t.Context(), b, start, o)
				if err != nil || !s.Status.Converged || (n == 0) != (s.Status.Iterations == 0) {
					t.Fatalf("%v, start %d: %v, %+v", powers, n, err, s.Status)
				}
				for i := range x {
					if math.Abs(s.X[i]-x[i]) > 1e-8*math.Abs(x[i]) {
						t.Fatalf("%v, start %d: x[%d] = %g, want %g", powers, n, i, s.X[i], x[i])
					}
				}
			}
			m.Close()
		}
	}
}
