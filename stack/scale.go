package stack

// Watts of all sources in a steady state.
func (s *Stack) Watts() float64 {
	w := 0.0
	for i := range s.Layers {
		for p := range s.Layers[i].Powers {
			w += s.Layers[i].Powers[p].Watts()
		}
	}
	return w
}

// ScalePower makes all sources of a steady state that many watts together, in the proportions that they have. Traces
// stay as they are.
func (s *Stack) ScalePower(watts float64) {
	now := s.Watts()
	if !(now > 0) {
		return
	}
	factor := watts / now
	for i := range s.Layers {
		for p := range s.Layers[i].Powers {
			power := &s.Layers[i].Powers[p]
			power.Uniform *= factor
			for b := range power.Blocks {
				power.Blocks[b].Watts *= factor
			}
			if power.Map != nil {
				for v := range power.Map.Values {
					power.Map.Values[v] *= factor
				}
			}
		}
	}
}
