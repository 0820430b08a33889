package report

import (
	"fmt"
	"math"

	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/report/summary"
)

func summariseFilms(m *mesh.Mesh, f solution.Field) ([]summary.Film, error) {
	if !m.TemperatureDependent() {
		return nil, nil
	}
	states, err := m.Films(f.Plane)
	var all []summary.Film
	for i := range states {
		s := &states[i]
		b := &m.Stack.Boundary[s.Face]
		sum := summary.Film{Face: s.Face.String(), MeanH: s.MeanH, SurfaceMinK: s.Coldest, SurfaceMaxK: s.Hottest,
			ConvectionW: s.Constant + s.Law, RadiationW: s.Radiation}
		far := s.Hottest
		if math.Abs(s.Coldest-b.Temperature) > math.Abs(far-b.Temperature) {
			far = s.Coldest
		}
		if ra, from, to, ok := b.Rayleigh(far); ok {
			if sum.Rayleigh = ra; ra < from || ra > to {
				sum.Outside = fmt.Sprintf("the Rayleigh number %.2g lies outside %.0e to %.0e, for which the formula "+
					"of natural convection holds; it was used all the same", ra, from, to)
			}
		}
		if s.Outside > 0 {
			if sum.Outside != "" {
				sum.Outside += "; "
			}
			sum.Outside += fmt.Sprintf("the surface of %d cells lies outside the temperatures for which h is known, "+
				"and there the value at the end of the range was used", s.Outside)
		}
		all = append(all, sum)
	}
	return all, err
}

func summarisePatches(m *mesh.Mesh, f solution.Field) ([]summary.Patch, error) {
	states, err := m.Patches(f.Plane)
	var all []summary.Patch
	for _, s := range states {
		row := summary.Patch{Face: s.Face.String(), AreaM2: s.Area, HeatW: s.Heat}
		if s.Patch >= 0 {
			row.Name = m.Stack.Boundary[s.Face].Patches[s.Patch].Name
		}
		all = append(all, row)
	}
	return all, err
}
