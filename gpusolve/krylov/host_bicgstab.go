package krylov

import (
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
)

// Memory movement per row of one iteration, without products with A and the preconditioner. FirstStep reads shadow and
// v (16 B), then y32, x, r and v, and writes x, r and r32 (48 B). SecondStep reads t and r (16 B), then z32, x, r, t
// and shadow, and writes x and r (52 B). NextDirection reads p, r and v and writes p and p32 (36 B). Widen takes twice
// 12 B.

// hostOperations are the operations on a workspace of the processor.
type hostOperations struct {
	*host.Iteration
	stab    StabilisedScalars
	partial [][2]float64                       // sums of each block
	body    func(lo, hi int) (sum, of float64) // of the operation that runs
}

func onHost(w ops.Workspace) (Operations, bool, error) {
	i, ok := host.IterationOf(w)
	return &hostOperations{Iteration: i}, ok, nil
}

// blockRows is the length of a block: long enough to make handing it out cheap, short enough to stay in cache.
const blockRows = 2048

// rowBlocks runs an operation on blocks of rows and keeps two sums of each.
type rowBlocks struct{ *hostOperations }

func (s rowBlocks) Run(lo, hi, _ int) {
	for n := lo; n < hi; n++ {
		a, b := s.body(n*blockRows, min((n+1)*blockRows, s.Cells()))
		s.partial[n] = [2]float64{a, b}
	}
}

// overRows runs body and returns its two sums, added in order.
func (s *hostOperations) overRows(body func(lo, hi int) (a, b float64)) (a, b float64) {
	blocks := (s.Cells() + blockRows - 1) / blockRows
	if s.partial == nil {
		s.partial = make([][2]float64, blocks)
	}
	s.body = body
	s.Run(rowBlocks{s}, blocks, s.Cells())
	s.body = nil
	for _, p := range s.partial {
		a += p[0]
		b += p[1]
	}
	return a, b
}

func (s *hostOperations) Begin(r, shadow, p, p32, from ops.Vector) {
	to, other, direction, single := host.Doubles(r), host.Doubles(shadow), host.Doubles(p), host.Singles(p32)
	from64, from32 := host.Values(from)
	s.stab.Rho, _ = s.overRows(func(lo, hi int) (rho, _ float64) {
		for c := lo; c < hi; c++ {
			var v float64
			if from64 != nil {
				v = from64[c]
			} else {
				v = float64(from32[c])
			}
			other[c], to[c], direction[c], single[c] = v, v, v, float32(v)
			rho += v * v
		}
		return rho, 0
	})
}

func (s *hostOperations) Widen(y, y32 ops.Vector) {
	wide, single := host.Doubles(y), host.Singles(y32)
	s.overRows(func(lo, hi int) (_, _ float64) {
		for c := lo; c < hi; c++ {
			wide[c] = float64(single[c])
		}
		return 0, 0
	})
}

func (s *hostOperations) FirstStep(x, r, r32, shadow, v, y32 ops.Vector) {
	k := &s.stab
	xs, rs, single := host.Doubles(x), host.Doubles(r), host.Singles(r32)
	other, vs, along := host.Doubles(shadow), host.Doubles(v), host.Singles(y32)
	k.RV, _ = s.overRows(func(lo, hi int) (sum, _ float64) {
		for c := lo; c < hi; c++ {
			sum += other[c] * vs[c]
		}
		return sum, 0
	})
	step := quotient(k.Rho, k.RV)
	k.Step = step
	k.SS, _ = s.overRows(func(lo, hi int) (sum, _ float64) {
		for c := lo; c < hi; c++ {
			xs[c] += step * float64(along[c])
			w := rs[c] - step*vs[c]
			rs[c], single[c] = w, float32(w)
			sum += w * w
		}
		return sum, 0
	})
}

func (s *hostOperations) SecondStep(x, r, shadow, t, z32 ops.Vector) {
	k := &s.stab
	xs, rs, other, ts, along := host.Doubles(x), host.Doubles(r), host.Doubles(shadow), host.Doubles(t),
		host.Singles(z32)
	k.TS, k.TT = s.overRows(func(lo, hi int) (tr, tt float64) {
		for c := lo; c < hi; c++ {
			tr += ts[c] * rs[c]
			tt += ts[c] * ts[c]
		}
		return tr, tt
	})
	omega := quotient(k.TS, k.TT)
	k.Omega = omega
	var rho float64
	k.RR, rho = s.overRows(func(lo, hi int) (rr, rho float64) {
		for c := lo; c < hi; c++ {
			xs[c] += omega * float64(along[c])
			w := rs[c] - omega*ts[c]
			rs[c] = w
			rr += w * w
			rho += other[c] * w
		}
		return rr, rho
	})
	k.Turn = quotient(rho, k.Rho) * quotient(k.Step, k.Omega)
	k.Rho = rho
}

// quotient is a/b, 0 where that is no number.
func quotient(a, b float64) float64 {
	if q := a / b; q-q == 0 {
		return q
	}
	return 0
}

func (s *hostOperations) NextDirection(p, p32, r, v ops.Vector) {
	ps, single, rs, vs := host.Doubles(p), host.Singles(p32), host.Doubles(r), host.Doubles(v)
	omega, turn := s.stab.Omega, s.stab.Turn
	s.overRows(func(lo, hi int) (_, _ float64) {
		for c := lo; c < hi; c++ {
			w := rs[c] + turn*(ps[c]-omega*vs[c])
			ps[c], single[c] = w, float32(w)
		}
		return 0, 0
	})
}

func (s *hostOperations) StabilisedScalars() StabilisedScalars { return s.stab }
