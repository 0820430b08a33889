// Package ordering says in which order the unknowns of a sparse symmetric matrix are eliminated. An ordering is a list:
// the unknown that goes first, second, ...
package ordering

import "math/bits"

// Permutation is a random permutation of 0 .. N-1 that is computed, not stored: a bijection of the numbers of as many
// bits as N-1 has, walked along until it comes back below N. GPU kernels compute the same one from N and Keys.
type Permutation struct {
	N    uint32
	Keys [2]uint64

	mask  uint32
	shift uint
}

// NewPermutation returns the permutation of n numbers (at most 2^31) that belongs to a seed.
func NewPermutation(n int, seed uint64) Permutation {
	p := Permutation{N: uint32(n), Keys: [2]uint64{Mix(seed + golden), Mix(Mix(seed) + golden)}}
	width := max(1, bits.Len32(uint32(max(n, 1)-1)))
	p.mask, p.shift = 1<<width-1, uint(width+1)/2
	return p
}

// At is the image of i.
func (p Permutation) At(i uint32) uint32 {
	for {
		i = (i*0x9e3779b1 + uint32(p.Keys[0])) & p.mask
		i ^= i >> p.shift
		i = (i*0x85ebca77 + uint32(p.Keys[0]>>32)) & p.mask
		i ^= i >> p.shift
		i = (i*0xc2b2ae3d + uint32(p.Keys[1])) & p.mask
		i ^= i >> p.shift
		i = (i*0x27d4eb2f + uint32(p.Keys[1]>>32)) & p.mask
		i ^= i >> p.shift
		if i < p.N {
			return i
		}
	}
}

const golden = 0x9e3779b97f4a7c15

// Mix is the finaliser of SplitMix64 (Steele, Lea and Flood 2014), a bijection of 64-bit numbers.
func Mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Random is the ordering that eliminates unknown Permutation.At(t) as number t.
func Random(n int, seed uint64) []int32 {
	order := make([]int32, n)
	p := NewPermutation(n, seed)
	for t := range order {
		order[t] = int32(p.At(uint32(t)))
	}
	return order
}

// ByEntries sorts the unknowns by the number of entries of their rows, ties in random order.
func ByEntries(rowPtr []int64, seed uint64) []int32 {
	n := len(rowPtr) - 1
	most := int64(0)
	for r := range n {
		most = max(most, rowPtr[r+1]-rowPtr[r])
	}
	first := make([]int, most+2)
	for r := range n {
		first[rowPtr[r+1]-rowPtr[r]+1]++
	}
	for d := range most + 1 {
		first[d+1] += first[d]
	}
	order := make([]int32, n)
	for _, v := range Random(n, seed) {
		d := rowPtr[v+1] - rowPtr[v]
		order[first[d]] = v
		first[d]++
	}
	return order
}
