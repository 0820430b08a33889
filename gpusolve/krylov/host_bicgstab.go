package krylov

import (
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
)

// Memory movement per row of one iteration, products with A and the preconditioner apart: FirstStep reads shadow, v (16
// B), reads y32, x, r, v and writes x, r, r32 (48 B); SecondStep reads t, r (16 B), reads z32, x, r, t, shadow and
// writes x, r (52 B); NextDirection reads p, r, v and writes p, p32 (36 B); Widen twice 12 B.

// hostOperations are the operations on a workspace of the processor.
type hostOperations struct {
	*host.Iteration
	stab    StabilisedScalars
	partial [][2]float64
	task    stabilisedTask // of the operation that runs
}

func onHost(w ops.Workspace) (Operations, bool, error) {
	i, ok := host.IterationOf(w)
	return &hostOperations{Iteration: i}, ok, nil
}

// blockRows is the length of a block: long enough to make handing it out cheap, short enough to stay in cache.
const blockRows = 2048

// stabilisedTask runs an operation on blocks of rows and keeps two sums of each.
type stabilisedTask struct {
	s              *hostOperations
	body           func(t *stabilisedTask, lo, hi int) (a, b float64)
	x, r, a, b     []float64
	single, second []float32
	step, turn     float64
}

func (t *stabilisedTask) Run(lo, hi, _ int) {
	for n := lo; n < hi; n++ {
		a, b := t.body(t, n*blockRows, min((n+1)*blockRows, t.s.Cells()))
		t.s.partial[n] = [2]float64{a, b}
	}
}

// overRows runs t and returns its sums, added in order.
func (s *hostOperations) overRows(t stabilisedTask) (a, b float64) {
	blocks := (s.Cells() + blockRows - 1) / blockRows
	if s.partial == nil {
		s.partial = make([][2]float64, blocks)
	}
	t.s = s
	s.task = t
	s.Run(&s.task, blocks, s.Cells())
	s.task = stabilisedTask{}
	for _, p := range s.partial {
		a += p[0]
		b += p[1]
	}
	return a, b
}

func (s *hostOperations) Begin(r, shadow, p, p32, from ops.Vector) {
	t := stabilisedTask{x: host.Doubles(shadow), r: host.Doubles(r), a: host.Doubles(p), single: host.Singles(p32)}
	t.b, t.second = host.Values(from)
	s.stab.Rho, _ = s.overRows(withBody(t, func(t *stabilisedTask, lo, hi int) (rho, _ float64) {
		for c := lo; c < hi; c++ {
			var v float64
			if t.b != nil {
				v = t.b[c]
			} else {
				v = float64(t.second[c])
			}
			t.x[c], t.r[c], t.a[c], t.single[c] = v, v, v, float32(v)
			rho += v * v
		}
		return rho, 0
	}))
}

func withBody(t stabilisedTask, body func(t *stabilisedTask, lo, hi int) (a, b float64)) stabilisedTask {
	t.body = body
	return t
}

func (s *hostOperations) Widen(y, y32 ops.Vector) {
	s.overRows(stabilisedTask{a: host.Doubles(y), single: host.Singles(y32),
		body: func(t *stabilisedTask, lo, hi int) (_, _ float64) {
			for c := lo; c < hi; c++ {
				t.a[c] = float64(t.single[c])
			}
			return 0, 0
		}})
}

func (s *hostOperations) FirstStep(x, r, r32, shadow, v, y32 ops.Vector) {
	k := &s.stab
	k.RV, _ = s.overRows(stabilisedTask{a: host.Doubles(shadow), b: host.Doubles(v),
		body: func(t *stabilisedTask, lo, hi int) (sum, _ float64) {
			for c := lo; c < hi; c++ {
				sum += t.a[c] * t.b[c]
			}
			return sum, 0
		}})
	k.Step = quotient(k.Rho, k.RV)
	k.SS, _ = s.overRows(stabilisedTask{
		x: host.Doubles(x), r: host.Doubles(r), a: host.Doubles(v), single: host.Singles(r32),
		second: host.Singles(y32), step: k.Step,
		body: func(t *stabilisedTask, lo, hi int) (sum, _ float64) {
			for c := lo; c < hi; c++ {
				t.x[c] += t.step * float64(t.second[c])
				w := t.r[c] - t.step*t.a[c]
				t.r[c], t.single[c] = w, float32(w)
				sum += w * w
			}
			return sum, 0
		},
	})
}

func (s *hostOperations) SecondStep(x, r, shadow, t, z32 ops.Vector) {
	k := &s.stab
	k.TS, k.TT =
		s.overRows(stabilisedTask{a: host.Doubles(t), r: host.Doubles(r),
			body: func(t *stabilisedTask, lo, hi int) (ts, tt float64) {
				for c := lo; c < hi; c++ {
					ts += t.a[c] * t.r[c]
					tt += t.a[c] * t.a[c]
				}
				return ts, tt
			}})
	k.Omega = quotient(k.TS, k.TT)
	var rho float64
	k.RR, rho = s.overRows(stabilisedTask{
		x: host.Doubles(x), r: host.Doubles(r), a: host.Doubles(t), b: host.Doubles(shadow), second: host.Singles(z32),
		step: k.Omega,
		body: func(t *stabilisedTask, lo, hi int) (rr, rho float64) {
			for c := lo; c < hi; c++ {
				t.x[c] += t.step * float64(t.second[c])
				w := t.r[c] - t.step*t.a[c]
				t.r[c] = w
				rr += w * w
				rho += t.b[c] * w
			}
			return rr, rho
		},
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
	s.overRows(stabilisedTask{
		a: host.Doubles(p), b: host.Doubles(v), r: host.Doubles(r), single: host.Singles(p32), step: s.stab.Omega,
		turn: s.stab.Turn,
		body: func(t *stabilisedTask, lo, hi int) (_, _ float64) {
			for c := lo; c < hi; c++ {
				w := t.r[c] + t.turn*(t.a[c]-t.step*t.b[c])
				t.a[c], t.single[c] = w, float32(w)
			}
			return 0, 0
		},
	})
}

func (s *hostOperations) StabilisedScalars() StabilisedScalars { return s.stab }
