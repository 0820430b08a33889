package multigrid

import "thermsim/gpusolve/host/simd"

// hostCooling is what a level of a stack with coolant has beside its couplings. Coolant is carried with upwind
// differences on every level: also where the operator has central ones, which no smoother bears.
//
// Columns couple planes k and k+1 and, by far, planes k and k+2. The elimination from the bottom fills in couplings of
// planes k and k+1 only:
//
//	e_k = gz_k + far_{k-1} e_{k-1} / pivot_{k-1}
//
// A plane of channels holds walls and coolant side by side. A coarse cell would have one value for both; so the next
// level has two planes in its place, one for the walls and above it one for the coolant, coupled like those of a porous
// cavity.
type hostCooling struct {
	far        [][]float32 // per lower plane, nil where there are none
	eliminated [][]float32 // per plane: e, nil where it is gz
	flows      []*hostFlow
	at         []*hostFlow // by plane of coolant, nil elsewhere
	zero       []float32   // a row
}

// hostFlow is the coolant of a cavity on a level.
type hostFlow struct {
	*flow
	lines []*hostLines
}

func newHostCooling(l *hostLevel, far func(k int) bool) *hostCooling {
	c := &hostCooling{far: make([][]float32, l.nz), eliminated: make([][]float32, l.nz), at: make([]*hostFlow, l.nz),
		zero: make([]float32, l.nx)}
	for k := range l.nz {
		if far(k) {
			c.far[k] = l.newSheet()
		}
		if k > 0 && c.far[k-1] != nil {
			c.eliminated[k] = l.newSheet()
		}
	}
	return c
}

func (l *hostLevel) newSheet() []float32 {
	l.s.Account(int64(l.sheet) * 4)
	return make([]float32, l.sheet)
}

// cooled gives the finest level its coolant, if any flows.
func (l *hostLevel) cooled() {
	far, cavities, ok := l.s.Cooling()
	if !ok {
		return
	}
	l.cool = newHostCooling(l, func(int) bool { return false })
	l.cool.far = far
	for k := 1; k < l.nz; k++ {
		if far[k-1] != nil {
			l.cool.eliminated[k] = l.newSheet()
		}
	}
	for _, v := range cavities {
		l.cool.add(l, finestFlow(v))
	}
}

func (c *hostCooling) add(l *hostLevel, v flow) {
	f := &hostFlow{flow: &v}
	for _, plane := range f.planes() {
		f.lines = append(f.lines, newLines(l, f, plane))
	}
	c.flows = append(c.flows, f)
	c.at[f.plane] = f
}

// line of a cell of a flow.
func (f *hostFlow) line(i, j int) int { return f.of.Line(i, j) }

// step is the distance from a cell to the one downstream.
func (f *hostFlow) step(l *hostLevel) int {
	_, step, _, _ := f.of.Course(l.nx, l.ny)
	return step
}

// addUpstream adds to n cells of row j from cell i on, the first at c in padded vectors, what the coolant brings from
// the cells upstream, whose values are in x.
func (f *hostFlow) addUpstream(l *hostLevel, dst, x []float32, c, i, j int) {
	n := len(dst)
	from := c - f.step(l)
	switch {
	case f.of.Along == 1:
		if inlet := f.of.Backward && j == l.ny-1 || !f.of.Backward && j == 0; !inlet {
			simd.Couple(dst, f.heat[i:i+n], l.cool.zero, x[from:from+n])
		}
	case f.of.Backward:
		if i+n == l.nx {
			n--
		}
		if n > 0 {
			simd.Add(dst[:n], x[from:from+n], f.heat[j])
		}
	default:
		first := 0
		if i == 0 {
			first = 1
		}
		if first < n {
			simd.Add(dst[first:], x[from+first:from+n], f.heat[j])
		}
	}
}

// drain takes from a row of the residual what the coolant carries out of its cells, whose values are own.
func (f *hostFlow) drain(res, own []float32, j int) {
	if f.of.Along == 1 {
		simd.Drain(res, f.heat, own)
		return
	}
	simd.Add(res, own, -f.heat[j])
}

// right is b of cells of plane k from offset c on with what solved planes below and coolant upstream add to it: b
// itself where that is nothing. A nil x is zero.
func (l *hostLevel) right(work, b, y, x []float32, k, c int) []float32 {
	n := len(b)
	if l.cool == nil {
		return b
	}
	low := k >= 2 && l.cool.far[k-2] != nil
	flow := l.cool.at[k]
	if !low && (flow == nil || x == nil) {
		return b
	}
	cell := c - l.pad - k*l.sheet
	copy(work, b)
	if low {
		simd.Couple(work[:n], l.cool.far[k-2][cell:cell+n], l.cool.zero, y[(k-2)*n:(k-1)*n])
	}
	if flow != nil && x != nil {
		flow.addUpstream(l, work[:n], x, c, cell%l.nx, cell/l.nx)
	}
	return work[:n]
}

// restCooled takes from row j of the residual in plane k what far couplings and the coolant carry away.
func (l *hostLevel) restCooled(res, x []float32, k, j, c int) {
	n := len(res)
	own := x[c : c+n]
	for _, o := range [2]int{0, -2} {
		if k+o < 0 || l.cool.far[k+o] == nil {
			continue
		}
		other := c + (2+2*o)*l.sheet
		simd.Couple(res, l.cool.far[k+o][j*n:j*n+n], own, x[other:other+n])
	}
	if f := l.cool.at[k]; f != nil {
		f.drain(res, own, j)
		f.addUpstream(l, res, x, c, 0, j)
	}
}
