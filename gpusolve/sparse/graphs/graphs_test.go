package graphs

import (
	"math"
	"slices"
	"testing"

	"thermsim/gpusolve/sparse"
)

func TestFamilies(t *testing.T) {
	for _, f := range All() {
		for _, n := range []int{1, 300, 3000} {
			a := f.Build(n, 5)
			if got := a.N(); n >= 300 && (got < n/2 || got > 2*n) {
				t.Errorf("%s: %d vertices where %d were asked for", f.Name, got, n)
			}
			check(t, f, a)
			b := f.Build(n, 5)
			if !slices.Equal(a.Col, b.Col) || !slices.Equal(a.Val, b.Val) {
				t.Errorf("%s: two graphs from one seed", f.Name)
			}
		}
		if slices.Equal(f.Build(300, 1).Val, f.Build(300, 2).Val) {
			t.Errorf("%s: the seed changes nothing", f.Name)
		}
	}
}

// check asks for what the package promises: ascending columns, symmetry to the bit, dominance, ground, connection.
func check(t *testing.T, f Family, a *sparse.CSR) {
	t.Helper()
	n, ground, positive := a.N(), 0.0, 0
	reached, queue := make([]bool, n), []int{0}
	for r := range n {
		cols, vals := a.Row(r)
		excess := 0.0
		for i, c := range cols {
			if i > 0 && cols[i-1] >= c {
				t.Fatalf("%s: columns of row %d: %v", f.Name, r, cols)
			}
			if a.At(int(c), r) != vals[i] {
				t.Fatalf("%s: entry %d,%d is not symmetric", f.Name, r, c)
			}
			switch {
			case int(c) == r:
				excess += vals[i]
			case vals[i] > 0:
				positive++
				excess -= vals[i]
			default:
				excess += vals[i]
			}
		}
		if excess < -1e-12*math.Abs(a.At(r, r)) {
			t.Fatalf("%s: row %d misses dominance by %g", f.Name, r, excess)
		}
		ground += math.Max(0, excess)
	}
	if ground < 1e-9 || (positive > 0) != f.Signed {
		t.Errorf("%s: ground %g, %d positive off-diagonals", f.Name, ground, positive)
	}
	reached[0] = true
	for len(queue) > 0 {
		r := queue[0]
		queue = queue[1:]
		cols, _ := a.Row(r)
		for _, c := range cols {
			if !reached[c] {
				reached[c] = true
				queue = append(queue, int(c))
			}
		}
	}
	if i := slices.Index(reached, false); i >= 0 {
		t.Errorf("%s: vertex %d of %d is not connected", f.Name, i, n)
	}
}

// The shapes that the families are there for.
func TestShapes(t *testing.T) {
	degrees := func(name string) (least, mean, most int) {
		for _, f := range All() {
			if f.Name != name {
				continue
			}
			a := f.Build(4000, 1)
			least = a.N()
			for r := range a.N() {
				d := int(a.RowPtr[r+1]-a.RowPtr[r]) - 1
				least, most = min(least, d), max(most, d)
			}
			mean = (a.Entries() - a.N()) / a.N()
		}
		return
	}
	if _, _, most := degrees("powerlaw"); most < 100 {
		t.Errorf("power law: the greatest hub has %d neighbours", most)
	}
	if least, _, most := degrees("expander"); least < 4 || most > 6 {
		t.Errorf("expander: degrees from %d to %d", least, most)
	}
	if _, mean, most := degrees("road"); mean != 2 || most > 4 {
		t.Errorf("road: mean degree %d, greatest %d", mean, most)
	}
	if _, mean, most := degrees("powergrid"); mean > 3 || most > 4 {
		t.Errorf("power grid: mean degree %d, greatest %d", mean, most)
	}
	if _, mean, _ := degrees("cloud"); mean < 8 || mean > 14 {
		t.Errorf("cloud: mean degree %d", mean)
	}
}

// A seven-point matrix has 7 n^3 - 6 n^2 entries, an excess on the faces only, and the products of the operator with u
// = x are zero inside.
func TestPoisson(t *testing.T) {
	const side = 12
	for _, c := range AllCoefficients() {
		d := Poisson(side, c)
		a := d.CSR()
		if want := 7*side*side*side - 6*side*side; a.Entries() != want {
			t.Errorf("%v: %d entries, want %d", c, a.Entries(), want)
		}
		check(t, Family{Name: c.String()}, a)
		x, y := make([]float64, d.N()), make([]float64, d.N())
		for i := range x {
			x[i] = float64(i % side)
		}
		d.Multiply(y, x)
		if problems[c].block > 0 {
			continue
		}
		for i, v := range y {
			if p := i % side; p > 0 && p < side-1 && i/side%side > 0 && i/side%side < side-1 && i >= side*side &&
				i < side*side*(side-1) && math.Abs(v) > 1e-13*d.Main[i] {
				t.Fatalf("%v: cell %d of a linear field gives %g", c, i, v)
			}
		}
	}
}

// The matrices of the ParAC paper against their definition: the Laplacian of a grid of side + 2 vertices, whose edges
// have the weight of their lower end, without the rows and columns of the outermost vertices. 15 vertices in 5 cubes,
// as there 245 in 64 parts, make cubes of 3.
func TestParACMatrices(t *testing.T) {
	const side = 13
	const whole = side + 2
	weights := map[Coefficients]func(axis int, from [3]int) float64{
		ParACAnisotropic: func(axis int, _ [3]int) float64 { return []float64{1, 1e-4, 1e-4}[axis] },
		ParACCheckered: func(_ int, from [3]int) float64 {
			const cube = whole / 5
			if (from[0]/cube+from[1]/cube+from[2]/cube)%2 == 0 {
				return 1e7
			}
			return 1
		},
	}
	for c, weight := range weights {
		a := Poisson(side, c).CSR()
		want := laplacian(whole, weight)
		inner := func(v int) (int, bool) {
			x, y, z := v%whole-1, v/whole%whole-1, v/whole/whole-1
			return (z*side+y)*side + x, min(x, y, z) >= 0 && max(x, y, z) < side
		}
		compared := 0
		for pair, v := range want {
			i, in := inner(pair[0])
			j, jn := inner(pair[1])
			if in && jn {
				compared++
				if got := a.At(i, j); math.Abs(got-v) > 1e-12*math.Abs(v) {
					t.Fatalf("%v: entry %d,%d is %g, want %g", c, i, j, got, v)
				}
			}
		}
		if compared != a.Entries() {
			t.Errorf("%v: %d entries where %d were expected", c, a.Entries(), compared)
		}
	}
}

// laplacian of a cubic grid by rows and columns.
func laplacian(side int, weight func(axis int, from [3]int) float64) map[[2]int]float64 {
	l := map[[2]int]float64{}
	for u := range side * side * side {
		from := [3]int{u % side, u / side % side, u / side / side}
		for axis, stride := range [3]int{1, side, side * side} {
			if from[axis] == side-1 {
				continue
			}
			v, w := u+stride, weight(axis, from)
			l[[2]int{u, u}] += w
			l[[2]int{v, v}] += w
			l[[2]int{u, v}], l[[2]int{v, u}] = -w, -w
		}
	}
	return l
}
