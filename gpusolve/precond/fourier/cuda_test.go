package fourier

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
)

// basis is basis function k of n cells. Angles are multiples of pi/4n; whole turns are taken off before they are
// rounded.
func (e Ends) basis(k, i, n int) float64 {
	turn := func(halves int) float64 { return math.Pi / float64(4*n) * float64(halves*(2*i+1)%(8*n)) }
	switch e {
	case Adiabatic:
		return math.Cos(turn(2 * k))
	case Held:
		return math.Sin(turn(2*k + 2))
	case HeldLow:
		return math.Sin(turn(2*k + 1))
	}
	return math.Cos(turn(2*k + 1))
}

// slot is where the GPU keeps a wave number.
func (e Ends) slot(k, n int) int {
	if e.sines() {
		return n - 1 - k
	}
	return k
}

func (e Ends) norm(k, n int) float64 {
	if e == Adiabatic && k == 0 || e == Held && k == n-1 {
		return 1
	}
	return 2
}

func openGPU(t *testing.T, d *cuda.Device, l *Layered) *gpuOperations {
	t.Helper()
	return openWithin(t, d, l, allShared)
}

// allShared stands for all the shared memory of a block.
const allShared = -1

func openWithin(t *testing.T, d *cuda.Device, l *Layered, shared int) *gpuOperations {
	t.Helper()
	if shared == allShared {
		var err error
		if shared, err = d.Attribute(cudriver.MaxSharedMemoryPerBlockOptin); err != nil {
			t.Fatal(err)
		}
	}
	e, err := newWithin(d, l, nil, shared, whole(l))
	if err != nil {
		t.Fatal(err)
	}
	return e.(*gpuOperations)
}

// flat is a stack of so many planes with no matter which conductances.
func flat(nx, ny, nz int, x, y Ends) *Layered {
	l := &Layered{NX: nx, NY: ny, NZ: nz, X: x, Y: y, GZ: make([]float64, nz+1)}
	for k := range nz {
		l.GX, l.GY, l.GZ[k+1] = append(l.GX, 1), append(l.GY, 2), 3
	}
	return l
}

func noise(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// Rows of every kind of plan are sums of their coefficients times the basis functions, in both directions.
func transforms(t *testing.T, d *cuda.Device, lengths []int, shared int) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range lengths {
		for ends := Adiabatic; ends <= HeldHigh; ends++ {
			g := openWithin(t, d, flat(n, 1, 1, ends, Adiabatic), shared)
			const count = 3
			c := noise(rng, count*n)
			sample := samples(rng, n)
			var want []float64
			for r := range count {
				for _, i := range sample {
					sum := 0.0
					for k := range n {
						sum += ends.norm(k, n) * c[r*n+ends.slot(k, n)] * ends.basis(k, i, n)
					}
					want = append(want, sum)
				}
			}
			in, out, back := cuda.Upload(g.on.Space, c), cuda.Alloc[float64](g.on.Space, count*int64(n)),
				cuda.Alloc[float64](g.on.Space, count*int64(n))
			g.run(g.x, rows{in: in, out: out, planes: 1, rows: count, inverse: true})
			g.run(g.x, rows{in: out, out: back, planes: 1, rows: count, unit: 1 / float64(n)})
			got, again := make([]float64, count*n), make([]float64, count*n)
			cuda.Receive(g.on.Space, got, out)
			cuda.Receive(g.on.Space, again, back)
			if err := g.Err(); err != nil {
				t.Fatal(err)
			}
			var at []float64
			for r := range count {
				for _, i := range sample {
					at = append(at, got[r*n+i])
				}
			}
			if e := distance(at, want); e > 1e-14*math.Sqrt(float64(n))+2e-15 {
				t.Errorf("%d values, ends %d, plan %+v: inverse off by %.2g", n, ends, g.x.gpuPlan, e)
			}
			if e := distance(again, c); e > 3e-15 {
				t.Errorf("%d values, ends %d, plan %+v: there and back off by %.2g", n, ends, g.x.gpuPlan, e)
			}
			g.Close()
		}
	}
}

// samples are all places of short rows and some of long ones.
func samples(rng *rand.Rand, n int) []int {
	all := rng.Perm(n)
	return all[:min(n, 200)]
}

// distance is the norm of the difference over that of want.
func distance(got, want []float64) float64 {
	dd, ww := 0.0, 0.0
	for i, w := range want {
		dd += (got[i] - w) * (got[i] - w)
		ww += w * w
	}
	return math.Sqrt(dd / ww)
}

func interpreted(t *testing.T) *cuda.Device {
	d := devices.Interpreter(t, interpreter.Options{Cache: &parsed})
	t.Cleanup(func() { d.Close() })
	t.Cleanup(d.Bind())
	return d
}

var parsed interpreter.Cache

// All radices, alone and together, one value, compiled plans, and convolutions in both.
var lengths = []int{1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 6, 12, 26, 30, 33, 64, 77, 100, 117, 128, 256, 17, 19, 34, 101,
	367, 512, 509}

func TestTransformsOnInterpreter(t *testing.T) { transforms(t, interpreted(t), lengths, allShared) }
func TestLongTransformsOnInterpreter(t *testing.T) {
	transforms(t, interpreted(t), testtier.Pick([]int{1000, 1031}, []int{1000, 1009, 1024, 1031, 1871, 2048}),
		allShared)
}
func TestTransformsOnGPU(t *testing.T) {
	d := devices.GPU(t)
	defer d.Close()
	defer d.Bind()()
	transforms(t, d, append(lengths, 1024, 2048, 1871, 4096, 10000, 3001, 6007, 8192, 12288), allShared)
}

// planesFrom reads all planes of a state.
func planesFrom(t *testing.T, e Operations, l *Layered, x Modes) []float64 {
	t.Helper()
	p, err := e.NewPlanes(l.NZ)
	if err != nil {
		t.Fatal(err)
	}
	e.Inverse(p, 0, x, 0, l.NZ)
	n := l.NX * l.NY
	v := make([]float64, n*l.NZ)
	for k := range l.NZ {
		e.Read(p, k, v[k*n:(k+1)*n])
	}
	if e.Err() != nil {
		t.Fatal(e.Err())
	}
	return v
}

type shape struct{ nx, ny, nz int }

var shapes = []shape{{1, 1, 1}, {2, 3, 2}, {7, 5, 3}, {1, 9, 4}, {16, 1, 5}, {17, 23, 10}, {12, 30, 11}, {5, 6, 30},
	{9, 4, 33}, {64, 34, 2}, {6, 257, 3}}

// A GPU and the processor agree on all operations.
func conform(t *testing.T, d *cuda.Device, shapes []shape, shared int) {
	processor := host.Open()
	defer processor.Close()
	for n, s := range shapes {
		for inTime := range 2 {
			if testtier.Pick(inTime != n%2, false) { // the quick tier alternates between them
				continue
			}
			rng := rand.New(rand.NewPCG(uint64(n), uint64(inTime)))
			l := randomLayered(rng, s.nx, s.ny, s.nz, inTime == 1)
			t.Run(fmt.Sprintf("%v,time=%d,sides=%d,%d", s, inTime, l.X, l.Y), func(t *testing.T) {
				defer d.Bind()()
				g := openWithin(t, d, l, shared)
				defer g.Close()
				compare(t, rng, l, onHost(t, processor, l), g)
			})
		}
	}
}

func compare(t *testing.T, rng *rand.Rand, l *Layered, want, got Operations) {
	loads := randomLoads(rng, l)
	var states [2]Modes
	for i, e := range []Operations{want, got} {
		e.SetLoads(loads)
		x, err := e.NewModes()
		if err != nil {
			t.Fatal(err)
		}
		states[i] = x
		if l.Capacity == nil {
			e.Solve(x, nil, 1)
			continue
		}
		e.Solve(x, x, 1)
		e.Solve(x, x, 3)
	}
	near := func(what string, got, want []float64, tolerance float64) {
		t.Helper()
		if e := distance(got, want); !(e <= tolerance) {
			t.Errorf("%s differs by %.2g", what, e)
		}
	}
	near("solution", planesFrom(t, got, l, states[1]), planesFrom(t, want, l, states[0]), 1e-11)
	// Other watts, a load less, and the others as they were.
	fewer := slices.Clone(loads[:len(loads)-1])
	fewer[0].Watts = slices.Clone(fewer[0].Watts)
	fewer[0].Watts[0] += 2
	for i, e := range []Operations{want, got} {
		e.SetLoads(fewer)
		var old Modes
		if l.Capacity != nil {
			old = states[i]
		}
		e.Solve(states[i], old, 1)
	}
	all := planesFrom(t, want, l, states[0])
	near("second solution", planesFrom(t, got, l, states[1]), all, 1e-11)
	compareResults(t, rng, l, [2]Operations{want, got}, states, all)
}

func compareResults(t *testing.T, rng *rand.Rand, l *Layered, both [2]Operations, states [2]Modes, all []float64) {
	want, got := both[0], both[1]
	wx, wy := noise(rng, l.NX), noise(rng, l.NY)
	size := 0.0
	n := l.NX * l.NY
	k := rng.IntN(l.NZ)
	for c, v := range all[k*n : (k+1)*n] {
		size += math.Abs(v * wx[c%l.NX] * wy[c/l.NX])
	}
	for range 2 {
		if a, b := want.Sum(states[0], k, wx, wy), got.Sum(states[1], k, wx, wy); math.Abs(a-b) > 1e-11*size {
			t.Errorf("sum %g, want %g", b, a)
		}
	}
	for i := range 2 {
		var old [2]Modes
		if l.Capacity != nil {
			old = states
		}
		var norms [2]Norms
		for e, on := range both {
			p, _ := on.NewPlanes(l.NZ)
			on.Inverse(p, 0, states[e], 0, l.NZ)
			if a, b := on.Max(p, 0, l.NZ), slices.Max(all); math.Abs(a-b) > 1e-11*math.Abs(b) {
				t.Errorf("largest value %g, want %g", a, b)
			}
			if i == 0 {
				p = nil
			}
			norms[e] = on.Residual(states[e], old[e], p)
		}
		a, b := norms[0], norms[1]
		// At the ends of graded axes the processor counts what would pass from a cell to itself, much of the floor of a
		// single cell.
		alone := l.NX == 1 && l.Widths[0] != nil || l.NY == 1 && l.Widths[1] != nil
		if math.Abs(a.Source-b.Source) > 1e-10*a.Source || b.Floor < 0.4*a.Floor && !alone || b.Floor > 2.5*a.Floor ||
			math.Abs(a.Residual-b.Residual) > 1e-9*a.Source+30*a.Floor ||
			math.Abs(a.Max-b.Max) > 1e-9*a.Source+30*a.Floor {
			t.Errorf("norms %+v, want %+v", b, a)
		}
	}
	forwards(t, rng, l, got)
	preconditions(t, rng, l, want.(*hostOperations), got.(*gpuOperations))
}

// The same FP32 residual gives the same FP32 correction.
func preconditions(t *testing.T, rng *rand.Rand, l *Layered, want *hostOperations, got *gpuOperations) {
	n := l.NX * l.NY * l.NZ
	r := noise(rng, n)
	from, _ := want.s.New32()
	to, _ := want.s.New32()
	want.s.Write(from, r)
	want.rough, got.rough = want.newModes(), got.newModes()
	want.Precondition(to, from)
	a, b := make([]float64, n), make([]float64, n)
	want.s.Read(to, a)
	in, _ := got.on.New32()
	out, err := got.on.New32()
	if err != nil {
		t.Fatal(err)
	}
	got.on.Write(in, r)
	got.Precondition(out, in)
	got.on.Read(out, b)
	if d := distance(b, a); !(d < 1e-7) {
		t.Errorf("preconditioned vectors differ by %.2g", d)
	}
}

// Planes go to modes and back.
func forwards(t *testing.T, rng *rand.Rand, l *Layered, e Operations) {
	m, _ := e.NewModes()
	p, _ := e.NewPlanes(l.NZ)
	v := noise(rng, l.NX*l.NY*l.NZ)
	n := l.NX * l.NY
	for k := range l.NZ {
		e.Write(p, k, v[k*n:(k+1)*n])
	}
	e.Forward(m, 0, l.NZ, p)
	most := 1e-14
	for a, n := range []int{l.NX, l.NY} {
		if l.Widths[a] != nil { // sums of n products there and back
			most = max(most, 5e-16*math.Sqrt(float64(n)))
		}
	}
	if d := distance(planesFrom(t, e, l, m), v); d > most {
		t.Errorf("planes there and back differ by %.2g", d)
	}
	again, _ := e.NewModes()
	raw := make([]float64, len(v))
	e.ReadModes(m, raw)
	e.WriteModes(again, raw)
	if !slices.Equal(planesFrom(t, e, l, again), planesFrom(t, e, l, m)) {
		t.Error("a state that was kept on the host is another one")
	}
}

func TestConformanceOnInterpreter(t *testing.T) {
	small := []shape{{1, 1, 1}, {2, 3, 2}, {7, 5, 3}, {1, 9, 4}, {16, 1, 5}, {17, 23, 2}, {10, 6, 7}, {3, 2, 33},
		{64, 3, 2}, {2, 257, 1}}
	conform(t, interpreted(t), testtier.Pick(small, shapes), allShared)
}
func TestConformanceOnGPU(t *testing.T) {
	d := devices.GPU(t)
	defer d.Close()
	defer d.Bind()()
	conform(t, d, append(shapes, shape{512, 512, 10}, shape{1024, 100, 3}, shape{256, 400, 4}, shape{1103, 2048, 2},
		shape{401, 397, 40}), allShared)
}

// Few and small shapes, for a sanitizer.
func TestSmallOnGPU(t *testing.T) {
	d := devices.GPU(t)
	defer d.Close()
	defer d.Bind()()
	transforms(t, d, []int{30, 34, 509, 1000}, allShared)
	conform(t, d, []shape{{17, 23, 10}, {9, 4, 33}}, allShared)
}

// The same work gives the same bits, whatever the order of blocks and warps.
func TestBitsRepeatOnInterpreter(t *testing.T) {
	l := randomLayered(rand.New(rand.NewPCG(5, 6)), 34, 30, 5, true)
	loads := randomLoads(rand.New(rand.NewPCG(7, 8)), l)
	var first []float64
	for seed := range int64(3) {
		d := devices.Interpreter(t, interpreter.Options{Seed: seed, SMs: 1 + int(seed), Delay: int(100 * seed),
			Cache: &parsed, NoRaces: true})
		unbind := d.Bind()
		g := openGPU(t, d, l)
		g.SetLoads(loads)
		x := g.newModes()
		g.Solve(x, x, 2)
		p, err := g.NewPlanes(l.NZ)
		if err != nil {
			t.Fatal(err)
		}
		all := planesFrom(t, g, l, x)
		g.Inverse(p, 0, x, 0, l.NZ)
		n := g.Residual(x, x, p)
		all = append(all, n.Residual, n.Source, n.Floor, n.Max, g.Sum(x, 2, all[:l.NX], all[:l.NY]), g.Max(p, 0, l.NZ))
		if first == nil {
			first = all
		}
		if !slices.Equal(first, all) {
			t.Errorf("seed %d changes the result", seed)
		}
		g.Close()
		unbind()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Where shared memory holds no row, all of them are transformed in global memory.
func TestLongRowsOnInterpreter(t *testing.T) {
	d := interpreted(t)
	transforms(t, d, testtier.Pick([]int{1, 2, 13, 30, 34}, []int{1, 2, 13, 30, 34, 117, 256, 367}), 0)
	conform(t, d,
		testtier.Pick([]shape{{1, 1, 1}, {7, 5, 3}, {12, 17, 2}},
			[]shape{{1, 1, 1}, {7, 5, 3}, {12, 30, 4}, {17, 23, 3}}), 0)
}

// A block of the interpreter has 96 KiB of shared memory, which rows of 5783 values, or convolutions of 2892, exceed.
func TestRowsBeyondSharedMemory(t *testing.T) {
	for n, want := range map[int]bool{5760: false, 5824: true, 2879: false, 2897: true, 14000: true} {
		if p := planFor(n, 96<<10); p.long != want {
			t.Errorf("plan %+v", p)
		}
	}
	l := flat(5824, 1, 1, Adiabatic, Adiabatic)
	g := openGPU(t, interpreted(t), l)
	defer g.Close()
	if !g.x.long || g.y.long {
		t.Errorf("plans %+v, %+v", g.x.gpuPlan, g.y.gpuPlan)
	}
	forwards(t, rand.New(rand.NewPCG(9, 10)), l, g)
}

func TestLongRowsOnGPU(t *testing.T) {
	d := devices.GPU(t)
	defer d.Close()
	defer d.Bind()()
	transforms(t, d, append(lengths, 14000, 20011, 65536), 0)
	conform(t, d, append(shapes, shape{14000, 3, 2}, shape{3, 14009, 2}), allShared)
	conform(t, d, shapes, 0)
}
