package mesh_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"thermsim/mesh"
	"thermsim/stack/stackfile"
)

// boxes is a field of numbers.
type boxes struct {
	m      *mesh.Mesh
	values []float64
}

func (b boxes) Plane(k int, dst []float64) error {
	copy(dst, b.values[k*len(dst):])
	return nil
}

func remapMesh(t *testing.T, nx, ny, cells int, lid string) *mesh.Mesh {
	t.Helper()
	text := `schema = 1
ambient = "300 K"
size = ["4 mm", "3 mm"]
boundary.top = { h = "5000 W/(m^2 K)" }
grid = { nx = ` + strconv.Itoa(nx) + `, ny = ` + strconv.Itoa(ny) + ` }
[[layer]]
name = "die"
material = "silicon"
thickness = "100 um"
cells = ` + strconv.Itoa(cells) + `
[[layer]]
name = "lid"
material = "copper"
thickness = "` + lid + `"
`
	s, err := stackfile.Parse("stack.toml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func integral(t *testing.T, m *mesh.Mesh, f mesh.PlaneReader) (sum float64) {
	t.Helper()
	plane := make([]float64, m.NX()*m.NY())
	for k := range m.NZ() {
		if err := f.Plane(k, plane); err != nil {
			t.Fatal(err)
		}
		for c, v := range plane {
			i, j := c%m.NX(), c/m.NX()
			sum += v * (m.X[i+1] - m.X[i]) * (m.Y[j+1] - m.Y[j]) * (m.Z[k+1] - m.Z[k])
		}
	}
	return sum
}

// The integral over the volume is kept whatever the grids, bounds hold, and a constant stays one.
func TestRemapKeepsTheIntegral(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	a := remapMesh(t, 13, 11, 3, "500 um")
	f := boxes{a, make([]float64, a.Cells())}
	for n := range f.values {
		f.values[n] = 300 + 50*rng.Float64()
	}
	want := integral(t, a, f)
	for _, grid := range [][3]int{{13, 11, 3}, {26, 22, 6}, {7, 5, 1}, {40, 10, 4}, {12, 12, 2}, {1, 1, 1}} {
		b := remapMesh(t, grid[0], grid[1], grid[2], "500 um")
		r, err := b.Remap(a, f)
		if err != nil {
			t.Fatal(err)
		}
		if got := integral(t, b, r); math.Abs(got-want) > 1e-12*want {
			t.Errorf("%v: the integral is %.17g, not %.17g", grid, got, want)
		}
		plane := make([]float64, b.NX()*b.NY())
		for k := range b.NZ() {
			if err := r.Plane(k, plane); err != nil {
				t.Fatal(err)
			}
			for c, v := range plane {
				if !(v >= 300-1e-9 && v <= 350+1e-9) {
					t.Fatalf("%v: %g K in cell %d of plane %d, outside the field's range", grid, v, c, k)
				}
				if grid == [3]int{13, 11, 3} && v != f.values[k*len(plane)+c] {
					t.Fatalf("cell %d of plane %d changed on the same grid", c, k)
				}
			}
		}
	}
}

func TestRemapRefusesOtherSizes(t *testing.T) {
	a, b := remapMesh(t, 5, 5, 1, "500 um"), remapMesh(t, 5, 5, 1, "400 um")
	_, err := b.Remap(a, boxes{a, make([]float64, a.Cells())})
	if err == nil || !strings.Contains(err.Error(), "0.6 mm high; this stack is 0.5 mm high") {
		t.Errorf("got %v", err)
	}
}

type lost struct{ error }

func (l lost) Plane(int, []float64) error { return l.error }

// A field that cannot be read is told, on the same grid and on another.
func TestRemapTellsWhatCannotBeRead(t *testing.T) {
	want := lost{errors.New("lost")}
	a := remapMesh(t, 4, 4, 1, "500 um")
	for _, b := range []*mesh.Mesh{a, remapMesh(t, 5, 4, 1, "500 um")} {
		r, err := b.Remap(a, want)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Plane(0, make([]float64, b.NX()*b.NY())); !errors.Is(err, want.error) {
			t.Errorf("%v, want %v", err, want.error)
		}
	}
}
