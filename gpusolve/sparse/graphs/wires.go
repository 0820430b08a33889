package graphs

import (
	"math"
	"math/rand/v2"
)

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
