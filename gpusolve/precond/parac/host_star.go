package parac

import (
	"cmp"
	"slices"

	"thermsim/gpusolve/sparse/ordering"
)

// link is an edge of the graph in elimination, in the list of its end that goes first.
type link struct {
	col    int32 // the later end
	origin int32 // the vertex whose elimination made the edge, plus 1; 0 for edges of the matrix
	w      float64
}

// star is what the elimination of one vertex looks at: the vertex, its neighbours and its ground. The arithmetic below,
// its order included, is that of the GPU's kernel, which gives the same bits.
type star struct {
	links []link    // all of the vertex, then one a neighbour, ascending by weight
	times []int32   // how many edges were merged into the one to a neighbour
	sum   []float64 // sum[i] is the weight of neighbours i and later
	share []float64 // weight over pivot: minus the entry of G
	pivot float64

	merged []link // scratch
	counts []int32
}

// prepare merges edges to the same neighbour, sorts the neighbours by weight, the lighter first, and sums.
func (s *star) prepare(ground float64) {
	byKey := func(a, b link) int {
		if c := cmp.Compare(a.col, b.col); c != 0 {
			return c
		}
		return cmp.Compare(a.origin, b.origin)
	}
	sortShort(s.links, byKey)
	s.merged, s.counts = s.merged[:0], s.counts[:0]
	for i := 0; i < len(s.links); {
		e := s.links[i]
		n := int32(1)
		for i++; i < len(s.links) && s.links[i].col == e.col; i++ {
			e.w += s.links[i].w
			n++
		}
		e.origin = int32(len(s.counts)) // finds its count after the sort
		s.merged, s.counts = append(s.merged, e), append(s.counts, n)
	}
	s.links = append(s.links[:0], s.merged...)
	sortShort(s.links, func(a, b link) int {
		if c := cmp.Compare(a.w, b.w); c != 0 {
			return c
		}
		return cmp.Compare(a.col, b.col)
	})
	m := len(s.links)
	s.times, s.sum, s.share = s.times[:0], s.sum[:0], s.share[:0]
	for _, e := range s.links {
		s.times = append(s.times, s.counts[e.origin])
		s.sum = append(s.sum, e.w)
	}
	suffixSums(s.sum)
	s.pivot = ground
	if m > 0 {
		s.pivot += s.sum[0]
	}
	for _, e := range s.links {
		s.share = append(s.share, e.w/s.pivot)
	}
}

// sortShort sorts by insertion where that is fastest.
func sortShort(v []link, compare func(a, b link) int) {
	if len(v) > 24 {
		slices.SortFunc(v, compare)
		return
	}
	for i := 1; i < len(v); i++ {
		e, j := v[i], i
		for ; j > 0 && compare(v[j-1], e) > 0; j-- {
			v[j] = v[j-1]
		}
		v[j] = e
	}
}

// warp is the number of lanes by which sums are arranged.
const warp = 32

// suffixSums replaces v[i] by v[i] + v[i+1] + ... in the order in which a warp adds: by doubling distances within
// pieces of 32, the sum of the pieces behind on top.
func suffixSums(v []float64) {
	carry := 0.0
	for lo := (len(v) - 1) &^ (warp - 1); lo >= 0; lo -= warp {
		piece := v[lo:min(lo+warp, len(v))]
		for by := 1; by < warp; by *= 2 {
			for i := 0; i+by < len(piece); i++ {
				piece[i] += piece[i+by]
			}
		}
		for i := range piece {
			piece[i] += carry
		}
		carry = piece[0]
	}
}

// stream is the start of the random numbers of a vertex.
func stream(seed uint64, vertex int32) uint64 {
	return ordering.Mix(ordering.Mix(seed+golden) + (uint64(vertex)+1)*golden)
}

const golden = 0x9e3779b97f4a7c15

// uniform is number i of a stream, in [0, 1) with 53 bits.
func uniform(stream uint64, i int) float64 {
	return float64(ordering.Mix(stream+(uint64(i)+1)*golden)>>11) * 0x1p-53
}

// sample draws the partner of neighbour i among the heavier ones, with probability in proportion to their weights, and
// gives the weight of the new edge: in expectation that of the clique of an exact elimination, w_i w_j / pivot.
func (s *star) sample(i int, stream uint64) (j int, w float64) {
	total := s.sum[i+1]
	t := uniform(stream, i) * total
	lo, hi := i+1, len(s.sum)-1
	for lo < hi { // the last j whose suffix sum lies above t
		if mid := (lo + hi + 1) / 2; s.sum[mid] > t {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return lo, float64(total * s.share[i])
}
