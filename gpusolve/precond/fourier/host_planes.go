package fourier

import (
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
)

// blockColumns is the number of columns that a worker copies out of a plane at a time to transform them along y: two
// cache lines of each row.
const blockColumns = 16

// Forward replaces planes of m by those in space.
func (e *hostOperations) Forward(m Modes, first, n int, src ops.Vector) {
	row, _ := e.own()
	e.forward(m.(hostModes)[first*e.sheet:(first+n)*e.sheet], host.Doubles(src), (row-e.from)*e.NX)
}

// Inverse makes planes in space.
func (e *hostOperations) Inverse(dst ops.Vector, at int, m Modes, first, n int) {
	e.inverse(host.Doubles(dst)[at*e.space:(at+n)*e.space], m.(hostModes)[first*e.sheet:(first+n)*e.sheet])
}

// forward transforms planes along x and then along y. Where one rank has all, dst may be src; else the own rows of src
// begin at value at of each plane.
func (e *hostOperations) forward(dst, src []float64, at int) {
	if !e.alone() {
		e.forwardOnRanks(dst, src, at)
		return
	}
	e.pairs(len(dst)/e.sheet, e.NY, func(l *line, c, end int) {
		if &dst[0] != &src[0] {
			copy(dst[c:end], src[c:end])
		}
		l.forward(pair(dst[c:end], e.NX))
	})
	e.columns(dst, dst, (*line).forward)
}

// inverse is the way back, along y and then along x.
func (e *hostOperations) inverse(dst, src []float64) {
	if e.alone() {
		e.columns(dst, src, (*line).inverse)
	} else {
		e.turnToRows(dst, src)
	}
	e.pairs(len(dst)/e.space, e.to-e.from, func(l *line, c, end int) { l.inverse(pair(dst[c:end], e.NX)) })
}

// pair is two rows, or one and nil.
func pair(v []float64, n int) (a, b []float64) {
	if len(v) > n {
		return v[:n], v[n:]
	}
	return v, nil
}

// pairs calls body for every two rows of planes of so many, cells c to end-1. The last row of an odd number is alone,
// so that planes do not depend on each other: rounding in one row of a pair depends on the other.
func (e *hostOperations) pairs(planes, rows int, body func(l *line, c, end int)) {
	perPlane := (rows + 1) / 2
	e.s.Run(rowTask(func(lo, hi, worker int) {
		for p := lo; p < hi; p++ {
			plane, row := p/perPlane*rows*e.NX, p%perPlane*2
			body(e.alongX[worker], plane+row*e.NX, plane+min(row+2, rows)*e.NX)
		}
	}), planes*perPlane, planes*rows*e.NX)
}

// columns transforms along y, block by block of neighbouring columns.
func (e *hostOperations) columns(dst, src []float64, along func(l *line, a, b []float64)) {
	blocks := (e.width + blockColumns - 1) / blockColumns
	planes := len(src) / e.sheet
	e.s.Run(rowTask(func(lo, hi, worker int) {
		// Columns lie a cache line more than their length apart: powers of two would meet in few sets of the cache.
		stride := e.NY + 8
		buf := e.s.Scratch(worker).Doubles(blockColumns * stride)
		for n := lo; n < hi; n++ {
			at := n / blocks * e.sheet
			i0 := n % blocks * blockColumns
			i1 := min(i0+blockColumns, e.width)
			gather(buf, src[at:at+e.sheet], stride, e.width, i0, i1)
			for c := 0; c < i1-i0; c += 2 {
				a := buf[c*stride:][:e.NY]
				if c+1 < i1-i0 {
					along(e.alongY[worker], a, buf[(c+1)*stride:][:e.NY])
				} else {
					along(e.alongY[worker], a, nil)
				}
			}
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
