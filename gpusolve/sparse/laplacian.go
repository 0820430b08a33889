package sparse

import (
	"errors"
	"fmt"
	"math"
)

// zeroSum is the sum of a row, relative to the sum of the sizes of its entries, that counts as zero: rounding of
// entries with 15 digits.
const zeroSum = 1e-14

// Laplacian returns the Laplacian matrix of a graph: a vertex's row has the sum of the weights of its edges on the
// diagonal, and minus their weights off the diagonal. The graph is given by its adjacency matrix, which is symmetric
// and has positive weights and a zero diagonal, or by the Laplacian itself, which is returned as it is.
func Laplacian(graph *CSR) (*CSR, error) {
	if w, found := graph.Asymmetric(); found {
		return nil, fmt.Errorf("the graph is directed: the weight of (%d, %d) is %.10g, that of (%d, %d) %.10g. "+
			"Fix: list both directions, or one with the word symmetric in the header",
			w.Row+1, w.Col+1, w.Entry, w.Col+1, w.Row+1, w.Mirror)
	}
	n := graph.N()
	if isLaplacian(graph) {
		return graph, nil
	}
	t := Triplets{Row: make([]int32, 0, len(graph.Col)+n), Col: make([]int32, 0, len(graph.Col)+n),
		Val: make([]float64, 0, len(graph.Col)+n)}
	for r := range n {
		cols, vals := graph.Row(r)
		degree := 0.0
		for i, c := range cols {
			w := vals[i]
			switch {
			case w == 0:
				continue
			case int(c) == r:
				return nil, fmt.Errorf("vertex %d has a self loop: got %g on the diagonal; expected 0, or the sum of "+
					"the row's other entries in a Laplacian matrix. Fix: remove the entry", r+1, w)
			case !(w > 0) || math.IsInf(w, 0):
				return nil, fmt.Errorf("edge (%d, %d) has weight %g; weights must be positive", r+1, c+1, w)
			}
			degree += w
			t.Add(int32(r), c, -w)
		}
		t.Add(int32(r), int32(r), degree)
	}
	if t.Len() == n {
		return nil, errors.New("the graph has no edges")
	}
	a, _, err := FromTriplets(n, &t)
	return a, err
}

// isLaplacian distinguishes Laplacian from adjacency matrices.
func isLaplacian(a *CSR) bool {
	edges := false
	for r := range a.N() {
		cols, vals := a.Row(r)
		sum, size := rowSum(vals)
		for i, c := range cols {
			if int(c) != r && vals[i] > 0 {
				return false
			}
			edges = edges || int(c) != r && vals[i] < 0
		}
		if !(math.Abs(sum) <= zeroSum*size) {
			return false
		}
	}
	return edges
}

// ZeroSums says whether all rows have the sum zero to rounding, so that the matrix is singular.
func (a *CSR) ZeroSums() bool {
	for r := range a.N() {
		_, vals := a.Row(r)
		if sum, size := rowSum(vals); !(math.Abs(sum) <= zeroSum*size) {
			return false
		}
	}
	return true
}

// rowSum adds a row's entries, and their sizes.
func rowSum(vals []float64) (sum, size float64) {
	for _, v := range vals {
		sum, size = sum+v, size+math.Abs(v)
	}
	return sum, size
}

// NullSpace holds the connected components of a symmetric matrix of which all rows have the sum zero. Vectors that are
// constant on such a component are solutions of A x = 0: the graph Laplacian is singular once for each component.
type NullSpace struct {
	Component []int32 // of each row, -1 where the component is not singular
	Size      []int   // rows of each component
	ground    []int32 // the row with the largest diagonal entry of each component
}

// NullSpace finds the components; nil where no component is singular.
func (a *CSR) NullSpace() *NullSpace {
	n := a.N()
	s := &NullSpace{Component: make([]int32, n)}
	const unseen = -2
	for r := range s.Component {
		s.Component[r] = unseen
	}
	var queue []int32
	for r := range n {
		if s.Component[r] != unseen {
			continue
		}
		label := int32(len(s.Size))
		queue = append(queue[:0], int32(r))
		s.Component[r] = label
		ground, singular := int32(r), true
		for at := 0; at < len(queue); at++ {
			v := int(queue[at])
			cols, vals := a.Row(v)
			sum, size := rowSum(vals)
			singular = singular && len(cols) > 0 && math.Abs(sum) <= zeroSum*size
			if a.At(v, v) > a.At(int(ground), int(ground)) {
				ground = int32(v)
			}
			for i, c := range cols {
				if vals[i] != 0 && s.Component[c] == unseen {
					s.Component[c] = label
					queue = append(queue, c)
				}
			}
		}
		if singular {
			s.Size, s.ground = append(s.Size, len(queue)), append(s.ground, ground)
			continue
		}
		for _, v := range queue {
			s.Component[v] = -1
		}
	}
	if len(s.Size) == 0 {
		return nil
	}
	return s
}

// Grounded returns a matrix with a larger diagonal entry in one row of each component, and these additions. It has one
// solution for each right-hand side; where this has the sum zero on each component, the solution is that of a which is
// zero in these rows.
func (s *NullSpace) Grounded(a *CSR) (grounded *CSR, rows []int32, added []float64) {
	grounded = &CSR{RowPtr: a.RowPtr, Col: a.Col, Val: append([]float64(nil), a.Val...)}
	largest := 0.0
	for _, v := range a.Val {
		largest = math.Max(largest, math.Abs(v))
	}
	if largest == 0 {
		largest = 1
	}
	for _, r := range s.ground {
		cols, vals := grounded.Row(int(r))
		for i, c := range cols {
			if c != r {
				continue
			}
			g := vals[i]
			if g == 0 { // a vertex without edges
				g = largest
			}
			vals[i] += g
			rows, added = append(rows, r), append(added, g)
		}
	}
	return grounded, rows, added
}

// inconsistent is the sum of a right-hand side over a component, relative to the sum of the sizes, that counts as
// rounding, which Project removes; rounding is that relative to the largest value of all, for each row.
const inconsistent, rounding = 1e-10, 1e-13

// Consistent refuses a right-hand side for which no solution exists, because it has a sum other than zero on a
// component. The error names the first one.
func (s *NullSpace) Consistent(b []float64) error {
	sums, sizes, first := make([]float64, len(s.Size)), make([]float64, len(s.Size)), make([]int, len(s.Size))
	largest := 0.0
	for r, c := range s.Component {
		largest = math.Max(largest, math.Abs(b[r]))
		if c < 0 {
			continue
		}
		if sizes[c] == 0 {
			first[c] = r
		}
		sums[c], sizes[c] = sums[c]+b[r], sizes[c]+math.Abs(b[r])
	}
	for c, sum := range sums {
		if !(math.Abs(sum) <= inconsistent*sizes[c]+rounding*largest*float64(s.Size[c])) {
			return fmt.Errorf("the right-hand side has the sum %.6g over component %d of %d (%d unknowns, one of "+
				"them %d); expected 0, because the matrix is singular there and no solution exists otherwise. Fix: "+
				"subtract the mean, %.6g, from these values",
				sum, c+1, len(s.Size), s.Size[c], first[c]+1, sum/float64(s.Size[c]))
		}
	}
	return nil
}

// Project returns x without the constant part of each component.
func (s *NullSpace) Project(x []float64) []float64 {
	mean := make([]float64, len(s.Size))
	for r, c := range s.Component {
		if c >= 0 {
			mean[c] += x[r]
		}
	}
	for c := range mean {
		mean[c] /= float64(s.Size[c])
	}
	y := make([]float64, len(x))
	for r, c := range s.Component {
		y[r] = x[r]
		if c >= 0 {
			y[r] -= mean[c]
		}
	}
	return y
}
