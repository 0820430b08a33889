package gpusolve

import (
	"strings"

	"thermsim/gpusolve/precond/fourier"
	"thermsim/mesh"
)

// Choice is the method that a mesh is solved with, and why it is not the direct one where that was left to choose; ""
// where it is, or where another was named. Refusal says whether one that was named takes a stack.
func Choice(m *mesh.Mesh, preconditioner string) (method, why string) {
	if !directMethod(preconditioner) {
		return preconditioner, ""
	}
	err := fourier.Check(m)
	if err == nil {
		return "fourier", ""
	}
	why = strings.TrimPrefix(err.Error(), fourier.ErrUnfit.Error()+": ")
	if preconditioner != "" {
		return preconditioner, why
	}
	return methods()[0].Name, why
}
