package mesh

import (
	"fmt"
	"math"

	"thermsim/stack"
)

// faces returns the face coordinates of an axis of the given length in m.
func faces(a stack.Axis, length float64) ([]float64, error) {
	if a.Cells < 1 {
		return nil, fmt.Errorf("grid with %d cells; ask for at least 1", a.Cells)
	}
	if len(a.Segments) == 0 {
		f := make([]float64, a.Cells+1)
		for i := range f {
			f[i] = length * (float64(i) / float64(a.Cells))
		}
		return f, nil
	}
	f := make([]float64, 1, a.Cells+1)
	for _, s := range a.Segments {
		from := f[len(f)-1]
		if !(s.To > from) || s.Cells < 1 || !(s.Ratio > 0) {
			return nil, fmt.Errorf("grid segment from %g m to %g m with %d cells and ratio %g; ends must ascend, "+
				"cells and ratio be positive", from, s.To, s.Cells, s.Ratio)
		}
		f = appendSegment(f, s)
	}
	if end := f[len(f)-1]; math.Abs(end-length) > 1e-9*length {
		return nil, fmt.Errorf("grid segments end at %g m, the domain at %g m; make the last segment end there", end,
			length)
	}
	f[len(f)-1] = length
	return f, nil
}

// appendSegment adds the faces of one segment. Sizes are d, d q, d q^2 ... with q^(n-1) = Ratio.
func appendSegment(f []float64, s stack.Segment) []float64 {
	from := f[len(f)-1]
	length := s.To - from
	q := 1.0
	if s.Cells > 1 {
		q = math.Pow(s.Ratio, 1/float64(s.Cells-1))
	}
	total, size := 0.0, 1.0
	for range s.Cells {
		total += size
		size *= q
	}
	sum, size := 0.0, 1.0
	for range s.Cells - 1 {
		sum += size
		size *= q
		f = append(f, from+length*(sum/total))
	}
	return append(f, s.To)
}

// Faces returns the lateral face coordinates in m that the stack's grid asks for.
func Faces(s *stack.Stack) (x, y []float64, err error) {
	if x, err = faces(s.Grid.X, s.Size[0]); err != nil {
		return nil, nil, fmt.Errorf("x: %w", err)
	}
	if y, err = faces(s.Grid.Y, s.Size[1]); err != nil {
		return nil, nil, fmt.Errorf("y: %w", err)
	}
	return x, y, nil
}
