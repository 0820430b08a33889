package gpusolve

import (
	"fmt"

	"thermsim/gpusolve/precond"
	"thermsim/mesh"
)

// checkCoolant refuses methods that cannot solve for stacks with coolant, whose operator is not symmetric.
func (o *Options) checkCoolant(m *mesh.Mesh) error {
	if !m.Cooled() {
		return nil
	}
	if name, _ := precond.Split(o.Preconditioner); name != "" && name != methods()[0].Name {
		return fmt.Errorf("%w: preconditioner %s cannot solve a stack with coolant, whose matrix is not symmetric and couples cells beyond their neighbours; choose %s, or leave it to auto",
			ErrOption, name, methods()[0].Name)
	}
	return nil
}
