package mesh_test

import (
	"slices"
	"testing"

	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
	"thermsim/stack"
)

// The rows of a slab have the bits that they have in the whole mesh: couplings, capacities, faces.
func TestSlabsHaveTheCouplingsOfTheWhole(t *testing.T) {
	for number := range uint64(60) {
		s := cases.AnyStack(17, number)
		s.Grid.Y = stack.Axis{Cells: 9 + int(number)%7}
		if number%4 == 0 {
			patches :=
				[]stack.Patch{{Name: "p", Boundary: stack.Boundary{Kind: stack.Convective, H: 3e3, Temperature: 310},
					Rects: []stack.Rect{{X: 0.1 * s.Size[0], Y: 0.23 * s.Size[1], Width: 0.5 * s.Size[0],
						Height: 0.61 * s.Size[1]}}}}
			s.Boundary[stack.Top].Patches = patches
		}
		m, err := mesh.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range [][2]int{{0, 4}, {2, 7}, {5, m.NY()}, {0, m.NY()}} {
			compareSlab(t, m, r[0], r[1])
		}
	}
}

func compareSlab(t *testing.T, m *mesh.Mesh, from, to int) {
	t.Helper()
	c := m.Slab(from, to)
	if c.NY() != to-from || c.NX() != m.NX() || c.NZ() != m.NZ() || c.Whole() != m {
		t.Fatalf("a slab of %d x %d x %d cells", c.NX(), c.NY(), c.NZ())
	}
	got, want := make([]float64, m.NX()), make([]float64, m.NX())
	same := func(what string, k, j int, fill, of func(k, j int, dst []float64)) {
		t.Helper()
		if of(k, from+j, want); what == "y" && j == c.NY()-1 {
			clear(want)
		}
		if fill(k, j, got); !slices.Equal(got, want) {
			t.Fatalf("%s of row %d, plane %d: %g, want %g", what, from+j, k, got, want)
		}
	}
	known := func(row func(k, j int) []float64) func(k, j int, dst []float64) {
		return func(k, j int, dst []float64) { copy(dst, row(k, j)) }
	}
	var rows mesh.Couplings
	rows.Begin(c)
	for k := range c.NZ() {
		for j := range c.NY() {
			same("x", k, j, known(rows.X), m.CouplingX)
			same("y", k, j, known(rows.Y), m.CouplingY)
			same("z", k, j, known(rows.Z), m.CouplingZ)
			same("x", k, j, c.CouplingX, m.CouplingX)
			same("y", k, j, c.CouplingY, m.CouplingY)
			same("z", k, j, c.CouplingZ, m.CouplingZ)
			same("capacity", k, j, c.Capacity, m.Capacity)
			for i := range c.NX() {
				compareFaces(t, m, c, i, j, k, from)
			}
		}
	}
}

func compareFaces(t *testing.T, m, c *mesh.Mesh, i, j, k, from int) {
	t.Helper()
	for f := range stack.Face(stack.NumFaces) {
		on := m.OnFace(f, i, from+j, k)
		if cut := c.OnFace(f, i, j, k) && !on; cut {
			if c.Exchanges(f) || c.Heats(f) {
				t.Fatalf("heat passes the %s side of a slab where it is cut", f)
			}
			continue
		}
		if !on {
			continue
		}
		if got, want := c.Drive(f, i, j, k), m.Drive(f, i, from+j, k); got != want {
			t.Fatalf("%s of cell %d, %d, %d: %v, want %v", f, i, from+j, k, got, want)
		}
		if got, want := c.FaceConductance(f, i, j, k), m.FaceConductance(f, i, from+j, k); got != want {
			t.Fatalf("%s of cell %d, %d, %d: %g W/K, want %g", f, i, from+j, k, got, want)
		}
		if got, want := c.FaceConductances(f, k)(i, j), m.FaceConductance(f, i, from+j, k); got != want {
			t.Fatalf("%s of cell %d, %d, %d: %g W/K of a plane, want %g", f, i, from+j, k, got, want)
		}
		if got, want := c.HeldFaceConductance(f, i, j, k), m.HeldFaceConductance(f, i, from+j, k); got != want {
			t.Fatalf("%s of cell %d, %d, %d: %g W/K held, want %g", f, i, from+j, k, got, want)
		}
	}
}
