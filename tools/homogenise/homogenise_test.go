package main

import (
	"context"
	"math"
	"testing"

	"thermsim/stack"
)

// Arrays with every cylinder resolved against the formulas: transverse to half a percent after extrapolation on a
// moderate grid, along the cylinders to the rounding of conductances in FP32, since the area shares of cut cells are
// exact.
func TestResolvedArrays(t *testing.T) {
	for _, rule := range []stack.Rule{stack.Square, stack.Hexagonal} {
		for _, f := range []float64{0.1, 0.3, 0.5} {
			for _, p := range pairs() {
				s := array(rule, f, p.ki, p.km)
				k, _, err := s.resolved(context.Background(), 64)
				if err != nil {
					t.Fatal(err)
				}
				if want := s.formula(rule, f); math.Abs(k/want-1) > 5e-3 {
					t.Errorf("%s of %s at %g: resolved %.5g, formula %.5g", rule, p.name, f, k, want)
				}
				along, err := s.conductivity(context.Background(), 2, 13)
				if err != nil {
					t.Fatal(err)
				}
				if want := f*p.ki + (1-f)*p.km; math.Abs(along/want-1) > 1e-6 {
					t.Errorf("%s of %s at %g along the cylinders: resolved %.9g, formula %.9g", rule, p.name, f, along,
						want)
				}
			}
		}
	}
}

// A hexagonal array conducts alike along x and y, though its cell does not.
func TestHexagonsAreIsotropic(t *testing.T) {
	s := array(stack.Hexagonal, 0.4, 398, 1.4)
	var k [2]float64
	for axis := range k {
		coarse, err := s.conductivity(context.Background(), axis, 48)
		if err != nil {
			t.Fatal(err)
		}
		fine, err := s.conductivity(context.Background(), axis, 96)
		if err != nil {
			t.Fatal(err)
		}
		k[axis] = 2*fine - coarse
	}
	if math.Abs(k[0]/k[1]-1) > 5e-3 {
		t.Errorf("%.5g along x, %.5g along y", k[0], k[1])
	}
}

// Joints between dies resist more than the rule along them says, never less, by a tenth to a half in the cases of the
// docs.
func TestJointsMissConstriction(t *testing.T) {
	j := joint{diameter: 20, pitch: 40, height: 15, of: pair{"solder in underfill", 58, 0.5}}
	var watts [2]float64
	for n := range watts {
		var err error
		if watts[n], err = heat(context.Background(), j.stack(n == 1, 12), stack.Bottom); err != nil {
			t.Fatal(err)
		}
	}
	if ratio := watts[0] / watts[1]; ratio < 1.01 || ratio > 1.3 {
		t.Errorf("the rule conducts %g times the resolved field", ratio)
	}
}
