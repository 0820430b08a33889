// Package jacobi preconditions with the diagonal of A, or with nothing at all. Both are baselines: on fine grids they
// need thousands of iterations.
package jacobi

//go:generate go run thermsim/tools/ptxgen/gen -I ../../cuda/kernels

import (
	"fmt"

	"thermsim/gpusolve/krylov/method"
	"thermsim/gpusolve/krylov/mixed"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

type scaling struct {
	ops  Operations
	d    ops.Vector // nil for the identity
	name string
}

var _ precond.Refresher = (*scaling)(nil)

// New computes 1/diag(A).
func New(s ops.Operator) (precond.Preconditioner, error) {
	diagonal, err := On(s)
	if err != nil {
		return nil, err
	}
	d, err := s.New32()
	if err != nil {
		return nil, err
	}
	diagonal.InverseDiagonal(d)
	return &scaling{diagonal, d, "jacobi"}, nil
}

// None is plain conjugate gradients.
func None(s ops.Operator) (precond.Preconditioner, error) {
	diagonal, err := On(s)
	if err != nil {
		return nil, err
	}
	return &scaling{diagonal, nil, "none"}, nil
}

// Refresh computes 1/diag(A) again.
func (p *scaling) Refresh() error {
	if p.d != nil {
		p.ops.InverseDiagonal(p.d)
	}
	return nil
}

func (p *scaling) Name() string          { return p.name }
func (p *scaling) Details() string       { return "" }
func (p *scaling) Apply(z, r ops.Vector) { p.ops.Scale(z, p.d, r) }

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
		return nil, refused("precision needs conjugate gradients; remove solver=bicgstab")
	}
	return method.Made(NewMixed(a, name, set))
}

// refused is for settings that do not go together.
func refused(why string) error { return fmt.Errorf("%w: %s", precond.ErrRefused, why) }

// Memory is the inverse diagonal, and in mixed precision the copies of the matrix.
func Memory(s precond.Shape, name string, set precond.Settings) precond.Need {
	var n precond.Need
	if mode, err := mixed.ModeOf(set.Text("precision"), s.GPU); err == nil {
		n = mixed.StoreMemory(s, set.Text("format"), mode.Copies())
	}
	if name != "none" {
		n.Held += s.Vector(4)
	}
	n.SetUp = max(n.SetUp, n.Held)
	return n
}

// Operations are those of the diagonal of an operator. Vectors are FP32.
type Operations interface {
	// InverseDiagonal fills d with 1/diag(A), the diagonal summed in FP64.
	InverseDiagonal(d ops.Vector)
	// Scale sets z = d r, or z = r where d is nil.
	Scale(z, d, r ops.Vector)
}

// On gives the operations on an operator.
func On(a ops.Operator) (Operations, error) { return precond.On(a, "jacobi", onHost, onGPU) }

// matrixForms are the forms of an operator that came as a matrix: diagonals, or rows.
func matrixForms(a ops.Operator) (d ops.Diagonals, r ops.Rows, err error) {
	forms, err := ops.FormsOf(a)
	if err != nil {
		return nil, nil, err
	}
	if d, err = forms.Diagonals(); err == nil {
		return d, nil, nil
	}
	r, err = forms.Rows()
	return nil, r, err
}
