package autogrid

import "math"

// profile is the size of cells between two lines: it grows from both ends by slope per m, up to a cap.
//
//	h(x) = min(low + slope x, cap, high + slope (length - x))
type profile struct {
	length, low, high, cap, slope float64
}

// pieces are the ends of the growing, the even and the shrinking part, and the size at the top.
func (p *profile) pieces() (rise, fall, top float64) {
	rise, fall, top = (p.cap-p.low)/p.slope, p.length-(p.cap-p.high)/p.slope, p.cap
	if rise > fall {
		rise = min(max((p.high-p.low+p.slope*p.length)/(2*p.slope), 0), p.length)
		fall, top = rise, p.low+p.slope*rise
	}
	return rise, fall, top
}

// cells is the number of cells, with a fraction: the integral of dx/h.
func (p *profile) cells() float64 {
	rise, fall, top := p.pieces()
	return (math.Log(top/p.low)+math.Log(top/p.high))/p.slope + (fall-rise)/top
}

// place is where the integral of dx/h from the low end is u. Within the growing and the shrinking part equal steps of u
// make sizes that are geometric.
func (p *profile) place(u float64) float64 {
	rise, fall, top := p.pieces()
	up := math.Log(top/p.low) / p.slope
	even := (fall - rise) / top
	switch {
	case u <= up:
		return p.low * math.Expm1(u*p.slope) / p.slope
	case u <= up+even:
		return rise + (u-up)*top
	}
	down := math.Log(top/p.high) / p.slope
	return p.length - p.high*math.Expm1((up+even+down-u)*p.slope)/p.slope
}
