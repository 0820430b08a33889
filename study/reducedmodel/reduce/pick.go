package reduce

import (
	"math"

	"thermsim/study/reducedmodel"
)

// pick chooses the inputs whose responses take the error at a shift away, the worst first. With the response of input i
// in the basis the error e becomes e - e_i e_ii^-1 e_i', at that shift exactly; e_ii is that of the heat of i, of which
// the mean over i is the transpose.
func (r *projection) pick(e reducedmodel.Matrix) []int {
	const enough = 0.25 // of what is wanted
	var picked []int
	taken := make([]bool, len(r.inputs))
	for range r.inputs {
		if reducedmodel.Worst(r.model.Inputs, e) <= enough*r.wanted {
			break
		}
		worst, top := -1, 0.0
		for i, in := range r.model.Inputs {
			for o := range e.Rows {
				if v := math.Abs(e.At(o, i)) * in.Range; !taken[i] && v > top {
					worst, top = i, v
				}
			}
		}
		if worst < 0 {
			break
		}
		taken[worst] = true
		picked = append(picked, worst)
		take(e, worst)
	}
	return picked
}

// take takes column i away from the error.
func take(e reducedmodel.Matrix, i int) {
	own := e.At(i, i)
	if !(own > 0) {
		for o := range e.Rows {
			e.Data[o*e.Cols+i] = 0
		}
		return
	}
	row := append([]float64(nil), e.Row(i)...)
	for o := range e.Rows {
		f := e.At(o, i) / own
		for j, v := range row {
			e.Data[o*e.Cols+j] -= f * v
		}
	}
}
