package gpusolve_test

import (
	"math"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/internal/testtier"
	"thermsim/stack"
)

// halfCooled is a slab, wide x and two cells deep, under a film of h1 up to the edge and of h2 beyond, with a flux from
// below.
func halfCooled(nx, nz int, edge float64, patches ...stack.Patch) *stack.Stack {
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{4e-3, 1e-3},
		Grid:      stack.Grid{X: stack.Axis{Cells: nx}, Y: stack.Axis{Cells: 2}},
		Materials: []stack.Material{{Name: "m", K: [3]float64{50, 50, 50}, C: 2e6}},
		Layers:    []stack.Layer{{Name: "slab", Thickness: 1e-3, Cells: nz}}}
	s.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.HeatFlux, Flux: 1e5}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 1e3, Temperature: 300}
	if edge > 0 {
		s.Boundary[stack.Top].Patches = []stack.Patch{{Name: "jet", Rects: []stack.Rect{{Width: edge, Height: 1e-3}},
			Boundary: stack.Boundary{Kind: stack.Convective, H: 2e4, Temperature: 300}}}
	}
	s.Boundary[stack.Top].Patches = append(s.Boundary[stack.Top].Patches, patches...)
	return s
}

// fineSlab is the mean rise of the bottom and the heat through the jet in W/m by an independent code in two dimensions:
// successive over-relaxation, the edge on a line between cells.
func fineSlab(nx, nz int, edge float64) (mean, jet float64) {
	const width, height, k, flux, h1, h2 = 4e-3, 1e-3, 50.0, 1e5, 2e4, 1e3
	dx, dz := width/float64(nx), height/float64(nz)
	t := make([]float64, nx*nz)
	film := func(i int) float64 {
		h := h2
		if (float64(i)+0.5)*dx < edge {
			h = h1
		}
		return dx / (1/h + dz/(2*k))
	}
	gx, gz := k*dz/dx, k*dx/dz
	const omega = 1.96
	for range 20000 {
		most := 0.0
		for c := range t {
			i, l := c%nx, c/nx
			sum, diagonal := 0.0, 0.0
			add := func(g, other float64) { sum += g * other; diagonal += g }
			if i > 0 {
				add(gx, t[c-1])
			}
			if i+1 < nx {
				add(gx, t[c+1])
			}
			if l > 0 {
				add(gz, t[c-nx])
			} else {
				sum += flux * dx
			}
			if l+1 < nz {
				add(gz, t[c+nx])
			} else {
				add(film(i), 0)
			}
			change := omega * (sum/diagonal - t[c])
			t[c] += change
			most = math.Max(most, math.Abs(change))
		}
		if most < 1e-10 {
			break
		}
	}
	for i := range nx {
		mean += (t[i] + flux*dz/(2*k)) / float64(nx)
		if (float64(i)+0.5)*dx < edge {
			jet += film(i) * t[(nz-1)*nx+i]
		}
	}
	return mean, jet
}

// Two films on a slab whose edge cuts cells at two thirds of their width on every grid: temperatures and heat approach
// those of an independent fine grid with order one or more. On the finest grid the independent code is no more exact.
func TestUnalignedPatchConverges(t *testing.T) {
	const edge = 4e-3 / 3
	coarse, coarseJet := fineSlab(testtier.Pick(48, 96), testtier.Pick(12, 24), edge)
	fine, fineJet := fineSlab(testtier.Pick(96, 192), testtier.Pick(24, 48), edge)
	exact, exactJet := fine+(fine-coarse)/3, fineJet+(fineJet-coarseJet)/3
	var mean, heat [3]float64 // errors
	for n, nx := range []int{8, 32, 128} {
		s := halfCooled(nx, nx/4, edge)
		sol := solves.Steady(t, s, gpusolve.Options{Tol: 1e-9})
		plane := make([]float64, nx*2)
		if err := sol.Field.Plane(0, plane); err != nil {
			t.Fatal(err)
		}
		for _, v := range plane { // to the surface there is half a cell
			mean[n] += (v - 300 + 1e5*1e-3/float64(nx/4)/100) / float64(len(plane))
		}
		states, err := solves.Build(t, s).Patches(sol.Field.Plane)
		if err != nil {
			t.Fatal(err)
		}
		mean[n], heat[n] = math.Abs(mean[n]-exact), math.Abs(states[0].Heat/1e-3-exactJet)
		t.Logf("%3d cells: the mean rise is off by %.2g of %.6f K, the heat of the jet by %.2g of %.6g W/m", nx,
			mean[n], exact, heat[n], exactJet)
	}
	for what, off := range map[string][3]float64{"mean rise": mean, "heat": heat} {
		if order := math.Log2(off[0]/off[1]) / 2; !(order >= 1) || !(off[2] <= off[1]/4) {
			t.Errorf("order of the %s is %.2f, want 1 or more", what, order)
		} else {
			t.Logf("order of the %s: %.2f", what, order)
		}
	}
}

// A patch over a whole face is the condition of the face itself, and two patches beside each other with one condition
// are one.
func TestPatchOverTheWholeFace(t *testing.T) {
	for _, condition := range []stack.Boundary{
		{Kind: stack.Convective, H: 5e3, Temperature: 310}, {Kind: stack.FixedTemperature, Temperature: 305},
		{Kind: stack.LumpedResistance, Resistance: 2, Temperature: 300},
	} {
		own := halfCooled(9, 4, 0)
		own.Boundary[stack.Top] = condition
		want := solves.Field(t, own,
			solves.Steady(t, own, gpusolve.Options{Tol: 1e-9, Preconditioner: "multigrid"}).Field)
		whole := halfCooled(9, 4, 0,
			stack.Patch{Name: "all", Boundary: condition, Rects: []stack.Rect{{Width: 4e-3, Height: 1e-3}}})
		cases := map[string]*stack.Stack{"one patch": whole}
		if condition.Kind != stack.LumpedResistance { // each has one
			cases["two patches"] = halfCooled(9, 4, 0,
				stack.Patch{Name: "left", Boundary: condition, Rects: []stack.Rect{{Width: 1.3e-3, Height: 1e-3}}},
				stack.Patch{Name: "right", Boundary: condition,
					Rects: []stack.Rect{{X: 1.3e-3, Width: 2.7e-3, Height: 1e-3}}})
		}
		if condition.Kind == stack.Convective {
			byMap := stack.Patch{Name: "map", Boundary: condition, Rects: []stack.Rect{{Width: 4e-3, Height: 1e-3}},
				Map: &stack.FilmMap{NX: 2, NY: 1, Values: []float64{5e3, 5e3}}}
			byMap.H = 0
			cases["a map"] = halfCooled(9, 4, 0, byMap)
		}
		for name, s := range cases {
			got := solves.Field(t, s,
				solves.Steady(t, s, gpusolve.Options{Tol: 1e-9, Preconditioner: "multigrid"}).Field)
			for c := range want {
				if math.Abs(got[c]-want[c]) > 1e-12*want[c] {
					t.Fatalf("%s of %v: cell %d at %.17g K, want %.17g", name, condition.Kind, c, got[c], want[c])
				}
			}
		}
	}
}
