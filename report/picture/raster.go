package picture

import "sort"

// bins says which cells each of n equal bins along an axis shows: cells first[b] to last[b], both included.
type bins struct{ first, last []int }

// binsOf divides the axis with the cell faces f into n bins. A bin shows the cell at its middle, so that cells wider than a bin
// stay crisp, and every cell that lies at the middle of no bin, so that no cell is lost.
func binsOf(f []float64, n int) bins {
	cells := len(f) - 1
	b := bins{make([]int, n), make([]int, n)}
	from, length := f[0], f[cells]-f[0]
	shown := make([]bool, cells)
	for p := range n {
		middle := from + length*(float64(p)+0.5)/float64(n)
		c := min(max(sort.SearchFloat64s(f, middle)-1, 0), cells-1)
		b.first[p], b.last[p] = c, c
		shown[c] = true
	}
	for c := range cells {
		if shown[c] {
			continue
		}
		p := min(max(int(((f[c]+f[c+1])/2-from)/length*float64(n)), 0), n-1)
		b.first[p], b.last[p] = min(b.first[p], c), max(b.last[p], c)
	}
	return b
}

// reduce shows a plane (x fastest, south first, nx cells a row) in bins, taking the maximum of the cells in each: a hot spot survives.
func reduce(values []float64, nx int, bx, by bins) []float64 {
	w, h := len(bx.first), len(by.first)
	out := make([]float64, w*h)
	row := make([]float64, nx)
	for q := range h {
		cells := values[by.first[q]*nx:][:nx]
		if by.last[q] > by.first[q] {
			copy(row, cells)
			for j := by.first[q] + 1; j <= by.last[q]; j++ {
				for i, v := range values[j*nx:][:nx] {
					if v > row[i] {
						row[i] = v
					}
				}
			}
			cells = row
		}
		line := out[q*w:][:w]
		for p := range line {
			v := cells[bx.first[p]]
			for i := bx.first[p] + 1; i <= bx.last[p]; i++ {
				if cells[i] > v {
					v = cells[i]
				}
			}
			line[p] = v
		}
	}
	return out
}
