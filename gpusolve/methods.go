package gpusolve

import (
	"errors"
	"fmt"
	"strings"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/precond/chebyshev"
	"thermsim/gpusolve/precond/cmg"
	"thermsim/gpusolve/precond/ddilu"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/precond/ic"
	"thermsim/gpusolve/precond/multigrid"
	"thermsim/gpusolve/precond/parac"
)

// method is a preconditioner that users can name.
type method struct {
	name, doc string
	keys      []precond.Key
	new       func(s ops.Operator, set precond.Settings) (precond.Preconditioner, error)
	// memory is what the method takes beside the system and the Krylov solver.
	memory func(s precond.Shape, set precond.Settings) precond.Need
	// general marks methods for matrices that need not be symmetric.
	general bool
	// solver is the Krylov solver that belongs to the method; nil for the one that suits the matrix.
	solver func(s ops.Operator, m *precond.Method, set precond.Settings) (krylov.Solver, error)
}

// methods lists all of them, the default first.
func methods() []method {
	return []method{
		{name: "multigrid", doc: "geometric multigrid for layered stacks", keys: []precond.Key{krylovKey()}, new: newMultigrid,
			memory: func(s precond.Shape, _ precond.Settings) precond.Need { return multigrid.Memory(s) }},
		{name: "fourier", doc: "a direct solver for layers without regions, and where there are some a preconditioner of their means", keys: []precond.Key{krylovKey()}, new: newFourier, memory: fourier.Memory},
		{name: "chebyshev", memory: chebyshev.Memory, doc: "a polynomial of the matrix, in mixed precision (CUTh-Solver)", keys: chebyshev.Keys(), new: newChebyshev, solver: mixedSolver},
		{name: "ic", memory: ic.Memory, doc: "incomplete Cholesky factors of grids' matrices", keys: ic.Keys(), new: ic.New},
		{name: "cmg", memory: cmg.Memory, doc: "combinatorial multigrid, for any symmetric diagonally dominant matrix", keys: cmg.Keys(), new: newCMG},
		{name: "ddilu", memory: ddilu.Memory, doc: "incomplete factors of small bricks or parts, each solved in fast memory", keys: append(ddilu.Keys(), krylovKey()), new: newBlocks, general: true},
		{name: "parac", memory: parac.Memory, doc: "randomised approximate Cholesky, for symmetric diagonally dominant matrices", keys: parac.Keys(), new: parac.New},
		{name: "jacobi", memory: pointwiseMemory("jacobi"), doc: "the diagonal of the matrix", keys: pointwiseKeys(), new: newJacobi, solver: mixedSolver, general: true},
		{name: "none", memory: pointwiseMemory("none"), doc: "the Krylov method alone", keys: pointwiseKeys(), new: newNone, solver: mixedSolver, general: true},
	}
}

// krylovKey chooses the Krylov method of those that have none of their own.
func krylovKey() precond.Key {
	return precond.Key{Name: "solver", Kind: precond.Word, Default: "auto", Words: []string{"auto", "pcg", "bicgstab"},
		Doc: "the Krylov method: conjugate gradients for symmetric matrices, BiCGSTAB for others, or one of the two by name"}
}

func newBlocks(s ops.Operator, set precond.Settings) (precond.Preconditioner, error) {
	p, err := ddilu.New(s, set)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func newMultigrid(s ops.Operator, _ precond.Settings) (precond.Preconditioner, error) {
	sys, ok := s.(ops.System)
	if !ok {
		return nil, fmt.Errorf("%w: multigrid needs the geometry of a stack, and a matrix has none; choose another preconditioner", precond.ErrRefused)
	}
	return multigrid.New(sys)
}

func newFourier(s ops.Operator, _ precond.Settings) (precond.Preconditioner, error) {
	p, err := fourier.NewPreconditioner(s)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func newCMG(s ops.Operator, set precond.Settings) (precond.Preconditioner, error) {
	o, err := cmg.FromSettings(set)
	if err != nil {
		return nil, err
	}
	return cmg.New(s, o)
}

// Preconditioners lists the names that Options.Preconditioner takes.
func Preconditioners() []string {
	var names []string
	for _, m := range methods() {
		names = append(names, m.name)
	}
	return names
}

// DescribePreconditioners lists the names with what they stand for and their settings, for help texts and documents.
func DescribePreconditioners() []PreconditionerInfo {
	var all []PreconditionerInfo
	for _, m := range methods() {
		all = append(all, PreconditionerInfo{m.name, m.doc, m.keys})
	}
	return all
}

// PreconditionerInfo describes a method.
type PreconditionerInfo struct {
	Name, Doc string
	Keys      []precond.Key
}

// CheckPreconditioner judges a method as users write it: NAME or NAME:key=value,...
func CheckPreconditioner(spec string) error {
	_, _, err := findMethod(spec)
	return err
}

// findMethod reads a method with its settings; an empty spec is the default.
func findMethod(spec string) (method, precond.Settings, error) {
	name, text := precond.Split(spec)
	all := methods()
	if spec == "" {
		name = all[0].name
	}
	for _, m := range all {
		if m.name != name {
			continue
		}
		set, err := precond.Parse(text, m.keys)
		if err != nil {
			return m, set, fmt.Errorf("preconditioner %s: %w", name, err)
		}
		return m, set, nil
	}
	return method{}, precond.Settings{}, fmt.Errorf("preconditioner %q is unknown; choose one of %s", name, strings.Join(Preconditioners(), ", "))
}

// newSolver sets a method up on a system.
func newSolver(s ops.Operator, spec string) (krylov.Solver, *precond.Method, error) {
	m, set, err := findMethod(spec)
	if err != nil {
		return nil, nil, err
	}
	pre, err := precond.SetUp(s, func() (precond.Preconditioner, error) { return m.new(s, set) })
	if err != nil {
		return nil, nil, err
	}
	solver, err := m.solverFor(s, pre, set)
	if err != nil {
		pre.Close()
		return nil, nil, err
	}
	return solver, pre, nil
}

// solverFor makes the Krylov solver of the method, or the one that suits the matrix.
func (m *method) solverFor(s ops.Operator, pre *precond.Method, set precond.Settings) (krylov.Solver, error) {
	if m.solver != nil {
		return m.solver(s, pre, set)
	}
	return suitableSolver(s, pre, set.Text("solver"))
}

// suitableSolver makes the Krylov method of a name, or the one that suits the matrix.
func suitableSolver(s ops.Operator, pre precond.Preconditioner, name string) (krylov.Solver, error) {
	if name == "pcg" && !s.Symmetric() {
		return nil, fmt.Errorf("%w: conjugate gradients need a symmetric matrix, and this one is not; leave solver=pcg away", precond.ErrRefused)
	}
	if name == "bicgstab" || !s.Symmetric() {
		return krylov.NewBiCGSTAB(s, pre)
	}
	return krylov.NewPCG(s, pre)
}

// refusedSetting is for settings that do not go together.
func refusedSetting(why string) error { return fmt.Errorf("%w: %s", precond.ErrRefused, why) }

// blame tells failures of the device from methods that refuse a matrix or a setting.
func blame(err error) error {
	if errors.Is(err, precond.ErrRefused) {
		return fmt.Errorf("%w: %w", ErrOption, err)
	}
	return fmt.Errorf("%w: %w", ErrDevice, err)
}
