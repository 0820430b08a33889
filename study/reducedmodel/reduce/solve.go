package reduce

import (
	"fmt"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/study/reducedmodel"
)

// full is the transfer function of the full model, outputs by inputs, from the responses to each input's range.
func (r *projection) full(fields [][]float32) reducedmodel.Matrix {
	h := reducedmodel.NewMatrix(len(r.basis.outputs), len(r.inputs))
	for i, x := range fields {
		for o, v := range values(r.basis.outputs, x) {
			h.Data[o*len(r.inputs)+i] = v / r.model.Inputs[i].Range
		}
	}
	return h
}

// solve solves the full model for the range of each input, in turn.
func (r *projection) solve(shift float64) (fields [][]float32, peaks []mesh.Term, err error) {
	n := len(r.inputs)
	watts := make([][]float64, n)
	for i := range watts {
		watts[i] = make([]float64, n)
		watts[i][i] = r.model.Inputs[i].Range
	}
	many, err := gpusolve.SolveMany(r.ctx, r.mesh, r.options.Solve,
		gpusolve.Many{Watts: watts, Shift: shift, Read: func(v int, f gpusolve.Field) error {
			field, err := r.mesh.ReadField(f)
			if err != nil {
				return err
			}
			x := make([]float32, len(field))
			for c, t := range field {
				x[c] = float32(t)
			}
			fields = append(fields, x)
			r.solves++
			if r.options.Progress != nil {
				r.options.Progress(r.solves, len(r.basis.fields))
			}
			return nil
		}})
	if err != nil {
		return nil, nil, err
	}
	if !many.Status.Converged {
		return nil, nil, fmt.Errorf("%w: a solve with the shift %g /s stopped with %s; choose another preconditioner "+
			"or a larger tolerance", ErrNotConverged, shift, many.Status.Reason)
	}
	for i := range n {
		peaks = append(peaks, many.Hottest[i][i])
	}
	return fields, peaks, nil
}
