package report

import (
	"fmt"
	"math"
	"strings"

	"thermsim/gpusolve/solution"
	"thermsim/mesh"
)

// FilmSummary is a face whose heat transfer coefficient follows the temperature of its surface, at the end.
type FilmSummary struct {
	Face        string  `json:"face"`          // bottom, top, west, east, south or north
	MeanH       float64 `json:"mean_h_W_m2K"`  // over the area
	SurfaceMinK float64 `json:"surface_min_K"` // lowest of the surface
	SurfaceMaxK float64 `json:"surface_max_K"` // highest of the surface
	ConvectionW float64 `json:"convection_W"`  // by the constant, the law and natural convection; leaving is positive
	RadiationW  float64 `json:"radiation_W"`   // leaving is positive
	// Rayleigh number at the surface's temperature farthest from ambient; absent without natural convection.
	Rayleigh float64 `json:"rayleigh,omitempty"`
	// What lies beyond the range of the formula or the law; absent where nothing does.
	Outside string `json:"outside,omitempty"`
}

func summariseFilms(m *mesh.Mesh, f solution.Field) ([]FilmSummary, error) {
	if !m.TemperatureDependent() {
		return nil, nil
	}
	states, err := m.Films(f.Plane)
	var all []FilmSummary
	for i := range states {
		s := &states[i]
		b := &m.Stack.Boundary[s.Face]
		sum := FilmSummary{Face: s.Face.String(), MeanH: s.MeanH, SurfaceMinK: s.Coldest, SurfaceMaxK: s.Hottest,
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

// String is the face in a line.
func (f *FilmSummary) String() string { return strings.Join(f.parts(), ", ") }

func (f *FilmSummary) parts() []string {
	parts := []string{fmt.Sprintf("%s h %.4g W/(m2 K) on average", f.Face, f.MeanH),
		fmt.Sprintf("surface %.2f to %.2f degC", f.SurfaceMinK-zeroCelsius, f.SurfaceMaxK-zeroCelsius)}
	if f.ConvectionW != 0 {
		parts = append(parts, fmt.Sprintf("convection %.4g", f.ConvectionW))
	}
	if f.RadiationW != 0 {
		parts = append(parts, fmt.Sprintf("radiation %.4g", f.RadiationW))
	}
	return parts
}
