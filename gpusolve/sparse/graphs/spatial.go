package graphs

import (
	"math"
	"math/rand/v2"
)

// points are random positions, binned so that near ones are found quickly.
type points struct {
	at   [][3]float64
	bins [][]int32
	side int // bins along a direction
	dim  int
}

// scatter draws n points in the unit square or cube, sorted by bin so that near points have near numbers, about perBin
// of them in each.
func scatter(n, dim int, perBin float64, rng *rand.Rand) *points {
	p := &points{side: max(1, int(math.Pow(float64(n)/perBin, 1/float64(dim)))), dim: dim}
	total := 1
	for range dim {
		total *= p.side
	}
	drawn := make([][][3]float64, total)
	for range n {
		var x [3]float64
		for d := range dim {
			x[d] = rng.Float64()
		}
		b := p.bin(x)
		drawn[b] = append(drawn[b], x)
	}
	p.bins = make([][]int32, total)
	for b, list := range drawn {
		for _, x := range list {
			p.bins[b] = append(p.bins[b], int32(len(p.at)))
			p.at = append(p.at, x)
		}
	}
	return p
}

func (p *points) place(x float64) int { return min(p.side-1, int(x*float64(p.side))) }

func (p *points) bin(x [3]float64) int {
	b := 0
	for d := p.dim - 1; d >= 0; d-- {
		b = b*p.side + p.place(x[d])
	}
	return b
}

// near calls f for every later point within a distance, which is at most a bin's width.
func (p *points) near(v int, within float64, f func(u int, distance float64)) {
	x := p.at[v]
	lo, hi := [3]int{}, [3]int{}
	for d := range p.dim {
		lo[d], hi[d] = max(0, p.place(x[d])-1), min(p.side-1, p.place(x[d])+1)
	}
	for k := lo[2]; k <= hi[2]; k++ {
		for j := lo[1]; j <= hi[1]; j++ {
			for i := lo[0]; i <= hi[0]; i++ {
				for _, u := range p.bins[(k*p.side+j)*p.side+i] {
					if int(u) <= v {
						continue
					}
					y, s := p.at[u], 0.0
					for d := range p.dim {
						s += (x[d] - y[d]) * (x[d] - y[d])
					}
					if s <= within*within {
						f(int(u), math.Max(math.Sqrt(s), 1e-3*within))
					}
				}
			}
		}
	}
}

// geometric ties points of a square that lie within the radius that gives a mean degree of 12; chain holds stragglers
// to the rest.
func geometric(n int, rng *rand.Rand) *net {
	p := scatter(n, 2, 4, rng)
	t := newNet(n)
	radius := math.Min(math.Sqrt(12/(math.Pi*float64(n))), 1/float64(p.side))
	for v := range n {
		p.near(v, radius, func(u int, d float64) { t.tie(v, u, radius/d) })
	}
	t.chain()
	t.leak(rng, 0.001, 1)
	return t
}

// cloud does the same in a cube, for a mean degree of 12, which ties every point to its 6 nearest or so.
func cloud(n int, rng *rand.Rand) *net {
	p := scatter(n, 3, 3, rng)
	t := newNet(n)
	radius := math.Min(math.Cbrt(12*3/(4*math.Pi*float64(n))), 1/float64(p.side))
	for v := range n {
		p.near(v, radius, func(u int, d float64) { t.tie(v, u, radius*radius/(d*d)) })
	}
	t.chain()
	t.leak(rng, 0.001, 1)
	return t
}

// chain ties each vertex to the next by a weak edge, so that the graph is connected.
func (t *net) chain() {
	for v := 1; v < len(t.ground); v++ {
		t.tie(v-1, v, 0.01)
	}
}
