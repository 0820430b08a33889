package multigrid

// cooledFactorTask eliminates the columns of a level with coolant from the bottom up. With m the conductances of a cell
// to everything outside its column, coolant carried away among them,
//
//	t_k = m_k + e_{k-1} t_{k-1} / pivot_{k-1} + far_{k-2} t_{k-2} / pivot_{k-2},   pivot_k = e_k + far_k + t_k
//
// All terms are positive, as without coolant.
type cooledFactorTask struct{ l *hostLevel }

func (t *cooledFactorTask) Run(lo, hi, worker int) {
	l := t.l
	rest := l.s.Scratch(worker).Floats(3 * l.nx) // t of this plane and of the two below
	for j := lo; j < hi; j++ {
		for k := range l.nz {
			row := func(k int) []float32 { return rest[k%3*l.nx : (k%3+1)*l.nx] }
			var below, under []float32
			if k > 0 {
				below = row(k - 1)
			}
			if k > 1 && l.cool.far[k-2] != nil {
				under = row(k - 2)
			}
			t.row(row(k), below, under, k, j)
		}
	}
}

func (t *cooledFactorTask) row(rest, below, under []float32, k, j int) {
	l := t.l
	c := l.pad + k*l.sheet + j*l.nx
	flow, far, fill, ground := l.cool.at[k], l.cool.far[k], l.cool.eliminated[k], l.ground[k]
	for i := range rest {
		at, cell := c+i, j*l.nx+i
		m := l.gx[at] + l.gx[at-1] + l.gy[at] + l.gy[at-l.nx]
		if ground != nil {
			m += ground[cell]
		}
		if flow != nil {
			m += flow.heat[flow.line(i, j)]
		}
		e := l.gz[at]
		if below != nil {
			g := l.below(k, c, l.nx)[i]
			m += g * (below[i] * l.inverse[at-l.sheet])
			if fill != nil {
				e += l.cool.far[k-1][cell] * (g * l.inverse[at-l.sheet])
				fill[cell] = e
			}
		}
		if under != nil {
			m += l.cool.far[k-2][cell] * (under[i] * l.inverse[at-2*l.sheet])
		}
		rest[i] = m
		pivot := e + m
		if far != nil {
			pivot += far[cell]
		}
		l.inverse[at] = 1 / pivot
	}
}

// computeCooled fills in what coolant adds to a level, and factors columns and lines.
func (l *hostLevel) computeCooled() {
	if l.from != nil {
		l.rows(&cooledCoarsenTask{l.from, l}, l.ny)
	}
	l.followFlows()
	l.rows(&cooledFactorTask{l}, l.ny)
	l.overLines(nil, nil)
}

// followFlows takes what the lines of coolant carry from the mesh or from the finer level.
func (l *hostLevel) followFlows() {
	for n, f := range l.cool.flows {
		if l.from == nil {
			f.carry(nil, Coarsening{})
		} else {
			f.carry(l.from.cool.flows[n].flow, l.from.next.pairings())
		}
	}
}
