package powermap

// Steady describes the power of a steady state, without a value per cell unless there are power maps. The drawings are
// in the order of m.Layers.
func (m *Map) Steady() []Drawing {
	drawings := make([]Drawing, len(m.Layers))
	for i := range m.Layers {
		drawings[i] = m.Layers[i].steady()
	}
	return drawings
}

func (l *LayerMap) steady() Drawing {
	d := Drawing{Outline: &Outline{Layer: l.Layer}}
	for k := range l.sources {
		s := &l.sources[k]
		if s.power.Map != nil {
			return Drawing{Outline: &Outline{Layer: l.Layer, Planes: [][]float64{l.Watts()}}, Factors: []float64{1}}
		}
		d.Footprints = append(d.Footprints, s.footprints...)
		d.Watts = s.footprintWatts(s.steady, d.Watts)
	}
	return d
}

// Sequence draws the power of one step after the other from the same outlines.
type Sequence struct {
	power  *Map
	layers []layerSequence
}

// layerSequence is a layer with the outline of its transient sources, or with the drawing that is valid at all times.
type layerSequence struct {
	*LayerMap
	outline *Outline
	fixed   bool // the first plane contains the constant maps
	always  Drawing
}

// Sequence prepares drawings of the mean power over time steps. It rasterizes power maps once.
func (m *Map) Sequence() *Sequence {
	s := &Sequence{m, make([]layerSequence, len(m.Layers))}
	for i := range m.Layers {
		l := &m.Layers[i]
		if l.Transient() {
			s.layers[i] = l.sequence()
		} else {
			s.layers[i] = layerSequence{LayerMap: l, always: l.steady()}
		}
	}
	return s
}

func (l *LayerMap) sequence() layerSequence {
	o := &Outline{Layer: l.Layer}
	var fixed []float64
	for k := range l.sources {
		s := &l.sources[k]
		switch {
		case s.power.Map == nil:
			o.Footprints = append(o.Footprints, s.footprints...)
		case s.transient():
			o.Planes = append(o.Planes, l.plane(s, s.steady[0]))
		default:
			if fixed == nil {
				fixed = make([]float64, l.cells())
			}
			s.draw(l.grid, s.steady, 0, l.grid.NY(), fixed)
		}
	}
	if fixed != nil {
		o.Planes = append([][]float64{fixed}, o.Planes...)
	}
	return layerSequence{LayerMap: l, outline: o, fixed: fixed != nil}
}

// Changed implements Supply.
func (s *Sequence) Changed(t0, t1, u0, u1 float64) bool { return s.power.Changed(t0, t1, u0, u1) }

// MeanWatts implements Supply.
func (s *Sequence) MeanWatts(t0, t1 float64) (float64, error) { return s.power.MeanWatts(t0, t1) }

// Over describes the mean power over the time step (t0, t1], in s, as Average fills planes with it. The drawings are in
// the order of the map's layers.
func (s *Sequence) Over(t0, t1 float64) ([]Drawing, error) {
	if err := checkStep(t0, t1); err != nil {
		return nil, err
	}
	drawings := make([]Drawing, len(s.layers))
	for i := range s.layers {
		drawings[i] = s.layers[i].over(t0, t1)
	}
	return drawings, nil
}

func (l *layerSequence) over(t0, t1 float64) Drawing {
	if l.outline == nil {
		return l.always
	}
	d := Drawing{Outline: l.outline}
	if l.fixed {
		d.Factors = append(d.Factors, 1)
	}
	for k := range l.sources {
		if s := &l.sources[k]; s.power.Map == nil || s.transient() {
			d.add(s, func(s *source) []float64 { return s.mean(t0, t1) })
		}
	}
	return d
}
