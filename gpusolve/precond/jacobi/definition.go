package jacobi

import (
	"fmt"

	"thermsim/gpusolve/krylov/method"
	"thermsim/gpusolve/krylov/mixed"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// Definition of jacobi.
func Definition() method.Definition { return pointwise("jacobi", "the diagonal of the matrix", New) }

// DefinitionOfNone is that of no preconditioner.
func DefinitionOfNone() method.Definition {
	return pointwise("none", "the Krylov method alone", None)
}

// pointwise defines either; standard is the one in the solver's own arithmetic.
func pointwise(name, doc string, standard func(ops.Operator) (precond.Preconditioner, error)) method.Definition {
	return method.Definition{
		Name: name, Doc: doc, General: true, Solver: mixed.MethodSolver(),
		Keys: append([]precond.Key{method.SolverKey()}, mixed.Keys(standardPrecision, standardPrecision)...),
		New: func(a ops.Operator, set precond.Settings) (precond.Preconditioner, error) {
			if set.Text("precision") != standardPrecision {
				return newMixed(a, name, set)
			}
			if set.Given("format") {
				return nil, refused("format belongs to precision=adaptive or one of the fixed ones; give precision too")
			}
			return standard(a)
		},
		Most:   mixed.Most,
		Memory: func(s precond.Shape, set precond.Settings) precond.Need { return Memory(s, name, set) },
	}
}

// standardPrecision is the solver's own arithmetic.
const standardPrecision = "standard"

func newMixed(a ops.Operator, name string, set precond.Settings) (precond.Preconditioner, error) {
	if set.Text("solver") == "bicgstab" {
		return nil, refused("precision needs conjugate gradients; leave solver=bicgstab away")
	}
	return method.Made(NewMixed(a, name, set))
}

// refused is for settings that do not go together.
func refused(why string) error { return fmt.Errorf("%w: %s", precond.ErrRefused, why) }
