package keys

// New builds the table of stack files.
func New() *Format {
	return newFormat(domainSpecs(), mixtureSpecs(), layerSpecs(), dieSpecs(), blockSpecs(), coolantSpecs(),
		heatSinkSpecs(), packageSpecs(), powerSpecs(), leakageSpecs(), runSpecs())
}

func newFormat(groups ...[]Spec) *Format {
	f := &Format{specs: map[string]*Spec{}}
	for _, group := range groups {
		for i := range group {
			f.Order = append(f.Order, group[i].Name)
			f.specs[group[i].Name] = &group[i]
		}
	}
	return f
}
