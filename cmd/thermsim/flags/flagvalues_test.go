package flags

import (
	"math"
	"testing"
)

func TestGridFlag(t *testing.T) {
	var g GridSize
	if err := g.Set("512X256"); err != nil || g != (GridSize{512, 256}) {
		t.Errorf("512X256: %v, %v", g, err)
	}
	for _, bad := range []string{"", "x", "8", "8x", "x8", "8x-1", "8x0", "8 x 8", "1e3x8", "8x8x8", "2000000x1",
		"99999999999999999999x1"} {
		g = GridSize{}
		if err := g.Set(bad); err == nil {
			t.Errorf("%q was read as %v", bad, g)
		}
	}
}

func TestQuantityFlags(t *testing.T) {
	for _, c := range []struct {
		q    Quantity
		text string
		want float64
	}{
		{Temperature, "85 degC", 358.15},
		{Temperature, "358", 358},
		{Rise, "0.1 mK", 1e-4},
		{Power, "1 uW", 1e-6},
		{Duration, "1 ms", 1e-3},
		{Duration, "0.5", 0.5},
		{Ratio, "1e-8", 1e-8},
	} {
		if v, err := c.q.Parse(c.text); err != nil || math.Abs(v-c.want) > 1e-12*c.want {
			t.Errorf("%s: %g, %v; want %g", c.text, v, err, c.want)
		}
	}
	for _, c := range []struct {
		q    Quantity
		text string
	}{
		{Temperature, "-300 degC"}, {Temperature, "0"}, {Rise, "1 degC"}, {Power, "1 K"},
		{Duration, "-1 ms"}, {Duration, "soon"}, {Ratio, "NaN"}, {Ratio, "Inf"}, {Ratio, "1 K"},
	} {
		if v, err := c.q.Parse(c.text); err == nil {
			t.Errorf("%s %q was read as %g", c.q.Kind, c.text, v)
		}
	}
}
