package fourier

// columnTask solves the columns of all pairs of wave numbers, row by row of one along y: x = (A + C/dt)^-1 b. The
// right-hand side b is that of the loads plus C/dt old, or where right is not nil those modes alone.
type columnTask struct {
	*hostOperations
	x, old, right hostModes
	steps         int
}

// blockModes is the number of neighbouring modes whose columns a worker solves at a time, so that what it keeps of them
// stays in its cache.
const blockModes = 256

func (e *hostOperations) Solve(x, old Modes, steps int) {
	t := &columnTask{hostOperations: e, x: x.(hostModes), steps: steps}
	if old != nil {
		t.old = old.(hostModes)
	}
	e.solve(t)
}

func (e *hostOperations) solve(t *columnTask) { e.s.Run(t, e.NY, e.sheet*e.NZ*t.steps) }

func (t *columnTask) Run(lo, hi, worker int) {
	n := min(blockModes, t.width)
	w := t.s.Scratch(worker).Doubles(n * (t.NZ + 1 + len(t.sources)))
	for j := lo; j < hi; j++ {
		for i := 0; i < t.width; i += n {
			b := block{columnTask: t, j: j, i: i, n: min(n, t.width-i)}
			b.toGround, b.rows, b.inverse = w[:n], w[n:n*(1+len(t.sources))], w[n*(1+len(t.sources)):]
			b.solve()
		}
	}
}

// block is n columns from wave number i along x, of the own ones, and j along y.
type block struct {
	*columnTask
	j, i, n  int
	toGround []float64 // S of the plane below
	rows     []float64 // of the sources
	inverse  []float64 // 1 / (S + g) of every plane
}

func (b *block) solve() {
	if b.right == nil {
		for m, s := range b.sources {
			s.row(b.rows[m*b.n:(m+1)*b.n], b.i, b.j)
		}
	}
	old := b.old
	for range b.steps {
		b.upwards(old)
		b.downwards()
		old = b.x
	}
}

func (b *block) of(m hostModes, k int) []float64 {
	c := k*b.sheet + b.j*b.width + b.i
	return m[c : c+b.n]
}

// upwards eliminates plane by plane.
func (b *block) upwards(old hostModes) {
	s, lx := b.toGround[:b.n], b.lx[b.i:b.i+b.n]
	for k := range b.NZ {
		x := b.of(b.x, k)
		b.rightSide(x, old, k)
		inv := b.inverse[k*b.n : (k+1)*b.n]
		gx, rest, above := b.GX[k], b.GY[k]*b.ly[b.j]+b.ground(k), 0.0
		if k < b.NZ-1 {
			above = b.GZ[k+1]
		}
		if k == 0 {
			for i, l := range lx {
				s[i] = gx*l + rest
				inv[i] = 1 / (s[i] + above)
			}
			continue
		}
		g := b.GZ[k]
		below, last := b.inverse[(k-1)*b.n:k*b.n], b.of(b.x, k-1)
		for i, l := range lx {
			f := g * below[i]
			v := gx*l + rest + f*s[i]
			s[i] = v
			x[i] += f * last[i]
			inv[i] = 1 / (v + above)
		}
	}
}

// rightSide fills x with that of plane k. x may be part of old.
func (b *block) rightSide(x []float64, old hostModes, k int) {
	if b.right != nil {
		copy(x, b.of(b.right, k))
		return
	}
	if old != nil {
		c := b.Capacity[k]
		for i, v := range b.of(old, k) {
			x[i] = c * v
		}
	} else {
		clear(x)
	}
	for _, t := range b.terms[k] {
		for i, v := range b.rows[t.source*b.n : (t.source+1)*b.n] {
			x[i] += t.share * v
		}
	}
}

// downwards substitutes back.
func (b *block) downwards() {
	top := b.of(b.x, b.NZ-1)
	for i, r := range b.inverse[(b.NZ-1)*b.n : b.NZ*b.n] {
		top[i] *= r
	}
	for k := b.NZ - 2; k >= 0; k-- {
		x, above, g := b.of(b.x, k), b.of(b.x, k+1), b.GZ[k+1]
		for i, r := range b.inverse[k*b.n : (k+1)*b.n] {
			x[i] = r * (x[i] + g*above[i])
		}
	}
}
