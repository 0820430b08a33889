package stack

// PowerMap is a grid of powers over Power.Area. Values[0] is the south-west tile, x runs fastest.
type PowerMap struct {
	NX, NY int
	// Values are watts per tile: densities have been multiplied by the tile's area.
	Values []float64
	// Temperatures in K are those of the planes of a temperature-dependent power, ascending. Values is the plane of the
	// first, Hotter has those of the others. Both are empty if the power is constant.
	Temperatures []float64
	Hotter       [][]float64
}

// Planes are the watts per tile at all temperatures.
func (m *PowerMap) Planes() [][]float64 { return append([][]float64{m.Values}, m.Hotter...) }

// Converted is the map with each of its planes converted by a function.
func (m *PowerMap) Converted(plane func(nx, ny int, values []float64) (int, int, []float64)) *PowerMap {
	c := *m
	c.NX, c.NY, c.Values = plane(m.NX, m.NY, m.Values)
	c.Hotter = nil
	for _, hotter := range m.Hotter {
		_, _, hotter = plane(m.NX, m.NY, hotter)
		c.Hotter = append(c.Hotter, hotter)
	}
	return &c
}

// Times is the map multiplied by a constant.
func (m *PowerMap) Times(factor float64) *PowerMap {
	return m.Converted(func(nx, ny int, values []float64) (int, int, []float64) {
		return nx, ny, scaled(values, factor)
	})
}

// Watts of all tiles, of a temperature-dependent map at its first temperature.
func (m *PowerMap) Watts() float64 { return total(m.Values) }

func total(values []float64) float64 {
	w := 0.0
	for _, v := range values {
		w += v
	}
	return w
}

// Leakage is the temperature-dependent part of a map as a sum over laws, of which each has watts per tile, Rise. The
// law of a plane is 1 at its temperature, 0 at those of the other planes, and linear between: the sum interpolates the
// power of every tile linearly. Outside the range, that of the nearer plane applies.
func (m *PowerMap) Leakage() []*Curve {
	laws := make([]*Curve, len(m.Hotter))
	for n := range laws {
		at := m.Temperatures
		laws[n] = &Curve{Law: TableLaw, Linear: true, Temperatures: at, Values: make([]float64, len(at)),
			Range: [2]float64{at[0], at[len(at)-1]}}
		laws[n].Values[n+1] = 1
	}
	return laws
}

// Rise is what plane n of Hotter has above Values.
func (m *PowerMap) Rise(n int) *PowerMap {
	rise := make([]float64, len(m.Values))
	for i, w := range m.Hotter[n] {
		rise[i] = w - m.Values[i]
	}
	return &PowerMap{NX: m.NX, NY: m.NY, Values: rise}
}
