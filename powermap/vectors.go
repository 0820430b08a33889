package powermap

// Vectors draws the steady power with other watts in the sources, from the same outlines each time.
type Vectors struct {
	layers   []LayerMap
	outlines []*Outline
}

// Vectors prepares drawings of any watts: one value for each block, and one for each uniform power and each power map,
// whose tiles keep their proportions.
func (m *Map) Vectors() *Vectors {
	v := &Vectors{layers: m.Layers}
	for i := range m.Layers {
		l := &m.Layers[i]
		o := &Outline{Layer: l.Layer}
		for k := range l.sources {
			s := &l.sources[k]
			if s.power.Map == nil {
				o.Footprints = append(o.Footprints, s.footprints...)
				continue
			}
			plane := make([]float64, l.cells())
			if s.tiles != 0 { // a map without watts has no proportions
				s.draw(m.Grid, []float64{1 / s.tiles}, plane)
			}
			o.Planes = append(o.Planes, plane)
		}
		v.outlines = append(v.outlines, o)
	}
	return v
}

// Values is how many values Of takes.
func (v *Vectors) Values() int {
	n := 0
	for i := range v.layers {
		for k := range v.layers[i].sources {
			n += len(v.layers[i].sources[k].steady)
		}
	}
	return n
}

// Of takes one value in W for each of them, layer by layer, source by source.
func (v *Vectors) Of(watts []float64) []Drawing {
	drawings := make([]Drawing, len(v.layers))
	for i := range v.layers {
		d := Drawing{Outline: v.outlines[i]}
		for k := range v.layers[i].sources {
			s := &v.layers[i].sources[k]
			n := len(s.steady)
			if s.power.Map != nil {
				d.Factors = append(d.Factors, watts[0])
			} else {
				d.Watts = s.footprintWatts(watts[:n], d.Watts)
			}
			watts = watts[n:]
		}
		drawings[i] = d
	}
	return drawings
}
