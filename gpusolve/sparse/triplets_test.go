package sparse

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestTripletsAreSortedAndAdded(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 7
	var want [n][n]float64
	var entries Triplets
	places := map[[2]int32]bool{}
	for range 60 {
		// whole numbers, so that any order gives the same sum
		r, c, v := rng.Int32N(n), rng.Int32N(n), float64(rng.IntN(9)-4)
		want[r][c] += v
		places[[2]int32{r, c}] = true
		entries.Add(r, c, v)
	}
	a, repeated, err := FromTriplets(n, &entries)
	if err != nil || repeated != entries.Len()-len(places) || a.N() != n || a.Entries() != len(places) {
		t.Fatalf("%d repeated of %d entries, matrix of %d rows and %d entries: %v", repeated, entries.Len(), a.N(),
			a.Entries(), err)
	}
	for r := range n {
		cols, _ := a.Row(r)
		for i := 1; i < len(cols); i++ {
			if cols[i] <= cols[i-1] {
				t.Errorf("columns of row %d are %v", r, cols)
			}
		}
		for c := range n {
			if a.At(r, c) != want[r][c] {
				t.Errorf("entry %d,%d is %g, want %g", r, c, a.At(r, c), want[r][c])
			}
		}
	}
	for _, bad := range []Triplets{{[]int32{7}, []int32{0}, []float64{1}}, {[]int32{0}, []int32{-1}, []float64{1}}} {
		if _, _, err := FromTriplets(n, &bad); err == nil {
			t.Errorf("accepted %v", bad)
		}
	}
	if _, _, err := FromTriplets(-1, &Triplets{}); err == nil {
		t.Error("accepted -1 rows")
	}
}

func random(nx, ny, nz int, symmetric bool) *Diagonals {
	rng := rand.New(rand.NewPCG(uint64(nx), uint64(ny)))
	d := NewDiagonals(nx, ny, nz)
	if !symmetric {
		d.LowerX, d.LowerY, d.LowerZ = make([]float64, len(d.X)), make([]float64, len(d.Y)), make([]float64, len(d.Z))
	}
	for c := range d.Main {
		d.Main[c] = 7 + rng.Float64()
	}
	lx, ly, lz := d.Lower()
	for c := range d.N() {
		for i, band := range [][]float64{d.X, d.Y, d.Z, lx, ly, lz} {
			offset := []int{1, nx, nx * ny}[i%3]
			if c+offset < d.N() && neighbours(c, c+offset, nx, ny) >= 0 {
				band[c] = -0.1 - rng.Float64()
			}
		}
	}
	return d
}

// A grid's matrix is recognised without being told, and comes back as it was.
func TestGridsAreRecognised(t *testing.T) {
	for _, shape := range [][3]int{{1, 1, 1}, {6, 1, 1}, {4, 3, 1}, {5, 4, 3}, {3, 5, 2}, {2, 2, 2}} {
		for _, symmetric := range []bool{true, false} {
			d := random(shape[0], shape[1], shape[2], symmetric)
			a := d.CSR()
			nx, ny, nz, ok := a.Shape()
			if !ok || [3]int{nx, ny, nz} != shape {
				t.Errorf("%v recognised as %d x %d x %d, %v", shape, nx, ny, nz, ok)
				continue
			}
			back, err := a.Diagonals(nx, ny, nz)
			if err != nil {
				t.Fatal(err)
			}
			if back.Symmetric() != symmetric && a.Entries() > a.N() {
				t.Errorf("%v: symmetric %v, want %v", shape, back.Symmetric(), symmetric)
			}
			x, y, z := make([]float64, d.N()), make([]float64, d.N()), make([]float64, d.N())
			for i := range x {
				x[i] = math.Sin(float64(i))
			}
			d.Multiply(y, x)
			back.Multiply(z, x)
			for i := range y {
				if y[i] != z[i] {
					t.Fatalf("%v: row %d gives %g, want %g", shape, i, z[i], y[i])
				}
			}
		}
	}
}

func TestOtherMatricesAreNoGrids(t *testing.T) {
	ring := Triplets{}
	for i := range int32(5) {
		ring.Add(i, i, 3)
		ring.Add(i, (i+1)%5, -1)
		ring.Add((i+1)%5, i, -1)
	}
	a, _, err := FromTriplets(5, &ring)
	if err != nil {
		t.Fatal(err)
	}
	if nx, ny, nz, ok := a.Shape(); ok {
		t.Errorf("a ring was taken for a grid of %d x %d x %d", nx, ny, nz)
	}
	// Entries at 1, 3 and 12, but one of them ties the end of a line to the start of the next.
	d := random(3, 4, 2, true)
	d.X[2] = -1
	if nx, ny, nz, ok := d.CSR().Shape(); ok {
		t.Errorf("a twisted grid was taken for one of %d x %d x %d", nx, ny, nz)
	}
	if _, err := d.CSR().Diagonals(3, 4, 2); err == nil {
		t.Error("a twisted grid became diagonals")
	}
	if _, err := d.CSR().Diagonals(3, 4, 3); err == nil {
		t.Error("accepted a grid of the wrong size")
	}
}

func TestChecks(t *testing.T) {
	good := func() *CSR { return random(3, 3, 2, true).CSR() }
	if a := good(); a.CheckFinite() != nil || a.CheckDefinite() != nil || a.CheckDiagonal() != nil || !a.Dominant() {
		t.Error("refused a good matrix")
	}
	if worst, found := good().Asymmetric(); found {
		t.Errorf("%+v", worst)
	}
	set := func(r, c int, v float64) *CSR {
		a := good()
		cols, vals := a.Row(r)
		for i := range cols {
			if int(cols[i]) == c {
				vals[i] = v
			}
		}
		return a
	}
	if set(1, 2, -8).Dominant() {
		t.Error("an entry larger than the diagonal passes for small")
	}
	if worst, found := set(1, 2, -5).Asymmetric(); !found || worst.Row+worst.Col != 3 ||
		math.Min(worst.Entry, worst.Mirror) != -5 {
		t.Errorf("the entry that differs is %+v, %v", worst, found)
	}
	if _, found := set(1, 2, good().At(1, 2)*(1+1e-13)).Asymmetric(); found {
		t.Error("rounding counts as asymmetry")
	}
	for what, err := range map[string]error{
		"a negative diagonal":    set(4, 4, -1).CheckDefinite(),
		"a zero diagonal":        set(4, 4, 0).CheckDiagonal(),
		"a minor below zero":     set(1, 2, -9).CheckDefinite(),
		"an infinite entry":      set(1, 2, math.Inf(1)).CheckFinite(),
		"an entry not a number":  set(1, 1, math.NaN()).CheckFinite(),
		"a diagonal not defined": set(1, 1, math.NaN()).CheckDefinite(),
	} {
		if err == nil {
			t.Errorf("accepted %s", what)
		}
	}
}
