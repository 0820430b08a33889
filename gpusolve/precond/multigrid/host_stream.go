package multigrid

import "thermsim/gpusolve/ops"

// hostLines are lines of cells along the flow in a plane of a cavity: those of coolant, and those of walls, which
// conduct along the flow and hardly across, so that columns alone would not smooth what varies from line to line. They
// are solved one colour after the other; lines of one colour do not touch.
type hostLines struct {
	f       *hostFlow
	plane   int
	heat    []float32 // W/K that each line carries, 0 of walls
	colour  []int32
	colours [colours]bool // that occur
	inverse []float32     // of the plane: 1/pivot of the elimination downstream
	task    streamTask
}

func newLines(l *hostLevel, f *hostFlow, plane int) *hostLines {
	t := &hostLines{f: f, plane: plane, heat: f.heat, colour: f.flow.colours(plane), inverse: l.newSheet()}
	if plane != f.plane {
		t.heat = make([]float32, len(f.heat))
	}
	for _, c := range t.colour {
		if c != uncoloured {
			t.colours[c] = true
		}
	}
	return t
}

// streamTask solves lines of one colour: the couplings along the flow and what is carried, the rest of x given.
// It eliminates them downstream. With u the coupling of a cell to the one upstream, heat carried included, and d that
// to the one downstream, the recursion is this.
//
//	t_m = m_m + u_m t_{m-1} / pivot_{m-1},   pivot_m = d_m + t_m
//
// m is the conductances to everything outside the line, and at the inlet the heat carried: positive terms again.
type streamTask struct {
	l      *hostLevel
	s      *hostLines
	colour int32
	x, b   []float32 // nil where the lines are factored
}

func (s *hostOperations) Streams(l Level, x, b ops.Vector) {
	if lv := l.(*hostLevel); lv.cool != nil {
		lv.overLines(values(x), values(b))
	}
}

// overLines solves all lines; where x is nil, it factors them.
func (l *hostLevel) overLines(x, b []float32) {
	for _, f := range l.cool.flows {
		for _, s := range f.lines {
			for colour, occurs := range s.colours {
				if occurs {
					s.task = streamTask{l, s, int32(colour), x, b}
					l.s.Run(&s.task, len(s.heat), 2*l.sheet)
					s.task = streamTask{}
				}
			}
		}
	}
}

// base is the first cell of the plane.
func (t *streamTask) base() int { return t.l.pad + t.s.plane*t.l.sheet }

// along are the couplings along the flow and those beside, and the distance to the cell beside.
func (t *streamTask) along() (along, beside []float32, next int) {
	if t.s.f.of.Along == 0 {
		return t.l.gx, t.l.gy, t.l.nx
	}
	return t.l.gy, t.l.gx, 1
}

func (t *streamTask) Run(lo, hi, _ int) {
	n, step, across, first := t.s.f.of.Course(t.l.nx, t.l.ny)
	first += t.base()
	for m := range n {
		if t.x == nil {
			t.eliminate(lo, hi, first+m*step, step, across, m == 0)
		} else {
			t.forward(lo, hi, first+m*step, step, across, m == 0)
		}
	}
	if t.x == nil {
		return
	}
	along, _, _ := t.along()
	base := t.base()
	for m := n - 2; m >= 0; m-- {
		for line := lo; line < hi; line++ {
			if at := first + m*step + line*across; t.s.colour[line] == t.colour {
				t.x[at] += along[min(at, at+step)] * t.s.inverse[at-base] * t.x[at+step]
			}
		}
	}
}

// eliminate computes 1/pivot of one cell of every line, at the row of cells that starts at row.
func (t *streamTask) eliminate(lo, hi, row, step, across int, inlet bool) {
	l, s := t.l, t.s
	along, beside, next := t.along()
	base := t.base()
	above, below := t.far()
	for line := lo; line < hi; line++ {
		if s.colour[line] != t.colour {
			continue
		}
		at := row + line*across
		cell := at - base
		m := beside[at] + beside[at-next] + l.gz[at] + l.gz[at-l.sheet]
		if above != nil {
			m += above[cell]
		}
		if below != nil {
			m += below[cell]
		}
		if g := l.ground[s.plane]; g != nil {
			m += g[cell]
		}
		if inlet {
			m += s.heat[line]
		} else {
			// The pivot before is link + t.
			link := along[min(at, at-step)]
			m += (s.heat[line] + link) * max(0, 1-link*s.inverse[cell-step])
		}
		s.inverse[cell] = 1 / (along[min(at, at+step)] + m)
	}
}

// far are the couplings to the planes two above and two below, nil where there are none.
func (t *streamTask) far() (above, below []float32) {
	above = t.l.cool.far[t.s.plane]
	if t.s.plane >= 2 {
		below = t.l.cool.far[t.s.plane-2]
	}
	return above, below
}

// forward is the elimination of one cell of every line.
func (t *streamTask) forward(lo, hi, row, step, across int, inlet bool) {
	l, s := t.l, t.s
	along, beside, next := t.along()
	base := t.base()
	above, below := t.far()
	for line := lo; line < hi; line++ {
		if s.colour[line] != t.colour {
			continue
		}
		at := row + line*across
		v := t.b[at] + l.gz[at]*t.x[at+l.sheet] + l.gz[at-l.sheet]*t.x[at-l.sheet]
		// Beyond the outermost lines lies a cell of the row before or after, which another goroutine may be setting.
		if w := beside[at]; w != 0 {
			v += w * t.x[at+next]
		}
		if w := beside[at-next]; w != 0 {
			v += w * t.x[at-next]
		}
		if below != nil {
			v += below[at-base] * t.x[at-2*l.sheet]
		}
		if above != nil {
			v += above[at-base] * t.x[at+2*l.sheet]
		}
		if !inlet {
			v += (s.heat[line] + along[min(at, at-step)]) * t.x[at-step]
		}
		t.x[at] = v * s.inverse[at-base]
	}
}
