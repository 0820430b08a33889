package gpusolve

import (
	"fmt"
	"slices"
	"strings"

	"thermsim/gpusolve/precond"
	"thermsim/mesh"
)

// checkCoolant refuses methods that cannot solve for stacks with coolant, whose operator is not symmetric.
func (o *Options) checkCoolant(m *mesh.Mesh) error {
	if !m.Cooled() {
		return nil
	}
	able := []string{methods()[0].Name, "ddilu", "ilu"} // jacobi knows couplings alone
	name, _ := precond.Split(o.Preconditioner)
	switch {
	case name != "" && !slices.Contains(able, name):
		return fmt.Errorf("%w: preconditioner %s cannot solve a stack with coolant, whose matrix is not symmetric; "+
			"choose %s, or leave it to auto",
			ErrOption, name, strings.Join(able, ", "))
	case o.onProcessorOnly(m) && (strings.HasPrefix(o.Device, "gpu") || o.Executor != nil && o.Executor.Threads() == 0):
		return fmt.Errorf("%w: preconditioner %s solves stacks with coolant on the processor; choose "+
			"--device cpu, or %s", ErrOption, name, methods()[0].Name)
	}
	return nil
}

// onProcessorOnly says whether the method asked for has no kernels for the coolant of a mesh.
func (o *Options) onProcessorOnly(m *mesh.Mesh) bool {
	name, _ := precond.Split(o.Preconditioner)
	return m.Cooled() && (name == "ilu" || name == "ddilu")
}
