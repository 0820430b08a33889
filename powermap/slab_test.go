package powermap_test

import (
	"slices"
	"testing"

	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
	"thermsim/powermap"
)

// The cells of a slab have the watts that they have in the whole drawing, to the bit.
func TestSlabsOfDrawings(t *testing.T) {
	for number := range uint64(60) {
		s := cases.AnyStack(18, number)
		s.Grid.Y.Cells, s.Grid.Y.Segments = 12, nil
		x, y, err := mesh.Faces(s)
		if err != nil {
			t.Fatal(err)
		}
		m, err := powermap.New(s, powermap.Grid{X: x, Y: y})
		if err != nil {
			t.Fatal(err)
		}
		layers := m.Steady()
		nx := m.Grid.NX()
		for _, r := range [][2]int{{0, 3}, {3, 8}, {8, 12}, {0, 12}} {
			slab := powermap.Slab{NX: nx, First: r[0], End: r[1]}
			first := slab.Cut(layers)
			again := slab.Cut(powermap.Scaled(layers, 3))
			for n := range layers {
				whole, part := make([]float64, nx*12), make([]float64, nx*(r[1]-r[0]))
				layers[n].Draw(nx, 0, 12, whole)
				first[n].Draw(nx, 0, r[1]-r[0], part)
				if !slices.Equal(part, whole[r[0]*nx:r[1]*nx]) {
					t.Fatalf("stack %d, rows %v of layer %d: %v, want %v", number, r, layers[n].Layer, part,
						whole[r[0]*nx:r[1]*nx])
				}
				if again[n].Outline != first[n].Outline {
					t.Fatal("the outline was cut again")
				}
			}
		}
	}
}
