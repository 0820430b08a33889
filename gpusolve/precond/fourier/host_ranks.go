package fourier

import (
	"fmt"
	"math"

	"thermsim/powermap"
)

// turnBytes is about the memory for planes on the way between the transforms along x and y, of all ranks together:
// every rank takes as many planes at a time.
const turnBytes = 64 << 20

// turnedAtOnce is how many planes of a grid are on the way together.
func turnedAtOnce(nx, ny, nz int) int {
	return max(1, min(nz, turnBytes/(8*nx*ny)))
}

// forwardOnRanks transforms the own rows of planes along x and sends every rank its wave numbers. Then it transforms
// those of all rows along y.
func (e *hostOperations) forwardOnRanks(dst, src []float64, at int, way rowsWay) {
	first, end := e.own()
	size := (end - first) * e.NX
	e.inTurns(len(dst)/e.sheet, func(n, planes int) {
		rows := e.turned[:planes*size]
		e.perRows(planes, end-first, func(t rowTransform, c, to int) {
			from := (n+c/size)*e.space + at + c%size
			copy(rows[c:to], src[from:from+to-c])
			way(t, rows[c:to], (to-c)/e.NX, e.NX)
		})
		e.toColumns(dst[n*e.sheet:(n+planes)*e.sheet], rows)
	})
	e.columns(dst, dst, way)
}

// turnToRows transforms planes of modes along y and sends every rank the rows that it holds, of all wave numbers along
// x.
func (e *hostOperations) turnToRows(dst, src []float64) {
	e.inTurns(len(src)/e.sheet, func(n, planes int) {
		own := e.turned[:planes*e.sheet]
		e.columns(own, src[n*e.sheet:(n+planes)*e.sheet], rowTransform.inverse)
		e.toRows(dst[n*e.space:(n+planes)*e.space], own)
	})
}

// inTurns calls body for planes from n on, at most atOnce at a time.
func (e *hostOperations) inTurns(planes int, body func(n, planes int)) {
	if e.turned == nil {
		e.turned = make([]float64, e.atOnce*max(e.sheet, e.space))
		e.account(int64(8 * len(e.turned)))
	}
	for n := 0; n < planes && e.fault == nil; n += e.atOnce {
		body(n, min(e.atOnce, planes-n))
	}
}

// toRows passes columns of modes along x to the ranks that hold their rows.
func (e *hostOperations) toRows(dst, own []float64) {
	planes := len(own) / e.sheet
	e.pass(func(to int) []byte {
		from, end := e.held(to)
		message := make([]byte, 0, 8*planes*(end-from)*e.width)
		for k := range planes {
			message = appendDoubles(message, own[k*e.sheet+from*e.width:k*e.sheet+end*e.width])
		}
		return message
	}, func(from int) int { return planes * (e.to - e.from) * e.partWidth(from) }, func(from int, data []byte) {
		for k := range planes {
			for j := range e.to - e.from {
				at := k*e.space + j*e.NX
				data = takeDoubles(dst[at+e.waves[from]:at+e.waves[from+1]], data)
			}
		}
	})
}

// toColumns passes the own rows to the ranks of their wave numbers.
func (e *hostOperations) toColumns(dst, rows []float64) {
	first, end := e.own()
	planes := len(dst) / e.sheet
	e.pass(func(to int) []byte {
		message := make([]byte, 0, 8*planes*(end-first)*e.partWidth(to))
		for r := range planes * (end - first) {
			message = appendDoubles(message, rows[r*e.NX+e.waves[to]:r*e.NX+e.waves[to+1]])
		}
		return message
	}, func(from int) int { return planes * (e.rows[from+1] - e.rows[from]) * e.width }, func(from int, data []byte) {
		for k := range planes {
			data = takeDoubles(dst[k*e.sheet+e.rows[from]*e.width:k*e.sheet+e.rows[from+1]*e.width], data)
		}
	})
}

// pass sends every rank its part and takes the parts that others send, of count(from) numbers.
func (e *hostOperations) pass(owed func(to int) []byte, count func(from int) int, take func(from int, data []byte)) {
	size := e.size()
	bytes := int64(0)
	for n := 1; n < size && e.fault == nil; n++ { // each rank begins with another one
		to := (e.rank + n) % size
		message := owed(to)
		bytes += 2 * int64(len(message)) // about as much comes back
		e.fault = e.group.Send(to, message)
	}
	e.s.Account(bytes)
	defer e.s.Account(-bytes)
	take(e.rank, owed(e.rank))
	for n := 1; n < size && e.fault == nil; n++ {
		from := (e.rank + size - n) % size
		data, err := e.group.Receive(from)
		if err == nil && len(data) != 8*count(from) {
			err = fmt.Errorf("rank %d sent %d bytes of modes instead of %d", from, len(data), 8*count(from))
		}
		if e.fault = err; err == nil {
			take(from, data)
		}
	}
}

// drawOwn draws the own rows of a source.
func (e *hostOperations) drawOwn(s *hostSource, rows []float64) []float64 {
	first, end := e.own()
	if e.alone() {
		e.perRow(e.NY, func(lo, hi int) { s.Draw(e.NX, lo, hi, rows) })
		return rows
	}
	slab := powermap.Slab{NX: e.NX, First: first, End: end}
	d := slab.Cut([]powermap.Drawing{s.Drawing})[0]
	e.perRow(end-first, func(lo, hi int) { d.Draw(e.NX, lo, hi, rows) })
	return rows
}

// joinPartials gives all ranks the sums of all rows.
func (e *hostOperations) joinPartials() {
	if e.alone() {
		return
	}
	first, end := e.own()
	all := e.numbers(e.partials[4*first : 4*end]...)
	for r, of := range all {
		copy(e.partials[4*e.rows[r]:4*e.rows[r+1]], of)
	}
	if all == nil {
		e.partials[0] = math.NaN()
	}
}
