package chebyshev

import (
	"math"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/krylov/mixed"
	"thermsim/gpusolve/ops"
)

// hostOperations are those of a workspace on the processor.
type hostOperations struct {
	mixed.Operations
	on   *host.Iteration
	lift float64 // factor of the right-hand side of the running iteration
}

func onHost(w ops.Workspace) (Operations, bool, error) {
	i, ok := host.IterationOf(w)
	if !ok {
		return nil, false, nil
	}
	m, err := mixed.On(w)
	return &hostOperations{m, i, 1}, true, err
}

func (s *hostOperations) Start(m mixed.Stored, rest, d, r ops.Vector, theta float64, lift bool) {
	a := m.(*mixed.HostMatrix)
	scale := a.Scale()
	s.lift = 1
	r64, r32, half := mixed.HostValues(r)
	rest64, rest32, _ := mixed.HostValues(rest)
	d64, d32, _ := mixed.HostValues(d)
	if r64 != nil {
		begin(s, scale, rest64, d64, r64, theta)
		return
	}
	if lift {
		_, peak := s.on.Blockwise(func(lo, hi, _ int) (sum, top float64) {
			for c := lo; c < hi; c++ {
				v := math.Abs(float64(r32[c]))
				if scale != nil {
					v *= float64(scale[c])
				}
				top = max(top, v)
			}
			return 0, top
		})
		s.lift = liftOf(peak / theta)
	}
	begin(s, scale, rest32, d32, r32, theta)
	if half {
		mixed.RoundHalves(rest32)
		mixed.RoundHalves(d32)
	}
}

// liftOf is the power of two that brings peak to [4, 8): far from the largest FP16 number, as the iteration's
// corrections grow at first.
func liftOf(peak float64) float64 {
	if !(peak > 0) || peak > 1e300 {
		return 1
	}
	_, e := math.Frexp(peak) // peak = m 2^e, 0.5 <= m < 1
	return math.Ldexp(1, max(-120, min(120, 3-e)))
}

func begin[V float32 | float64](s *hostOperations, scale []float32, rest, d, r []V, theta float64) {
	by, inverse := V(s.lift), V(1/theta)
	s.on.Blockwise(func(lo, hi, _ int) (sum, top float64) {
		for c := lo; c < hi; c++ {
			v := by * r[c]
			if scale != nil {
				v *= V(scale[c])
			}
			rest[c], d[c] = v, v*inverse
		}
		return 0, 0
	})
}

func (s *hostOperations) Step(m mixed.Stored, entries mixed.Precision, u Recurrence, v Iterate, next ops.Vector) {
	a := m.(*mixed.HostMatrix)
	z64, z32, half := mixed.HostValues(v.Z)
	rest64, rest32, _ := mixed.HostValues(v.Rest)
	d64, d32, _ := mixed.HostValues(v.D)
	next64, next32, _ := mixed.HostValues(next)
	end := ending{a.Scale(), 1 / s.lift}
	s.on.Blockwise(func(lo, hi, worker int) (sum, top float64) {
		if d64 != nil {
			y := s.on.Scratch(worker).Doubles(hi - lo)
			a.Product64(entries, y, d64, lo, hi)
			relax(end, u, cells[float64]{z64, rest64, d64, next64}, y, lo, hi)
			return 0, 0
		}
		y := s.on.Scratch(worker).Floats(hi - lo)
		a.Product32(entries, half, y, d32, lo, hi)
		relax(end, u, cells[float32]{z32, rest32, d32, next32}, y, lo, hi)
		if half {
			mixed.RoundHalves(z32[lo:hi])
			mixed.RoundHalves(rest32[lo:hi])
			mixed.RoundHalves(next32[lo:hi])
		}
		return 0, 0
	})
}

func (s *hostOperations) Relax(m mixed.Stored, u Recurrence, v Iterate, y ops.Vector) {
	end := ending{m.(*mixed.HostMatrix).Scale(), 1 / s.lift}
	z64, z32, _ := mixed.HostValues(v.Z)
	rest64, rest32, _ := mixed.HostValues(v.Rest)
	d64, d32, _ := mixed.HostValues(v.D)
	y64, y32, _ := mixed.HostValues(y)
	s.on.Blockwise(func(lo, hi, _ int) (sum, top float64) {
		if d64 != nil {
			relax(end, u, cells[float64]{z64, rest64, d64, d64}, y64[lo:hi], lo, hi)
			return 0, 0
		}
		relax(end, u, cells[float32]{z32, rest32, d32, d32}, y32[lo:hi], lo, hi)
		return 0, 0
	})
}

// cells are the values of an Iterate, and the correction after it.
type cells[V float32 | float64] struct{ z, rest, d, next []V }

// ending is by what the last step multiplies: S, nil in the plain form, and what takes the lift back.
type ending struct {
	scale []float32
	back  float64
}

// relax is a step's arithmetic for the cells from lo to hi, with their part of A d in y.
func relax[V float32 | float64](end ending, u Recurrence, v cells[V], y []V, lo, hi int) {
	keep, gain, back := V(u.Keep), V(u.Gain), V(end.back)
	z, rest, d, next := v.z, v.rest, v.d, v.next
	for c := lo; c < hi; c++ {
		sum := d[c]
		if !u.First {
			sum += z[c]
		}
		left := rest[c] - y[c-lo]
		after := keep*d[c] + gain*left
		if u.Last {
			sum = (sum + after) * back
			if end.scale != nil {
				sum *= V(end.scale[c])
			}
			z[c] = sum
			continue
		}
		z[c], rest[c], next[c] = sum, left, after
	}
}

// Seed fills v with noise: a hash of position and seed (the finaliser of MurmurHash3).
func (s *hostOperations) Seed(v ops.Vector, seed uint32) {
	x := host.Singles(v)
	rr, _ := s.on.Blockwise(func(lo, hi, _ int) (sum, top float64) {
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
	s.on.SetRR(rr)
}

func (s *hostOperations) Purge(w, v, u ops.Vector, alpha, beta float64) {
	to, from := host.Singles(w), host.Singles(v)
	var former []float32
	if u != nil {
		former = host.Singles(u)
	}
	a, b := float32(alpha), float32(beta)
	rr, _ := s.on.Blockwise(func(lo, hi, _ int) (sum, top float64) {
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
	s.on.SetRR(rr)
}
