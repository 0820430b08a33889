package powermap

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "thermsim/internal/testtier" // fixes the seed of drawn tests
	"thermsim/stack"
)

const size = 1e-2 // m

func drawGrid(t *rapid.T) Grid {
	return Grid{drawFaces(t, "x", size), drawFaces(t, "y", size)}
}

func drawRect(t *rapid.T) stack.Rect {
	x := rapid.Float64Range(0, 0.998*size).Draw(t, "x")
	y := rapid.Float64Range(0, 0.998*size).Draw(t, "y")
	return stack.Rect{X: x, Y: y,
		Width:  rapid.Float64Range(1e-5, size-x).Draw(t, "width"),
		Height: rapid.Float64Range(1e-5, size-y).Draw(t, "height")}
}

func drawPower(t *rapid.T) stack.Power {
	switch rapid.IntRange(0, 2).Draw(t, "kind") {
	case 0:
		return stack.Power{Uniform: rapid.Float64Range(0, 1e3).Draw(t, "watts"), Area: drawRect(t)}
	case 1:
		nx, ny := rapid.IntRange(1, 30).Draw(t, "nx"), rapid.IntRange(1, 30).Draw(t, "ny")
		values := rapid.SliceOfN(rapid.Float64Range(0, 10), nx*ny, nx*ny).Draw(t, "tiles")
		return stack.Power{Map: &stack.PowerMap{NX: nx, NY: ny, Values: values}, Area: drawRect(t)}
	}
	p := stack.Power{AllowOverlap: true}
	for range rapid.IntRange(1, 8).Draw(t, "blocks") {
		b := stack.Block{Watts: rapid.Float64Range(0, 1e3).Draw(t, "watts")}
		for range rapid.IntRange(1, 3).Draw(t, "rects") {
			b.Rects = append(b.Rects, drawRect(t))
		}
		p.Blocks = append(p.Blocks, b)
	}
	return p
}

func must(t *rapid.T, s *stack.Stack, g Grid) *Map {
	m, err := New(s, g)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMappedEqualsRequested(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPower(t)
		m := must(t, oneLayer(size, p), drawGrid(t))
		want := p.Watts() // the model's own plain sum
		if math.Abs(m.Mapped-want) > 1e-12*want || math.Abs(m.Requested-want) > 1e-12*want {
			t.Fatalf("requested %.17g W, mapped %.17g W, want %.17g W", m.Requested, m.Mapped, want)
		}
	})
}

func TestPowered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPower(t)
		if len(p.Blocks) > 1 {
			p.Blocks[0].Watts = 0
		}
		g := drawGrid(t)
		l := must(t, oneLayer(size, p), g).Layers
		if len(l) == 0 {
			return
		}
		x, y := l[0].Powered()
		left, right, low, high := g.NX(), 0, g.NY(), 0
		for n, w := range l[0].Watts() {
			if i, j := n%g.NX(), n/g.NX(); w != 0 {
				left, right, low, high = min(left, i), max(right, i+1), min(low, j), max(high, j+1)
			}
		}
		if x != [2]int{left, right} || y != [2]int{low, high} {
			t.Fatalf("powered from %v to %v, want %d to %d and %d to %d", x, y, left, right, low, high)
		}
	})
}

func TestSourcesAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, a, b := drawGrid(t), drawPower(t), drawPower(t)
		both := must(t, oneLayer(size, a, b), g).Layers[0].Watts()
		first := must(t, oneLayer(size, a), g).Layers[0].Watts()
		second := must(t, oneLayer(size, b), g).Layers[0].Watts()
		for i, w := range both {
			if math.Abs(w-first[i]-second[i]) > 1e-13*math.Abs(w) {
				t.Fatalf("cell %d: %g W together, %g + %g W apart", i, w, first[i], second[i])
			}
		}
	})
}

// A coarse cell holds what the fine cells inside it hold.
func TestRefinementIsConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		coarse, p := drawGrid(t), drawPower(t)
		n := rapid.IntRange(2, 4).Draw(t, "refinement")
		fine := Grid{refined(coarse.X, n), refined(coarse.Y, n)}
		a := must(t, oneLayer(size, p), coarse)
		b := must(t, oneLayer(size, p), fine)
		gathered := make([]float64, len(a.Layers[0].Watts()))
		for i, w := range b.Layers[0].Watts() {
			x, y := i%fine.NX()/n, i/fine.NX()/n
			gathered[y*coarse.NX()+x] += w
		}
		// Edges are known to 2e-17 m, rectangles are 1e-5 m wide or more.
		for i, w := range a.Layers[0].Watts() {
			if math.Abs(w-gathered[i]) > 1e-11*a.Requested {
				t.Fatalf("cell %d: %g W coarse, %g W fine", i, w, gathered[i])
			}
		}
	})
}

func refined(faces []float64, n int) []float64 {
	fine := []float64{faces[0]}
	for i := range len(faces) - 1 {
		for k := 1; k < n; k++ {
			fine = append(fine, faces[i]+(faces[i+1]-faces[i])*float64(k)/float64(n))
		}
		fine = append(fine, faces[i+1])
	}
	return fine
}
