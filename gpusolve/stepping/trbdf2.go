package stepping

import "math"

// TR-BDF2 with gamma = 2 - sqrt 2 (Bank et al., IEEE Trans. Electron Devices 32 (1985) 1992; Hosea and Shampine, Appl.
// Numer. Math. 20 (1996) 21) takes a step of C x' = p - K x from x0 to x1 = x(h) by the trapezoidal rule to z = x(gamma
// h), and from x0 and z by BDF2 to x1. Both stages have the operator of a backward-Euler step of d h with d = gamma/2,
// so that a step is two of these:
//
//	y  from x0,                          z = 2 y - x0
//	x1 from (1 + sqrt 2) y - sqrt 2 x0
//
// y is x(d h) to first order: the trapezoidal rule over gamma h in the form of the midpoint rule. Where K and p are
// constant over a step the two are the same; where K follows the temperature the steps are those of Alexander's SDIRK2
// (SIAM J. Numer. Anal. 14 (1977) 1006), which has the same d, order 2 and stability function.
const (
	stageShare  = 1 - math.Sqrt2/2 // d: the backward-Euler steps over h
	drivenMid   = 1 + math.Sqrt2
	drivenStart = -math.Sqrt2
)

// The estimate of a step's error is that of the companion of order 3 that Hosea and Shampine embed, filtered by their
// (1 + d h K/C)^-1 for what is stiff. With y1 the first stage of the next step, taken with the same power and length,
// it is
//
//	s ((1 + 2 d) y + (1 - 2 d) y1 - x0 - x1),   s = (1/6 - (sqrt 2 - 1)/2) / d^3
//
// the only combination of the four whose terms up to h^2 vanish; s makes the term of h^3 that of the error. So it costs
// a solve only where the next step is another one.
const (
	estimateScale = (1./6 - (math.Sqrt2-1)/2) / (stageShare * stageShare * stageShare)
	estimateMid   = (1 + 2*stageShare) * estimateScale
	estimateAhead = (1 - 2*stageShare) * estimateScale
)

// within gives the weights of x0, y and x1 for the state a share of a step after its start: the combination that is
// exact to second order, as the step is, and that joins the ends.
func within(share float64) (start, mid, end float64) {
	mid = share * (1 - share) / (stageShare * (1 - 2*stageShare))
	end = share - stageShare*mid
	return 1 - mid - end, mid, end
}
