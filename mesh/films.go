package mesh

import (
	"math"

	"thermsim/stack"
)

// FilmState is a face whose heat transfer coefficient follows the temperature of its surface, in a temperature field.
type FilmState struct {
	Face             stack.Face
	MeanH            float64 // W/(m2 K), mean over the area
	Coldest, Hottest float64 // K, of the surface
	// W that leave by the constant coefficient, by the law or natural convection, and by radiation
	Constant, Law, Radiation float64
	Outside                  int // cells whose surface lies outside the range of the law or of natural convection
	area                     float64
}

// Films are the faces whose coefficients follow the temperature, in a field whose planes read copies in K. Only planes
// that they touch are read.
func (m *Mesh) Films(read func(k int, kelvin []float64) error) ([]FilmState, error) {
	var states []FilmState
	for f := range stack.Face(stack.NumFaces) {
		if m.faceLaw(f) != nil {
			states = append(states, FilmState{Face: f, Coldest: math.Inf(1), Hottest: math.Inf(-1)})
		}
	}
	plane := make([]float64, m.NX()*m.NY())
	for k := range m.NZ() {
		known := false
		for n := range states {
			s := &states[n]
			if s.Face == stack.Bottom && k > 0 || s.Face == stack.Top && k+1 < m.NZ() {
				continue
			}
			if !known {
				if err := read(k, plane); err != nil {
					return nil, err
				}
				known = true
			}
			m.addFilm(s, k, plane)
		}
	}
	for n := range states {
		states[n].MeanH /= states[n].area
	}
	return states, nil
}

// addFilm adds the cells of a face in plane k.
func (m *Mesh) addFilm(s *FilmState, k int, kelvin []float64) {
	i0, i1, j0, j1 := 0, m.NX(), 0, m.NY()
	switch s.Face {
	case stack.West:
		i1 = 1
	case stack.East:
		i0 = i1 - 1
	case stack.South:
		j1 = 1
	case stack.North:
		j0 = j1 - 1
	}
	law := m.faceLaw(s.Face)
	value := func(curve int32, t float64) float64 {
		if curve < 0 {
			return 0
		}
		return m.Laws.of(curve, t)
	}
	for j := j0; j < j1; j++ {
		for i := i0; i < i1; i++ {
			t := kelvin[j*m.NX()+i]
			if math.IsNaN(t) || math.IsInf(t, 0) {
				continue
			}
			own := m.Laws.Warm(m.EntryAt(i, j, k), t, t)
			half := m.halfOf(s.Face, i, j, k, &own)
			if half >= noWay {
				continue
			}
			v, h, _ := m.Laws.surface(law, t-law.Ambient, half)
			area, surface := m.CellFaceArea(s.Face, i, j, k), law.Ambient+v
			s.area += area
			s.MeanH += area * h
			s.Coldest, s.Hottest = math.Min(s.Coldest, surface), math.Max(s.Hottest, surface)
			s.Constant += area * law.Constant * v
			s.Law += area * value(law.Convection, surface) * v
			s.Radiation += area * value(law.Radiation, surface) * v
			if c := law.Convection; c >= 0 && (surface < m.Laws.Curves[c].Low || surface > m.Laws.Curves[c].High) {
				s.Outside++
			}
		}
	}
}
