// Package precond defines what a preconditioner is; each method lives in a package below.
package precond

import (
	"errors"
	"fmt"

	"thermsim/gpusolve/ops"
)

// Preconditioner applies a fixed symmetric positive definite approximation of the inverse of A.
type Preconditioner interface {
	Name() string
	// Details says what the method chose by itself, in a few words.
	Details() string
	// Apply sets z = M^-1 r for FP32 vectors of the system.
	Apply(z, r ops.Vector)
}

// Refresher is a Preconditioner that follows changed coefficients in the memory that it has.
type Refresher interface {
	// Refresh makes the preconditioner that of the operator as it is now: the bits of a new setup.
	Refresh() error
}

// Renewer is a Preconditioner that leaves to the setup after it what does not depend on coefficients.
type Renewer interface {
	// Renewal returns what sets the method up again, with the result of a new setup. It must not refer to arrays that
	// the space made for the method, which are used again.
	Renewal() func() (Preconditioner, error)
}

// Instance is a preconditioner that is set up on an operator, with all that it holds there. It can be refreshed and
// closed whatever the method.
type Instance struct {
	Preconditioner
	operator   ops.Operator
	build      func() (Preconditioner, error)
	scope      ops.Scope
	generation int
	refreshes  int
}

var _ Refresher = (*Instance)(nil)

// SetUp has build make a preconditioner on an operator. After an error nothing is held.
func SetUp(a ops.Operator, build func() (Preconditioner, error)) (*Instance, error) {
	m := &Instance{operator: a, build: build}
	scope, err := a.Scope(func() error { return m.make(build) })
	if err != nil {
		scope.Close()
		return nil, err
	}
	m.scope = scope
	return m, nil
}

func (m *Instance) make(build func() (Preconditioner, error)) (err error) {
	m.Preconditioner, err = build()
	if failed := m.operator.Err(); err != nil && failed != nil && !errors.Is(err, failed) {
		return failed // what was read from a device that failed says nothing about the matrix
	}
	return err
}

// Refresh follows changed coefficients. Methods that are no Refresher are set up again in the memory that they had, as
// far as arrays keep their sizes; what their setup needs in passing is taken and given back. After an error the method
// can only be closed.
func (m *Instance) Refresh() error {
	m.refreshes++
	if r, ok := m.Preconditioner.(Refresher); ok {
		return r.Refresh()
	}
	build := m.build
	if r, ok := m.Preconditioner.(Renewer); ok {
		build = r.Renewal()
	}
	m.generation++
	m.Preconditioner = nil // its memory is to be used again
	return m.scope.Remake(func() error { return m.make(build) })
}

// Generation counts how often the preconditioner was set up again. What was recorded with another one must not be
// replayed.
func (m *Instance) Generation() int { return m.generation }

// Refreshes counts how often the operator has changed: earlier results about it are no longer valid.
func (m *Instance) Refreshes() int { return m.refreshes }

// Close gives back what the method holds on the operator's space.
func (m *Instance) Close() {
	m.scope.Close()
}

// Unwrap is the method's own type.
func (m *Instance) Unwrap() Preconditioner { return m.Preconditioner }

// On returns the operations that a method needs of a device, for what lives there: those of the first executor that
// knows it. An executor is false for what lives elsewhere.
func On[V, O any](v V, method string, executors ...func(v V) (o O, ok bool, err error)) (O, error) {
	for _, executor := range executors {
		if o, ok, err := executor(v); ok {
			return o, err
		}
	}
	var none O
	return none, Lacks(method)
}

// Lacks refuses a method that a device has no operations for.
func Lacks(method string) error {
	return fmt.Errorf("%w: this device has no operations for %s", ErrRefused, method)
}
