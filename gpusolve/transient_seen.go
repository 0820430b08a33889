package gpusolve

import (
	"errors"

	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
)

// ErrNotKept is the error of reading a field of which statistics alone were asked for: see TransientOptions.Reads.
var ErrNotKept = errors.New("the field at the end of this step was not announced to be read, and is not kept")

// seen is the field at the end of a step whose statistics are known.
type seen struct {
	of      Field // nil where it is not kept
	regions *reduction.Regions
	values  *reduction.Values
}

var _ solution.Reducer = (*seen)(nil)

// Plane reads the field.
func (s *seen) Plane(k int, dst []float64) error {
	if s.of == nil {
		return ErrNotKept
	}
	return s.of.Plane(k, dst)
}

// Reduce knows the statistics of the regions, and takes others.
func (s *seen) Reduce(r *reduction.Regions) (*reduction.Values, error) {
	switch {
	case r == s.regions:
		return s.values, nil
	case s.of == nil:
		return nil, ErrNotKept
	}
	return solution.Reduce(s.of, r)
}

// Quantise counts quanta of the field.
func (s *seen) Quantise(q reduction.Quanta, counts []int32) (bool, error) {
	if s.of == nil {
		return false, ErrNotKept
	}
	if own := solution.ReducerOf(s.of); own != nil {
		return own.Quantise(q, counts)
	}
	return false, nil
}
