package downstream

import "thermsim/mesh"

// stream is the coolant of a cavity with central differences, and the factors of its equations, one tridiagonal system
// for each line, in the order of the flow. Pivots are positive: the products of the entries beside the diagonal are
// negative.
type stream struct {
	*mesh.Cavity
	first int // cell of the plane of coolant
	// lower is the entry of a cell towards the one upstream over that one's pivot, upper that towards the one
	// downstream, inverse one over the pivot.
	lower, upper, inverse []float64
	task                  streamTask
}

func newStream(p *hostOperations, v *mesh.Cavity) stream {
	sheet := p.NX * p.NY
	s := stream{Cavity: v, first: v.Fluid * sheet, lower: make([]float64, sheet), upper: make([]float64, sheet),
		inverse: make([]float64, sheet)}
	p.Account(3 * 8 * int64(sheet))
	return s
}

// factor takes the entries from the operator.
func (s *stream) factor(p *hostOperations) {
	diagonal := make([]float64, p.NX*p.NY)
	p.conducted(diagonal, s.Fluid)
	n, step, across, first := s.Course(p.NX, p.NY)
	for line, wet := range s.Lines {
		if !wet {
			continue
		}
		at, before := first+line*across, 0.0
		for m := range n {
			w := s.Carry(at%p.NX, at/p.NX, p.NX, p.NY)
			pivot := diagonal[at] + w.Heat*w.Own
			if m > 0 {
				low := w.Heat*w.Up - p.axial(s, at-step, step)
				s.lower[at] = low * s.inverse[at-step]
				pivot -= s.lower[at] * before
			}
			if m+1 < n {
				s.upper[at] = w.Heat*w.Down - p.axial(s, at, step)
				before = s.upper[at]
			}
			s.inverse[at] = 1 / pivot
			at += step
		}
	}
}

// axial is the coupling between a cell of coolant and the one downstream.
func (p *hostOperations) axial(s *stream, at, step int) float64 {
	c := p.NX + s.first + min(at, at+step)
	if s.Along == 0 {
		return float64(p.GX[c])
	}
	return float64(p.GY[c])
}

// streamTask solves some lines.
type streamTask struct {
	s    *stream
	p    *hostOperations
	z, r []float64 // of the plane
}

// solve adds the solution for the residual r to z.
func (s *stream) solve(p *hostOperations, z, r []float64) {
	sheet := p.NX * p.NY
	s.task = streamTask{s, p, z[s.first : s.first+sheet], r[s.first : s.first+sheet]}
	p.Run(&s.task, len(s.Lines), 2*sheet)
	s.task = streamTask{}
}

// Run takes the lines in groups, so that neighbours in memory are used together. The right-hand side is overwritten.
func (t *streamTask) Run(lo, hi, _ int) {
	s := t.s
	n, step, across, first := s.Course(t.p.NX, t.p.NY)
	for m := 1; m < n; m++ {
		row := first + m*step
		for line := lo; line < hi; line++ {
			at := row + line*across
			t.r[at] -= s.lower[at] * t.r[at-step]
		}
	}
	for m := n - 1; m >= 0; m-- {
		row := first + m*step
		for line := lo; line < hi; line++ {
			at := row + line*across
			v := t.r[at]
			if m+1 < n {
				v -= s.upper[at] * t.r[at+step]
			}
			v *= s.inverse[at]
			t.r[at] = v
			t.z[at] += v
		}
	}
}
