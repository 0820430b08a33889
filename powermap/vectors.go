package powermap

// Vectors draws steady power with other values of the sources, always from the same outlines.
type Vectors struct {
	power    *Map
	outlines []*Outline
}

// Vectors prepares drawings of any power: one value for each block, uniform power and power map. The tiles of a map
// keep their proportions.
func (m *Map) Vectors() *Vectors {
	return &Vectors{m, m.outlines(func(s *source) float64 { return s.strengthOf(1) })}
}

// Values is the number of values of Of.
func (v *Vectors) Values() int { return v.power.inputs }

// Of draws one value in W for each of them, layer by layer, source by source.
func (v *Vectors) Of(watts []float64) []Drawing {
	return v.power.drawings(v.outlines, func(s *source) []float64 { return watts[s.first:][:len(s.steady)] })
}
