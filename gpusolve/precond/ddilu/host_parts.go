package ddilu

import (
	"unsafe"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
)

func (s hostOperations) levels(m *PartMatrix) (lower, upper []int32, err error) {
	lower, upper = levelsOf(m)
	return lower, upper, nil
}

// levelsOf finds the level of each row in L and in U: rows stand in an order of elimination, so one pass up and one
// down are enough.
func levelsOf(m *PartMatrix) (lower, upper []int32) {
	lower, upper = make([]int32, len(m.Row)), make([]int32, len(m.Row))
	abreast(m.parts(), func(p int) {
		first, end := m.First[p], m.First[p+1]
		for r := first; r < end; r++ {
			for _, c := range m.Col[m.RowPtr[r]:m.Diagonal[r]] {
				lower[r] = max(lower[r], lower[first+c]+1)
			}
		}
		for r := end - 1; r >= first; r-- {
			for _, c := range m.Col[m.Diagonal[r]+1 : m.RowPtr[r+1]] {
				upper[r] = max(upper[r], upper[first+c]+1)
			}
		}
	})
	return lower, upper
}

// factorParts makes the factors in FP64, in place of the matrix, and keeps them in the precision asked for.
func (s hostOperations) factorParts(m *PartMatrix, how PartOptions) (Factor, error) {
	bad := make([]int, m.parts())
	abreast(m.parts(), func(p int) { bad[p] = m.eliminate(p, 1+how.Shift, how.Symmetric) })
	if err := worst(bad); err != nil {
		return nil, err
	}
	if how.Double {
		return hostPartsOf[float64](s.Space, m), nil
	}
	return hostPartsOf[float32](s.Space, m), nil
}

// eliminate is the incomplete factorisation of a part without fill, row by row. It returns the matrix's row of a
// refused pivot, or -1.
func (m *PartMatrix) eliminate(p int, scale float64, symmetric bool) int {
	first, end := m.First[p], m.First[p+1]
	where := make([]int64, end-first) // of each column the entry in the row at hand, + 1
	bad := -1
	for r := first; r < end; r++ {
		lo, own, hi := m.RowPtr[r], m.Diagonal[r], m.RowPtr[r+1]
		m.Val[own] *= scale
		for at := lo; at < hi; at++ {
			where[m.Col[at]] = at + 1
		}
		for at := lo; at < own; at++ {
			k := first + m.Col[at]
			m.Val[at] /= m.Val[m.Diagonal[k]]
			for u := m.Diagonal[k] + 1; u < m.RowPtr[k+1]; u++ {
				if w := where[m.Col[u]]; w > 0 {
					m.Val[w-1] -= m.Val[at] * m.Val[u]
				}
			}
		}
		for at := lo; at < hi; at++ {
			where[m.Col[at]] = 0
		}
		if pivot := m.Val[own]; refused(pivot, symmetric) {
			if row := int(m.Row[r]); bad < 0 || row < bad {
				bad = row
			}
			m.Val[own] = 1
		}
	}
	return bad
}

// hostParts is a factor of a matrix by rows.
type hostParts[T float32 | float64] struct {
	*PartMatrix
	lower, upper, inverse []T
	s                     *host.Space
	bytes                 int64
}

func hostPartsOf[T float32 | float64](s *host.Space, m *PartMatrix) *hostParts[T] {
	f := &hostParts[T]{PartMatrix: m, s: s, lower: make([]T, len(m.Lower.Col)), upper: make([]T, len(m.Upper.Col)),
		inverse: make([]T, len(m.Row))}
	abreast(m.parts(), func(p int) {
		for at := m.First[p]; at < m.First[p+1]; at++ {
			f.inverse[at] = T(1 / m.Val[m.Diagonal[at]])
			lo, hi := m.span(p, at, nil)
			for n, v := range m.Val[lo:hi] {
				f.lower[m.Lower.Ptr[at]+int64(n)] = T(v)
			}
			inverse := 1 / m.Val[m.Diagonal[m.First[p]+m.UpperOrder[at]]]
			lo, hi = m.span(p, at, m.UpperOrder)
			for n, v := range m.Val[lo:hi] {
				f.upper[m.Upper.Ptr[at]+int64(n)] = T(v * inverse)
			}
		}
	})
	m.Val, m.Col, m.RowPtr, m.Diagonal = nil, nil, nil, nil
	f.bytes = int64(unsafe.Sizeof(T(0))) * int64(len(f.lower)+len(f.upper)+len(f.inverse))
	f.bytes += 4 * int64(len(m.First)+2*len(m.Row))
	for _, t := range []*Triangle{&m.Lower, &m.Upper} {
		f.bytes += 8*int64(len(t.Ptr)) + 4*int64(len(t.Col)+len(t.First)+len(t.Level))
	}
	s.Account(f.bytes)
	return f
}

func (f *hostParts[T]) Release() {
	f.s.Account(-f.bytes)
	f.bytes = 0
}

// Solve sets z = M^-1 r, several parts at a time.
func (f *hostParts[T]) Solve(z, r ops.Vector) {
	to, from := host.Singles(z), host.Singles(r)
	f.s.Loop(f.parts(), f.s.Cells(), func(lo, hi, worker int) {
		for p := lo; p < hi; p++ {
			f.solvePart(p, to, from, scratchOf[T](f.s.Scratch(worker), int(f.First[p+1]-f.First[p])))
		}
	})
}

func (f *hostParts[T]) solvePart(p int, z, r []float32, v []T) {
	first, end := f.First[p], f.First[p+1]
	for c := first; c < end; c++ {
		v[c-first] = less(&f.Lower, f.lower, c, T(r[f.Row[c]]), v)
	}
	for c := first; c < end; c++ {
		v[c-first] *= f.inverse[c]
	}
	for at, own := range f.UpperOrder[first:end] {
		v[own] = less(&f.Upper, f.upper, first+int32(at), v[own], v)
	}
	for c := first; c < end; c++ {
		z[f.Row[c]] = float32(v[c-first])
	}
}

// scratchOf is a worker's memory for n values.
func scratchOf[T float32 | float64](s *host.Scratch, n int) []T {
	if v, ok := any(s).(interface{ Floats(int) []T }); ok {
		return v.Floats(n)
	}
	return any(s).(interface{ Doubles(int) []T }).Doubles(n)
}

// less is value - the products of a triangle's row with v.
func less[T float32 | float64](t *Triangle, val []T, at int32, value T, v []T) T {
	for e := t.Ptr[at]; e < t.Ptr[at+1]; e++ {
		value -= val[e] * v[t.Col[e]]
	}
	return value
}
