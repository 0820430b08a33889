package parac

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"thermsim/gpusolve/reuse"
	"thermsim/gpusolve/sparse"
)

// asymmetry is what rounding may leave between an entry and its mirror image, relative to them.
const asymmetry = 1e-10

// newHostElimination checks the matrix and readies it for so many workers.
func newHostElimination(l *reuse.List, a *sparse.CSR, order []int32, seed uint64, headroom,
	workers int) (*hostElimination, error) {
	n := a.N()
	e := &hostElimination{a: a, order: order, arrays: l, place: reuse.Make[int32](l, n), seed: seed, headroom: headroom,
		vertices: reuse.Make[vertex](l, n),
		queue:    reuse.Make[atomic.Int32](l, n), columns: reuse.Make[column](l, n),
		workers: make([]eliminator, workers)}
	e.chunks.Store(new([]*[chunk]pooled))
	for k, v := range order {
		e.place[v] = int32(k)
	}
	failed := make([]error, workers)
	e.each(func(w int) {
		for row := n * w / workers; row < n*(w+1)/workers && failed[w] == nil; row++ {
			failed[w] = e.start(int32(row))
		}
	})
	for _, err := range failed { // the first in the order of the rows
		if err != nil {
			return nil, err
		}
	}
	return e, nil
}

// start counts the earlier neighbours of a row's vertex and takes the excess of its diagonal as ground.
func (e *hostElimination) start(row int32) error {
	k := e.place[row]
	cols, vals := e.a.Row(int(row))
	diagonal, coupled := 0.0, 0.0
	waits := int32(0)
	for i, c := range cols {
		w := vals[i]
		switch {
		case c == row:
			diagonal = w
			continue
		case !(w <= 0):
			return fmt.Errorf("parac: the entry in row %d, column %d is %g: %w", row+1, c+1, w, errPositive)
		}
		if back := e.entry(c, row); math.Abs(back-w) > asymmetry*-w {
			return fmt.Errorf("parac: the matrix is not symmetric: %g in row %d, column %d, and %g in row "+
				"%d, column %d", w, row+1, c+1, back, c+1, row+1)
		}
		coupled -= w
		if w < 0 && e.place[c] < k {
			waits++
		}
	}
	excess, err := groundOf(row, diagonal, coupled, len(cols))
	if err != nil {
		return err
	}
	v := &e.vertices[k]
	v.unit = fixedUnit(diagonal, e.headroom)
	v.ground.Store(toFixed(excess, v.unit))
	v.waits.Store(waits)
	if waits == 0 {
		e.push(k)
	}
	return nil
}

// entry finds one of the matrix, 0 where none is stored.
func (e *hostElimination) entry(r, c int32) float64 {
	cols, vals := e.a.Row(int(r))
	if i, ok := slices.BinarySearch(cols, c); ok {
		return vals[i]
	}
	return 0
}

// groundOf is the excess of a diagonal over its row's couplings; what rounding of the row's sum explains is no ground.
func groundOf(row int32, diagonal, coupled float64, entries int) (float64, error) {
	if b := biasedExponent(diagonal); !(diagonal >= 0) || diagonal > 0 && (b < 128 || b > 1919) || coupled > 0 &&
		diagonal == 0 {
		return 0, fmt.Errorf("parac: the diagonal of row %d is %g; it must be positive, and between 1e-270 and 1e270",
			row+1, diagonal)
	}
	excess, rounding := diagonal-coupled, float64(entries)*0x1p-52*diagonal
	if excess < -rounding {
		return 0, fmt.Errorf("parac: row %d is not diagonally dominant: its diagonal %g is below the sum %g of "+
			"its couplings", row+1, diagonal, coupled)
	}
	if excess <= rounding {
		excess = 0
	}
	return excess, nil
}
