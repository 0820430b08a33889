package opstest

import (
	"math"
	"math/rand/v2"
	"reflect"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reduction"
	"thermsim/mesh"
)

// reductions checks statistics and quanta of a field, with and without cells that are no numbers, bit for bit against
// package reduction.
func (f *Fixture) reductions() {
	on, ok := f.Sys.(reduction.Reducer)
	if !ok {
		f.Error("no reductions")
		return
	}
	r := f.randomRegions()
	prepared, err := on.NewReduction(r)
	if err != nil || prepared == nil {
		f.Fatal(prepared, err)
	}
	x := f.Must(f.Sys.New64())
	a := f.Random(x)
	const offset = 300.1
	for round := range 3 {
		switch round {
		case 1: // equal maxima, of which the first counts
			for range len(a) / 2 {
				a[f.rng.IntN(len(a))] = 9
			}
		case 2:
			for n := range 1 + len(a)/5 {
				a[f.rng.IntN(len(a))] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300}[n%4]
			}
		}
		f.Sys.Write(x, a)
		sheet := f.ref.nx * f.ref.ny
		want, err := r.Reduce(func(k int) ([]float64, error) { return a[k*sheet : (k+1)*sheet], nil }, offset)
		if err != nil {
			f.Fatal(err)
		}
		got := prepared.Of(x, offset)
		if later, ok := prepared.(reduction.Deferring); ok && round > 0 {
			got = f.later(later, x, offset)
		}
		if !reflect.DeepEqual(bits(got), bits(want)) {
			f.Fatalf("round %d: statistics are\n%+v, want\n%+v", round, got, want)
		}
		for factor := range 4 {
			f.quanta(on, x, a, offset,
				reduction.Quanta{Factor: factor + 1, Base: 300, Quantum: 0.02 * float64(1+factor)})
		}
		f.quanta(on, x, a, offset, reduction.Quanta{Factor: 1, Base: 300.1, Quantum: 2}) // halves
		f.maxima(x, a, offset)
	}
}

// later leaves statistics in several places, of another vector between two of x, and reads them together.
func (f *Fixture) later(on reduction.Deferring, x ops.Vector, offset float64) *reduction.Values {
	s, err := on.Series(3)
	if err != nil || s == nil {
		f.Fatal(s, err)
	}
	other := f.Must(f.Sys.New64())
	f.Random(other)
	for slot, v := range []ops.Vector{x, other, x} {
		s.Leave(slot, v, offset)
	}
	all := s.Read(3)
	if !reflect.DeepEqual(bits(all[0]), bits(all[2])) || !reflect.DeepEqual(bits(all[1]), bits(on.Of(other, offset))) {
		f.Error("statistics left in places are not those of their vectors")
	}
	f.Sys.Release(other)
	return all[2]
}

// bits are numbers that compare equal where they are the same; numbers that are none are all alike.
func bits(v *reduction.Values) any {
	of := func(x float64) uint64 {
		if x != x {
			return 1
		}
		return math.Float64bits(x)
	}
	var all []uint64
	for _, e := range v.Extents {
		all = append(all, of(e.Sum), of(e.Weight), of(e.Min), of(e.Max), uint64(e.Rect), uint64(e.Cell),
			uint64(e.NonFinite))
	}
	for _, p := range v.Points {
		all = append(all, of(p))
	}
	for _, p := range v.Peaks {
		all = append(all, of(p.Max), uint64(p.Plane), uint64(p.Cell))
	}
	for _, p := range v.PlanePeaks {
		all = append(all, of(p.Max), uint64(p.Plane), uint64(p.Cell))
	}
	return all
}

func (f *Fixture) quanta(on reduction.Reducer, x ops.Vector, a []float64, offset float64, q reduction.Quanta) {
	f.Helper()
	nx, sheet := f.ref.nx, f.ref.nx*f.ref.ny
	shown := q.Side(nx) * q.Side(f.ref.ny)
	want, got := make([]int32, f.ref.nz*shown), make([]int32, f.ref.nz*shown)
	kelvin := make([]float64, sheet)
	for k := range f.ref.nz {
		for c := range kelvin {
			kelvin[c] = a[k*sheet+c] + offset
		}
		q.Plane(want[k*shown:(k+1)*shown], kelvin, nx)
	}
	if !on.Quantise(x, offset, q, got) {
		f.Fatal("no room to quantise")
	}
	for n := range want {
		if got[n] != want[n] {
			f.Fatalf("factor %d: count %d is %d, want %d", q.Factor, n, got[n], want[n])
		}
	}
}

// randomRegions are groups of no, one and several rectangles, points and bins.
func (f *Fixture) randomRegions() *reduction.Regions {
	nx, ny, nz := f.ref.nx, f.ref.ny, f.ref.nz
	r := reduction.Regions{NX: nx, NY: ny, NZ: nz, BinsX: 1 + f.rng.IntN(nx), BinsY: 1 + f.rng.IntN(ny),
		PlanePeaks: true}
	for range 5 {
		var group []reduction.Rect
		for k := range nz {
			for range f.rng.IntN(3) {
				group = append(group, randomRect(f.rng, k, nx, ny))
			}
		}
		var sample mesh.Sample
		for k := range nz {
			for range f.rng.IntN(3) {
				sample.Terms = append(sample.Terms,
					mesh.Term{Plane: k, Cell: f.rng.IntN(nx * ny), Weight: f.rng.Float64()})
			}
		}
		sample.Constant = f.rng.Float64()
		r.Groups, r.Points = append(r.Groups, group), append(r.Points, sample)
	}
	made, err := reduction.New(r)
	if err != nil {
		f.Fatal(err)
	}
	return made
}

func randomRect(rng *rand.Rand, k, nx, ny int) reduction.Rect {
	t := reduction.Rect{Plane: k, I: rng.IntN(nx), J: rng.IntN(ny), Z: rng.Float64()}
	weights := func(n int) []float64 {
		w := make([]float64, 1+rng.IntN(n))
		for i := range w {
			w[i] = rng.Float64()
		}
		return w
	}
	t.X, t.Y = weights(nx-t.I), weights(ny-t.J)
	return t
}
