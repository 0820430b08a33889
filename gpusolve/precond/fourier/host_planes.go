package fourier

// blockColumns is the number of columns that a worker copies out of a plane at a time to transform them along y: two cache lines of each row.
const blockColumns = 16

// Forward replaces planes of m by those in space.
func (e *processor) Forward(m Modes, first, n int, src Planes) {
	e.forward(m.(hostModes)[first*e.sheet:(first+n)*e.sheet], src.(*hostPlanes).hostModes[:n*e.sheet])
}

// Inverse makes planes in space.
func (e *processor) Inverse(dst Planes, m Modes, first, n int) {
	e.inverse(dst.(*hostPlanes).hostModes[:n*e.sheet], m.(hostModes)[first*e.sheet:(first+n)*e.sheet])
}

// forward transforms whole planes, along x and then along y. dst may be src.
func (e *processor) forward(dst, src []float64) {
	e.pairs(len(src)/e.NX, func(l *line, r int) {
		a, b := pair(dst, r, e.NX)
		from, second := pair(src, r, e.NX)
		if &a[0] != &from[0] {
			copy(a, from)
			copy(b, second)
		}
		l.forward(a, b)
	})
	e.columns(dst, dst, (*line).forward)
}

// inverse is the way back, along y and then along x.
func (e *processor) inverse(dst, src []float64) {
	e.columns(dst, src, (*line).inverse)
	e.pairs(len(dst)/e.NX, func(l *line, r int) {
		a, b := pair(dst, r, e.NX)
		l.inverse(a, b)
	})
}

// pair is row r and the next one, nil behind the last.
func pair(v []float64, r, n int) (a, b []float64) {
	a = v[r*n : (r+1)*n]
	if (r+2)*n <= len(v) {
		b = v[(r+1)*n : (r+2)*n]
	}
	return a, b
}

// pairs calls body for every other row.
func (e *processor) pairs(rows int, body func(l *line, r int)) {
	e.s.Run(rowTask(func(lo, hi, worker int) {
		for p := lo; p < hi; p++ {
			body(e.alongX[worker], 2*p)
		}
	}), (rows+1)/2, rows*e.NX)
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
