package gpusolve_test

import (
	"math"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// heatBetween is the heat in W that flows through a stack whose bottom, west or south face is at 300 K and whose
// opposite face is at 301 K.
func heatBetween(t *testing.T, s *stack.Stack, low, high stack.Face) float64 {
	t.Helper()
	s.Ambient = 300
	s.Boundary[low] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 300}
	s.Boundary[high] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 301}
	sol := solves.Steady(t, s, gpusolve.Options{Device: "cpu", Tol: 1e-9})
	if !sol.Status.Converged {
		t.Fatal(sol.Status.Reason)
	}
	return math.Abs(sol.Energy.ByFace[low])
}

func solid(name string, k float64) stack.Material {
	return stack.Material{Name: name, K: [3]float64{k, k, k}, C: 1}
}

// cylinders is a quarter of the unit cell of an array of cylinders along z, between planes of symmetry, for a pitch of
// 1 m. f is the fraction of the area that they take, ki their conductivity and km that of the matrix.
type cylinders struct {
	rule      stack.Rule
	f, ki, km float64
}

// conductivity along x, y or z on n cells along x, in W/(m K), with every cylinder resolved.
func (a cylinders) conductivity(t *testing.T, axis, n int) float64 {
	t.Helper()
	extent, area := [3]float64{0.5, 0.5, 0.5}, 1.0
	if a.rule == stack.Hexagonal {
		extent[1] = math.Sqrt(3) / 2
		area = math.Sqrt(3) / 2
	}
	s := &stack.Stack{
		Size:      [2]float64{extent[0], extent[1]},
		Grid:      stack.Grid{X: stack.Axis{Cells: n}, Y: stack.Axis{Cells: int(math.Round(float64(2*n) * extent[1]))}},
		Materials: []stack.Material{solid("matrix", a.km), solid("inclusion", a.ki)},
		Layers:    []stack.Layer{{Name: "sample", Thickness: extent[2], Cells: 1}},
	}
	centres := [][2]float64{{0, 0}, {extent[0], extent[1]}}
	if a.rule == stack.Square {
		centres = centres[:1]
	}
	for _, at := range centres {
		c := geometry.Circle{X: at[0], Y: at[1], Diameter: math.Sqrt(4 / math.Pi * a.f * area)}
		s.Layers[0].Regions = append(s.Layers[0].Regions, stack.Region{Material: 1, Rect: stack.Around(c), Shape: c})
	}
	faces := [3][2]stack.Face{{stack.West, stack.East}, {stack.South, stack.North}, {stack.Bottom, stack.Top}}[axis]
	return heatBetween(t, s, faces[0], faces[1]) * extent[axis] / (extent[(axis+1)%3] * extent[(axis+2)%3])
}

// resolved extrapolates the conductivity from grids of n/2 and n cells along x: cut cells make an error of the first
// order in the size of a cell.
func (a cylinders) resolved(t *testing.T, axis, n int) float64 {
	return 2*a.conductivity(t, axis, n) - a.conductivity(t, axis, n/2)
}

// Arrays with every cylinder resolved against the formulas: transverse to half a percent after extrapolation on a
// moderate grid, along the cylinders to the rounding of conductances in FP32, since the area shares of cut cells are
// exact. The pairs are copper in silicon and in oxide, solder in underfill, and oxide in silicon.
func TestResolvedArrays(t *testing.T) {
	for _, rule := range []stack.Rule{stack.Square, stack.Hexagonal} {
		for _, f := range []float64{0.1, 0.3, 0.5} {
			for _, pair := range [][2]float64{{398, 130}, {398, 1.4}, {58, 0.5}, {1.4, 130}} {
				a := cylinders{rule, f, pair[0], pair[1]}
				inclusion, matrix := solid("inclusion", a.ki), solid("matrix", a.km)
				want, _ := rule.Mix(&inclusion, &matrix, f)
				if k := a.resolved(t, 0, 64); math.Abs(k/want[0]-1) > 5e-3 {
					t.Errorf("%+v: resolved %.5g, formula %.5g", a, k, want[0])
				}
				along, mean := a.conductivity(t, 2, 13), f*a.ki+(1-f)*a.km
				if math.Abs(along/mean-1) > 1e-6 {
					t.Errorf("%+v along the cylinders: resolved %.9g, formula %.9g", a, along, mean)
				}
			}
		}
	}
}

// A hexagonal array conducts alike along x and y, though its cell does not.
func TestHexagonsAreIsotropic(t *testing.T) {
	a := cylinders{stack.Hexagonal, 0.4, 398, 1.4}
	if x, y := a.resolved(t, 0, 96), a.resolved(t, 1, 96); math.Abs(x/y-1) > 5e-3 {
		t.Errorf("%.5g along x, %.5g along y", x, y)
	}
}

// A quarter of a cell of a field of solder joints of 20 um, pitch 40 um and height 15 um, between two dies of 100 um:
// the rule along the joints leaves out that heat has to converge on them, so it conducts more than the resolved field,
// by a tenth to a half of the joints' resistance in the cases of docs/guides/effective-materials.md.
func TestJointsMissConstriction(t *testing.T) {
	const um, cells = 1e-6, 12
	joint := geometry.Circle{Diameter: 20 * um}
	near := stack.Layer{Thickness: 40 * um, Cells: cells} // the heat spreads within a pitch of the joint
	far := stack.Layer{Thickness: 60 * um, Cells: 2}
	field := stack.Layer{Name: "joint", Material: 1, Thickness: 15 * um, Cells: cells / 2}
	heat := func(region stack.Region) float64 {
		s := &stack.Stack{
			Size:      [2]float64{20 * um, 20 * um},
			Grid:      stack.Grid{X: stack.Axis{Cells: cells}, Y: stack.Axis{Cells: cells}},
			Materials: []stack.Material{solid("silicon", 130), solid("matrix", 0.5), solid("joint", 58)},
			Layers:    []stack.Layer{far, near, field, near, far},
		}
		s.Layers[2].Regions = []stack.Region{region}
		return heatBetween(t, s, stack.Bottom, stack.Top)
	}
	resolved := heat(stack.Region{Material: 2, Rect: stack.Around(joint), Shape: joint})
	rule := heat(stack.Region{Material: 1, Rect: stack.Rect{Width: 20 * um, Height: 20 * um},
		Fill: &stack.Fill{Inclusion: 2, Rule: stack.Square, NX: 1, NY: 1,
			Values: []float64{joint.Area() / (40 * um * 40 * um)}}})
	if ratio := rule / resolved; ratio < 1.01 || ratio > 1.3 {
		t.Errorf("the rule conducts %g times the resolved field", ratio)
	}
}
