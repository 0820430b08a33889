package host

import (
	"math"
	"time"

	"thermsim/gpusolve/ops"
)

var (
	_ ops.Clock = (*system)(nil)
	_ ops.Clock = (*matrix)(nil)
)

// ChebyshevStart sets rest = c S r and d = rest/theta.
func (s *Space) ChebyshevStart(m ops.Stored, rest, d, r ops.Vector, theta float64, lift bool) {
	a := m.(*stored)
	a.lift = 1
	if v, ok := r.(*vec64); ok {
		begin(s, a, rest.(*vec64).values(), d.(*vec64).values(), v.values(), theta)
		return
	}
	in, half := narrow(r)
	left, _ := narrow(rest)
	out, _ := narrow(d)
	if lift {
		_, peak := s.blockwise(func(lo, hi, _ int) (sum, top float64) {
			for c := lo; c < hi; c++ {
				v := math.Abs(float64(in[c]))
				if a.scale != nil {
					v *= float64(a.scale[c])
				}
				top = max(top, v)
			}
			return 0, top
		})
		a.lift = liftOf(peak / theta)
	}
	begin(s, a, left, out, in, theta)
	if half {
		roundHalves(left)
		roundHalves(out)
	}
}

// liftOf is the power of two that brings peak to [4, 8): far from the largest FP16 number, as the iteration's corrections grow at first.
func liftOf(peak float64) float64 {
	if !(peak > 0) || peak > 1e300 {
		return 1
	}
	_, e := math.Frexp(peak) // peak = m 2^e, 0.5 <= m < 1
	return math.Ldexp(1, max(-120, min(120, 3-e)))
}

func begin[V number](s *Space, a *stored, rest, d, r []V, theta float64) {
	by, inverse := V(a.lift), V(1/theta)
	s.blockwise(func(lo, hi, _ int) (sum, top float64) {
		for c := lo; c < hi; c++ {
			v := by * r[c]
			if a.scale != nil {
				v *= V(a.scale[c])
			}
			rest[c], d[c] = v, v*inverse
		}
		return 0, 0
	})
}

// ChebyshevStep does a step of the iteration.
func (s *Space) ChebyshevStep(m ops.Stored, entries ops.Precision, u ops.Recurrence, z, rest, d, next ops.Vector) {
	a := m.(*stored)
	s.blockwise(func(lo, hi, worker int) (sum, top float64) {
		if v, ok := d.(*vec64); ok {
			y := s.Scratch(worker).Doubles(hi - lo)
			a.product64(entries, y, v.values(), lo, hi)
			relax(a, u, z.(*vec64).values(), rest.(*vec64).values(), v.values(), next.(*vec64).values(), y, lo, hi)
			return 0, 0
		}
		v, half := narrow(d)
		zv, _ := narrow(z)
		left, _ := narrow(rest)
		to, _ := narrow(next)
		y := s.Scratch(worker).Floats(hi - lo)
		a.product32(entries, half, y, v, lo, hi)
		relax(a, u, zv, left, v, to, y, lo, hi)
		if half {
			roundHalves(zv[lo:hi])
			roundHalves(left[lo:hi])
			roundHalves(to[lo:hi])
		}
		return 0, 0
	})
}

// ChebyshevRelax is a step after the product y = A d.
func (s *Space) ChebyshevRelax(m ops.Stored, u ops.Recurrence, z, rest, d, y ops.Vector) {
	a := m.(*stored)
	s.blockwise(func(lo, hi, _ int) (sum, top float64) {
		if v, ok := d.(*vec64); ok {
			relax(a, u, z.(*vec64).values(), rest.(*vec64).values(), v.values(), v.values(), y.(*vec64).values()[lo:hi], lo, hi)
			return 0, 0
		}
		v := d.(*vec32).values()
		relax(a, u, z.(*vec32).values(), rest.(*vec32).values(), v, v, y.(*vec32).values()[lo:hi], lo, hi)
		return 0, 0
	})
}

// relax is a step's arithmetic for the cells from lo to hi, with their part of A d in y.
func relax[V number](a *stored, u ops.Recurrence, z, rest, d, next, y []V, lo, hi int) {
	keep, gain, back := V(u.Keep), V(u.Gain), V(1/a.lift)
	for c := lo; c < hi; c++ {
		sum := d[c]
		if !u.First {
			sum += z[c]
		}
		left := rest[c] - y[c-lo]
		after := keep*d[c] + gain*left
		if u.Last {
			sum = (sum + after) * back
			if a.scale != nil {
				sum *= V(a.scale[c])
			}
			z[c] = sum
			continue
		}
		z[c], rest[c], next[c] = sum, left, after
	}
}

// LanczosSeed fills v with noise: a hash of position and seed (the finaliser of MurmurHash3).
func (s *iteration) LanczosSeed(v ops.Vector, seed uint32) {
	x := v.(*vec32).values()
	s.scalars.RR, _ = s.blockwise(func(lo, hi, _ int) (sum, top float64) {
		for c := lo; c < hi; c++ {
			h := uint32(c)*0x9e3779b9 ^ seed
			h ^= h >> 16
			h *= 0x85ebca6b
			h ^= h >> 13
			h *= 0xc2b2ae35
			h ^= h >> 16
			x[c] = float32(int32(h>>8)-0x800000) * 0x1p-23
			sum += float64(x[c]) * float64(x[c])
		}
		return sum, 0
	})
}

// LanczosPurge sets w -= alpha v + beta u.
func (s *iteration) LanczosPurge(w, v, u ops.Vector, alpha, beta float64) {
	to, from := w.(*vec32).values(), v.(*vec32).values()
	var former []float32
	if u != nil {
		former = u.(*vec32).values()
	}
	a, b := float32(alpha), float32(beta)
	s.scalars.RR, _ = s.blockwise(func(lo, hi, _ int) (sum, top float64) {
		for c := lo; c < hi; c++ {
			x := to[c] - a*from[c]
			if former != nil {
				x -= b * former[c]
			}
			to[c] = x
			sum += float64(x) * float64(x)
		}
		return sum, 0
	})
}

// Time measures by the clock.
func (s *Space) Time(body func()) (seconds float64, err error) {
	start := time.Now()
	body()
	return time.Since(start).Seconds(), nil
}
