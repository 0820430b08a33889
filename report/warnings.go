package report

import (
	"fmt"
	"slices"

	"thermsim/mesh/plausibility"
	"thermsim/report/statistics"
)

// addWarnings states the doubts about the stack, the command line and the temperatures.
func (s building) addWarnings(r *Run, parts []*statistics.Part) {
	s.Warnings = []plausibility.Warning{}
	if r.Recorded != nil {
		s.Warnings = append(s.Warnings, r.Recorded.Warnings...)
		return
	}
	layers := make([]plausibility.Range, len(s.Layers))
	for i := range s.Layers {
		l := &s.Layers[i]
		layers[i] = plausibility.Range{Min: l.MinK, Mean: l.MeanK, Max: l.MaxK}
	}
	for n, c := range r.Mesh.Cavities {
		for _, a := range s.Coolant[n].Along {
			layers[c.Layer].Coolant = max(layers[c.Layer].Coolant, a.MaxK)
		}
	}
	s.Warnings = slices.Concat(s.Warnings, plausibility.Of(r.Mesh), r.Warnings,
		plausibility.OfTemperatures(r.Mesh, layers), sampledRows(r, parts))
}

// sampledRows are the layers in which more regions lie over each other than are told apart.
func sampledRows(r *Run, parts []*statistics.Part) []plausibility.Warning {
	var found []plausibility.Warning
	last := -1
	for _, p := range parts {
		if !p.Sampled || p.Layer == last {
			continue
		}
		last = p.Layer
		y := &r.Mesh.Stack.Layers[last]
		found = append(found, plausibility.Warning{
			Code: plausibility.CrowdedCells, Place: y.Regions[0].Pos.String(),
			Text: fmt.Sprintf("layer %q: so many regions lie over each other that areas, powers and means of its "+
				"rows are good to a hundredth of the chip", y.Name),
			Remedy: "one region with fill in place of many is exact",
		})
	}
	return found
}
