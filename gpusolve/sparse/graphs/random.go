package graphs

import (
	"math"
	"math/rand/v2"
)

// powerLaw is a Barabasi-Albert graph: every new vertex ties itself to 4 ends of edges drawn at random, so to vertices
// in proportion to their degree.
func powerLaw(n int, rng *rand.Rand) *net {
	const links = 4
	t := newNet(n)
	var ends []int32
	for v := 1; v < n; v++ {
		for k := range links {
			to := 0
			switch {
			case k == 0 && v <= links:
				to = v - 1
			case len(ends) > 0:
				to = int(ends[rng.IntN(len(ends))])
			}
			t.tie(v, to, 0.5+rng.Float64())
			ends = append(ends, int32(v), int32(to))
		}
	}
	t.leak(rng, 0.01, 0.1)
	return t
}

// apollonian starts from a triangle and puts every new vertex into a random face.
func apollonian(n int, rng *rand.Rand) *net {
	t := newNet(n)
	weight := func() float64 { return 0.5 + rng.Float64() }
	t.tie(0, 1, weight())
	t.tie(1, 2, weight())
	t.tie(2, 0, weight())
	faces := [][3]int32{{0, 1, 2}, {0, 1, 2}}
	for v := 3; v < n; v++ {
		f := rng.IntN(len(faces))
		a := faces[f]
		for _, corner := range a {
			t.tie(v, int(corner), weight())
		}
		faces[f] = [3]int32{a[0], a[1], int32(v)}
		faces = append(faces, [3]int32{a[1], a[2], int32(v)}, [3]int32{a[2], a[0], int32(v)})
	}
	t.leak(rng, 0.001, 1)
	return t
}

func expander(n int, rng *rand.Rand) *net {
	t := newNet(n)
	for range 3 {
		t.cycle(rng, func() float64 { return 1 })
	}
	t.leak(rng, 0.001, 1)
	return t
}

// signed is two random cycles; a quarter of the edges change sign.
func signed(n int, rng *rand.Rand) *net {
	t := newNet(n)
	for range 2 {
		t.cycle(rng, func() float64 {
			if rng.IntN(4) == 0 {
				return -(0.5 + rng.Float64())
			}
			return 0.5 + rng.Float64()
		})
	}
	t.leak(rng, 0.05, 0.1)
	return t
}

// cycle ties all vertices into a ring in random order.
func (t *net) cycle(rng *rand.Rand, weight func() float64) {
	order := rng.Perm(len(t.ground))
	for i, u := range order {
		t.tie(u, order[(i+1)%len(order)], weight())
	}
}

// leak grounds a share of the vertices.
func (t *net) leak(rng *rand.Rand, share, g float64) {
	for v := range t.ground {
		if rng.Float64() < share {
			t.ground[v] = g
		}
	}
}

// smallWorld is a Watts-Strogatz graph: 3 neighbours on either side, a tenth of the edges with one end moved anywhere.
// The next neighbours stay, so that it is connected.
func smallWorld(n int, rng *rand.Rand) *net {
	t := newNet(n)
	for v := range n {
		for d := 1; d <= 3; d++ {
			to := (v + d) % n
			if d > 1 && rng.IntN(10) == 0 {
				to = rng.IntN(n)
			}
			t.tie(v, to, 1)
		}
	}
	t.leak(rng, 0.001, 1)
	return t
}

// tree ties every vertex to an earlier one, drawn near it, by weights from 1e-3 to 1e3, and adds loops.
func tree(n int, rng *rand.Rand) *net {
	t := newNet(n)
	weight := func() float64 { return math.Pow(10, 6*rng.Float64()-3) }
	for v := 1; v < n; v++ {
		t.tie(v, max(0, v-1-rng.IntN(100)), weight())
	}
	for range n / 20 {
		t.tie(rng.IntN(n), rng.IntN(n), weight())
	}
	t.leak(rng, 0.0005, 1)
	return t
}

// communities are groups of 50 of mean degree 10, strung together and tied at random by weak edges.
func communities(n int, rng *rand.Rand) *net {
	const size, weak = 50, 1e-4
	t := newNet(n)
	for v := 1; v < n; v++ {
		first := v - v%size
		if v == first {
			t.tie(v, v-1, weak)
			continue
		}
		t.tie(v, v-1, 1)
		for range 4 {
			t.tie(v, first+rng.IntN(v-first), 0.5+rng.Float64())
		}
		if rng.IntN(10) == 0 {
			t.tie(v, rng.IntN(n), weak)
		}
	}
	t.leak(rng, 0.0002, 1)
	return t
}
