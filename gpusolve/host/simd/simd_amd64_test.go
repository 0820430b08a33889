//go:build !purego

package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// field is a source of random rows that start at any distance from a multiple of 32 bytes.
type field struct {
	*rand.Rand
	spread float64 // of the values' logarithm
}

func (f field) single(n int) []float32 {
	skip := f.IntN(8)
	v := make([]float32, n+skip)
	for i := range v {
		v[i] = float32((f.Float64() - 0.4) * math.Exp(f.spread*f.NormFloat64()))
	}
	return v[skip:]
}

func (f field) double(n int) []float64 {
	skip := f.IntN(4)
	v := make([]float64, n+skip)
	for i := range v {
		v[i] = (f.Float64() - 0.4) * math.Exp(f.spread*f.NormFloat64())
	}
	return v[skip:]
}

// guarded is a row of n cells with what lies beyond it on either side.
type guarded[T float32 | float64] struct {
	all []T
	n   int
}

const guard = 9

func (g guarded[T]) row() []T { return g.all[guard : guard+g.n] }

func (g guarded[T]) clone() guarded[T] { return guarded[T]{slices.Clone(g.all), g.n} }

// TestAVX2 runs every kernel and the plain Go on the same random rows: the same bits, and nothing written beyond the
// rows.
func TestAVX2(t *testing.T) {
	if !avx2 {
		t.Skip("this processor has no AVX2")
	}
	for n := 1; n <= 70; n++ {
		for seed := range uint64(4) {
			for name, run := range kernels(n, field{rand.New(rand.NewPCG(uint64(n), seed)), 6}) {
				avx2 = true
				got := run()
				avx2 = false
				want := run()
				avx2 = true
				if !slices.Equal(got, want) {
					t.Fatalf("%s, %d cells: AVX2 and plain Go differ", name, n)
				}
			}
		}
	}
}

// kernels returns one closure per kernel: it runs on copies of its arguments and returns the bits of all it has
// written.
func kernels(n int, f field) map[string]func() []uint64 {
	single := func() []float32 { return f.single(n) }
	double := func() []float64 { return f.double(n) }
	y32 := guarded[float32]{f.single(n + 2*guard), n}
	y64, z64 := guarded[float64]{f.double(n + 2*guard), n}, guarded[float64]{f.double(n + 2*guard), n}
	nx := n + f.IntN(5)
	gx, gy := f.single(n+1), f.single(n+nx)
	l32 := &Lateral[float32]{nx, gx, gy, f.single(n + 2*nx)}
	l64 := &Lateral[float64]{nx, gx, gy, f.double(n + 2*nx)}
	a, b, c, d, e := single(), single(), single(), single(), single()
	p, q, r := double(), double(), double()
	s, w := float32(f.NormFloat64()), float32(f.NormFloat64())
	matrix := f.double(7 * (n + 1))
	slopes := single()
	long, short := f.single(2*n+2), f.single(n/2+2)

	row := func(body func(y []float32)) func() []uint64 {
		return func() []uint64 {
			y := y32.clone()
			body(y.row())
			return bits(y.all)
		}
	}
	row64 := func(body func(y []float64)) func() []uint64 {
		return func() []uint64 {
			y := y64.clone()
			body(y.row())
			return bits(y.all)
		}
	}
	return map[string]func() []uint64{
		"Start at the bottom":     row(func(y []float32) { Start(y, a, b, nil, nil) }),
		"Start":                   row(func(y []float32) { Start(y, a, b, c, d) }),
		"Eliminate at the bottom": row(func(y []float32) { Eliminate(y, a, b, nil, nil, l32) }),
		"Eliminate":               row(func(y []float32) { Eliminate(y, a, b, c, d, l32) }),
		"Substitute":              row(func(y []float32) { Substitute(y, a, b, c) }),
		"Scale":                   row(func(y []float32) { Scale(y, a, s) }),
		"Combine":                 row(func(y []float32) { Combine(y, a, b, s, w) }),
		"Momentum":                row(func(y []float32) { Momentum(y, a, b, c, s, w) }),
		"KeepLateral":             row(func(y []float32) { KeepLateral(y, a, s, l32) }),
		"Inflow":                  row(func(y []float32) { Inflow(y, a, l32) }),
		"Couple":                  row(func(y []float32) { Couple(y, a, b, c) }),
		"Drain":                   row(func(y []float32) { Drain(y, a, b) }),
		"Add":                     row(func(y []float32) { Add(y, a, s) }),
		"Blend":                   row(func(y []float32) { Blend(y, a, b, c, d, e, slopes) }),
		"Settle":                  row(func(y []float32) { Settle(y, a, b, c) }),
		"Factor": func() []uint64 {
			y, z := y32.clone(), y32.clone()
			Factor(y.row(), z.row(), a, b, c, l32)
			return slices.Concat(bits(y.all), bits(z.all))
		},
		"Carry": func() []uint64 {
			y, z := y32.clone(), y32.clone()
			Carry(y.row(), z.row(), a, b, c)
			return slices.Concat(bits(y.all), bits(z.all))
		},
		"Pull": func() []uint64 {
			y, z := y32.clone(), y32.clone()
			link := slices.Clone(a)
			link[n/2] = 0
			Pull(y.row(), z.row(), link, b, c)
			return slices.Concat(bits(y.all), bits(z.all))
		},
		"GatherPairs": row(func(y []float32) { GatherPairs(y, long, s, w) }),
		"SpreadPairs": row(func(y []float32) { SpreadPairs(y, short, s, w) }),
		"Split": func() []uint64 {
			all := [4]guarded[float32]{y32.clone(), y32.clone(), y32.clone(), y32.clone()}
			Split(all[0].row(), all[1].row(), all[2].row(), all[3].row(), a, b, c)
			return slices.Concat(bits(all[0].all), bits(all[1].all), bits(all[2].all), bits(all[3].all))
		},
		"Direction":          row(func(y []float32) { Direction(y, a, s) }),
		"Flow of FP32":       row64(func(y []float64) { Flow(y, l32, a, b, c, d) }),
		"Flow of FP64":       row64(func(y []float64) { Flow(y, l64, a, b, p, q) }),
		"AddProduct of FP32": row64(func(y []float64) { AddProduct(y, a, b) }),
		"AddProduct of FP64": row64(func(y []float64) { AddProduct(y, a, p) }),
		"AddRows":            row64(func(y []float64) { AddRows(y, matrix, r[:min(n, 7)], n+1) }),
		"Magnitude":          row64(func(y []float64) { Magnitude(y, l64, a, b) }),
		"AddMagnitude":       row64(func(y []float64) { AddMagnitude(y, a, p) }),
		"CombineDoubles":     row64(func(y []float64) { CombineDoubles(y, p, q, float64(s), float64(w)) }),
		"Stored":             func() []uint64 { return bits([]float64{Stored(a, p, q)}) },
		"Dot":                func() []uint64 { return bits([]float64{Dot(a, p)}) },
		"DotMax": func() []uint64 {
			sum, top := DotMax(a, b)
			return bits([]float64{sum, float64(top)})
		},
		"Update": func() []uint64 {
			x, v, v32 := y64.clone(), z64.clone(), y32.clone()
			sum := Update(x.row(), v.row(), v32.row(), e, p, float64(s))
			return slices.Concat(bits(x.all), bits(v.all), bits(v32.all), bits([]float64{sum}))
		},
		"Hold": func() []uint64 {
			y := y64.clone()
			sum := Hold(y.row(), p, a, q, r)
			return append(bits(y.all), bits([]float64{sum})...)
		},
		"Residual": func() []uint64 {
			y, y32 := y64.clone(), y32.clone()
			rr, bb, ff := Residual(y.row(), y32.row(), p, q, r)
			return slices.Concat(bits(y.all), bits(y32.all), bits([]float64{rr, bb, ff}))
		},
	}
}

func bits[T float32 | float64](v []T) []uint64 {
	b := make([]uint64, len(v))
	for i, x := range v {
		b[i] = math.Float64bits(float64(x))
	}
	return b
}

// BenchmarkRow: one row of 512 cells, in the first-level cache.
func BenchmarkRow(b *testing.B) {
	for _, with := range []bool{true, false} {
		for name, run := range map[string]func(f field) func(){
			"Eliminate": func(f field) func() {
				y, v, inv, g, below := f.single(512), f.single(512), f.single(512), f.single(512), f.single(512)
				l := &Lateral[float32]{512, f.single(513), f.single(1024), f.single(1536)}
				return func() { Eliminate(y, v, inv, g, below, l) }
			},
			"Flow": func(f field) func() {
				q, below, above, x := f.double(512), f.single(512), f.single(512), f.single(512)
				l := &Lateral[float32]{512, f.single(513), f.single(1024), f.single(1536)}
				return func() { Flow(q, l, below, above, x, x) }
			},
			"DotMax": func(f field) func() {
				r, z := f.single(512), f.single(512)
				return func() { DotMax(r, z) }
			},
		} {
			b.Run(fmt.Sprintf("%s/avx2=%v", name, with), func(b *testing.B) {
				body := run(field{rand.New(rand.NewPCG(1, 1)), 0})
				had := avx2
				avx2 = with && had
				for b.Loop() {
					body()
				}
				avx2 = had
			})
		}
	}
}
