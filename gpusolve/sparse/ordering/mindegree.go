package ordering

import (
	"cmp"
	"math"
	"slices"
)

// MinimumDegree orders a symmetric matrix so that eliminating it fills little: always the unknown whose elimination
// ties the fewest others together, by an upper bound of their number. It is the approximate minimum degree method of
// Amestoy, Davis and Duff (1996) on a quotient graph, with absorption of elements, elimination of several unknowns at
// once and merging of indistinguishable ones. Rows with more than 10 sqrt(n) entries go last.
func MinimumDegree(rowPtr []int64, col []int32) []int32 {
	q := newQuotient(rowPtr, col)
	for q.done < q.n {
		q.eliminate(q.least())
	}
	return append(q.order, q.last...)
}

// quotient is the graph while it is eliminated: variables that are left, and elements, which represent the cliques of
// eliminated ones. A variable may represent several that have the same neighbors.
type quotient struct {
	n, done   int
	variables [][]int32 // neighbors of a variable that no element represents
	elements  [][]int32 // of a variable
	members   [][]int32 // variables of an element
	size      []int32   // number of variables that it represents; 0 once eliminated or merged
	weight    []int32   // size of an element's members together
	merged    [][]int32 // other variables that one represents
	dead      []bool    // elements absorbed by others
	degrees

	inClique    []int32 // the element being made, by variable
	outside     []int32 // weight of an element outside the clique
	outsideOf   []int32 // the clique that outside belongs to
	fingerprint []uint32
	clique      []int32
	order       []int32
	last        []int32 // rows too dense to take part
}

// degrees are lists of variables by degree, doubly linked.
type degrees struct {
	degree            []int32
	first, next, prev []int32
	low               int32
}

func newQuotient(rowPtr []int64, col []int32) *quotient {
	n := len(rowPtr) - 1
	q := &quotient{n: n, variables: make([][]int32, n), elements: make([][]int32, n), members: make([][]int32, n),
		merged: make([][]int32, n), dead: make([]bool, n)}
	for _, v := range []*[]int32{&q.size, &q.weight, &q.degree, &q.first, &q.next, &q.prev, &q.inClique, &q.outside,
		&q.outsideOf} {
		*v = make([]int32, n)
	}
	q.fingerprint = make([]uint32, n)
	q.order = make([]int32, 0, n)
	for _, v := range [][]int32{q.first, q.inClique, q.outsideOf} {
		for i := range v {
			v[i] = -1
		}
	}
	dense := int64(max(16, 10*math.Sqrt(float64(n))))
	var last []int32
	for v := range n {
		q.size[v] = 1
		if rowPtr[v+1]-rowPtr[v] > dense {
			q.size[v] = 0
			last = append(last, int32(v))
		}
	}
	flat := make([]int32, 0, len(col))
	for v := range n {
		from := len(flat)
		for _, c := range col[rowPtr[v]:rowPtr[v+1]] {
			if int(c) != v && q.size[c] > 0 && q.size[v] > 0 {
				flat = append(flat, c)
			}
		}
		q.variables[v] = flat[from:len(flat):len(flat)]
	}
	for v := n - 1; v >= 0; v-- {
		if q.size[v] > 0 {
			q.file(int32(v), int32(len(q.variables[v])))
		}
	}
	slices.SortStableFunc(last, func(a, b int32) int {
		return cmp.Compare(rowPtr[a+1]-rowPtr[a], rowPtr[b+1]-rowPtr[b])
	})
	q.last, q.n = last, n-len(last)
	return q
}

// file puts a variable into the list of its degree.
func (q *degrees) file(v, degree int32) {
	q.degree[v] = degree
	q.low = min(q.low, degree)
	head := q.first[degree]
	q.next[v], q.prev[v] = head, -1
	if head >= 0 {
		q.prev[head] = v
	}
	q.first[degree] = v
}

// unfile takes it out.
func (q *degrees) unfile(v int32) {
	if q.prev[v] >= 0 {
		q.next[q.prev[v]] = q.next[v]
	} else {
		q.first[q.degree[v]] = q.next[v]
	}
	if q.next[v] >= 0 {
		q.prev[q.next[v]] = q.prev[v]
	}
}

// least takes a variable of least degree out.
func (q *degrees) least() int32 {
	for q.first[q.low] < 0 {
		q.low++
	}
	p := q.first[q.low]
	q.unfile(p)
	return p
}

// eliminate makes p an element of the variables around it.
func (q *quotient) eliminate(p int32) {
	weight := q.gather(p)
	q.emit(p)
	q.size[p] = 0
	for _, v := range q.clique {
		q.unfile(v)
		for _, e := range q.elements[v] {
			if q.dead[e] {
				continue
			}
			if q.outsideOf[e] != p {
				q.outsideOf[e], q.outside[e] = p, q.weight[e]
			}
			q.outside[e] -= q.size[v]
		}
	}
	left := q.clique[:0]
	for _, v := range q.clique {
		if q.update(p, v) {
			left = append(left, v)
			continue
		}
		weight -= q.size[v]
		q.emit(v) // nothing but the clique is left around it, so it goes with p
		q.size[v] = 0
	}
	left = q.mergeAlike(left)
	for _, v := range left {
		others := weight - q.size[v]
		bound := min(int32(q.n-q.done)-q.size[v], q.degree[v]+others)
		q.file(v, max(0, bound))
	}
	q.weight[p] = weight
	q.members[p] = slices.Clone(left)
	q.variables[p], q.elements[p] = nil, nil
}

// gather collects the variables around p and returns their weight; the elements that they came from are absorbed.
func (q *quotient) gather(p int32) (weight int32) {
	q.clique = q.clique[:0]
	q.inClique[p] = p
	add := func(list []int32) {
		for _, v := range list {
			if q.size[v] > 0 && q.inClique[v] != p {
				q.inClique[v] = p
				q.clique = append(q.clique, v)
				weight += q.size[v]
			}
		}
	}
	add(q.variables[p])
	for _, e := range q.elements[p] {
		if !q.dead[e] {
			add(q.members[e])
			q.dead[e], q.members[e] = true, nil
		}
	}
	return weight
}

// update removes what the new element p represents from the lists of v and leaves in degree[v] the weight outside the
// clique, at most. It reports false where nothing lies outside.
func (q *quotient) update(p, v int32) bool {
	former, outside, print := q.degree[v], int32(0), uint32(p)
	kept := q.elements[v][:0]
	for _, e := range q.elements[v] {
		switch {
		case q.dead[e]:
		case q.outside[e] == 0: // inside the clique as a whole
			q.dead[e], q.members[e] = true, nil
		default:
			outside += q.outside[e]
			print += uint32(e)
			kept = append(kept, e)
		}
	}
	q.elements[v] = append(kept, p)
	near := q.variables[v][:0]
	for _, u := range q.variables[v] {
		if q.size[u] > 0 && q.inClique[u] != p {
			outside += q.size[u]
			print += uint32(u)
			near = append(near, u)
		}
	}
	q.variables[v] = near
	q.degree[v], q.fingerprint[v] = min(outside, former), print
	return len(kept) > 0 || len(near) > 0
}

// mergeAlike lets one variable represent all that have the same neighbors.
func (q *quotient) mergeAlike(v []int32) []int32 {
	slices.SortFunc(v, func(a, b int32) int {
		return cmp.Or(cmp.Compare(q.fingerprint[a], q.fingerprint[b]), cmp.Compare(a, b))
	})
	for i, a := range v {
		if q.size[a] == 0 {
			continue
		}
		for _, b := range v[i+1:] {
			if q.fingerprint[b] != q.fingerprint[a] {
				break
			}
			if q.size[b] > 0 && alike(q.elements[a], q.elements[b]) && alike(q.variables[a], q.variables[b]) {
				q.size[a] += q.size[b]
				q.size[b] = 0
				q.merged[a] = append(q.merged[a], b)
				q.variables[b], q.elements[b] = nil, nil
			}
		}
	}
	return slices.DeleteFunc(v, func(a int32) bool { return q.size[a] == 0 })
}

// alike compares lists without regard to their order; they are short.
func alike(a, b []int32) bool {
	if len(a) != len(b) {
		return false
	}
	for _, x := range a {
		if !slices.Contains(b, x) {
			return false
		}
	}
	return true
}

// emit orders a variable and all that it represents.
func (q *quotient) emit(v int32) {
	q.order = append(q.order, v)
	q.done++
	for _, u := range q.merged[v] {
		q.emit(u)
	}
	q.merged[v] = nil
}
