package mesh

import (
	"iter"
	"slices"
)

// newIndex makes rows of nx cells of one material. Rows where begins is false share the memory of the row below.
func newIndex(begins []bool, nx int, material uint32) [][]uint32 {
	different := 0
	for _, own := range begins {
		if own {
			different++
		}
	}
	cells := make([]uint32, different*nx)
	// On all processors: most of the time goes into getting the memory.
	const part = 1 << 20 // cells
	inParallel((len(cells)+part-1)/part, func(n int) {
		fill(cells[n*part:min((n+1)*part, len(cells))], material)
	})
	index := make([][]uint32, len(begins))
	for j, own := range begins {
		if own {
			index[j], cells = cells[:nx:nx], cells[nx:]
		} else {
			index[j] = index[j-1]
		}
	}
	return index
}

// fill sets all values.
func fill(row []uint32, value uint32) {
	if len(row) == 0 {
		return
	}
	row[0] = value
	for n := 1; n < len(row); n *= 2 {
		copy(row[n:], row[:n])
	}
}

// join lets neighboring rows that are equal share their memory.
func join(index [][]uint32) {
	for from, end := range Runs(index) {
		if from > 0 && slices.Equal(index[from], index[from-1]) {
			for j := from; j < end; j++ {
				index[j] = index[from-1]
			}
		}
	}
}

// same reports whether two rows share their memory.
func same(a, b []uint32) bool { return &a[0] == &b[0] }

// Runs yields the runs of neighboring rows of an index that share their memory: the first row of a run, and the row
// after its last.
func Runs(index [][]uint32) iter.Seq2[int, int] {
	return func(yield func(from, end int) bool) {
		for from := 0; from < len(index); {
			end := from + 1
			for end < len(index) && same(index[end], index[from]) {
				end++
			}
			if !yield(from, end) {
				return
			}
			from = end
		}
	}
}
