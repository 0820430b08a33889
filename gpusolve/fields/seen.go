package fields

import (
	"errors"

	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
)

// ErrNotKept is the error of reading a field of which statistics alone were asked for: see TransientOptions.Reads.
var ErrNotKept = errors.New("the field at the end of this step was not announced to be read, and is not kept")

// Seen is the field at the end of a step whose statistics are known.
type Seen struct {
	Of      solution.Field // nil where it is not kept
	Regions *reduction.Regions
	Values  *reduction.Values
}

var _ solution.Reducer = (*Seen)(nil)

// Plane reads the field.
func (s *Seen) Plane(k int, dst []float64) error {
	if s.Of == nil {
		return ErrNotKept
	}
	return s.Of.Plane(k, dst)
}

// Reduce knows the statistics of the regions, and takes others.
func (s *Seen) Reduce(r *reduction.Regions) (*reduction.Values, error) {
	switch {
	case r == s.Regions:
		return s.Values, nil
	case s.Of == nil:
		return nil, ErrNotKept
	}
	return solution.Reduce(s.Of, r)
}

// Quantise counts quanta of the field.
func (s *Seen) Quantise(q reduction.Quanta, counts []int32) (bool, error) {
	if s.Of == nil {
		return false, ErrNotKept
	}
	if own := solution.ReducerOf(s.Of); own != nil {
		return own.Quantise(q, counts)
	}
	return false, nil
}
