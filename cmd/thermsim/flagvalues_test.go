package main

import (
	"math"
	"testing"
)

func TestGridFlag(t *testing.T) {
	var g gridSize
	if err := g.Set("512X256"); err != nil || g != (gridSize{512, 256}) {
		t.Errorf("512X256: %v, %v", g, err)
	}
	for _, bad := range []string{"", "x", "8", "8x", "x8", "8x-1", "8x0", "8 x 8", "1e3x8", "8x8x8", "2000000x1",
		"99999999999999999999x1"} {
		g = gridSize{}
		if err := g.Set(bad); err == nil {
			t.Errorf("%q was read as %v", bad, g)
		}
	}
}

func TestQuantityFlags(t *testing.T) {
	for _, c := range []struct {
		q    quantity
		text string
		want float64
	}{
		{temperature(), "85 degC", 358.15},
		{temperature(), "358", 358},
		{temperatureRise(), "0.1 mK", 1e-4},
		{power(), "1 uW", 1e-6},
		{duration(), "1 ms", 1e-3},
		{duration(), "0.5", 0.5},
		{ratio(), "1e-8", 1e-8},
	} {
		if err := c.q.Set(c.text); err != nil || math.Abs(c.q.value-c.want) > 1e-12*c.want {
			t.Errorf("%s: %g, %v; want %g", c.text, c.q.value, err, c.want)
		}
	}
	for _, c := range []struct {
		q    quantity
		text string
	}{
		{temperature(), "-300 degC"}, {temperature(), "0"}, {temperatureRise(), "1 degC"}, {power(), "1 K"},
		{duration(), "-1 ms"}, {duration(), "soon"}, {ratio(), "NaN"}, {ratio(), "Inf"}, {ratio(), "1 K"},
	} {
		if err := c.q.Set(c.text); err == nil {
			t.Errorf("%s %q was read as %g", c.q.kind, c.text, c.q.value)
		}
	}
}
