package opstest

import "thermsim/gpusolve/ops"

// Dense makes the values of b a right side of a.
func Dense(a ops.Operator, b []float64) (ops.Source, error) {
	v, err := a.New64()
	if err != nil {
		return nil, err
	}
	a.Write(v, b)
	return a.SourceOf(v), nil
}
