package converge

import "math"

// Estimate is what three grids, each twice as fine as the one before, tell about the exact value of a quantity.
type Estimate struct {
	Values [3]float64 // coarse, middle, fine
	// Order is the observed order of convergence; NaN where the values do not settle steadily.
	Order float64
	// Extrapolated is Richardson's value for cells of no size, the finest value where there is no order.
	Extrapolated float64
	// Uncertainty, half the width of the interval around Extrapolated in which the exact value is expected.
	Uncertainty float64
}

// Bounds on the order that an extrapolation believes in: the scheme is of the second order, and first orders are met
// where edges of sources and materials cut cells.
const (
	leastOrder = 0.5
	mostOrder  = 2
)

// Judge works out an estimate; noise is what solves may leave of error in each value. After P. J. Roache, J. Fluids
// Eng. 116, 405 (1994), and L. Eca and M. Hoekstra, J. Comput. Phys. 262, 104 (2014): with the changes e1 from coarse
// to middle and e2 from middle to fine,
//
//	p = log2(e1/e2),   exact = fine + e2 / (2^p - 1),   uncertainty = 1.25 |e2| / (2^p - 1)
//
// An order above 2 is taken for luck: the extrapolation uses 2, and the uncertainty covers both changes. Below 1/2, and
// where the values swing or move apart, it is three times the larger change.
func Judge(coarse, middle, fine, noise float64) Estimate {
	e := Estimate{Values: [3]float64{coarse, middle, fine}, Order: math.NaN(), Extrapolated: fine}
	first, second := middle-coarse, fine-middle
	larger := max(math.Abs(first), math.Abs(second))
	if larger <= 4*noise {
		e.Uncertainty = larger + 2*noise
		return e
	}
	if second == 0 || first/second <= 1 {
		e.Uncertainty = 3*larger + 2*noise
		return e
	}
	e.Order = math.Log2(first / second)
	if e.Order < leastOrder {
		e.Uncertainty = 3*larger + 2*noise
		return e
	}
	step := second / (math.Exp2(min(e.Order, mostOrder)) - 1)
	e.Extrapolated += step
	e.Uncertainty = 1.25*math.Abs(step) + 2*noise
	if e.Order > mostOrder+0.1 {
		e.Uncertainty = max(e.Uncertainty, 1.25*larger)
	}
	return e
}
