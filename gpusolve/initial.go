package gpusolve

import (
	"fmt"
	"math"
)

// begin sets the state of a stepper to the start field of the plan, or to the stack's uniform initial temperature.
func (r *stepper) begin() error {
	ambient := r.mesh.Stack.Ambient
	if r.plan.Initial == nil {
		rise := 0.0
		if initial := r.mesh.Stack.Transient.Initial; initial > 0 {
			rise = initial - ambient
		}
		r.sys.Fill(r.x, rise)
		r.sys.Fill(r.old, rise)
		return nil
	}
	sheet := r.mesh.NX() * r.mesh.NY()
	rises := make([]float64, r.mesh.Cells())
	for k := range r.mesh.NZ() {
		plane := rises[k*sheet : (k+1)*sheet]
		if err := r.plan.Initial.Plane(k, plane); err != nil {
			return fmt.Errorf("the field to start from: %w", err)
		}
		for c, kelvin := range plane {
			if !(kelvin > 0) || math.IsInf(kelvin, 0) {
				return fmt.Errorf("%w: the field to start from has %g K in cell %d of plane %d", ErrOption, kelvin, c, k)
			}
			plane[c] = kelvin - ambient
		}
	}
	r.sys.Write(r.x, rises)
	r.sys.Write(r.old, rises)
	return r.failure()
}
