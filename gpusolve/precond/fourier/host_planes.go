package fourier

// blockColumns is the number of columns that a worker copies out of a plane at a time to transform them along y: two cache lines of each row.
const blockColumns = 16

// Forward replaces planes of m by those in space.
func (e *processor) Forward(m Modes, first, n int, src Planes) {
	e.forward(m.(hostModes)[first*e.sheet:(first+n)*e.sheet], src.(*hostPlanes).hostModes[:n*e.sheet])
}

// Inverse makes planes in space.
func (e *processor) Inverse(dst Planes, at int, m Modes, first, n int) {
	e.inverse(dst.(*hostPlanes).hostModes[at*e.sheet:(at+n)*e.sheet], m.(hostModes)[first*e.sheet:(first+n)*e.sheet])
}

// forward transforms whole planes, along x and then along y. dst may be src.
func (e *processor) forward(dst, src []float64) {
	e.pairs(len(src), func(l *line, c, end int) {
		if &dst[0] != &src[0] {
			copy(dst[c:end], src[c:end])
		}
		l.forward(pair(dst[c:end], e.NX))
	})
	e.columns(dst, dst, (*line).forward)
}

// inverse is the way back, along y and then along x.
func (e *processor) inverse(dst, src []float64) {
	e.columns(dst, src, (*line).inverse)
	e.pairs(len(dst), func(l *line, c, end int) { l.inverse(pair(dst[c:end], e.NX)) })
}

// pair is two rows, or one and nil.
func pair(v []float64, n int) (a, b []float64) {
	if len(v) > n {
		return v[:n], v[n:]
	}
	return v, nil
}

// pairs calls body for every two rows of a plane, cells c to end-1. The last row of an odd number is alone, so that planes do not depend on each other: rounding in one
// row of a pair depends on the other.
func (e *processor) pairs(cells int, body func(l *line, c, end int)) {
	perPlane := (e.NY + 1) / 2
	e.s.Run(rowTask(func(lo, hi, worker int) {
		for p := lo; p < hi; p++ {
			plane, row := p/perPlane*e.sheet, p%perPlane*2
			body(e.alongX[worker], plane+row*e.NX, plane+min(row+2, e.NY)*e.NX)
		}
	}), cells/e.sheet*perPlane, cells)
}

// columns transforms along y, block by block of neighbouring columns.
func (e *processor) columns(dst, src []float64, along func(l *line, a, b []float64)) {
	blocks := (e.NX + blockColumns - 1) / blockColumns
	planes := len(src) / e.sheet
	e.s.Run(rowTask(func(lo, hi, worker int) {
		// Columns lie a cache line more than their length apart: powers of two would meet in few sets of the cache.
		stride := e.NY + 8
		buf := e.s.Scratch(worker).Doubles(blockColumns * stride)
		for n := lo; n < hi; n++ {
			at := n / blocks * e.sheet
			i0 := n % blocks * blockColumns
			i1 := min(i0+blockColumns, e.NX)
			gather(buf, src[at:at+e.sheet], stride, e.NX, i0, i1)
			for c := 0; c < i1-i0; c += 2 {
				a := buf[c*stride:][:e.NY]
				if c+1 < i1-i0 {
					along(e.alongY[worker], a, buf[(c+1)*stride:][:e.NY])
				} else {
					along(e.alongY[worker], a, nil)
				}
			}
			scatter(dst[at:at+e.sheet], buf, stride, e.NX, i0, i1)
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
