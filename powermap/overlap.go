package powermap

import (
	"math"
	"sort"
)

// epsilon is the spacing of floating-point numbers at 1.
const epsilon = 0x1p-52

// Overlap divides the interval [lo, hi] among the cells between faces (ascending, in the unit of lo and hi). It returns
// the first cell touched and the share of the interval in that cell and the following ones; the shares sum to 1. Parts
// beyond the outermost faces are omitted, and an interval entirely beyond them has no shares. Overlaps no wider than
// the rounding of the coordinates are ignored, so that a block that ends on a face does not touch the next cell.
//
// The shares are appended to buf, which may be nil.
func Overlap(faces []float64, lo, hi float64, buf []float64) (first int, shares []float64) {
	n := len(faces) - 1
	lo, hi = math.Max(lo, faces[0]), math.Min(hi, faces[n])
	if !(hi > lo) {
		return 0, buf[:0]
	}
	tiny := 8 * epsilon * math.Max(math.Abs(faces[0]), math.Abs(faces[n]))
	cell := sort.Search(n-1, func(i int) bool { return faces[i+1] > lo })
	first, shares = cell, buf[:0]
	for ; cell < n && faces[cell] < hi; cell++ {
		width := math.Min(hi, faces[cell+1]) - math.Max(lo, faces[cell])
		switch {
		case width > tiny:
			shares = append(shares, width)
		case len(shares) == 0:
			first = cell + 1
		default: // a sliver after cells that count: nothing follows it
			return first, normalise(shares)
		}
	}
	if len(shares) == 0 { // narrower than rounding: all of it goes where its middle lies
		middle := lo + (hi-lo)/2
		return sort.Search(n-1, func(i int) bool { return faces[i+1] > middle }), append(shares, 1)
	}
	return first, normalise(shares)
}

// normalise scales positive numbers so that they sum to 1, in place. The largest one absorbs the rounding.
func normalise(shares []float64) []float64 {
	var total Sum
	for _, v := range shares {
		total.Add(v)
	}
	largest := 0
	rest := Sum{Total: 1}
	for i := range shares {
		shares[i] /= total.Value()
		rest.Add(-shares[i])
		if shares[i] > shares[largest] {
			largest = i
		}
	}
	shares[largest] += rest.Value()
	return shares
}
