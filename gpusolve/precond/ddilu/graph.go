package ddilu

import "thermsim/gpusolve/sparse"

// grow divides the rows of a matrix into parts of size rows, the last one smaller: each grows breadth-first from a row
// beside those before it, over couplings in either direction that the matrix stores.
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
