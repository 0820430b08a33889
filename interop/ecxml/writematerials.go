package ecxml

import "thermsim/stack"

// density in kg/m3 that is written: a stack has the product with the specific heat only.
const density = 1000.0

func (x *writer) materials() {
	emissivity := 0.0
	for f := range x.s.Boundary {
		emissivity = max(emissivity, x.s.Boundary[f].Emissivity)
	}
	x.open("materials")
	for _, list := range [][]stack.Material{x.s.Materials, x.mixed} {
		for i := range list {
			m := &list[i]
			x.open("material")
			x.text("name", m.Name)
			x.number("density", density)
			x.number("specific_heat", m.C/density)
			x.number("surfaceEmissivity", emissivity)
			x.open("thermalConductivity")
			x.conductivity(m)
			x.close("thermalConductivity")
			x.close("material")
		}
	}
	x.close("materials")
}

// conductivity writes that of a material in the simplest form.
func (x *writer) conductivity(m *stack.Material) {
	c := m.KCurve[0]
	isotropic := m.K[0] == m.K[1] && m.K[1] == m.K[2]
	switch {
	case m.KCurve != [3]*stack.Curve{} && !isotropic:
		x.note("material %.40q: its conductivity is written for %.4g K", m.Name, c.Reference())
		fallthrough
	case !isotropic:
		x.vector("orthotropic", m.K)
	case c == nil:
		x.open("isotropic")
		x.number("conductivity", m.K[0])
		x.close("isotropic")
	case c.Law == stack.PolynomialLaw && len(c.Coefficients) == 2:
		x.open("linearTemperatureDependant")
		x.number("conductivity", c.Coefficients[0])
		x.number("coeff", c.Coefficients[1])
		x.number("tref", c.At)
		x.close("linearTemperatureDependant")
	default:
		x.open("nonLinearTemperatureDependant")
		const points = 32
		for i := range points + 1 {
			t := c.Range[0] + (c.Range[1]-c.Range[0])*float64(i)/points
			x.open("tempCurvePoint")
			x.number("temperature", t)
			x.number("conductivity", c.Of(t))
			x.close("tempCurvePoint")
		}
		x.close("nonLinearTemperatureDependant")
	}
}
