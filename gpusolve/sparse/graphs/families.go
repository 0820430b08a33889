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

func (p *points) index(x float64) int { return min(p.side-1, int(x*float64(p.side))) }

func (p *points) bin(x [3]float64) int {
	b := 0
	for d := p.dim - 1; d >= 0; d-- {
		b = b*p.side + p.index(x[d])
	}
	return b
}

// near calls f for every later point within a distance, which is at most a bin's width.
func (p *points) near(v int, within float64, f func(u int, distance float64)) {
	x := p.at[v]
	lo, hi := [3]int{}, [3]int{}
	for d := range p.dim {
		lo[d], hi[d] = max(0, p.index(x[d])-1), min(p.side-1, p.index(x[d])+1)
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

// road is a square lattice of crossings from which a third of the streets is taken; each street is a chain of one to
// eight pieces of random length. The first row and all columns stay whole, which keeps it connected.
func road(n int, rng *rand.Rand) *net {
	const pieces = 4.5 // mean of 1 to 8
	// A crossing has 1 street along its column and, two times of three, one along its row: with their inner vertices 1
	// + (1 + 2/3) (pieces - 1).
	side := max(2, int(math.Sqrt(float64(n)/(1+(1+2./3)*(pieces-1)))))
	t := newNet(side * side)
	street := func(u, v int) {
		count, from := 1+rng.IntN(8), u
		for k := range count {
			to := v
			if k < count-1 {
				to = len(t.ground)
				t.ground = append(t.ground, 0)
			}
			t.tie(from, to, 1/(0.2+rng.ExpFloat64()))
			from = to
		}
	}
	for j := range side {
		for i := range side {
			if at := j*side + i; i+1 < side && (j == 0 || rng.IntN(3) > 0) {
				street(at, at+1)
			}
			if at := j*side + i; j+1 < side {
				street(at, at+side)
			}
		}
	}
	t.leak(rng, 0.001, 1)
	return t
}

// powerGrid has four layers of parallel wires in turn along x and y, each with twice the pitch of the one below and
// wires a third as resistive. Vias join crossings of neighbouring layers; a layer's vertices are its crossings. Every
// eighth crossing of the top layer in both directions has a pad, a conductance to the supply. A hundredth of the pieces
// is missing, as where macros block the lowest layer.
func powerGrid(n int, rng *rand.Rand) *net {
	const layers = 4
	// Layer l has wires at every 2^l-th track and vertices where wires of the layers below and above cross them; finest
	// pitch is one track. Vertices: tracks^2 (1/2 + 1/2 + 1/8 + ...): about 1.3 tracks^2 with the sums below.
	tracks := max(8, int(math.Sqrt(float64(n)/1.5)))
	t := &net{}
	index := make([]map[[2]int]int, layers)
	vertex := func(l, x, y int) int {
		at := [2]int{x, y}
		v, ok := index[l][at]
		if !ok {
			v = len(t.ground)
			index[l][at] = v
			t.ground = append(t.ground, 0)
		}
		return v
	}
	for l := range index {
		index[l] = map[[2]int]int{}
	}
	// Crossings between layers l and l+1: the wires of the even layer run along x at y multiples of its pitch.
	pitch := func(l int) int { return 1 << l }
	for l := range layers - 1 {
		px, py := pitch(l+1), pitch(l)
		if l%2 == 1 {
			px, py = pitch(l), pitch(l+1)
		}
		via := 2 + 3*float64(l)
		for y := 0; y < tracks; y += py {
			for x := 0; x < tracks; x += px {
				t.tie(vertex(l, x, y), vertex(l+1, x, y), via)
			}
		}
	}
	for l := range layers {
		t.wires(l, tracks, index[l], math.Pow(3, float64(l)), rng)
	}
	top, step := layers-1, 8*pitch(layers-1)
	for y := 0; y < tracks; y += step {
		for x := 0; x < tracks; x += step {
			if v, ok := index[top][[2]int{x, y}]; ok {
				t.ground[v] = 10
			}
		}
	}
	return t
}

// wires joins neighbouring vertices of one layer along its direction.
func (t *net) wires(l, tracks int, index map[[2]int]int, conductance float64, rng *rand.Rand) {
	pitch := 1 << l
	for across := 0; across < tracks; across += pitch {
		last, lastAt := -1, 0
		for along := range tracks {
			at := [2]int{along, across}
			if l%2 == 1 {
				at = [2]int{across, along}
			}
			v, ok := index[at]
			if !ok {
				continue
			}
			if last >= 0 && (l > 0 || rng.IntN(100) > 0) {
				t.tie(last, v, conductance*(0.8+0.4*rng.Float64())/float64(along-lastAt))
			}
			last, lastAt = v, along
		}
	}
}
