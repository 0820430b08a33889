package gpusolve

import (
	"errors"
	"fmt"
	"strings"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/krylov/method"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/precond/chebyshev"
	"thermsim/gpusolve/precond/cmg"
	"thermsim/gpusolve/precond/ddilu"
	"thermsim/gpusolve/precond/downstream"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/precond/ilu"
	"thermsim/gpusolve/precond/jacobi"
	"thermsim/gpusolve/precond/multigrid"
	"thermsim/gpusolve/precond/parac"
)

// methods lists all that users can name, the default first.
func methods() []method.Definition {
	return []method.Definition{
		multigrid.Definition(),
		fourier.Definition(),
		chebyshev.Definition(),
		ilu.DefinitionOfCholesky(),
		cmg.Definition(),
		ddilu.Definition(),
		ilu.Definition(),
		parac.Definition(),
		jacobi.Definition(),
		jacobi.DefinitionOfNone(),
	}
}

// Preconditioners lists the names that Options.Preconditioner takes.
func Preconditioners() []string {
	var names []string
	for _, m := range methods() {
		names = append(names, m.Name)
	}
	return names
}

// DescribePreconditioners lists the names with what they stand for and their settings, for help texts and documents.
func DescribePreconditioners() []PreconditionerInfo {
	var all []PreconditionerInfo
	for _, m := range methods() {
		all = append(all, PreconditionerInfo{m.Name, m.Doc, m.Keys})
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

// generalMethods are those for matrices that are not symmetric.
func generalMethods() []string {
	var names []string
	for _, m := range methods() {
		if m.General {
			names = append(names, m.Name)
		}
	}
	return names
}

// findMethod reads a method with its settings; an empty spec is the default.
func findMethod(spec string) (method.Definition, precond.Settings, error) {
	name, text := precond.Split(spec)
	all := methods()
	if spec == "" {
		name = all[0].Name
	}
	for _, m := range all {
		if m.Name != name {
			continue
		}
		set, err := precond.Parse(text, m.Keys)
		if err != nil {
			return m, set, fmt.Errorf("preconditioner %s: %w", name, err)
		}
		return m, set, nil
	}
	return method.Definition{}, precond.Settings{}, fmt.Errorf("preconditioner %q is unknown; choose one of %s", name,
		strings.Join(Preconditioners(), ", "))
}

// besideCoolant is what stands for a method where coolant makes a stack's matrix lose its symmetry.
func besideCoolant(m method.Definition) method.Definition {
	if m.Name == methods()[0].Name {
		return downstream.Definition()
	}
	return m
}

// newSolver sets a method up on a system.
func newSolver(s ops.Operator, spec string) (krylov.Solver, *precond.Method, error) {
	m, set, err := findMethod(spec)
	if err != nil {
		return nil, nil, err
	}
	if _, stack := s.(ops.System); stack && !s.Symmetric() {
		m = besideCoolant(m)
	}
	return m.SetUp(s, set)
}

// refusal is an ErrOption whose text is the reason alone.
type refusal struct{ error }

// Is says what kind of error it is.
func (refusal) Is(target error) bool { return target == ErrOption }

func (r refusal) Unwrap() error { return r.error }

func (r refusal) Error() string {
	return strings.TrimPrefix(r.error.Error(), precond.ErrRefused.Error()+": ")
}

// refused is an ErrOption that says why.
func refused(err error) error { return refusal{err} }

// blame tells failures of the device from methods that refuse a matrix or a setting.
func blame(err error) error {
	switch {
	case errors.Is(err, ErrDevice):
		return err
	// methods refuse what their kernels cannot take, too
	case errors.Is(err, precond.ErrRefused) && !errors.As(err, new(*cudriver.Error)):
		return refusal{err}
	}
	return fmt.Errorf("%w: %w", ErrDevice, err)
}

// checkUnknowns refuses more unknowns than a method has numbers for. A spec that nobody can read is left to those who
// set it up.
func checkUnknowns(spec string, unknowns int) error {
	m, set, err := findMethod(spec)
	if err != nil || m.Most == nil {
		return nil
	}
	if most := m.Most(set); most > 0 && int64(unknowns) > most {
		return refusal{fmt.Errorf("%s numbers unknowns by 32 bits and takes %d at most, and this grid has %d cells; "+
			"take a coarser --grid or another --precond, such as %s", spec, most, unknowns, methods()[0].Name)}
	}
	return nil
}
