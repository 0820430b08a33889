package cuda_test

import (
	"math"
	"sync"
	"testing"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/mesh"
	"thermsim/stack"
)

// opener opens a rank's device.
type opener func(t *testing.T, rank int) *cuda.Device

// interpreters gives every rank an interpreter of its own.
func interpreters() opener {
	cache := new(interpreter.Cache)
	return func(t *testing.T, _ int) *cuda.Device {
		return devices.Interpreter(t, interpreter.Options{Cache: cache})
	}
}

// oneInterpreter is a machine that all ranks share, each with a stream of its own.
func oneInterpreter() opener {
	m := interpreter.New(interpreter.Options{})
	return func(t *testing.T, _ int) *cuda.Device {
		d, err := cuda.Open(m, 0)
		if err != nil {
			t.Error(err)
		}
		return d
	}
}

// Ranks of one driver copy from one another.
func TestRowsChangeHandsByPeerCopies(t *testing.T) {
	rowsChangeHands(t, oneInterpreter(), []int{0, 4, 8, 13})
}

func TestSumsByPeerCopies(t *testing.T) {
	sumsOverRanks(t, oneInterpreter(), ranks.Local, []int{0, 3, 6, 13})
}

// Ranks of several processes sum in the order of the stream.
func TestSumsOnTheStream(t *testing.T) {
	sumsOverRanks(t, oneInterpreter(), severalProcesses, []int{0, 4, 13}, []int{0, 3, 6, 13})
}

// severalProcesses are ranks that do not tell that they are in one.
func severalProcesses(n int) []ranks.Group {
	groups := ranks.Local(n)
	for r, g := range groups {
		groups[r] = struct{ ranks.Group }{g}
	}
	return groups
}

// onRanks runs body for every rank of a partition, each on a device of its own.
func onRanks(t *testing.T, open opener, m *mesh.Mesh, dt float64, p ops.Partition,
	body func(t *testing.T, rank int, s ops.SlabSystem)) {
	t.Helper()
	onGroups(t, open, ranks.Local(len(p.Borders)-1), m, dt, p, body)
}

func onGroups(t *testing.T, open opener, groups []ranks.Group, m *mesh.Mesh, dt float64, p ops.Partition,
	body func(t *testing.T, rank int, s ops.SlabSystem)) {
	t.Helper()
	var wait sync.WaitGroup
	for rank, g := range groups {
		wait.Go(func() {
			d := open(t, rank)
			defer d.Close()
			defer d.Bind()()
			from, to := p.Held(rank)
			s, err := d.AssembleSlab(m.Slab(from, to), dt, ops.Slab{Rows: p, Group: g})
			if err != nil {
				g.Fail(err)
				t.Error(err)
				return
			}
			defer s.Free()
			body(t, rank, s)
			if err := s.Err(); err != nil {
				g.Fail(err)
				t.Error(err)
			}
		})
	}
	wait.Wait()
}

// values of a grid, each its own.
func values(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(i%1009) / 16
	}
	return v
}

// testMesh exchanges heat through all of its faces.
func testMesh(t *testing.T) *mesh.Mesh {
	t.Helper()
	s := cases.Stack10(cases.Options{NX: 7, NY: 13})
	for f := range s.Boundary {
		s.Boundary[f] = stack.Boundary{Kind: stack.Convective, H: 500 * float64(f+1), Temperature: 300 + float64(f)}
	}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func wholeVector(t *testing.T, s ops.SlabSystem, n int) ops.Vector {
	t.Helper()
	space, ok := cuda.SpaceOf(s)
	if !ok {
		t.Error("no space")
	}
	return cuda.NewVector[float32](space, int64(n), 7)
}

// rowsOf are the rows of a field that a rank holds.
func rowsOf(v []float64, nx, ny, from, to int) []float64 {
	var part []float64
	for at := 0; at < len(v); at += nx * ny {
		part = append(part, v[at+from*nx:at+to*nx]...)
	}
	return part
}

// TestRowsChangeHands fills ghost rows of vectors of both precisions, so many below and others above, and puts the own
// rows of all ranks together again.
func TestRowsChangeHands(t *testing.T) { rowsChangeHands(t, interpreters(), []int{0, 4, 8, 13}) }

func rowsChangeHands(t *testing.T, open opener, borders []int) {
	m := testMesh(t)
	nx, ny, nz := m.NX(), m.NY(), m.NZ()
	all := values(m.Cells())
	p := ops.Partition{NX: nx, Borders: borders}
	onRanks(t, open, m, 0, p, func(t *testing.T, rank int, s ops.SlabSystem) {
		from, to := p.Held(rank)
		first, end := p.Own(rank)
		held := rowsOf(all, nx, ny, from, to)
		start := make([]float64, len(held)) // ghosts are wrong at first
		for i, v := range held {
			start[i] = -1
			if j := i / nx % (to - from); j >= first && j < end {
				start[i] = v
			}
		}
		x, _ := s.New64()
		y, _ := s.New32()
		s.Write(x, start)
		s.Write(y, start)
		s.Exchange(p, 3, 2, x, y)
		for name, v := range map[string]ops.Vector{"FP64": x, "FP32": y} {
			got := make([]float64, len(held))
			s.Read(v, got)
			for i := range got {
				j, want := i/nx%(to-from), held[i]
				if j >= end+2 {
					want = -1 // the third row above was not asked for
				}
				if got[i] != want {
					t.Errorf("rank %d, %s: row %d has %g, want %g", rank, name, j, got[i], want)
					return
				}
			}
		}
		whole := wholeVector(t, s, nx*ny*nz)
		s.Collect(p, whole, y)
		got := make([]float64, nx*ny*nz)
		s.Read(whole, got)
		for i := range got {
			if got[i] != all[i] {
				t.Errorf("rank %d: cell %d of the whole is %g, want %g", rank, i, got[i], all[i])
				return
			}
		}
		s.Cut(p, y, whole)
		s.Read(y, start)
		for i := range start {
			if start[i] != held[i] {
				t.Errorf("rank %d: cell %d of the part is %g, want %g", rank, i, start[i], held[i])
				return
			}
		}
	})
}

// TestSumsOverRanks compares what slabs sum with the same system on one device, and the bits of all ranks.
func TestSumsOverRanks(t *testing.T) {
	sumsOverRanks(t, interpreters(), ranks.Local, []int{0, 4, 13}, []int{0, 3, 6, 13})
}

func sumsOverRanks(t *testing.T, open opener, join func(n int) []ranks.Group, partitions ...[]int) {
	m := testMesh(t)
	nx, ny := m.NX(), m.NY()
	all := values(m.Cells())
	one := devices.Interpreter(t, interpreter.Options{})
	defer one.Close()
	defer one.Bind()()
	whole, err := one.Assemble(m, 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Free()
	want := sumsOf(t, whole, all)
	for _, borders := range partitions {
		p := ops.Partition{NX: nx, Borders: borders}
		got := make([][]float64, len(borders)-1)
		onGroups(t, open, join(len(got)), m, 1e-3, p, func(t *testing.T, rank int, s ops.SlabSystem) {
			from, to := p.Held(rank)
			got[rank] = sumsOf(t, s, rowsOf(all, nx, ny, from, to))
		})
		for n := range want {
			if math.Abs(got[0][n]-want[n]) > 1e-6*math.Abs(want[n])+1e-12 {
				t.Errorf("%v: number %d is %v, want %v", borders, n, got[0][n], want[n])
			}
			for rank := range got {
				if got[rank][n] != got[0][n] {
					t.Errorf("%v: number %d is %v on rank %d and %v on rank 0", borders, n, got[rank][n], rank,
						got[0][n])
				}
			}
		}
	}
}

type inner interface {
	Inner(x, y ops.Vector) (product, largest float64)
}

// sumsOf are all numbers that a system reduces its vectors to.
func sumsOf(t *testing.T, s ops.System, values []float64) []float64 {
	x, _ := s.New64()
	old, _ := s.New64()
	r, _ := s.NewWork()
	z, _ := s.New32()
	q, _ := s.NewWork()
	s.Write(x, values)
	s.Fill(old, 2.5)
	w, err := s.NewWorkspace()
	if err != nil {
		t.Error(err)
		return nil
	}
	p, _ := w.NewDirection()
	s.Write(r, values)
	s.Write(z, values)
	var got []float64
	for n := range 3 {
		w.Dot(r, z, n == 0)
		w.DirectionApply(p, z, q)
		w.Update(x, r, r, p, z, q)
		sc := w.Scalars()
		got = append(got, sc.RZ, sc.PQ, sc.RR, sc.MaxZ)
	}
	w.Settle(x, p)
	square, largest := s.(inner).Inner(x, x)
	got = append(got, square, largest)
	b, err := s.NewSource(true)
	if err != nil {
		t.Error(err)
		return nil
	}
	s.Write(x, values)
	b.SetOld(old)
	norms := s.Residual(r, r, b, x)
	heat := s.FaceHeat(x)
	product, most := s.(inner).Inner(x, old)
	got = append(got, product, most)
	return append(append(got, norms.Residual, norms.Source, norms.Floor, s.Max(x), s.Stored(x, old)), heat[:]...)
}
