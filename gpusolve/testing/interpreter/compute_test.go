package interpreter_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/gpusolve/cuda/cudriver"
)

func randoms(n int) []float32 {
	rng := rand.New(rand.NewPCG(3, 4))
	v := make([]float32, n)
	for i := range v {
		v[i] = rng.Float32()
	}
	return v
}

func equal[T comparable](t testing.TB, what string, got, want []T) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s: element %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// fused is a*b+c in double precision: with the operands of these tests it rounds to single once.
func fused(a, b, c float32) float32 { return float32(math.FMA(float64(a), float64(b), float64(c))) }

func TestSaxpy(t *testing.T) {
	b := compute(t)
	const n = 1000 // the last block is not full
	x, y := randoms(n), randoms(2 * n)[n:]
	px, py := upload(b, x), upload(b, y)
	b.must(b.launch("saxpy", 8, 128, int32(n), float32(0.5), px, py))
	want := make([]float32, n)
	for i := range want {
		want[i] = fused(0.5, x[i], y[i])
	}
	equal(t, "y", download[float32](b, py, n), want)
}

// The columns' solution satisfies the equations d_k x_k - x_{k-1} - x_{k+1} = b_k.
func TestColumnSolve(t *testing.T) {
	b := compute(t)
	const n, nz = 100, 12
	d, rhs := randoms(n*nz), randoms(2 * n * nz)[n*nz:]
	for i := range d {
		d[i] += 2.5
	}
	x := zeros[float32](b, n*nz)
	b.must(b.launch("column", 4, 32, int64(n), upload(b, d), upload(b, rhs), x))
	v := download[float32](b, x, n*nz)
	for i := range n {
		for k := range nz {
			s := float64(d[k*n+i]) * float64(v[k*n+i])
			if k > 0 {
				s -= float64(v[(k-1)*n+i])
			}
			if k < nz-1 {
				s -= float64(v[(k+1)*n+i])
			}
			if e := math.Abs(s - float64(rhs[k*n+i])); e > 1e-5 {
				t.Fatalf("column %d, row %d: residual %g", i, k, e)
			}
		}
	}
}

func TestBlockSum(t *testing.T) {
	b := compute(t)
	x := randoms(4 * 96)
	out := zeros[float64](b, 4)
	b.must(b.launch("blockSum", 4, 96, upload(b, x), out))
	for k, got := range download[float64](b, out, 4) {
		want := 0.0
		for _, v := range x[96*k : 96*k+96] {
			want += float64(v)
		}
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("block %d: %v, want %v", k, got, want)
		}
	}
}

func TestDynamicSharedMemory(t *testing.T) {
	b := compute(t)
	x := randoms(3 * 70)
	y := zeros[float32](b, len(x))
	b.must(b.launchShared("reverse", 3, 70, 4*70, upload(b, x), y))
	want := slices.Clone(x)
	for k := range 3 {
		slices.Reverse(want[70*k : 70*k+70])
	}
	equal(t, "y", download[float32](b, y, len(x)), want)
}

func TestLocalMemory(t *testing.T) {
	b := compute(t)
	at := []int32{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3}
	out := zeros[int32](b, 64)
	b.must(b.launch("locals", 1, 64, upload(b, at), out))
	want := make([]int32, 64)
	for i := range want {
		a := [16]int32{}
		for k := range a {
			a[k] = int32(k * k)
		}
		for k := range a {
			a[at[k]] += at[i&15]
		}
		want[i] = a[i&15]
	}
	equal(t, "out", download[int32](b, out, 64), want)
}

func TestVectorsOfFloatsAndHalves(t *testing.T) {
	b := compute(t)
	const n = 40
	x := randoms(4 * n)
	h := make([]uint16, 2*n+2)
	for i := range h {
		h[i] = 0x3c00 + uint16(i*13%512) // 1 to 1.5
	}
	c := make([]int8, n)
	for i := range c {
		c[i] = int8(7*i - 128)
	}
	y, g, s := zeros[float32](b, 4*n), zeros[uint16](b, 2*n), zeros[int16](b, n)
	b.must(b.launch("vectors", 1, n, upload(b, x), y, upload(b, h), g, upload(b, c), s))
	for i, v := range download[float32](b, y, 4*n) {
		if v != 2*x[i] {
			t.Fatalf("y[%d] = %v, want %v", i, v, 2*x[i])
		}
	}
	for i, v := range download[uint16](b, g, 2*n) {
		a := halfValue(uint64(h[i]))
		if want := roundHalf(nil, a*a+halfValue(uint64(h[i+2]))); uint64(v) != want {
			t.Fatalf("g[%d] = %#x, want %#x", i, v, want)
		}
	}
	for i, v := range download[int16](b, s, n) {
		if v != 3*int16(c[i]) {
			t.Fatalf("s[%d] = %v, want %v", i, v, 3*int16(c[i]))
		}
	}
}

func TestAtomics(t *testing.T) {
	b := compute(t)
	const n = 700
	x := make([]uint32, n)
	want := make([]uint32, 8)
	for i := range x {
		x[i] = uint32(i*i) % 1013
		want[x[i]&7]++
	}
	count, sum, most := zeros[uint32](b, 8), zeros[float32](b, 1), zeros[uint32](b, 1)
	b.must(b.launch("histogram", 5, 64, int32(n), upload(b, x), count, sum, most))
	equal(t, "count", download[uint32](b, count, 8), want)
	equal(t, "sum", download[float32](b, sum, 1), []float32{n})
	equal(t, "most", download[uint32](b, most, 1), []uint32{slices.Max(x)})
}

func TestShufflesVotesAndBlockReductions(t *testing.T) {
	b := compute(t)
	const n = 96
	x := make([]int32, n)
	odd := uint32(0)
	for i := range x {
		x[i] = int32(i * 29 % 64)
		odd += uint32(x[i] & 1)
	}
	out := zeros[uint32](b, 7*n)
	b.must(b.launch("lanes", 1, n, upload(b, x), out))
	got := download[uint32](b, out, 7*n)
	for i := range n {
		lane, warp := i%32, i-i%32
		var ballot uint32
		any7, any7InBlock := uint32(0), uint32(0)
		for l := range 32 {
			ballot |= uint32(x[warp+l]&1) << l
			if x[warp+l] == 7 {
				any7 = 2
			}
		}
		if slices.Contains(x, 7) {
			any7InBlock = 2
		}
		up := x[i]
		if lane >= 2 {
			up = x[i-2]
		}
		want := [7]uint32{ballot, uint32(x[warp+(lane^5)]), uint32(up), uint32(x[warp+int(x[i]&31)]), 1 | any7, odd,
			1 | any7InBlock}
		for k, w := range want {
			if got[k*n+i] != w {
				t.Fatalf("result %d of thread %d is %#x, want %#x", k, i, got[k*n+i], w)
			}
		}
	}
	if bits.OnesCount32(got[0]) == 0 {
		t.Error("the ballot is empty: the test tests nothing")
	}
}

func TestDivergentBranches(t *testing.T) {
	b := compute(t)
	const n = 128
	x := make([]int32, n)
	want := make([]int32, n)
	for i := range x {
		x[i] = int32(i * 37 % 53)
		s := int32(0)
	loop:
		for k := range x[i] {
			switch {
			case k%3 == 0:
				s += k
			case k%3 == 1:
				s ^= int32(i)
			case s > 50:
				break loop
			}
		}
		switch x[i] & 7 {
		case 0:
			s += 11
		case 1:
			s *= 3
		case 2:
			s -= 5
		case 5:
			s = -s
		case 7:
			s ^= 0x55
		}
		want[i] = s
	}
	out := zeros[int32](b, n)
	b.must(b.launch("branches", 1, n, upload(b, x), out))
	equal(t, "out", download[int32](b, out, n), want)
}

func TestStructuresConstantsAndVariables(t *testing.T) {
	b := compute(t)
	const n = 32
	p := parameters{[3]float64{0.5, 0.25, 3}, 7, 0.125}
	out := zeros[float64](b, n)
	for range 2 { // the module's counter keeps its value between launches
		b.must(b.launch("parameters", 1, n, p, out))
	}
	table := []float64{1, 2, 4, 8}
	want := make([]float64, n)
	for i := range want {
		want[i] = p.scale[i%3]*7 + 0.125 + table[i&3]
	}
	want[1] = 2
	equal(t, "out", download[float64](b, out, n), want)
}

// Offsets past 2^32 bytes, without the memory: pages come to be when they are written.
func TestAddressesPast32Bits(t *testing.T) {
	b := compute(t)
	const stride = 1<<29 + 12345 // in floats: the last of 8 threads is 15 GB away
	p := b.alloc(4 * (7*stride + 1))
	b.must(b.launch("far", 1, 8, p, int64(stride)))
	for i := range 8 {
		equal(t, "far", download[float32](b, p+cudriver.DevicePtr(4*i*stride), 1), []float32{float32(i)})
	}
}
