package ddilu

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"thermsim/gpusolve/cases"
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/opstest"
	"thermsim/gpusolve/opstest/devices"
	"thermsim/gpusolve/sparse"
	"thermsim/mesh"
)

// measured is a problem of the measurements.
type measured struct {
	name string
	load func(d *cuda.Device) (ops.Operator, ops.Source, error) // for one solve
	// settings to measure, the first being the default; whole is one factor of the whole grid.
	settings []string
	rtol     float64
	general  bool
}

func poisson(n int) measured {
	a := opstest.Upwind([3]int{n, n, n}, [3]float64{})
	a.LowerX, a.LowerY, a.LowerZ = nil, nil, nil
	return measured{fmt.Sprintf("Poisson %d^3", n), withSource(a),
		[]string{"", "rows=2048", "rows=3400", "rows=8000", "parallel=edges", "form=spin", "form=global", "form=levels"}, 1e-8, false}
}

func convection(n int) measured {
	a := opstest.Upwind([3]int{n, n, n}, [3]float64{1, 0.5, 0.1})
	return measured{fmt.Sprintf("convection %d^3", n), withSource(a), []string{"", "rows=2048", "form=levels"}, 1e-8, true}
}

func withSource(a *sparse.Diagonals) func(d *cuda.Device) (ops.Operator, ops.Source, error) {
	b := noise(a.N())
	return func(d *cuda.Device) (ops.Operator, ops.Source, error) {
		s, err := d.LoadDiagonals(a)
		if err != nil {
			return nil, nil, err
		}
		source, err := ops.Dense(s, b)
		return s, source, err
	}
}

// noise is even between -1 and 1.
func noise(n int) []float64 {
	v := make([]float64, n)
	state := uint64(1)
	for i := range v {
		state = state*6364136223846793005 + 1442695040888963407
		v[i] = float64(int64(state)>>11) / (1 << 52)
	}
	return v
}

func cuth(n int) measured {
	return measured{fmt.Sprintf("stack %d^2 x 10", n), func(d *cuda.Device) (ops.Operator, ops.Source, error) {
		m, err := mesh.Build(cases.Stack10(cases.Options{NX: n}))
		if err != nil {
			return nil, nil, err
		}
		s, err := d.Assemble(m, 0)
		if err != nil {
			return nil, nil, err
		}
		b, err := s.NewSource(true)
		if err == nil {
			b.SetPower(m.Power.Steady())
		}
		return s, b, err
	}, []string{"", "rows=2048", "rows=3400", "parallel=edges", "form=spin", "form=global", "form=levels"}, 1e-8, false}
}

// TestMeasureBricksOnGPU prints what docs/md reports. It takes minutes, so it wants THERMSIM_MEASURE set, to all or to a part of a problem's name.
func TestMeasureBricksOnGPU(t *testing.T) {
	wanted := os.Getenv("THERMSIM_MEASURE")
	if wanted == "" {
		t.Skip("measures for minutes: set THERMSIM_MEASURE=all")
	}
	d := devices.GPU(t)
	defer d.Close()
	defer d.Bind()()
	for _, problem := range []func() measured{
		func() measured { return poisson(160) },
		func() measured { return convection(160) },
		func() measured { return poisson(304) },
		func() measured { return cuth(714) },
		func() measured { return cuth(1871) },
	} {
		m := problem()
		if wanted != "all" && !strings.Contains(m.name, wanted) {
			continue
		}
		for _, settings := range m.settings {
			s, b, err := m.load(d)
			if err != nil {
				t.Fatal(err)
			}
			measureBricks(t, s, b, m, settings)
			s.Free()
		}
	}
}

func measureBricks(t *testing.T, s ops.Operator, b ops.Source, m measured, settings string) {
	start := time.Now()
	p := methodOn(t, s, settings)
	work, err := s.NewWorkspace()
	if err != nil {
		t.Fatal(err)
	}
	work.Scalars() // waits
	setup := time.Since(start)
	z, r := single(t, s), single(t, s)
	n := z.Len()
	s.Write(r, noise(n))
	replay, _, err := s.(krylov.Recorder).Record(func() { p.Apply(z, r) })
	if err != nil {
		t.Fatal(err)
	}
	var best time.Duration = 1 << 62
	for range 4 {
		replay()
		work.Scalars()
		start := time.Now()
		for range 5 {
			replay()
		}
		work.Scalars()
		best = min(best, time.Since(start)/5)
	}
	bytes := 24.0 // r, z, three entries of L, 1/D
	var solver krylov.Solver
	if m.general {
		bytes = 36
		solver, err = krylov.NewBiCGSTAB(s, p)
	} else {
		solver, err = krylov.NewPCG(s, p)
	}
	if err != nil {
		t.Fatal(err)
	}
	x, err := s.New64()
	if err != nil {
		t.Fatal(err)
	}
	rule := krylov.Rule{RTol: m.rtol, MaxIter: 20000}
	if settings != "" && n > 30e6 {
		rule.MaxIter = 1 // minutes otherwise
	}
	solver.Prepare(rule, x)
	solver.StartFromZero()
	start = time.Now()
	out := solver.Solve(t.Context(), rule, b, x)
	took := time.Since(start)
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	fmt.Printf("%-16s %-15s rows %9d setup %8.2f ms apply %9.1f us %6.0f GB/s iterations %5d converged %-5v %9.2f ms  %s\n", m.name, settings, n,
		float64(setup.Microseconds())/1e3, float64(best.Nanoseconds())/1e3, bytes*float64(n)/float64(best.Nanoseconds()), out.Iterations, out.Converged,
		float64(took.Microseconds())/1e3, p.Details())
}
