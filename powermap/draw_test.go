package powermap

import (
	"math"
	"testing"

	"thermsim/stack"
)

func uniformFaces(n int, length float64) []float64 {
	faces := make([]float64, n+1)
	for i := range faces {
		faces[i] = length * float64(i) / float64(n)
	}
	return faces
}

func oneLayer(size float64, powers ...stack.Power) *stack.Stack {
	return &stack.Stack{Size: [2]float64{size, size},
		Layers: []stack.Layer{{Name: "bulk"}, {Name: "die", Powers: powers}}}
}

func block(name string, watts float64, rects ...stack.Rect) stack.Block {
	return stack.Block{Name: name, Watts: watts, Rects: rects}
}

func mustMap(t testing.TB, s *stack.Stack, g Grid) *Map {
	t.Helper()
	m, err := New(s, g)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Cells are numbered from the south-west corner, x fastest; expected watts are worked out by hand.
func TestDrawByHand(t *testing.T) {
	grid2 := Grid{uniformFaces(2, 2), uniformFaces(2, 2)}
	graded := Grid{[]float64{0, 0.5, 2}, []float64{0, 1.5, 2}}
	for _, c := range []struct {
		name  string
		grid  Grid
		power stack.Power
		want  []float64
	}{
		{"block in the south-east cell", grid2,
			stack.Power{Blocks: []stack.Block{block("a", 3, stack.Rect{X: 1, Y: 0, Width: 1, Height: 1})}},
			[]float64{0, 3, 0, 0}},
		{"block over the centre", grid2,
			stack.Power{Blocks: []stack.Block{block("a", 4, stack.Rect{X: 0.5, Y: 0.5, Width: 1, Height: 1})}},
			[]float64{1, 1, 1, 1}},
		{"L-shaped block shares by area", grid2,
			stack.Power{Blocks: []stack.Block{block("a", 3,
				stack.Rect{X: 0, Y: 0, Width: 2, Height: 1}, stack.Rect{X: 0, Y: 1, Width: 1, Height: 1})}},
			[]float64{1, 1, 1, 0}},
		{"overlapping blocks add", grid2,
			stack.Power{AllowOverlap: true, Blocks: []stack.Block{
				block("a", 2, stack.Rect{X: 0, Y: 0, Width: 2, Height: 1}),
				block("b", 5, stack.Rect{X: 0, Y: 0, Width: 1, Height: 1})}},
			[]float64{6, 1, 0, 0}},
		{"uniform over the layer", graded, stack.Power{Uniform: 16}, []float64{3, 9, 1, 3}},
		{"uniform over a region", grid2, stack.Power{Uniform: 2, Area: stack.Rect{X: 0, Y: 1, Width: 2, Height: 0.5}},
			[]float64{0, 0, 1, 1}},
		{"map tile by tile", grid2, stack.Power{Map: &stack.PowerMap{NX: 2, NY: 2, Values: []float64{1, 2, 3, 4}}},
			[]float64{1, 2, 3, 4}},
		{"3x3 map on 2x2 cells", grid2, stack.Power{Map: &stack.PowerMap{NX: 3, NY: 3, Values: []float64{
			1, 2, 3,
			4, 5, 6,
			7, 8, 9}}},
			[]float64{1 + 2.0/2 + 4.0/2 + 5.0/4, 2.0/2 + 3 + 5.0/4 + 6.0/2, 4.0/2 + 5.0/4 + 7 + 8.0/2,
				5.0/4 + 6.0/2 + 8.0/2 + 9}},
		{"one tile row in a region, two columns", grid2,
			stack.Power{Map: &stack.PowerMap{NX: 2, NY: 1, Values: []float64{8, 1}},
				Area: stack.Rect{X: 0.5, Y: 0, Width: 1, Height: 2}},
			[]float64{4, 0.5, 4, 0.5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := mustMap(t, oneLayer(2, c.power), c.grid)
			if len(m.Layers) != 1 || m.Layers[0].Layer != 1 {
				t.Fatalf("layers with power: %+v, want layer 1 alone", m.Layers)
			}
			whole := 0.0
			for j := range c.grid.NY() {
				row := make([]float64, c.grid.NX())
				m.Layers[0].Rows(j, j+1, row)
				for i, w := range row {
					if whole += w; w != m.Layers[0].Watts()[j*c.grid.NX()+i] {
						t.Errorf("row %d alone: %v", j, row)
					}
				}
			}
			if math.Abs(whole-m.Layers[0].Mapped) > 1e-14*whole {
				t.Errorf("%g W on the grid, %g W told", whole, m.Layers[0].Mapped)
			}
			for i, w := range m.Layers[0].Watts() {
				if math.Abs(w-c.want[i]) > 1e-14 {
					t.Fatalf("watts %v, want %v", m.Layers[0].Watts(), c.want)
				}
			}
		})
	}
}

// A turn of the map by a quarter must turn the watts on the grid by a quarter.
func TestMapTurnsWithItsValues(t *testing.T) {
	const n, cells = 3, 5
	grid := Grid{uniformFaces(cells, 1), uniformFaces(cells, 1)}
	values := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	turned := make([]float64, n*n)
	for j := range n {
		for i := range n {
			turned[i*n+(n-1-j)] = values[j*n+i] // (i, j) moves to (n-1-j, i), counter-clockwise
		}
	}
	a := mustMap(t, oneLayer(1, stack.Power{Map: &stack.PowerMap{NX: n, NY: n, Values: values}}),
		grid).Layers[0].Watts()
	b := mustMap(t, oneLayer(1, stack.Power{Map: &stack.PowerMap{NX: n, NY: n, Values: turned}}),
		grid).Layers[0].Watts()
	for j := range cells {
		for i := range cells {
			if d := a[j*cells+i] - b[i*cells+(cells-1-j)]; math.Abs(d) > 1e-14 {
				t.Fatalf("cell (%d, %d) differs by %g W after a quarter turn", i, j, d)
			}
		}
	}
}

func TestLayersWithoutSourcesAreNotListed(t *testing.T) {
	s := oneLayer(1, stack.Power{Blocks: []stack.Block{block("idle", 0, stack.Rect{Width: 1, Height: 1})}})
	m := mustMap(t, s, Grid{uniformFaces(3, 1), uniformFaces(2, 1)})
	if len(m.Layers) != 1 || m.Layers[0].Layer != 1 || m.Requested != 0 || m.Mapped != 0 {
		t.Errorf("got %+v, want layer 1 alone with 0 W", m)
	}
}
