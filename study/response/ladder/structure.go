package ladder

// Structure is the structure function of a ladder: with the thermal resistance from the junction on as abscissa, the
// heat capacity up to there, and its derivative, both one value for each section. Materials in series show as plateaus
// of the derivative: in a column of cross-section A it is c k A^2, with the volumetric heat capacity c and the
// conductivity k (JESD51-14, annex B).
type Structure struct {
	R []float64 `json:"R_sum_K_per_W"` // cumulative, the middle of each section
	C []float64 `json:"C_sum_J_per_K"` // cumulative, likewise
	K []float64 `json:"K_W2s_per_K2"`  // dC/dR of each section
}

// Structure of the ladder. Half of the capacitance of each section counts before its middle.
func (c *Cauer) Structure() *Structure {
	s := &Structure{}
	r, heat := 0.0, 0.0
	for k := range c.R {
		s.R, s.C, s.K = append(s.R, r+c.R[k]/2), append(s.C, heat+c.C[k]), append(s.K, c.C[k]/c.R[k])
		r, heat = r+c.R[k], heat+c.C[k]
	}
	return s
}

// Within leaves out the far sections that hold less than a part of the whole resistance, together, and gives theirs to
// the last that stays: the impedance changes by no more than that part. A spectrum that is smeared by its measurement
// ends in sections of hardly any resistance and capacitances without bounds.
func (c *Cauer) Within(part float64) *Cauer {
	total := 0.0
	for _, r := range c.R {
		total += r
	}
	rest, n := 0.0, len(c.R)
	for n > 1 && rest+c.R[n-1] < part*total {
		n--
		rest += c.R[n]
	}
	w := &Cauer{append([]float64(nil), c.R[:n]...), append([]float64(nil), c.C[:n]...)}
	w.R[n-1] += rest
	return w
}
