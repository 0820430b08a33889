package keys

import "thermsim/stack/internal/units"

func leakageSpecs() []Spec {
	return []Spec{
		{"leakage", "leakage = { ... }", "a leakage", []Key{
			{Name: "power", Type: Scalar, Quantity: units.Power, Range: NonNegative, Doc: "Leakage where the law is " +
				"1: of a block, of the area of a uniform power, or of all blocks together that give none themselves, " +
				"which share it by area."},
			{Name: "density", Type: Scalar, Quantity: units.Flux, Range: NonNegative,
				Doc: "In place of power: leakage per area."},
			{Name: "watts", Type: FileOrScalars, Quantity: units.Power, Range: NonNegative,
				Doc: "In place of power, for blocks: path of a HotSpot .ptrace file with one row, or a table { name " +
					"= \"2 W\", ... }."},
			{Name: "beta", Type: Scalar, Quantity: units.PerKelvin, Doc: "Exponential law exp(beta (T - at))."},
			{Name: "polynomial", Type: NumberList, Doc: "Coefficients a0, a1, ... of the law a0 + a1 (T - at) + a2 " +
				"(T - at)^2 ... in powers of 1/K; a quadratic law has three, the first of them 1."},
			{Name: "table", Type: NumberRows, Doc: "Rows [temperature in K, factor on the power], temperatures " +
				"ascending: between them a monotone cubic."},
			{Name: "at", Type: Scalar, Quantity: units.Temperature, Range: Positive, Default: "300 K",
				Doc: "Temperature that beta or a polynomial refers to."},
			{Name: "range", Type: Pair, Quantity: units.Temperature, Range: Positive,
				DefDoc: "required, but for a table", Doc: "The lowest and the highest temperature for which beta or " +
					"a polynomial holds."},
		}},
	}
}
