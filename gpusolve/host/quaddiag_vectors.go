package host

import (
	"math"

	"thermsim/gpusolve/ops"
)

// narrow gives the values of an FP32 vector, or of one of halves.
func narrow(v ops.Vector) (values []float32, half bool) {
	if h, ok := v.(*vec16); ok {
		return h.wide.values(), true
	}
	return v.(*vec32).values(), false
}

// inner is r.z and max|z|.
func inner[R, Z number](r []R, z []Z) (sum, top float64) {
	for i, v := range z {
		sum += float64(r[i]) * float64(v)
		top = max(top, math.Abs(float64(v)))
	}
	return sum, top
}

// MixedDot sets RZ, MaxZ and Beta.
func (s *iteration) MixedDot(r, z ops.Vector, first bool) {
	sum, top := s.blockwise(func(lo, hi, _ int) (float64, float64) {
		if r, ok := r.(*vec64); ok {
			if z, ok := z.(*vec64); ok {
				return inner(r.values()[lo:hi], z.values()[lo:hi])
			}
			return inner(r.values()[lo:hi], z.(*vec32).values()[lo:hi])
		}
		a, _ := narrow(r)
		b, _ := narrow(z)
		return inner(a[lo:hi], b[lo:hi])
	})
	s.setRZ(sum, top, first)
}

func turn[P, Z number](p []P, z []Z, beta P) {
	for i, v := range z {
		if beta == 0 {
			p[i] = P(v)
		} else {
			p[i] = P(v) + beta*p[i]
		}
	}
}

// MixedTurn sets p = z + Beta p.
func (s *iteration) MixedTurn(p, z ops.Vector) {
	s.blockwise(func(lo, hi, _ int) (sum, top float64) {
		if p, ok := p.(*vec64); ok {
			if double, ok := z.(*vec64); ok {
				turn(p.values()[lo:hi], double.values()[lo:hi], s.beta)
			} else {
				a, _ := narrow(z)
				turn(p.values()[lo:hi], a[lo:hi], s.beta)
			}
			return 0, 0
		}
		a, half := narrow(p)
		b, _ := narrow(z)
		turn(a[lo:hi], b[lo:hi], float32(s.beta))
		if half {
			roundHalves(a[lo:hi])
		}
		return 0, 0
	})
}

// advance leaves x alone where alpha is 0: after a breakdown p may be no number.
func advance[V number](x, r, p, q []V, alpha V) {
	for i := range x {
		if alpha != 0 {
			x[i] += alpha * p[i]
		}
		r[i] -= alpha * q[i]
	}
}

// MixedUpdate advances x and r along p.
func (s *iteration) MixedUpdate(x, r, r32, p, q ops.Vector) {
	sum, _ := s.blockwise(func(lo, hi, _ int) (sum, top float64) {
		if x, ok := x.(*vec64); ok {
			r := r.(*vec64).values()[lo:hi]
			advance(x.values()[lo:hi], r, p.(*vec64).values()[lo:hi], q.(*vec64).values()[lo:hi], s.alpha)
			if r32 != nil {
				round(r32.(*vec32).values()[lo:hi], r)
			}
			return inner(r, r)
		}
		xv, half := narrow(x)
		rv, _ := narrow(r)
		pv, _ := narrow(p)
		qv, _ := narrow(q)
		advance(xv[lo:hi], rv[lo:hi], pv[lo:hi], qv[lo:hi], float32(s.alpha))
		if half {
			roundHalves(xv[lo:hi])
			roundHalves(rv[lo:hi])
		}
		return inner(rv[lo:hi], rv[lo:hi])
	})
	s.scalars.RR = sum
}

// MixedGap is ||a - b||.
func (s *Space) MixedGap(a, b ops.Vector) float64 {
	x, y := a.(*vec64).values(), b.(*vec64).values()
	sum, _ := s.blockwise(func(lo, hi, _ int) (sum, top float64) {
		for c := lo; c < hi; c++ {
			sum += (x[c] - y[c]) * (x[c] - y[c])
		}
		return sum, 0
	})
	return math.Sqrt(sum)
}

func convert[D, S number](dst []D, src []S, factor float64) {
	for i, v := range src {
		dst[i] = D(float64(v) * factor)
	}
}

// MixedConvert sets dst = factor src, rounded.
func (s *Space) MixedConvert(dst, src ops.Vector, factor float64) {
	s.blockwise(func(lo, hi, _ int) (sum, top float64) {
		from, double := src.(*vec64)
		switch to := dst.(type) {
		case *vec64:
			if double {
				convert(to.values()[lo:hi], from.values()[lo:hi], factor)
				break
			}
			v, _ := narrow(src)
			convert(to.values()[lo:hi], v[lo:hi], factor)
		case *vec32:
			if double {
				convert(to.values()[lo:hi], from.values()[lo:hi], factor)
				break
			}
			v, _ := narrow(src)
			convert(to.values()[lo:hi], v[lo:hi], factor)
		case *vec16:
			for c := lo; c < hi; c++ {
				to.wide.values()[c] = roundHalf(from.values()[c] * factor)
			}
		}
		return 0, 0
	})
}

// MixedScale sets z = d r, or z = r where d is nil.
func (s *Space) MixedScale(z, d, r ops.Vector) {
	var by []float32
	if d != nil {
		by = d.(*vec32).values()
	}
	s.blockwise(func(lo, hi, _ int) (sum, top float64) {
		if z, ok := z.(*vec64); ok {
			scaleBy(z.values(), by, r.(*vec64).values(), lo, hi)
			return 0, 0
		}
		out, half := narrow(z)
		in, _ := narrow(r)
		scaleBy(out, by, in, lo, hi)
		if half {
			roundHalves(out[lo:hi])
		}
		return 0, 0
	})
}

func scaleBy[V number](z []V, d []float32, r []V, lo, hi int) {
	for c := lo; c < hi; c++ {
		z[c] = r[c]
		if d != nil {
			z[c] *= V(d[c])
		}
	}
}
