package methods

import (
	"strings"

	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/mesh"
)

// Choice is the method that a mesh is solved with, and why it is not the direct one where that was left to choose; ""
// where it is, or where another was named. Refusal says whether one that was named takes a stack.
func Choice(m *mesh.Mesh, preconditioner string) (method, why string) {
	if !DirectMethod(preconditioner) {
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
	return All()[0].Name, why
}

// DirectMethod says whether a method as users write it is the direct solver where it applies. Settings are those of the
// iteration that it preconditions.
func DirectMethod(spec string) bool {
	name, settings := precond.Split(spec)
	return spec == "" || name == "fourier" && settings == ""
}

// SolvesDirectly says whether a method as users write it solves a mesh directly.
func SolvesDirectly(m *mesh.Mesh, method string) bool {
	return DirectMethod(method) && fourier.Check(m) == nil
}
