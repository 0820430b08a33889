package fourier

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/ranks"
)

// findings are all that a device tells of a few solves. Of planes a rank has its own rows.
type findings struct {
	planes, forwarded [][]float64 // as read, of the whole grid's size
	numbers           []float64   // maxima: the same bits for any number of ranks
	sums              []float64
	norms             []Norms
}

// found asks a device for everything, with loads that change.
func found(t *testing.T, e Operations, l *Layered, seed uint64) (f findings) {
	rng := rand.New(rand.NewPCG(seed, 77))
	loads := randomLoads(rng, l)
	wx, wy, space := noise(rng, l.NX), noise(rng, l.NY), noise(rng, l.NX*l.NY*l.NZ)
	x, err := e.NewModes()
	if err != nil {
		t.Error(err)
		return
	}
	var old Modes
	if l.Capacity != nil {
		old = x
	}
	e.SetLoads(loads)
	e.Solve(x, old, 1)
	loads[0].Watts = slices.Clone(loads[0].Watts)
	loads[0].Watts[0] += 2
	e.SetLoads(loads)
	e.Solve(x, old, 1)
	all, _ := e.NewPlanes(l.NZ)
	read := func() (planes [][]float64) {
		for k := range l.NZ {
			planes = append(planes, make([]float64, l.NX*l.NY))
			e.Read(all, k, planes[k])
		}
		return planes
	}
	e.Inverse(all, 0, x, 0, l.NZ)
	f.planes = read()
	f.numbers = append(f.numbers, e.Largest(e.Max(all, 0, l.NZ)), e.Largest(e.Max(all, l.NZ/2, 1)))
	for k := range l.NZ {
		f.sums = append(f.sums, e.Sum(x, k, wx, wy), e.Sum(x, k, slices.Repeat([]float64{1}, l.NX), wy))
	}
	f.norms = append(f.norms, e.Residual(x, old, all), e.Residual(x, old, nil))
	for k := range l.NZ {
		e.Write(all, k, space[k*l.NX*l.NY:(k+1)*l.NX*l.NY])
	}
	y, _ := e.NewModes()
	e.Forward(y, 0, l.NZ, all)
	e.Combine(y, 2, y, 0.5, x)
	e.Inverse(all, 0, y, 0, l.NZ)
	f.forwarded = read()
	if e.Err() != nil {
		t.Error(e.Err())
	}
	return f
}

// onRanks finds what so many ranks tell together: planes of the own rows of each.
func onRanks(t *testing.T, l *Layered, n int, seed uint64, open func(rank int) ops.Device) findings {
	t.Helper()
	of := make([]findings, n)
	var wait sync.WaitGroup
	for r, g := range ranks.Local(n) {
		wait.Go(func() {
			d := open(r)
			defer d.Close()
			defer d.Bind()()
			e, err := New(d, l, nil, g)
			if err != nil {
				t.Error(err)
				g.Fail(err)
				return
			}
			defer e.Close()
			if p, ok := e.(*hostOperations); ok {
				p.atOnce = min(4, l.NZ)
			}
			of[r] = found(t, e, l, seed)
			if err := e.Err(); err != nil {
				g.Fail(err)
			}
		})
	}
	wait.Wait()
	if t.Failed() {
		t.FailNow()
	}
	rows := Borders(l.NY, n)
	whole := of[0]
	for r, f := range of {
		if !slices.Equal(f.numbers, whole.numbers) || !slices.Equal(f.sums, whole.sums) ||
			!slices.Equal(f.norms, whole.norms) {
			t.Errorf("%d ranks: rank %d has other numbers than rank 0", n, r)
		}
		for k := range l.NZ {
			copy(whole.planes[k][rows[r]*l.NX:], f.planes[k][rows[r]*l.NX:rows[r+1]*l.NX])
			copy(whole.forwarded[k][rows[r]*l.NX:], f.forwarded[k][rows[r]*l.NX:rows[r+1]*l.NX])
		}
	}
	return whole
}

// same holds what ranks find to what one has: fields and maxima to the bit, norms and sums up to rounding where their
// order differs.
func (f *findings) same(t *testing.T, want *findings, normsToo bool) {
	t.Helper()
	equal := func(a, b [][]float64) bool { return slices.EqualFunc(a, b, slices.Equal[[]float64]) }
	if !equal(f.planes, want.planes) || !equal(f.forwarded, want.forwarded) || !slices.Equal(f.numbers, want.numbers) {
		t.Error("other fields")
	}
	size := 0.0
	for _, s := range want.sums {
		size = math.Max(size, math.Abs(s))
	}
	for n, s := range f.sums {
		if !(math.Abs(s-want.sums[n]) <= 1e-12*size) {
			t.Errorf("sum %d is %g, want %g", n, s, want.sums[n])
		}
	}
	for n, v := range f.norms {
		w := want.norms[n]
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*b }
		if v.Max != w.Max || !near(v.Residual, w.Residual) || !near(v.Source, w.Source) || !near(v.Floor, w.Floor) ||
			normsToo && v != w {
			t.Errorf("norms %+v, want %+v", v, w)
		}
	}
}

// rankedShapes are those of grids with few rows or columns for each rank, odd ones, and such as need several turns.
var rankedShapes = []struct {
	shape
	ranks []int
}{
	{shape{3, 3, 2}, []int{2}}, {shape{4, 30, 1}, []int{2}}, {shape{17, 15, 3}, []int{2, 3, 4, 5, 8}},
	{shape{16, 37, 11}, []int{3, 5, 8}}, {shape{34, 16, 4}, []int{2, 8}}, {shape{9, 64, 33}, []int{4, 5}},
}

// Any number of ranks finds the fields of one processor, to the bit.
func TestRanksOnHost(t *testing.T) {
	for n, s := range rankedShapes {
		for inTime := range 2 {
			for sides := range 4 {
				seed := uint64(n*8 + inTime*4 + sides)
				l := randomLayered(rand.New(rand.NewPCG(seed, 5)), s.nx, s.ny, s.nz, inTime == 1)
				l.X, l.Y = Ends(sides), Ends((sides+n)%4)
				want := onRanks(t, l, 1, seed, func(int) ops.Device { return host.Open() })
				for _, size := range s.ranks {
					got := onRanks(t, l, size, seed, func(int) ops.Device { return host.Open() })
					if got.same(t, &want, true); t.Failed() {
						t.Fatalf("%d ranks, %v, time %d, sides %d and %d", size, s.shape, inTime, l.X, l.Y)
					}
				}
			}
		}
	}
}

// What has too few rows or columns is refused.
func TestRanksWithoutRowsAreRefused(t *testing.T) {
	for _, c := range []struct{ nx, ny, ranks, ok int }{{3, 3, 2, 1}, {2, 9, 2, 0}, {9, 2, 2, 0}, {15, 15, 8, 1},
		{14, 99, 8, 0}, {1, 1, 1, 1}} {
		if err := CheckRanks(c.nx, c.ny, c.ranks); (err == nil) != (c.ok == 1) {
			t.Errorf("%+v: %v", c, err)
		}
		if c.ok == 1 {
			b := Borders(c.ny, c.ranks)
			for r := range c.ranks {
				if b[r+1] <= b[r] || b[r]%2 != 0 {
					t.Errorf("%+v: borders %v", c, b)
				}
			}
		}
	}
}
