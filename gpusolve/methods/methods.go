// Package methods lists the methods for linear systems, and reports how their solves ended.
package methods

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
	"thermsim/gpusolve/solution"
	"thermsim/internal/spelling"
	"thermsim/mesh"
	"thermsim/stack"
)

// All lists all that users can name, the default first.
func All() []method.Definition {
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

// Names lists the names that Options.Preconditioner takes.
func Names() []string {
	var names []string
	for _, m := range All() {
		names = append(names, m.Name)
	}
	return names
}

// Check judges a method as users write it: NAME or NAME:key=value,...
func Check(spec string) error {
	_, _, err := Find(spec)
	return err
}

// GeneralMethods are those for matrices that are not symmetric.
func GeneralMethods() []string {
	var names []string
	for _, m := range All() {
		if m.General {
			names = append(names, m.Name)
		}
	}
	return names
}

// Find reads a method with its settings; an empty spec is the default.
func Find(spec string) (method.Definition, precond.Settings, error) {
	name, text := precond.Split(spec)
	all := All()
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
	return method.Definition{}, precond.Settings{}, fmt.Errorf("preconditioner %q is unknown; choose one of %s%s", name,
		strings.Join(Names(), ", "), spelling.Hint(name, Names()))
}

// WithCoolant replaces a method where coolant makes a stack's matrix lose its symmetry.
func WithCoolant(m method.Definition) method.Definition {
	if m.Name == All()[0].Name {
		return downstream.Definition()
	}
	return m
}

// SetUp sets a method up on a system.
func SetUp(s ops.Operator, spec string) (krylov.Solver, *precond.Instance, error) {
	m, set, err := Find(spec)
	if err != nil {
		return nil, nil, err
	}
	if _, stack := s.(ops.System); stack && !s.Symmetric() {
		m = WithCoolant(m)
	}
	return m.SetUp(s, set)
}

// refusal is an ErrOption whose text is the reason alone.
type refusal struct{ error }

// Is says what kind of error it is.
func (refusal) Is(target error) bool { return target == solution.ErrOption }

func (r refusal) Unwrap() error { return r.error }

func (r refusal) Error() string {
	return strings.TrimPrefix(r.error.Error(), precond.ErrRefused.Error()+": ")
}

// Refused is an ErrOption that says why.
func Refused(err error) error { return refusal{err} }

// Blame distinguishes failures of the device from methods that refuse a matrix or a setting.
func Blame(err error) error {
	switch {
	case errors.Is(err, solution.ErrDevice):
		return err
	// methods refuse what their kernels cannot take, too
	case errors.Is(err, precond.ErrRefused) && !errors.As(err, new(*cudriver.Error)):
		return refusal{err}
	}
	return fmt.Errorf("%w: %w", solution.ErrDevice, err)
}

// CheckUnknowns refuses more unknowns than a method has numbers for. A spec that cannot be read is left to the code
// that set it up.
func CheckUnknowns(spec string, unknowns int) error {
	m, set, err := Find(spec)
	if err != nil || m.Most == nil {
		return nil
	}
	if most := m.Most(set); most > 0 && int64(unknowns) > most {
		return refusal{fmt.Errorf("%s numbers unknowns by 32 bits and takes %d at most, and this grid has %d cells; "+
			"take a coarser --grid or another --precond, such as %s", spec, most, unknowns, All()[0].Name)}
	}
	return nil
}

// Choice is the method that a mesh is solved with, and why it is not the direct one where that was left to choose; ""
// where it is, or where another was named. Refusal says whether one that was named takes a stack.
func Choice(m *mesh.Mesh, preconditioner string) (method, why string) {
	if !DirectMethod(preconditioner) {
		return preconditioner, ""
	}
	err := indirect(m, preconditioner)
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
	return DirectMethod(method) && indirect(m, method) == nil
}

// indirect is why a mesh is not solved directly, although the method as users write it is the direct solver; nil where
// it is. Without a method the faster one counts.
func indirect(m *mesh.Mesh, spec string) error {
	err := fourier.Check(m)
	if err == nil && spec == "" {
		err = fourier.Slow(m.Stack)
	}
	return err
}

// GradedAxes says what the direct solver of a mesh does along graded axes, and about how long a core takes for it in s;
// "" where cells are equal along both.
func GradedAxes(m *mesh.Mesh) (text string, seconds float64) {
	_, seconds = fourier.Seconds(m.Stack)
	if l, err := fourier.Of(m, 0); err == nil && seconds > 0 {
		text = l.String()
	}
	return text, seconds
}

// MaySolveDirectly says before there is a mesh whether SolvesDirectly may be true.
func MaySolveDirectly(s *stack.Stack, method string) bool {
	return DirectMethod(method) && fourier.MayApply(s) && (method != "" || fourier.Slow(s) == nil)
}
