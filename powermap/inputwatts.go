package powermap

// InputWatts is the mean power over the time step (t0, t1] in W of every block, uniform power and power map, in the
// order in which Vectors takes them.
func (m *Map) InputWatts(t0, t1 float64) ([]float64, error) {
	if err := checkStep(t0, t1); err != nil {
		return nil, err
	}
	var all []float64
	for i := range m.Layers {
		for k := range m.Layers[i].sources {
			s := &m.Layers[i].sources[k]
			if mean := s.mean(t0, t1); s.power.Map != nil {
				all = append(all, s.total(mean))
			} else {
				all = append(all, mean...)
			}
		}
	}
	return all, nil
}
