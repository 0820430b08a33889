package mixed

import (
	"math"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
)

// inner is r.z and max|z|.
func inner[R, Z number](r []R, z []Z) (sum, top float64) {
	for i, v := range z {
		sum += float64(r[i]) * float64(v)
		top = max(top, math.Abs(float64(v)))
	}
	return sum, top
}

func (s hostOperations) Dot(r, z ops.Vector, first bool) {
	r64, r32, _ := HostValues(r)
	z64, z32, _ := HostValues(z)
	sum, top := s.Blockwise(func(lo, hi, _ int) (float64, float64) {
		switch {
		case z64 != nil:
			return inner(r64[lo:hi], z64[lo:hi])
		case r64 != nil:
			return inner(r64[lo:hi], z32[lo:hi])
		}
		return inner(r32[lo:hi], z32[lo:hi])
	})
	s.SetRZ(sum, top, first)
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

func (s hostOperations) Turn(p, z ops.Vector) {
	p64, p32, half := HostValues(p)
	z64, z32, _ := HostValues(z)
	beta := s.Beta()
	s.Blockwise(func(lo, hi, _ int) (sum, top float64) {
		switch {
		case z64 != nil:
			turn(p64[lo:hi], z64[lo:hi], beta)
		case p64 != nil:
			turn(p64[lo:hi], z32[lo:hi], beta)
		default:
			turn(p32[lo:hi], z32[lo:hi], float32(beta))
		}
		if half {
			RoundHalves(p32[lo:hi])
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

func (s hostOperations) Update(x, r, r32, p, q ops.Vector) {
	xd, xs, half := HostValues(x)
	rd, rs, _ := HostValues(r)
	pd, ps, _ := HostValues(p)
	qd, qs, _ := HostValues(q)
	alpha := s.Alpha()
	sum, _ := s.Blockwise(func(lo, hi, _ int) (sum, top float64) {
		if xd != nil {
			advance(xd[lo:hi], rd[lo:hi], pd[lo:hi], qd[lo:hi], alpha)
			if r32 != nil {
				convert(host.Singles(r32)[lo:hi], rd[lo:hi], 1)
			}
			return inner(rd[lo:hi], rd[lo:hi])
		}
		advance(xs[lo:hi], rs[lo:hi], ps[lo:hi], qs[lo:hi], float32(alpha))
		if half {
			RoundHalves(xs[lo:hi])
			RoundHalves(rs[lo:hi])
		}
		return inner(rs[lo:hi], rs[lo:hi])
	})
	s.SetRR(sum)
}

func (s hostOperations) Gap(a, b ops.Vector) float64 {
	x, y := host.Doubles(a), host.Doubles(b)
	sum, _ := s.Blockwise(func(lo, hi, _ int) (sum, top float64) {
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

func (s hostOperations) Convert(dst, src ops.Vector, factor float64) {
	d64, d32, half := HostValues(dst)
	s64, s32, _ := HostValues(src)
	s.Blockwise(func(lo, hi, _ int) (sum, top float64) {
		switch {
		case half:
			for c := lo; c < hi; c++ {
				d32[c] = roundHalf(s64[c] * factor)
			}
		case d64 != nil && s64 != nil:
			convert(d64[lo:hi], s64[lo:hi], factor)
		case d64 != nil:
			convert(d64[lo:hi], s32[lo:hi], factor)
		case s64 != nil:
			convert(d32[lo:hi], s64[lo:hi], factor)
		default:
			convert(d32[lo:hi], s32[lo:hi], factor)
		}
		return 0, 0
	})
}

func (s hostOperations) Scale(z, d, r ops.Vector) {
	var by []float32
	if d != nil {
		by = host.Singles(d)
	}
	z64, z32, half := HostValues(z)
	r64, r32, _ := HostValues(r)
	s.Blockwise(func(lo, hi, _ int) (sum, top float64) {
		if z64 != nil {
			scaleBy(z64, by, r64, lo, hi)
			return 0, 0
		}
		scaleBy(z32, by, r32, lo, hi)
		if half {
			RoundHalves(z32[lo:hi])
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
