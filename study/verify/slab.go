package verify

import (
	"context"
	"math"

	"thermsim/stack"
	"thermsim/study/verify/analytic"
)

// slabTolerance on the rise, relative to the hottest one: the rounding of couplings stored in FP32.
const slabTolerance = 5e-7

func (s solver) slabCases() []Case {
	return []Case{
		{"slab-steady", "three layers, heat flux in at the bottom, convection on top; resistances in series",
			s.slabUnderFlux("slab", 0)},
		{"slab-source", "a heated layer under three passive ones; resistances in series", s.slabSource},
		{"slab-contact", "contact resistances between layers; resistances in series",
			s.slabUnderFlux("slab with contact resistances", 1e-5)},
		{"slab-boundaries", "fixed temperature, lumped resistance and heat flux on opposite faces; " +
			"resistances in series", s.slabBoundaries},
		{"slab-cut-cells", "heat along x and y through two materials that meet inside a cell; resistances in series",
			s.slabCutCells},
		{"slab-anisotropic", "heat driven along x, y and z in turn through an orthotropic block; q L/k",
			s.slabAnisotropic},
	}
}

// plate is the layered slab of these cases with its sheets listed from the heated bottom.
func plate(s *stack.Stack, contact float64) []analytic.Sheet {
	sheets := []analytic.Sheet{
		{Thickness: 100e-6, K: isotropic(130)},
		{Thickness: 30e-6, K: isotropic(2.25)},
		{Thickness: 1e-3, K: isotropic(398)},
	}
	for i, cells := range []int{4, 3, 5} {
		sheets[i].Contact = contact * float64(i+1)
		l := addLayer(s, [...]string{"silicon", "bond", "copper"}[i], sheets[i].Thickness, cells, sheets[i].K, 2e6)
		l.ContactResistance = sheets[i].Contact
	}
	// Contact resistance lies between layers; above the last there is none.
	s.Layers[2].ContactResistance, sheets[2].Contact = 0, 0
	return sheets
}

// slabUnderFlux heats the slab from below; contact scales the resistances between its layers.
func (s solver) slabUnderFlux(title string, contact float64) func(ctx context.Context) (Result, error) {
	return func(ctx context.Context) (Result, error) {
		const flux, h = 2e5, 1e4
		st := newStack(title, 2e-3, 1e-3, 6, 3)
		sheets := plate(st, contact)
		st.Boundary[stack.Bottom], st.Boundary[stack.Top] = heatFlux(flux), convection(h)
		return s.compareSlab(ctx, st, func(z float64) float64 { return analytic.SlabRise(sheets, h, flux, z) })
	}
}

// slabSource compares above the heated layer, where the field does not depend on how heat is spread within it.
func (s solver) slabSource(ctx context.Context) (Result, error) {
	const watts, h, heated = 0.5, 5e3, 20e-6
	st := newStack("slab with a heated layer", 2e-3, 1e-3, 6, 3)
	l := addLayer(st, "heated", heated, 2, isotropic(100), 1.6e6)
	l.Powers = []stack.Power{uniformPower(watts, st.Domain())}
	sheets := plate(st, 0)
	st.Boundary[stack.Top] = convection(h)
	flux := watts / (st.Size[0] * st.Size[1])
	return s.compareSlab(ctx, st, func(z float64) float64 {
		if z < heated {
			return math.NaN()
		}
		return analytic.SlabRise(sheets, h, flux, z-heated)
	})
}

// compareSlab solves st and compares every cell with rise(z); cells where that is NaN are left out.
func (s solver) compareSlab(ctx context.Context, st *stack.Stack, rise func(z float64) float64) (Result, error) {
	f, err := s.steady(ctx, st)
	if err != nil {
		return Result{}, err
	}
	var w worst
	hottest := f.max()
	for k := range f.NZ() {
		want := rise((f.Z[k] + f.Z[k+1]) / 2)
		if math.IsNaN(want) {
			continue
		}
		for _, got := range f.plane(k) {
			w.add(got, want, hottest)
		}
	}
	return w.result("rise of the worst cell, relative to the hottest", "K", slabTolerance), nil
}

// boundaryPair drives heat through a slab from the bottom to the top and says what it should do.
type boundaryPair struct {
	bottom, top stack.Boundary
	flux        float64 // W/m2 from bottom to top
	topRise     float64 // of the top surface
}

func (s solver) slabBoundaries(ctx context.Context) (Result, error) {
	const width, depth, lumped = 2e-3, 1e-3, 25.0
	const r = 100e-6/130 + 30e-6/2.25 + 1e-3/398 // m2 K/W, of the plate
	const flux = 2e5
	through := 60 / (r + lumped*width*depth) // from a bottom held at ambient + 60 K
	pairs := []boundaryPair{
		{heatFlux(flux), fixedTemperature(ambient + 7), flux, 7},
		{heatFlux(flux), lumpedResistance(lumped), flux, flux * width * depth * lumped},
		{fixedTemperature(ambient + 60), lumpedResistance(lumped), through, through * width * depth * lumped},
		{fixedTemperature(ambient - 10), fixedTemperature(ambient + 40), -50 / r, 40},
		{fixedTemperature(ambient + 30), heatFlux(-flux), flux, 30 - flux*r},
	}
	var w worst
	for _, p := range pairs {
		st := newStack("slab between boundaries", width, depth, 3, 2)
		sheets := plate(st, 0)
		st.Boundary[stack.Bottom], st.Boundary[stack.Top] = p.bottom, p.top
		f, err := s.steady(ctx, st)
		if err != nil {
			return Result{}, err
		}
		scale := math.Abs(p.flux*r) + math.Abs(p.topRise)
		for k := range f.NZ() {
			want := p.topRise + analytic.SlabRise(sheets, math.Inf(1), p.flux, (f.Z[k]+f.Z[k+1])/2)
			for _, got := range f.plane(k) {
				w.add(got, want, scale)
			}
		}
	}
	return w.result("rise of the worst cell, relative to the span", "K", slabTolerance), nil
}

// slabAnisotropic drives a flux along one axis after the other; the far face is held at the ambient.
func (s solver) slabAnisotropic(ctx context.Context) (Result, error) {
	const flux = 1e5
	k := [3]float64{12, 90, 2.25}
	faces := [3][2]stack.Face{{stack.West, stack.East}, {stack.South, stack.North}, {stack.Bottom, stack.Top}}
	var w worst
	for axis, pair := range faces {
		for end := range 2 { // from either end
			st := newStack("orthotropic block", 3e-3, 2e-3, 5, 4)
			addLayer(st, "block", 1e-3, 3, k, 2e6)
			length := [3]float64{3e-3, 2e-3, 1e-3}[axis]
			st.Boundary[pair[end]] = heatFlux(flux)
			st.Boundary[pair[1-end]] = fixedTemperature(ambient)
			f, err := s.steady(ctx, st)
			if err != nil {
				return Result{}, err
			}
			f.each(func(c [3]float64, got float64) {
				from := c[axis]
				if end == 1 {
					from = length - from
				}
				w.add(got, flux*(length-from)/k[axis], flux*length/k[axis])
			})
		}
	}
	return w.result("rise of the worst cell, relative to the hottest", "K", slabTolerance), nil
}

// slabCutCells holds a bar at two temperatures. A region covers one end of it; its edge lies a quarter, half or three
// quarters into a cell. Cells that the edge does not cut must have the exact temperature.
func (s solver) slabCutCells(ctx context.Context) (Result, error) {
	const length, span, near, far = 2e-3, 50.0, 120.0, 0.8
	const cells = 10
	var w worst
	for axis, pair := range [2][2]stack.Face{{stack.West, stack.East}, {stack.South, stack.North}} {
		for _, cut := range []float64{0.25, 0.5, 0.75} {
			edge := (3 + cut) * length / cells
			st := newStack("bar with a cut cell", length, length, cells, cells)
			l := addLayer(st, "near", 1e-4, 1, isotropic(near), 2e6)
			region := stack.Region{Material: addMaterial(st, "far", isotropic(far), 2e6), Rect: st.Domain()}
			if axis == 0 {
				region.X, region.Width = edge, length-edge
			} else {
				region.Y, region.Height = edge, length-edge
			}
			l.Regions = []stack.Region{region}
			st.Boundary[pair[0]], st.Boundary[pair[1]] = fixedTemperature(ambient+span), fixedTemperature(ambient)
			f, err := s.steady(ctx, st)
			if err != nil {
				return Result{}, err
			}
			flux := span / (edge/near + (length-edge)/far)
			f.each(func(c [3]float64, got float64) {
				if math.Abs(c[axis]-edge) > length/(2*cells) {
					w.add(got, span-flux*(min(c[axis], edge)/near+max(c[axis]-edge, 0)/far), span)
				}
			})
		}
	}
	return w.result("rise of the worst uncut cell, relative to the span", "K", slabTolerance), nil
}
