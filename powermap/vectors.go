package powermap

// Vectors draws the steady power with other watts in the blocks, from the same outlines each time. Layers with power maps are not for this.
type Vectors struct {
	layers   []LayerMap
	outlines []*Outline
}

// Vectors prepares drawings of any watts in the blocks.
func (m *Map) Vectors() *Vectors {
	v := &Vectors{layers: m.Layers}
	for i := range m.Layers {
		l := &m.Layers[i]
		o := &Outline{Layer: l.Layer}
		for k := range l.sources {
			o.Footprints = append(o.Footprints, l.sources[k].footprints...)
		}
		v.outlines = append(v.outlines, o)
	}
	return v
}

// Of takes one value for each block, layer by layer, source by source. Sources without blocks keep their steady power.
func (v *Vectors) Of(watts []float64) []Drawing {
	drawings := make([]Drawing, len(v.layers))
	for i := range v.layers {
		d := Drawing{Outline: v.outlines[i]}
		for k := range v.layers[i].sources {
			s := &v.layers[i].sources[k]
			strength := s.steady
			if n := len(s.power.Blocks); n > 0 {
				strength, watts = watts[:n], watts[n:]
			}
			d.Watts = s.footprintWatts(strength, d.Watts)
		}
		drawings[i] = d
	}
	return drawings
}
