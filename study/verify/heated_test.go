package verify

import (
	"context"
	"fmt"
	"math"
	"testing"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/stack"
)

// A slab of thickness t and conductivity k, cooled through h on top and insulated below, that a flux q heats over a
// height d: all heat goes up, so that the temperature rises along z by q/k per length above the heated part, and falls
// off as a parabola within it. The cell of the heated slice has its heat at its centre, and is the hottest:
//
//	bottom             T = T0 + q/h + q (t - d/2)/k
//	top                T = T0 + q/h + q d/2k
//	volume, one cell   T = T0 + q/h + q t/2k
func TestHeatedSlices(t *testing.T) {
	const (
		thickness, depth, k, h = 300e-6, 20e-6, 100.0, 5000.0
		side, watts            = 4e-3, 16.0
		flux                   = watts / side / side
		base                   = ambient + flux/h
	)
	for _, cells := range []int{1, 3, 8} {
		for at, want := range map[stack.HeatedPart]float64{
			stack.HeatedBottom: base + flux*(thickness-depth/2)/k,
			stack.HeatedTop:    base + flux*depth/2/k,
			stack.HeatedVolume: base + flux*thickness/k*volumeRise(cells),
		} {
			t.Run(fmt.Sprintf("%q in %d cells", at, cells), func(t *testing.T) {
				s := &stack.Stack{
					Schema: 1, Ambient: ambient, Size: [2]float64{side, side},
					Grid:      stack.Grid{X: stack.Axis{Cells: 4}, Y: stack.Axis{Cells: 4}},
					Materials: []stack.Material{{Name: "silicon", K: isotropic(k), C: 1.6e6}},
					Layers: []stack.Layer{{
						Name: "die", Thickness: thickness, Cells: cells, PowerAt: at, PowerDepth: depth,
						Powers: []stack.Power{{Uniform: watts, Area: stack.Rect{Width: side, Height: side}}},
					}},
				}
				s.Boundary[stack.Top] = convection(h)
				if err := stack.Validate(s); err != nil {
					t.Fatal(err)
				}
				m, err := mesh.Build(s)
				if err != nil {
					t.Fatal(err)
				}
				wantPlanes := cells
				if at != stack.HeatedVolume {
					wantPlanes++
				}
				if m.NZ() != wantPlanes || math.Abs(m.Z[m.NZ()]-thickness) > 1e-18 {
					t.Fatalf("%d planes up to %g m, want %d up to %g m", m.NZ(), m.Z[m.NZ()], wantPlanes, thickness)
				}
				sol, err := gpusolve.Steady(context.Background(), m,
					gpusolve.Options{Device: "cpu", Preconditioner: "multigrid", Tol: 1e-9})
				if err != nil {
					t.Fatal(err)
				}
				defer sol.Close()
				if math.Abs(sol.PeakK-want) > 1e-5 {
					t.Errorf("the hottest cell is at %.7f K, theory says %.7f K", sol.PeakK, want)
				}
			})
		}
	}
}

// volumeRise is how much the lowest of n evenly heated cells is above the upper surface, in q t/k: the flux through the
// face above cell i is i/n of all, over the n-1 distances t/n between centres and the last half cell.
func volumeRise(n int) float64 {
	rise := 1 / (2 * float64(n))
	for i := 1; i < n; i++ {
		rise += float64(i) / float64(n*n)
	}
	return rise
}
