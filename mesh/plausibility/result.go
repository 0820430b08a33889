package plausibility

import (
	"math"

	"thermsim/mesh"
)

// Range of temperatures in K.
type Range struct {
	Min, Mean, Max float64
	Coolant        float64 // the highest temperature of the layer's coolant, 0 without coolant
}

// OfTemperatures checks temperatures, one range per layer from bottom to top.
func OfTemperatures(m *mesh.Mesh, layers []Range) []Warning {
	j := &judge{m: m, s: m.Stack}
	j.validity(layers)
	j.gradients(layers)
	j.boiling(layers)
	return j.found
}

// usual is the default reference temperature of material properties.
const usual = 300.0

// validity checks for materials far from the reference temperature of their properties.
func (j *judge) validity(layers []Range) {
	const far = 100.0 // K; the conductivity of silicon falls by a quarter over them
	type extent struct{ low, high float64 }
	extents := make([]extent, len(j.s.Materials))
	for i := range extents {
		extents[i] = extent{math.Inf(1), math.Inf(-1)}
	}
	for i := range j.s.Layers {
		l := &j.s.Layers[i]
		used := []int{l.Material}
		for _, r := range l.Regions {
			used = append(used, r.Material)
		}
		for _, n := range used {
			e := &extents[n]
			e.low, e.high = min(e.low, layers[i].Min), max(e.high, layers[i].Max)
		}
	}
	var names group
	low, high := math.Inf(1), math.Inf(-1)
	for i := range j.s.Materials {
		m := &j.s.Materials[i]
		at := m.TRef
		if at == 0 {
			at = usual
		}
		if e := extents[i]; e.high > at+far || e.low < at-far {
			names.add(m.Name, m.Pos)
			low, high = min(low, e.low), max(high, e.high)
		}
	}
	j.warnOf(Validity, &names, "give k and c for these temperatures, and set t_ref",
		"%s: %s to %s differ by more than %g K from the reference temperature of the properties (t_ref, default %s)",
		names.list("material", "materials"), celsius(low), celsius(high), far, celsius(usual))
}

// gradients checks for layers of one cell and low conductivity with a large share of the temperature drop.
func (j *judge) gradients(layers []Range) {
	const (
		part    = 0.2 // of the rise of the hottest layer
		poor    = 0.2 // of the conductivity of both neighbors
		leastDT = 5.0 // K
	)
	hottest := math.Inf(-1)
	for _, r := range layers {
		hottest = max(hottest, r.Max)
	}
	kz := func(l int) float64 { return j.s.Materials[j.s.Layers[l].Material].K[2] }
	var coarse group
	worst := 0.0
	for l := 1; l+1 < len(layers); l++ {
		planes := j.m.LayerPlanes[l]
		drop := math.Abs(layers[l+1].Mean - layers[l-1].Mean)
		if planes[1]-planes[0] > 1 || kz(l) > poor*min(kz(l-1), kz(l+1)) ||
			!(drop > max(leastDT, part*(hottest-j.s.Ambient))) {
			continue
		}
		coarse.add(j.s.Layers[l].Name, j.s.Layers[l].Pos)
		worst = max(worst, drop)
	}
	j.warnOf(CoarseLayer, &coarse, `set cells = 4, or use grid = "auto"`,
		"temperature drop of %.3g K across %s of one cell: the results of that layer represent only its middle; its "+
			"edges are hotter and colder", worst, coarse.list("layer", "layers"))
}
