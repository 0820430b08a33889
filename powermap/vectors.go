package powermap

// Vectors draws the steady power with other watts in the sources, from the same outlines each time.
type Vectors struct {
	power    *Map
	outlines []*Outline
}

// Vectors prepares drawings of any watts: one value for each block, and one for each uniform power and each power map,
// whose tiles keep their proportions.
func (m *Map) Vectors() *Vectors {
	return &Vectors{m, m.outlines(func(s *source) float64 { return s.strengthOf(1) })}
}

// Values is how many values Of takes.
func (v *Vectors) Values() int { return v.power.inputs }

// Of takes one value in W for each of them, layer by layer, source by source.
func (v *Vectors) Of(watts []float64) []Drawing {
	return v.power.drawings(v.outlines, func(s *source) []float64 { return watts[s.first:][:len(s.steady)] })
}
