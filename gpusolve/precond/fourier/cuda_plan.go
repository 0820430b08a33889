package fourier

import (
	"math/bits"
	"slices"
)

// gpuPlan says how the kernels transform rows of n values: by radices whose product is m, the first with stride 1. m is
// n, or for lengths with large prime factors at least 2n-1, the length of Bluestein's convolution.
type gpuPlan struct {
	n, m    int
	radices []int
	fixed   int // length that a kernel is compiled for, 0 where the listed one serves
	// long says that a pair of rows does not fit into shared memory: it is transformed in global memory.
	long bool
	// threads of a block work on a pair of rows, together pairs share a block.
	threads, together int
}

// compiled are the plans of kernels for one length; see transform.cu.
var compiled = []gpuPlan{
	{m: 256, radices: []int{16, 16}, threads: 16, together: 8},
	{m: 512, radices: []int{8, 8, 8}, threads: 64, together: 4},
	{m: 1000, radices: []int{10, 10, 10}, threads: 100, together: 2},
	{m: 1024, radices: []int{16, 8, 8}, threads: 64, together: 4},
	{m: 2048, radices: []int{8, 16, 16}, threads: 128, together: 2},
	{m: 4096, radices: []int{16, 16, 16}, threads: 256, together: 1},
	{m: 10000, radices: []int{10, 10, 10, 10}, threads: 512, together: 1},
}

const (
	convolvesFrom, convolvesTo = 1024, 4096 // compiled plans of these lengths take convolutions
	// how much longer a compiled convolution may be than needed: the listed kernel is as much slower
	longerPays     = 1.5
	bytesOfComplex = 16
)

// planFor is the plan for rows of n values in blocks of so much shared memory.
func planFor(n, shared int) gpuPlan {
	if p, ok := compiledFor(n); ok && p.sharedBytes() <= shared {
		return p
	}
	p := listedFor(n)
	p.long = p.sharedBytes() > shared
	return p
}

// compiledFor is the compiled plan that suits rows of n values, if any does.
func compiledFor(n int) (p gpuPlan, ok bool) {
	for _, c := range compiled {
		if c.m == n {
			c.n, c.fixed = n, n
			return c, true
		}
	}
	if factorise(n) != nil {
		return p, false
	}
	least := 2*n - 1
	for _, c := range compiled {
		if c.m >= max(least, convolvesFrom) && c.m <= convolvesTo && float64(c.m) <= longerPays*float64(least) {
			c.n, c.fixed = n, c.m
			return c, true
		}
	}
	return p, false
}

// listedFor is the plan of the kernel that is told its radices.
func listedFor(n int) (p gpuPlan) {
	if radices := factorise(n); radices != nil {
		return listedPlan(n, n, radices)
	}
	least := 2*n - 1
	for m := least; m <= least+least/8+16; m++ {
		if radices := factorise(m); radices != nil && (p.radices == nil || m*len(radices) < p.m*len(p.radices)) {
			p = listedPlan(n, m, radices)
		}
	}
	return p
}

// listedPlan gives each thread about eight values.
func listedPlan(n, m int, radices []int) gpuPlan {
	threads := min(max(1<<bits.Len(uint(m-1)/8), 32), TransformListed)
	return gpuPlan{n: n, m: m, radices: radices, threads: threads, together: TransformListed / threads}
}

// factorise gives radices of the listed kernel whose product is m, nil where there are none. 1 has none and needs none.
func factorise(m int) []int {
	radices := []int{}
	for _, r := range []int{16, 13, 11, 9, 7, 5, 8, 4, 3, 2} {
		for m%r == 0 {
			radices = append(radices, r)
			m /= r
		}
	}
	if m > 1 {
		return nil
	}
	// 8 times 4 is quicker than 16 times 2.
	if n := len(radices); n > 1 && radices[n-1] == 2 && slices.Contains(radices, 16) {
		radices[slices.Index(radices, 16)] = 8
		radices[n-1] = 4
	}
	return radices
}
