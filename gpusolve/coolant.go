package gpusolve

import (
	"fmt"
	"slices"
	"strings"

	"thermsim/gpusolve/precond"
	"thermsim/mesh"
)

// checkCoolant refuses methods and devices that cannot solve for stacks with coolant, whose operator is not symmetric.
func (o *Options) checkCoolant(m *mesh.Mesh) error {
	if !m.Cooled() {
		return nil
	}
	able := []string{methods()[0].Name, "ddilu", "ilu"} // jacobi knows couplings alone
	if name, _ := precond.Split(o.Preconditioner); name != "" && !slices.Contains(able, name) {
		return fmt.Errorf("%w: preconditioner %s cannot solve a stack with coolant, whose matrix is not symmetric; choose %s, or leave it to auto",
			ErrOption, name, strings.Join(able, ", "))
	}
	if strings.HasPrefix(o.Device, "gpu") || o.Executor != nil && o.Executor.Threads() == 0 {
		return fmt.Errorf("%w: stacks with coolant are solved on the processor; choose --device cpu, or leave it to auto", ErrOption)
	}
	return nil
}
