// Package method defines what a method for linear systems says of itself: a preconditioner with its name, settings and
// need of memory, and the Krylov solver that goes with it. Every folder below gpusolve/precond gives one or two
// definitions.
package method

import (
	"fmt"
	"math"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// Definition is all that is known of a method before it is set up.
type Definition struct {
	Name, Doc string // as users write it, and what it is in a few words
	Keys      []precond.Key
	New       func(a ops.Operator, set precond.Settings) (precond.Preconditioner, error)
	// Memory is what the preconditioner takes beside the system and the Krylov solver.
	Memory func(s precond.Shape, set precond.Settings) precond.Need
	// Most is how many unknowns the method has numbers for with its settings: Numbers32, or 0 for as many as there is
	// memory for. May be nil, which means 0.
	Most func(set precond.Settings) int64
	// General marks methods for matrices that need not be symmetric.
	General bool
	// Solver makes the Krylov solver; the zero value means Suitable.
	Solver Solver
}

// Solver makes the Krylov solver of a method and reports the bytes that it takes.
type Solver struct {
	New    func(a ops.Operator, m *precond.Instance, set precond.Settings) (krylov.Solver, error)
	Memory func(s precond.Shape, set precond.Settings) int64
}

// Numbers32 is how many unknowns a method takes that numbers them by 32 bits.
const Numbers32 = math.MaxInt32

// Always32 is the Most of methods that do with all settings.
func Always32(precond.Settings) int64 { return Numbers32 }

// Made passes on what a constructor returned; after an error there is no preconditioner, whatever its type.
func Made[P precond.Preconditioner](p P, err error) (precond.Preconditioner, error) {
	if err != nil {
		return nil, err
	}
	return p, nil
}

// SetUp sets the method up on an operator. After an error nothing is held.
func (d *Definition) SetUp(a ops.Operator, set precond.Settings) (krylov.Solver, *precond.Instance, error) {
	m, err := precond.SetUp(a, func() (precond.Preconditioner, error) { return d.New(a, set) })
	if err != nil {
		return nil, nil, err
	}
	solver, err := d.krylov().New(a, m, set)
	if err != nil {
		m.Close()
		return nil, nil, err
	}
	return solver, m, nil
}

// SolverMemory is what the method's Krylov solver takes.
func (d *Definition) SolverMemory(s precond.Shape, set precond.Settings) int64 {
	return d.krylov().Memory(s, set)
}

func (d *Definition) krylov() Solver {
	if d.Solver.New == nil {
		return Suitable()
	}
	return d.Solver
}

// SolverKey chooses the Krylov method where Suitable makes it.
func SolverKey() precond.Key {
	return precond.Key{Name: "solver", Kind: precond.Word, Default: "auto", Words: []string{"auto", "pcg", "bicgstab"},
		Doc: "the Krylov method: conjugate gradients for symmetric matrices, BiCGSTAB for others, or one of the " +
			"two by name"}
}

// Suitable is the Krylov method that SolverKey names, or the one that suits the matrix.
func Suitable() Solver { return Solver{New: suitable, Memory: suitableMemory} }

func suitable(a ops.Operator, m *precond.Instance, set precond.Settings) (krylov.Solver, error) {
	name := set.Text("solver")
	if name == "pcg" && !a.Symmetric() {
		return nil, fmt.Errorf("%w: conjugate gradients need a symmetric matrix, and this one is not; leave "+
			"solver=pcg away", precond.ErrRefused)
	}
	if name == "bicgstab" || !a.Symmetric() {
		return krylov.NewBiCGSTAB(a, m)
	}
	return krylov.NewPCG(a, m)
}

func suitableMemory(s precond.Shape, set precond.Settings) int64 {
	if set.Text("solver") == "bicgstab" || !s.Symmetric {
		return krylov.BiCGSTABMemory(s)
	}
	return krylov.PCGMemory(s)
}
