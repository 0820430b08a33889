package fourier

import (
	"errors"
	"math"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
)

// hostOperations are those in plain Go on all cores. A state's modes lie like its cells: plane by plane, row by row
// of one wave number along y, those along x next to each other.
type hostOperations struct {
	*Layered
	host.PlaneReducer
	part
	s *host.Space
	extent
	alongX   []rowTransform // of each worker
	alongY   []rowTransform
	lx, ly   []float64 // eigenvalues along the axes
	sources  []*hostSource
	terms    [][]term  // of each plane
	rough    hostModes // of a preconditioner
	partials []float64 // sums per row, 4 of them
	turned   []float64 // of ranks: planes between the transforms along x and y
	atOnce   int       // number of them on the way together
	fault    error     // of ranks
	bytes    int64
}

type hostModes []float64

func (m hostModes) Bytes() int64 { return int64(8 * len(m)) }

func newOnHost(s *host.Space, l *Layered, p part) (*hostOperations, error) {
	e := &hostOperations{Layered: l, part: p, s: s, extent: p.extent(l)}
	e.failures = e
	e.PlaneReducer = host.NewPlaneReducer(s, l.NX, e.to-e.from, l.NZ, host.Doubles)
	l.Prepare()
	x, y := l.axes()
	var errX, errY error
	e.alongX, e.lx, errX = e.transforms(x)
	e.alongY, e.ly, errY = e.transforms(y)
	if err := errors.Join(errX, errY); err != nil {
		return nil, err
	}
	e.account(productBytes(x, y, e.s.Workers()))
	e.lx = e.lx[p.waves[p.rank]:p.waves[p.rank+1]]
	e.terms = make([][]term, l.NZ)
	e.atOnce = turnedAtOnce(l.NX, l.NY, l.NZ)
	e.partials = make([]float64, 4*l.NY)
	return e, nil
}

// transforms along an axis, of each worker, and its eigenvalues.
func (e *hostOperations) transforms(a axis) (all []rowTransform, eigenvalues []float64, err error) {
	if a.graded() {
		all, err = newProducts(a, e.s.Workers())
		return all, a.basis.eigenvalues, err
	}
	for range e.s.Workers() {
		all = append(all, cosines{newLine(a.n, a.ends)})
	}
	return all, a.ends.eigenvalues(a.n), nil
}

func (e *hostOperations) account(bytes int64) {
	e.bytes += bytes
	e.s.Account(bytes)
}

func (e *hostOperations) newModes() hostModes {
	m := make(hostModes, e.sheet*e.NZ)
	e.account(m.Bytes())
	return m
}

func (e *hostOperations) NewModes() (Modes, error) { return e.newModes(), nil }

func (e *hostOperations) NewPlanes(n int) (ops.Vector, error) {
	p := host.DoublesOf(make([]float64, e.space*n))
	e.account(p.Bytes())
	return p, nil
}

// Err is the failure of another rank: memory of the host does not fail in a way that could be reported.
func (e *hostOperations) Err() error { return e.fault }

func (e *hostOperations) note(err error) { e.fault = err }

// Refresh has nothing to do: the numbers are read where they are.
func (e *hostOperations) Refresh() {}

func (e *hostOperations) Close() {
	e.account(-e.bytes)
	*e = hostOperations{s: e.s, fault: e.fault}
}

func (e *hostOperations) Max(p ops.Vector, at, n int) float64 {
	v := host.Doubles(p)[at*e.space : (at+n)*e.space]
	rows := n * (e.to - e.from)
	tops := make([]float64, rows)
	e.s.Run(rowTask(func(lo, hi, _ int) {
		for r := lo; r < hi; r++ {
			top := math.Inf(-1)
			for _, x := range v[r*e.NX : (r+1)*e.NX] {
				top = max(top, x)
			}
			tops[r] = top
		}
	}), rows, len(v))
	top := math.Inf(-1)
	for _, x := range tops {
		top = max(top, x)
	}
	return top
}

func (e *hostOperations) Combine(dst Modes, a float64, x Modes, b float64, y Modes) {
	to, from, other := dst.(hostModes), x.(hostModes), y.(hostModes)
	e.perRow(e.NZ*e.NY, func(lo, hi int) {
		for c := lo * e.width; c < hi*e.width; c++ {
			to[c] = float64(a*from[c]) + float64(b*other[c])
		}
	})
}

func (e *hostOperations) Read(p ops.Vector, i int, dst []float64) {
	copy(dst[e.from*e.NX:], host.Doubles(p)[i*e.space:(i+1)*e.space])
}

func (e *hostOperations) Write(p ops.Vector, i int, src []float64) {
	copy(host.Doubles(p)[i*e.space:(i+1)*e.space], src[e.from*e.NX:e.to*e.NX])
}

func (e *hostOperations) ReadModes(m Modes, dst []float64) { copy(dst, m.(hostModes)) }

func (e *hostOperations) WriteModes(m Modes, src []float64) { copy(m.(hostModes), src) }

// Precondition takes the residual through all planes, FP64 in between.
func (e *hostOperations) Precondition(z, r ops.Vector) {
	from, to := host.Singles(r), host.Singles(z)
	e.perRow(e.NZ*e.NY, func(lo, hi int) {
		for c := lo * e.NX; c < hi*e.NX; c++ {
			e.rough[c] = float64(from[c])
		}
	})
	e.forward(e.rough, e.rough, 0, rowTransform.heat)
	e.solve(&columnTask{hostOperations: e, x: e.rough, right: e.rough, steps: 1})
	e.inverse(e.rough, e.rough)
	e.perRow(e.NZ*e.NY, func(lo, hi int) {
		for c := lo * e.NX; c < hi*e.NX; c++ {
			to[c] = float32(e.rough[c])
		}
	})
}

// rowTask is a loop body.
type rowTask func(lo, hi, worker int)

func (t rowTask) Run(lo, hi, worker int) { t(lo, hi, worker) }

// perRow shares rows of cells among the workers.
func (e *hostOperations) perRow(rows int, body func(lo, hi int)) {
	e.s.Run(rowTask(func(lo, hi, _ int) { body(lo, hi) }), rows, rows*e.NX)
}

// blockColumns is the least number of columns that a worker copies out of a plane at a time to transform them along y:
// two cache lines of each row.
const blockColumns = 16

// rowsWay is a method of rowTransform.
type rowsWay func(t rowTransform, rows []float64, count, stride int)

func (e *hostOperations) Forward(m Modes, first, n int, src ops.Vector) {
	row, _ := e.own()
	e.forward(m.(hostModes)[first*e.sheet:(first+n)*e.sheet], host.Doubles(src), (row-e.from)*e.NX, rowTransform.field)
}

func (e *hostOperations) Inverse(dst ops.Vector, at int, m Modes, first, n int) {
	e.inverse(host.Doubles(dst)[at*e.space:(at+n)*e.space], m.(hostModes)[first*e.sheet:(first+n)*e.sheet])
}

// forward transforms planes along x and then along y. Where one rank has all, dst may be src; else the own rows of src
// begin at value at of each plane.
func (e *hostOperations) forward(dst, src []float64, at int, way rowsWay) {
	if !e.alone() {
		e.forwardOnRanks(dst, src, at, way)
		return
	}
	e.perRows(len(dst)/e.sheet, e.NY, func(t rowTransform, c, end int) {
		if &dst[0] != &src[0] {
			copy(dst[c:end], src[c:end])
		}
		way(t, dst[c:end], (end-c)/e.NX, e.NX)
	})
	e.columns(dst, dst, way)
}

// inverse is the way back, along y and then along x.
func (e *hostOperations) inverse(dst, src []float64) {
	if e.alone() {
		e.columns(dst, src, rowTransform.inverse)
	} else {
		e.turnToRows(dst, src)
	}
	e.perRows(len(dst)/e.space, e.to-e.from, func(t rowTransform, c, end int) {
		t.inverse(dst[c:end], (end-c)/e.NX, e.NX)
	})
}

// perRows calls body for the rows of each plane that are transformed together, cells c to end-1. None are of two
// planes, so that planes do not depend on each other: rounding in one row of a pair depends on the other.
func (e *hostOperations) perRows(planes, rows int, body func(t rowTransform, c, end int)) {
	together := e.alongX[0].together()
	perPlane := (rows + together - 1) / together
	e.s.Run(rowTask(func(lo, hi, worker int) {
		for p := lo; p < hi; p++ {
			plane, row := p/perPlane*rows*e.NX, p%perPlane*together
			body(e.alongX[worker], plane+row*e.NX, plane+min(row+together, rows)*e.NX)
		}
	}), planes*perPlane, planes*rows*e.NX)
}

// columns transforms along y, block by block of neighbouring columns.
func (e *hostOperations) columns(dst, src []float64, way rowsWay) {
	across := max(blockColumns, e.alongY[0].together())
	blocks := (e.width + across - 1) / across
	planes := len(src) / e.sheet
	e.s.Run(rowTask(func(lo, hi, worker int) {
		// Columns lie a cache line more than their length apart: powers of two would meet in few sets of the cache.
		stride := e.NY + 8
		buf := e.s.Scratch(worker).Doubles(across * stride)
		for n := lo; n < hi; n++ {
			at := n / blocks * e.sheet
			i0 := n % blocks * across
			i1 := min(i0+across, e.width)
			gather(buf, src[at:at+e.sheet], stride, e.width, i0, i1)
			way(e.alongY[worker], buf, i1-i0, stride)
			scatter(dst[at:at+e.sheet], buf, stride, e.width, i0, i1)
		}
	}), planes*blocks, len(src))
}

// gather copies columns i0 to i1-1 of a plane behind each other.
func gather(buf, plane []float64, stride, nx, i0, i1 int) {
	for j := range len(plane) / nx {
		for c, v := range plane[j*nx+i0 : j*nx+i1] {
			buf[c*stride+j] = v
		}
	}
}

// scatter copies them back.
func scatter(plane, buf []float64, stride, nx, i0, i1 int) {
	for j := range len(plane) / nx {
		row := plane[j*nx+i0 : j*nx+i1]
		for c := range row {
			row[c] = buf[c*stride+j]
		}
	}
}
