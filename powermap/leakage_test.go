package powermap

import (
	"math"
	"testing"

	"thermsim/stack"
)

// Leakage of blocks: equal laws make one term, each term holds the watts of its blocks by area, and a block leaks its
// watts times the mean of its law over the planes and cells that it lies on.
func TestLeakageOfBlocks(t *testing.T) {
	law := func(exponent float64) *stack.Curve { return &stack.Curve{At: 300, Value: 1, Exponent: exponent} }
	leaking := func(name string, watts, exponent float64, r stack.Rect) stack.Block {
		b := block(name, 1, r)
		b.Leakage = stack.Leakage{Watts: watts, Factor: law(exponent)}
		return b
	}
	s := oneLayer(3, stack.Power{Blocks: []stack.Block{
		leaking("a", 2, 1, stack.Rect{Width: 1, Height: 2}),
		leaking("b", 4, 1, stack.Rect{X: 1, Width: 1, Height: 1}),
		leaking("c", 8, 2, stack.Rect{X: 2, Width: 1, Height: 2}),
		block("d", 1, stack.Rect{X: 1, Y: 1, Width: 1, Height: 1}),
	}})
	m := mustMap(t, s, Grid{uniformFaces(3, 3), uniformFaces(3, 3)})
	all := m.Leakage()
	if len(all) != 1 || all[0].Layer != 1 || len(all[0].Terms) != 2 {
		t.Fatalf("%+v, want two terms of layer 1", all)
	}
	for n, want := range [][]float64{{1, 4, 0, 1, 0, 0, 0, 0, 0}, {0, 0, 4, 0, 0, 4, 0, 0, 0}} {
		for c, w := range all[0].Terms[n].Watts {
			if math.Abs(w-want[c]) > 1e-15 {
				t.Errorf("term %d: %g W in cell %d, want %g", n, w, c, want[c])
			}
		}
	}
	planes := [][]float64{{300, 600, 300, 600, 0, 900, 0, 0, 0}, {600, 600, 600, 300, 0, 600, 0, 0, 0}}
	got := m.LeakageWatts(&s.Layers[1].Powers[0], planes, func(l *stack.Curve) func(float64) float64 {
		return func(kelvin float64) float64 { return math.Pow(kelvin/l.At, l.Exponent) }
	})
	for b, want := range []float64{2 * 1.5, 4 * 2, 8 * (1 + 4 + 9 + 4) / 4, 0} {
		if len(got) != 4 || math.Abs(got[b]-want) > 1e-12 {
			t.Fatalf("blocks leak %g W, block %d should leak %g", got, b, want)
		}
	}
}
