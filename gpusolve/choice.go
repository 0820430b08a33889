package gpusolve

import (
	"strings"

	"thermsim/gpusolve/precond/fourier"
	"thermsim/stack"
)

// Choice is the method that a stack is solved with, and why it is not the direct one where that was left to choose; "" where it is, or where another was named. Refusal says
// whether one that was named takes the stack.
func Choice(s *stack.Stack, preconditioner string) (method, why string) {
	if !directMethod(preconditioner) {
		return preconditioner, ""
	}
	err := fourier.Check(s)
	if err == nil {
		return "fourier", ""
	}
	why = strings.TrimPrefix(err.Error(), fourier.ErrUnfit.Error()+": ")
	if preconditioner != "" {
		return preconditioner, why
	}
	return methods()[0].Name, why
}
