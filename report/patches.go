package report

import (
	"fmt"

	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/stack"
)

// PatchSummary is a patch of a face, or what the patches of a face leave of it, at the end.
type PatchSummary struct {
	Face   string  `json:"face"`    // bottom, top, west, east, south or north
	Name   string  `json:"name"`    // of the patch; "" for what patches leave of the face
	AreaM2 float64 `json:"area_m2"` // that is seen, without what later patches cover
	HeatW  float64 `json:"heat_W"`  // leaving is positive
}

func summarisePatches(m *mesh.Mesh, f solution.Field) ([]PatchSummary, error) {
	states, err := m.Patches(f.Plane)
	var all []PatchSummary
	for _, s := range states {
		row := PatchSummary{Face: s.Face.String(), AreaM2: s.Area, HeatW: s.Heat}
		if s.Patch >= 0 {
			row.Name = m.Stack.Boundary[s.Face].Patches[s.Patch].Name
		}
		all = append(all, row)
	}
	return all, err
}

// patchesText lists the patches of each face with the heat that leaves through them.
func patchesText(rows []PatchSummary, decimals int) (faces []string, parts [][]string) {
	for i := range rows {
		r := &rows[i]
		if len(faces) == 0 || faces[len(faces)-1] != r.Face {
			faces, parts = append(faces, r.Face), append(parts, nil)
		}
		name := r.Name
		if name == "" {
			name = "the rest"
		}
		last := len(parts) - 1
		parts[last] = append(parts[last], fmt.Sprintf("%s %s (%.4g mm2)", name, fixed(r.HeatW, decimals), r.AreaM2*1e6))
	}
	return faces, parts
}

// patchText is a patch in words.
func patchText(p *stack.Patch) string {
	condition := boundaryText(&p.Boundary)
	if p.Map != nil {
		condition = fmt.Sprintf("h by a map of %d × %d tiles, %s W/(m² K) on average, to %s", p.Map.NX, p.Map.NY,
			trimmed(p.Map.Mean()), trimmed(p.Temperature-zeroCelsius)+" °C")
	}
	return p.Name + ": " + condition
}
