package sparse

import (
	"math"
	"strings"
	"testing"
)

// Graphs that are none are refused.
func TestGraphsThatAreNone(t *testing.T) {
	type entry struct {
		r, c int32
		v    float64
	}
	for _, c := range []struct {
		entries []entry
		want    string
	}{
		{[]entry{{0, 1, 1}, {1, 0, 1}, {1, 2, 3}},
			"the graph is directed: the weight of (2, 3) is 3, that of (3, 2) 0"},
		{[]entry{{0, 1, -1}, {1, 0, -1}}, "edge (1, 2) has weight -1; weights must be positive"},
		{[]entry{{0, 1, 1}, {1, 0, 1}, {1, 1, 1}}, "vertex 2 has a self loop: got 1 on the diagonal"},
		{[]entry{{0, 0, 2}, {0, 1, -1}, {1, 0, -1}, {1, 1, 1}}, "vertex 1 has a self loop: got 2 on the diagonal"},
		{[]entry{{0, 1, math.NaN()}, {1, 0, math.NaN()}}, "edge (1, 2) has weight NaN"},
		{[]entry{{0, 1, math.Inf(1)}, {1, 0, math.Inf(1)}}, "edge (1, 2) has weight +Inf"},
		{[]entry{{0, 1, 0}}, "the graph has no edges"},
		{nil, "the graph has no edges"},
	} {
		var list Triplets
		for _, e := range c.entries {
			list.Add(e.r, e.c, e.v)
		}
		a, _, err := FromTriplets(3, &list)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Laplacian(a); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v: %v\nwant %s", c.entries, err, c.want)
		}
	}
}

// A Laplacian is made of weights, and taken as it is. A component with a ground is not singular.
func TestLaplacian(t *testing.T) {
	var list Triplets
	for _, e := range [][3]float64{{0, 1, 2}, {1, 2, 0.5}, {3, 4, 1}} {
		list.Add(int32(e[0]), int32(e[1]), e[2])
		list.Add(int32(e[1]), int32(e[0]), e[2])
	}
	a, _, err := FromTriplets(6, &list)
	if err != nil {
		t.Fatal(err)
	}
	l, err := Laplacian(a)
	if err != nil {
		t.Fatal(err)
	}
	for r, row := range [][]float64{{2, -2, 0, 0, 0, 0}, {-2, 2.5, -0.5, 0, 0, 0}, {0, -0.5, 0.5, 0, 0, 0},
		{0, 0, 0, 1, -1, 0}, {0, 0, 0, -1, 1, 0}, {0, 0, 0, 0, 0, 0}} {
		for c, v := range row {
			if l.At(r, c) != v {
				t.Errorf("entry (%d, %d) is %g, want %g", r+1, c+1, l.At(r, c), v)
			}
		}
	}
	if again, err := Laplacian(l); err != nil || again != l {
		t.Errorf("the Laplacian of a Laplacian: %v", err)
	}
	cols, vals := l.Row(3)
	vals[0] += 0.1
	s := l.NullSpace()
	if cols[0] != 3 || len(s.Size) != 2 || s.Size[0] != 3 || s.Size[1] != 1 || s.Component[3] != -1 {
		t.Errorf("%+v", s)
	}
}
