package fourier

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/internal/testtier"
	"thermsim/powermap"
)

// randomLayered is a stack of up to so many planes with conductances over several decades.
func randomLayered(rng *rand.Rand, nx, ny, nz int, inTime bool) *Layered {
	l := &Layered{NX: nx, NY: ny, NZ: nz, X: Ends(rng.IntN(4)), Y: Ends(rng.IntN(4)), GZ: make([]float64, nz+1)}
	for a, n := range []int{nx, ny} {
		if rng.IntN(3) == 0 {
			l.Widths[a] = randomWidths(rng, n)
			for end := range 2 {
				if ends := [...]Ends{l.X, l.Y}[a]; ends&(HeldLow<<end) != 0 && rng.IntN(2) == 0 {
					l.Films[a][end] = math.Pow(10, 3*rng.Float64()-2)
				}
			}
		}
	}
	decades := func(low, high float64) float64 { return math.Pow(10, low+(high-low)*rng.Float64()) }
	for k := range nz {
		l.GX = append(l.GX, decades(-5, -2))
		l.GY = append(l.GY, decades(-5, -2))
		l.GZ[k] = decades(-6, -1)
		if inTime {
			l.Capacity = append(l.Capacity, decades(-6, -2))
		}
	}
	l.GZ[0], l.GZ[nz] = 0, decades(-9, -4)
	if rng.IntN(2) == 0 {
		l.GZ[0] = decades(-9, -4)
	}
	return l
}

// randomWidths differ by a factor of up to 30.
func randomWidths(rng *rand.Rand, n int) []float64 {
	edges := make([]float64, n+1)
	for i := range n {
		edges[i+1] = edges[i] + math.Pow(30, rng.Float64())
	}
	return relativeWidths(edges)
}

func onHost(t testing.TB, d *host.Device, l *Layered) *hostOperations {
	t.Helper()
	e, err := newOnHost(d.NewSpace(l.NX*l.NY*l.NZ, 0), l, whole(l))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// matrix is the operator written down cell by cell.
func (l *Layered) matrix() *sparse.CSR {
	var t sparse.Triplets
	at := func(i, j, k int) int32 { return int32((k*l.NY+j)*l.NX + i) }
	couple := func(a, b int32, g float64) {
		t.Add(a, a, g)
		t.Add(b, b, g)
		t.Add(a, b, -g)
		t.Add(b, a, -g)
	}
	wx, wy := l.widthsOf(0, l.NX), l.widthsOf(1, l.NY)
	toEnd := func(axis, end int, width float64) float64 {
		switch ends := [...]Ends{l.X, l.Y}[axis]; {
		case l.Films[axis][end] > 0:
			return l.Films[axis][end]
		case ends&(HeldLow<<end) != 0:
			return 1 / (width / 2)
		}
		return 0
	}
	for k := range l.NZ {
		for j := range l.NY {
			for i := range l.NX {
				c := at(i, j, k)
				gx, gy, area := l.GX[k]*wy[j], l.GY[k]*wx[i], wx[i]*wy[j]
				if i > 0 {
					couple(at(i-1, j, k), c, gx/(wx[i-1]/2+wx[i]/2))
				} else {
					t.Add(c, c, gx*toEnd(0, 0, wx[i]))
				}
				if i == l.NX-1 {
					t.Add(c, c, gx*toEnd(0, 1, wx[i]))
				}
				if j > 0 {
					couple(at(i, j-1, k), c, gy/(wy[j-1]/2+wy[j]/2))
				} else {
					t.Add(c, c, gy*toEnd(1, 0, wy[j]))
				}
				if j == l.NY-1 {
					t.Add(c, c, gy*toEnd(1, 1, wy[j]))
				}
				if k > 0 {
					couple(at(i, j, k-1), c, l.GZ[k]*area)
				}
				t.Add(c, c, l.ground(k)*area)
			}
		}
	}
	rows, _, err := sparse.FromTriplets(l.NX*l.NY*l.NZ, &t)
	if err != nil {
		panic(err)
	}
	return rows
}

func (l *Layered) widthsOf(axis, n int) []float64 {
	if l.Widths[axis] != nil {
		return l.Widths[axis]
	}
	return slices.Repeat([]float64{1}, n)
}

// areas of the cells of a plane.
func (l *Layered) areas() []float64 {
	wx, areas := l.widthsOf(0, l.NX), []float64(nil)
	for _, depth := range l.widthsOf(1, l.NY) {
		for _, width := range wx {
			areas = append(areas, width*depth)
		}
	}
	return areas
}

// randomLoads are footprints in one plane, many footprints and a map over two, and a map alone.
func randomLoads(rng *rand.Rand, l *Layered) []Load {
	outline := &powermap.Outline{}
	var watts []float64
	for range 1 + rng.IntN(5) {
		f := powermap.Footprint{I: rng.IntN(l.NX), J: rng.IntN(l.NY)}
		for range 1 + rng.IntN(l.NX-f.I) {
			f.X = append(f.X, rng.Float64())
		}
		for range 1 + rng.IntN(l.NY-f.J) {
			f.Y = append(f.Y, rng.Float64())
		}
		outline.Footprints = append(outline.Footprints, f)
		watts = append(watts, rng.Float64())
	}
	loads := []Load{{Drawing: powermap.Drawing{Outline: outline, Watts: watts}, First: rng.IntN(l.NZ),
		Shares: []float64{1}}}
	plane := make([]float64, l.NX*l.NY)
	for c := range plane {
		plane[c] = rng.Float64()
	}
	both := *outline
	both.Planes = [][]float64{plane}
	if first := rng.IntN(l.NZ); first+1 < l.NZ {
		loads = append(loads, Load{powermap.Drawing{Outline: &both, Watts: watts, Factors: []float64{0.3}}, first,
			[]float64{0.25, 0.75}})
	}
	alone := &powermap.Outline{Planes: both.Planes}
	return append(loads, Load{powermap.Drawing{Outline: alone, Factors: []float64{2}}, rng.IntN(l.NZ), []float64{0.5}})
}

func dense(l *Layered, loads []Load) []float64 {
	sheet := l.NX * l.NY
	b, plane := make([]float64, sheet*l.NZ), make([]float64, sheet)
	for _, d := range loads {
		d.Draw(l.NX, 0, l.NY, plane)
		for n, share := range d.Shares {
			for c, w := range plane {
				b[(d.First+n)*sheet+c] += share * w
			}
		}
	}
	return b
}

// Steady states and three steps of time against an elimination of the matrix, which knows no transforms. The Residual
// is that of the matrix, and Sum that of the planes.
func TestSolvesAgreeWithElimination(t *testing.T) {
	dev := host.Open()
	defer dev.Close()
	for trial := range testtier.Pick(40, 120) {
		rng := rand.New(rand.NewPCG(uint64(trial), 3))
		nx, ny := 1+rng.IntN(9), 1+rng.IntN(9)
		nz := 1 + rng.IntN(min(30, 400/(nx*ny)))
		l := randomLayered(rng, nx, ny, nz, trial%2 == 1)
		e := onHost(t, dev, l)
		loads := randomLoads(rng, l)
		e.SetLoads(loads)
		a, b := l.matrix(), dense(l, loads)
		x := e.newModes()
		want := make([]float64, len(b))
		if l.Capacity == nil {
			e.Solve(x, nil, 1)
			want = opstest.Eliminate(a, b)
		} else {
			e.Solve(x, x, 3)
			for range 3 {
				held := append([]float64(nil), b...)
				areas := l.areas()
				for c := range held {
					held[c] += l.Capacity[c/(nx*ny)] * areas[c%(nx*ny)] * want[c]
				}
				want = opstest.Eliminate(a, held)
			}
		}
		got := planesOf(e, x)
		top := 0.0
		for _, v := range want {
			top = math.Max(top, v)
		}
		for c := range want {
			// what the elimination loses where little ties the stack to the ambient
			if math.Abs(got[c]-want[c]) > 2e-9*top {
				t.Fatalf("trial %d, %d x %d x %d, sides %d and %d: cell %d is %g, want %g", trial, nx, ny, nz, l.X, l.Y,
					c, got[c], want[c])
			}
		}
		checkResidual(t, e, x, a, b)
		checkSum(t, rng, e, x)
	}
}

func planesOf(e *hostOperations, x Modes) []float64 {
	p, _ := e.NewPlanes(e.NZ)
	e.Inverse(p, 0, x, 0, e.NZ)
	v := make([]float64, e.sheet*e.NZ)
	for k := range e.NZ {
		e.Read(p, k, v[k*e.sheet:])
	}
	return v
}

// checkResidual has the residual of twice the steady state be b, up to rounding.
func checkResidual(t *testing.T, e *hostOperations, x hostModes, a *sparse.CSR, b []float64) {
	t.Helper()
	if e.Capacity != nil {
		return
	}
	n := e.Residual(x, nil, nil)
	bb := 0.0
	for _, v := range b {
		bb += v * v
	}
	if math.Abs(n.Source-math.Sqrt(bb)) > 1e-12*n.Source || n.Residual > 64*n.Floor {
		t.Errorf("norms %+v, source %g", n, math.Sqrt(bb))
	}
	for c := range x {
		x[c] *= 2
	}
	top, areas := 0.0, e.areas()
	for c, v := range b {
		top = math.Max(top, math.Abs(v)/areas[c%len(areas)])
	}
	least := slices.Min(areas)
	if n := e.Residual(x, nil, nil); math.Abs(n.Residual-n.Source) > 1e-9*n.Source+40*n.Floor ||
		math.Abs(n.Max-top) > (1e-9*n.Source+40*n.Floor)/least {
		t.Errorf("twice the state: norms %+v, largest source %g", n, top)
	}
}

func checkSum(t *testing.T, rng *rand.Rand, e *hostOperations, x hostModes) {
	t.Helper()
	v := planesOf(e, x)
	wx, wy := make([]float64, e.NX), make([]float64, e.NY)
	for i := range wx {
		wx[i] = 1
		if rng.IntN(2) == 0 {
			wx[i] = rng.Float64()
		}
	}
	for j := range wy {
		wy[j] = 1
	}
	k := rng.IntN(e.NZ)
	want, size := 0.0, 0.0
	for j, y := range wy {
		for i, w := range wx {
			want += w * y * v[k*e.sheet+j*e.NX+i]
			size += math.Abs(w * y * v[k*e.sheet+j*e.NX+i])
		}
	}
	if got := e.Sum(x, k, wx, wy); math.Abs(got-want) > 1e-11*size {
		t.Errorf("sum %g, want %g", got, want)
	}
}

// The gain is no less than the largest value of the state under 1 W in every mean cell, and that value itself where the
// sides are adiabatic.
func TestGainBoundsTheInverse(t *testing.T) {
	dev := host.Open()
	defer dev.Close()
	for trial := range 60 {
		rng := rand.New(rand.NewPCG(uint64(trial), 9))
		l := randomLayered(rng, 1+rng.IntN(12), 1+rng.IntN(12), 1+rng.IntN(8), trial%3 == 0)
		e := onHost(t, dev, l)
		plane, shares := l.areas(), make([]float64, l.NZ)
		for k := range shares {
			shares[k] = 1
		}
		e.SetLoads(
			[]Load{{powermap.Drawing{Outline: &powermap.Outline{Planes: [][]float64{plane}}, Factors: []float64{1}}, 0,
				shares}})
		x := e.newModes()
		e.Solve(x, nilFor(l, x), 1)
		top := 0.0
		for _, v := range planesOf(e, x) {
			top = math.Max(top, v)
		}
		gain := l.Gain()
		if top > gain*(1+1e-9) || l.X == Adiabatic && l.Y == Adiabatic && top < gain*(1-1e-9) {
			t.Errorf("trial %d, sides %d and %d: gain %g, largest value %g", trial, l.X, l.Y, gain, top)
		}
	}
}

// nilFor is the state before: zero in time, none in a steady state.
func nilFor(l *Layered, zero hostModes) Modes {
	if l.Capacity == nil {
		return nil
	}
	return zero
}
