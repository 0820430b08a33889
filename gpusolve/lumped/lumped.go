// Package lumped solves thermal systems whose nodes stand in for the cells of a mesh.
package lumped

import (
	"context"
	"fmt"
	"slices"
	"time"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/stepping"
	"thermsim/mesh"
)

// System is a lumped thermal system: nodes with heat capacities that stand in for the cells of a mesh. Unknowns are
// rises above the ambient of the mesh's stack.
type System struct {
	Mesh *mesh.Mesh // fields are given on its planes
	// Conductances in W/K between nodes, and from nodes to temperatures: symmetric, no entry beside the diagonal
	// positive, no row's sum negative.
	Conductances sparse.Triplets
	Capacity     []float64 // J/K, of each node
	At           [][]int32 // the node of every cell of each plane
	Initial      []float64 // K, of each node; nil for the stack's
	// Heat adds the mean heat in W from t0 to t1, in the steady state where t1 is 0, to b, which is zero: sources, and
	// what temperatures bring into nodes at ambient. It returns the sum of the sources.
	Heat func(b []float64, t0, t1 float64) (power float64, err error)
	// FaceHeat is what leaves through each face in W at rises x.
	FaceHeat func(x []float64) [6]float64
}

// Steady solves as Steady does for a mesh. The tolerance in K bounds the error. The solution holds no device.
func (l *System) Steady(ctx context.Context, o driver.Options) (*solution.Solution, error) {
	e, err := l.engine(ctx, o, 0, 1)
	if err != nil {
		return nil, err
	}
	s, err := e.SolveSteady(ctx, o)
	s.Close()
	return s, err
}

// Transient steps as Transient does for a mesh. The field to start from gives a node the mean of its cells. The
// solution holds no device.
func (l *System) Transient(ctx context.Context, o driver.Options, t stepping.TransientOptions) (*solution.Solution,
	error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	e, err := l.engine(ctx, o, t.Dt, t.Steps)
	if err != nil {
		return nil, err
	}
	s, err := e.Transient(ctx, o, t)
	s.Close()
	return s, err
}

// engine opens a device and sets everything up. A positive dt makes it a time stepper.
func (l *System) engine(ctx context.Context, o driver.Options, dt float64, systems int) (*stepping.Engine, error) {
	start := time.Now()
	if err := o.Check(); err != nil {
		return nil, err
	}
	if err := l.checkPlanes(); err != nil {
		return nil, err
	}
	s := &lumps{System: l, dt: dt, x: make([]float64, len(l.Capacity))}
	a, err := l.matrix(dt)
	if err != nil {
		return nil, err
	}
	o.Tol = 0 // a matrix knows no kelvins
	m, err := matrix.Open(a, o)
	if err != nil {
		return nil, err
	}
	opening := m.Timing.Device
	if s.solver, err = newBounded(ctx, m, a); err != nil {
		m.Close()
		return nil, err
	}
	e := &stepping.Engine{Driver: m.Driver, Thermal: s, Mesh: l.Mesh, Ambient: l.Mesh.Stack.Ambient,
		Exchanged: driver.Exchange(s.Outflow())}
	e.Timing = solution.Timing{Device: opening, Setup: time.Since(start) - opening}
	return e, nil
}

func (l *System) checkPlanes() error {
	if len(l.At) != l.Mesh.NZ() {
		return fmt.Errorf("%w: fields of %d planes for a mesh of %d", matrix.ErrMatrix, len(l.At), l.Mesh.NZ())
	}
	for k, nodes := range l.At {
		if len(nodes) != l.Mesh.NX()*l.Mesh.NY() {
			return fmt.Errorf("%w: plane %d has %d nodes for %d x %d cells", matrix.ErrMatrix, k, len(nodes),
				l.Mesh.NX(),
				l.Mesh.NY())
		}
	}
	return nil
}

// matrix is that of the steady state, or where dt is positive of a step.
func (l *System) matrix(dt float64) (*matrix.Matrix, error) {
	t := sparse.Triplets{Row: slices.Clone(l.Conductances.Row), Col: slices.Clone(l.Conductances.Col),
		Val: slices.Clone(l.Conductances.Val)}
	if dt > 0 {
		for i, c := range l.Capacity {
			t.Add(int32(i), int32(i), c/dt)
		}
	}
	rows, _, err := sparse.FromTriplets(len(l.Capacity), &t)
	if err != nil {
		return nil, err
	}
	return matrix.New(rows, matrix.Shape{})
}
