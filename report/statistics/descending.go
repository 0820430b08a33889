package statistics

import (
	"math"
	"slices"
)

// binOrder is a bin with the bits of its temperature, so turned that larger temperatures have smaller ones.
type binOrder struct {
	bits uint64
	bin  int
}

// descending lists the bins that have a temperature from the hottest to the coldest, of equal ones the first before the
// others. It sorts by the bits, a byte at a time: a map has many bins, and comparing them takes several times as long.
func (p *peakMap) descending() []int {
	list := make([]binOrder, 0, len(p.bins))
	for b := range p.bins {
		t := p.bins[b].t
		if math.IsInf(t, -1) {
			continue
		}
		bits := math.Float64bits(t)
		if bits>>63 == 0 {
			bits = ^bits &^ (1 << 63)
		}
		list = append(list, binOrder{bits, b})
	}
	other := make([]binOrder, len(list))
	for shift := 0; shift < 64; shift += 8 {
		var count [257]int
		for _, o := range list {
			count[int(byte(o.bits>>shift))+1]++
		}
		if slices.Contains(count[1:], len(list)) {
			continue // one byte for all
		}
		for d := range 256 {
			count[d+1] += count[d]
		}
		for _, o := range list {
			d := byte(o.bits >> shift)
			other[count[d]] = o
			count[d]++
		}
		list, other = other, list
	}
	order := make([]int, len(list))
	for n, o := range list {
		order[n] = o.bin
	}
	return order
}
