package slabs_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/multigrid"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/ranks/slabs"
	"thermsim/gpusolve/testing/cases"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
)

// solved is what a rank has at the end.
type solved struct {
	field []float64
	out   krylov.Outcome
	heat  [6]float64
	max   float64
	err   error
}

// solve solves for the steady state on a device.
func solve(m *mesh.Mesh, dev ops.Device) (r solved) {
	defer dev.Close()
	sys, err := dev.Assemble(m, 0)
	if err != nil {
		return solved{err: err}
	}
	defer sys.Free() // before the device: NCCL's communicator waits for the end of recorded launches
	b, err := sys.NewSource(true)
	if err != nil {
		return solved{err: err}
	}
	b.SetPower(m.Power.Steady())
	cycle, err := multigrid.New(sys)
	if err != nil {
		return solved{err: err}
	}
	pcg, err := krylov.NewPCG(sys, cycle)
	if err != nil {
		return solved{err: err}
	}
	x, err := sys.New64()
	if err != nil {
		return solved{err: err}
	}
	pcg.StartFromZero()
	r.out = pcg.Solve(context.Background(), krylov.Rule{RTol: 1e-11, MaxIter: 500}, b, x)
	r.field, r.heat, r.max, r.err = make([]float64, m.Cells()), sys.FaceHeat(x), sys.Max(x), sys.Err()
	sheet := m.NX() * m.NY()
	for k := range m.NZ() {
		sys.Plane(k, x, r.field[k*sheet:(k+1)*sheet])
	}
	return r
}

// onRanks solves on ranks in this process, which share grids whatever an exchange costs in columns, and joins the
// field.
func onRanks(m *mesh.Mesh, n, columns int) (of []solved, field []float64) {
	groups := ranks.Local(n)
	of = make([]solved, n)
	var wait sync.WaitGroup
	for r := range n {
		wait.Go(func() {
			dev := host.OpenShared(n)
			dev.LeastShared = columns
			if of[r] = solve(m, slabs.On(dev, groups[r])); of[r].err != nil {
				groups[r].Fail(of[r].err)
			}
		})
	}
	wait.Wait()
	for _, one := range of {
		if one.err != nil {
			return of, nil
		}
		if field == nil {
			field = make([]float64, len(one.field))
		}
		for c, v := range one.field {
			field[c] += v // of the other ranks it is 0
		}
	}
	return of, field
}

func build(t testing.TB, s *stack.Stack) *mesh.Mesh {
	t.Helper()
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Any number of ranks gives the field of one processor, to the bit, in as many iterations.
func TestRanksGiveTheFieldOfOne(t *testing.T) {
	refused := map[int]int{}
	for number := range testtier.Pick(uint64(15), 50) {
		s := cases.AnyStack(71, number)
		s.Grid.Y.Cells += 30 + 9*int(number%5)
		if n := len(s.Grid.Y.Segments); n > 0 {
			s.Grid.Y.Segments[n-1].Cells = s.Grid.Y.Cells - s.Grid.Y.Segments[0].Cells
		}
		m := build(t, s)
		want := solve(m, host.Open())
		for _, n := range []int{2, 3, 4, 5, 8} {
			name := fmt.Sprintf("stack %d, %d x %d x %d cells, %d ranks", number, m.NX(), m.NY(), m.NZ(), n)
			if _, _, err := multigrid.Choose(m).Share(m.NX(), m.NY(), n, 20); err != nil {
				refused[n]++
				continue
			}
			of, got := onRanks(m, n, []int{1, 20, 300}[number%3])
			for r := range of {
				if of[r].err != nil {
					t.Fatalf("%s: %v", name, of[r].err)
				}
				if o := of[r].out; o.Iterations != want.out.Iterations || o.Reason != want.out.Reason ||
					o.Norms != want.out.Norms {
					t.Errorf("%s: rank %d: %+v, alone %+v", name, r, o, want.out)
				}
				for f := range want.heat {
					if math.Abs(of[r].heat[f]-want.heat[f]) > 1e-12*math.Abs(want.heat[f])+1e-12 {
						t.Errorf("%s: %g W leave, alone %g", name, of[r].heat, want.heat)
					}
				}
				if of[r].max != want.max {
					t.Errorf("%s: at most %g K, alone %g", name, of[r].max, want.max)
				}
			}
			if !slices.Equal(got, want.field) {
				far := 0.0
				for c := range got {
					far = math.Max(far, math.Abs(got[c]-want.field[c]))
				}
				t.Errorf("%s: the field differs by up to %g K", name, far)
			}
		}
		runtime.GC()
	}
	t.Logf("grids too narrow, by ranks: %v", refused)
}

// The bits do not depend on the number of workers, nor on the run.
func TestBitsOfRanksDoNotDependOnWorkers(t *testing.T) {
	m := build(t, cases.Interposer(cases.Stack10(cases.Options{NX: 96})))
	var want []float64
	for _, procs := range []int{1, 2, 5, 5} {
		before := runtime.GOMAXPROCS(procs)
		of, got := onRanks(m, 3, 20)
		runtime.GOMAXPROCS(before)
		if of[0].err != nil {
			t.Fatal(of[0].err)
		}
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("another field with GOMAXPROCS %d", procs)
		}
	}
}

// A rank that fails ends all, which name it.
func TestOneFailureEndsAll(t *testing.T) {
	m := build(t, cases.Stack10(cases.Options{NX: 48}))
	groups := ranks.Local(3)
	lost := errors.New("out of memory")
	var wait sync.WaitGroup
	for r := range groups {
		wait.Go(func() {
			if r == 1 {
				groups[1].Fail(lost)
				return
			}
			var failure *ranks.Failure
			if s := solve(m, slabs.On(host.Open(), groups[r])); !errors.As(s.err, &failure) || failure.Rank != 1 ||
				!strings.Contains(s.err.Error(), lost.Error()) {
				t.Errorf("rank %d: %v", r, s.err)
			}
		})
	}
	wait.Wait()
}

// Borders lie where cells of all shared grids begin, slabs are alike, and grids that are too narrow are refused.
func TestShare(t *testing.T) {
	m := build(t, cases.Interposer(cases.Stack10(cases.Options{NX: 128})))
	for n := 2; n <= 16; n++ {
		p, levels, err := multigrid.Choose(m).Share(m.NX(), m.NY(), n, 20)
		if err != nil {
			t.Fatalf("%d ranks: %v", n, err)
		}
		rows := p
		for _, c := range multigrid.Choose(m).Coarsenings[:levels] {
			if rows.Least() < ops.Ghosts {
				t.Errorf("%d ranks share a grid of which one has %d rows", n, rows.Least())
			}
			next := ops.Partition{NX: c.X.Coarse(rows.NX), Borders: slices.Clone(rows.Borders)}
			if c.Y.Parent != nil {
				for r, j := range rows.Borders[1 : len(rows.Borders)-1] {
					if next.Borders[r+1] = int(c.Y.Parent[j]); c.Y.Parent[j] == c.Y.Parent[j-1] {
						t.Errorf("%d ranks: border %d divides a cell of a grid that they share", n, j)
					}
				}
				next.Borders[len(next.Borders)-1] = c.Y.Coarse(rows.NY())
			}
			rows = next
		}
		most := 0
		for r := range n {
			most = max(most, p.Borders[r+1]-p.Borders[r])
		}
		if ideal := float64(m.NY()) / float64(n); float64(most) > 1.3*ideal+1 {
			t.Errorf("%d ranks: %v", n, p.Borders)
		}
	}
	if _, _, err := multigrid.Choose(m).Share(m.NX(), m.NY(), 60, 20); err == nil {
		t.Error("60 ranks share 128 rows")
	}
}
