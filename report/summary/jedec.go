package summary

// Jedec are figures of JEDEC's standards: empty where the stack asks for none, in transients, without power and
// after a runaway. The junction is the hottest cell. Resistances theta are those of JESD51-12 between the junction and
// a point that all the heat passes; parameters psi divide by the same power, though only some of the heat goes that
// way.
type Jedec struct {
	Environment string        `json:"environment"` // the standard, such as jesd51-2a
	JunctionK   float64       `json:"junction_K"`  // hottest cell
	PowerW      float64       `json:"power_W"`     // of the package
	Figures     []JedecFigure `json:"figures"`     // those of the environment
}

// JedecFigure is (junction - reference) / power.
type JedecFigure struct {
	Name       string  `json:"name"`        // theta_JA, theta_JB, theta_JC(top), psi_JT or psi_JB
	KPerW      float64 `json:"K_per_W"`     // (junction - reference) / power
	Reference  string  `json:"reference"`   // in words
	ReferenceK float64 `json:"reference_K"` // its temperature
}
