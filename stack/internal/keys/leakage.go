package keys

import "thermsim/stack/internal/units"

func leakageSpecs() []Spec {
	return []Spec{
		{"leakage", "leakage = { ... }", "a leakage", []Key{
			{Name: "power", Type: Scalar, Quantity: units.Power, Range: NonNegative,
				Doc: "Leakage for the law's value 1: of a block, of the area of a uniform power, or of all blocks " +
					"without their own, which share it by area."},
			{Name: "density", Type: Scalar, Quantity: units.Flux, Range: NonNegative,
				Doc: "Leakage per area, instead of power."},
			{Name: "watts", Type: FileOrScalars, Quantity: units.Power, Range: NonNegative,
				Doc: "Leakage of blocks, instead of power: path of a HotSpot .ptrace file with one row, or a table { " +
					"name = \"2 W\", ... }."},
			{Name: "beta", Type: Scalar, Quantity: units.PerKelvin, Doc: "Exponential law exp(beta (T - at))."},
			{Name: "polynomial", Type: NumberList,
				Doc: "Coefficients a0, a1, ... of the law a0 + a1 (T - at) + a2 (T - at)^2 ... in powers of 1/K; " +
					"usually a0 = 1."},
			{Name: "table", Type: NumberRows,
				Doc: "Rows [temperature in K, factor], temperatures ascending, interpolated by a monotone cubic."},
			{Name: "at", Type: Scalar, Quantity: units.Temperature, Range: Positive, Default: "300 K",
				Doc: "Reference temperature of beta or a polynomial."},
			{Name: "range", Type: Pair, Quantity: units.Temperature, Range: Positive,
				DefDoc: "required, except for a table", Doc: "Lowest and highest temperature of beta or a polynomial."},
		}},
	}
}
