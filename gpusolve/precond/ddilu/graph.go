package ddilu

import (
	"runtime"
	"slices"
	"sync"

	"thermsim/gpusolve/sparse"
)

// grow divides the rows of a matrix into parts of size rows, the last one smaller: each grows breadth-first from a row beside those before it, over couplings
// in either direction that the matrix stores.
func grow(a *sparse.CSR, size int) (part []int32, parts int) {
	n := a.N()
	part = make([]int32, n)
	for r := range part {
		part[r] = -1
	}
	var queue, border []int32 // rows to grow from: in this part, and beside the parts before
	next, filled := 0, 0
	for left := n; left > 0; {
		r := int32(-1)
		for r < 0 || part[r] >= 0 {
			switch {
			case len(queue) > 0:
				r, queue = queue[0], queue[1:]
			case len(border) > 0:
				r, border = border[0], border[1:]
			default:
				for part[next] >= 0 {
					next++
				}
				r = int32(next)
			}
		}
		part[r] = int32(parts)
		left--
		cols, _ := a.Row(int(r))
		for _, c := range cols {
			if part[c] < 0 {
				queue = append(queue, c)
			}
		}
		if filled++; filled == size {
			parts, filled = parts+1, 0
			border = append(queue, border...)
			queue = nil
		}
	}
	if filled > 0 {
		parts++
	}
	return part, parts
}

// factors of a matrix cut into parts.
type factors struct {
	*PartFactors
	dropped float64 // share of the couplings
}

// block is the factor of one part, its rows in the matrix's order and columns counted within the part.
type block struct {
	ptr      []int
	col      []int32
	val      []float64 // L below the diagonal, U on and above it
	diagonal []int     // place of each row's
	bad      int       // the matrix's row of a refused pivot, or -1
}

// factorise makes the factors of all parts, several at a time.
func factorise(a *sparse.CSR, part []int32, parts int, shift float64) (*factors, error) {
	members, place := make([][]int32, parts), make([]int32, a.N())
	for r, p := range part {
		place[r] = int32(len(members[p]))
		members[p] = append(members[p], int32(r))
	}
	_, skew := a.Asymmetric()
	blocks := make([]block, parts)
	var wait sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wait.Go(func() {
			for p := w; p < parts; p += workers {
				blocks[p] = newBlock(a, part, place, members[p])
				blocks[p].factorise(members[p], 1+shift, !skew)
			}
		})
	}
	wait.Wait()
	f := &factors{PartFactors: &PartFactors{First: []int32{0}}}
	f.Lower.RowPtr, f.Upper.RowPtr = []int64{0}, []int64{0}
	f.Lower.First, f.Upper.First = []int32{0}, []int32{0}
	bad, kept := -1, 0
	for p := range blocks {
		if b := blocks[p].bad; b >= 0 && (bad < 0 || b < bad) {
			bad = b
		}
		kept += len(blocks[p].col)
		f.add(&blocks[p], members[p])
	}
	if bad >= 0 {
		return nil, &BadPivot{Row: bad}
	}
	if couplings := a.Entries() - a.N(); couplings > 0 {
		f.dropped = float64(a.Entries()-kept) / float64(couplings)
	}
	return f, nil
}

// newBlock keeps what couples rows of the part.
func newBlock(a *sparse.CSR, part, place, members []int32) block {
	b := block{ptr: []int{0}, bad: -1}
	for i, r := range members {
		cols, vals := a.Row(int(r))
		b.diagonal = append(b.diagonal, -1)
		for n, c := range cols {
			if part[c] != part[r] {
				continue
			}
			if int(place[c]) == i {
				b.diagonal[i] = len(b.col)
			}
			b.col, b.val = append(b.col, place[c]), append(b.val, vals[n])
		}
		b.ptr = append(b.ptr, len(b.col))
	}
	return b
}

// factorise is the incomplete factorisation without fill, row by row.
func (b *block) factorise(members []int32, shift float64, symmetric bool) {
	where := make([]int, len(members)) // of each column the entry in the row at hand, + 1
	for i := range members {
		lo, hi := b.ptr[i], b.ptr[i+1]
		if b.diagonal[i] < 0 {
			b.refuse(members[i])
			return
		}
		b.val[b.diagonal[i]] *= shift
		for at := lo; at < hi; at++ {
			where[b.col[at]] = at + 1
		}
		for at := lo; at < b.diagonal[i]; at++ {
			k := b.col[at]
			b.val[at] /= b.val[b.diagonal[k]]
			for u := b.diagonal[k] + 1; u < b.ptr[k+1]; u++ {
				if w := where[b.col[u]]; w > 0 {
					b.val[w-1] -= b.val[at] * b.val[u]
				}
			}
		}
		for at := lo; at < hi; at++ {
			where[b.col[at]] = 0
		}
		pivot := b.val[b.diagonal[i]]
		if !(pivot > 0) && (symmetric || !(pivot < 0)) || pivot-pivot != 0 {
			b.refuse(members[i])
			return
		}
	}
}

func (b *block) refuse(row int32) { b.bad = int(row) }

// add renumbers the block's rows by levels of L and appends it to the parts.
func (f *factors) add(b *block, members []int32) {
	base := f.First[len(f.First)-1]
	if b.bad >= 0 {
		return
	}
	n := len(members)
	level := make([]int32, n)
	for i := range n {
		for _, c := range b.col[b.ptr[i]:b.diagonal[i]] {
			level[i] = max(level[i], level[c]+1)
		}
	}
	order := levels(&f.Lower, level)
	number := make([]int32, n)
	for at, i := range order {
		number[i] = int32(at)
		f.Row = append(f.Row, members[i])
	}
	clear(level)
	for i := n - 1; i >= 0; i-- {
		for _, c := range b.col[b.diagonal[i]+1 : b.ptr[i+1]] {
			level[i] = max(level[i], level[c]+1)
		}
	}
	for _, i := range levels(&f.Upper, level) {
		f.UpperOrder = append(f.UpperOrder, number[i])
	}
	for _, i := range order {
		d := b.diagonal[i]
		inverse := 1 / b.val[d]
		f.Inverse = append(f.Inverse, float32(inverse))
		appendRow(&f.Lower, b.col[b.ptr[i]:d], b.val[b.ptr[i]:d], number, 1)
		appendRow(&f.Upper, b.col[d+1:b.ptr[i+1]], b.val[d+1:b.ptr[i+1]], number, inverse)
	}
	f.First = append(f.First, base+int32(n))
}

// levels appends where the levels of a part begin and end, and returns its rows sorted by level.
func levels(t *Triangle, level []int32) []int32 {
	order := make([]int32, len(level))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return int(level[a] - level[b]) })
	for at, i := range order {
		if at == 0 || level[i] != level[order[at-1]] {
			t.Level = append(t.Level, int32(at))
		}
	}
	t.Level = append(t.Level, int32(len(order)))
	t.First = append(t.First, int32(len(t.Level)))
	return order
}

// appendRow appends a row's entries times factor, in their order.
func appendRow(t *Triangle, cols []int32, vals []float64, number []int32, factor float64) {
	for n, c := range cols {
		t.Col, t.Val = append(t.Col, number[c]), append(t.Val, float32(vals[n]*factor))
	}
	t.RowPtr = append(t.RowPtr, int64(len(t.Col)))
}
