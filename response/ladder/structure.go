package ladder

// Structure is the structure function of a ladder: with the thermal resistance from the junction on as abscissa, the heat capacity up to there, and its derivative, both one
// value for each section. Materials in series show as plateaus of the derivative: in a column of cross-section A it is c k A^2, with the volumetric heat capacity c and the
// conductivity k (JESD51-14, annex B).
type Structure struct {
	R []float64 // K/W, cumulative, the middle of each section
	C []float64 // J/K, cumulative, likewise
	K []float64 // W2 s/K2, dC/dR of each section
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
