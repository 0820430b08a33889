package report

import (
	"fmt"
	"slices"

	"thermsim/mesh/plausibility"
)

// addWarnings states the doubts about the stack, the command line and the temperatures.
func (s building) addWarnings(r *Run, parts []*part) {
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
func sampledRows(r *Run, parts []*part) []plausibility.Warning {
	var found []plausibility.Warning
	last := -1
	for _, p := range parts {
		if !p.sampled || p.layer == last {
			continue
		}
		last = p.layer
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

// warnings come right after the verdict, which they qualify.
func (p *page) warnings(s *Summary) {
	if len(s.Warnings) == 0 {
		return
	}
	p.heading(fmt.Sprintf("Warnings (%d)", len(s.Warnings)), "possible, but seldom meant; --strict refuses them")
	_ = plausibility.Write(p.w, s.Warnings, p.style.Width) // errors stay in the writer until Flush
}

// warningLines are the warnings as a page lists them.
func warningLines(s *Summary) []string {
	var lines []string
	for _, w := range s.Warnings {
		lines = append(lines, w.String())
	}
	return lines
}
