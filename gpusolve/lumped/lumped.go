// Package lumped solves thermal systems whose nodes stand in for the cells of a mesh.
package lumped

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/krylov"
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

// lumps is a lumped system with its state on the host.
type lumps struct {
	*System
	solver *bounded
	dt     float64 // s, 0 in a steady state
	b      []float64
	x      []float64
	old    []float64 // the state before, and the one before that; nil where there was none
	older  []float64
}

func (s *lumps) Begin(start solution.Field) error {
	for i := range s.x {
		s.x[i] = fields.Uniform(s.Mesh)
		if s.Initial != nil {
			s.x[i] = s.Initial[i] - s.Mesh.Stack.Ambient
		}
	}
	if start == nil {
		return nil
	}
	rises, err := fields.RisesOf(s.Mesh, start)
	if err != nil {
		return err
	}
	sums, cells := make([]float64, len(s.x)), make([]float64, len(s.x))
	for c, node := range slices.Concat(s.At...) {
		sums[node] += rises[c]
		cells[node]++
	}
	for i, n := range cells {
		if n > 0 {
			s.x[i] = sums[i] / n
		}
	}
	return nil
}

// Advance continues the state by itself.
func (s *lumps) Advance(_ int, t0, t1 float64) (float64, error) {
	b := make([]float64, len(s.x))
	power, err := s.Heat(b, t0, t1)
	if err != nil {
		return 0, err
	}
	if s.dt > 0 {
		for i, c := range s.Capacity {
			b[i] += c / s.dt * s.x[i]
		}
	}
	s.b = b
	s.x, s.old, s.older = slices.Clone(s.x), s.x, s.old
	return power, nil
}

func (s *lumps) Settle(ctx context.Context, o *driver.Options, systems int, watch driver.Watch) (
	krylov.Outcome, error) {
	var progress func(driver.Progress)
	if watch != nil {
		progress = func(p driver.Progress) { watch(p.Iteration, p.ErrorK) }
	}
	if watch != nil && s.dt > 0 {
		watch(0, math.NaN()) // a step may take no iteration
	}
	return s.solver.improve(ctx, o.Rule(s.solver.Pre, systems), s.x, s.b, progress)
}

func (s *lumps) Retreat() { s.x, s.old = s.old, s.older }

func (s *lumps) Hottest() float64 { return slices.Max(s.x) }

func (s *lumps) Outflow() [6]float64 { return s.FaceHeat(s.x) }

func (s *lumps) Stored() float64 {
	sum := 0.0
	for i, c := range s.Capacity {
		sum += c * (s.x[i] - s.old[i]) / s.dt
	}
	return sum
}

func (s *lumps) Field() solution.Field { return nodal{s.At, s.x, s.Mesh.Stack.Ambient} }

// Nodes is a field with the temperatures of nodes.
type Nodes interface {
	Node(n int) (kelvin float64, ok bool)
}

// nodal is a temperature field of nodes on the planes of a mesh.
type nodal struct {
	at      [][]int32
	rise    []float64
	ambient float64
}

func (f nodal) Plane(k int, dst []float64) error {
	if k < 0 || k >= len(f.at) || len(dst) != len(f.at[k]) {
		return fmt.Errorf("plane %d into %d values; the field has %d planes", k, len(dst), len(f.at))
	}
	for c, node := range f.at[k] {
		dst[c] = f.ambient + f.rise[node]
	}
	return nil
}

// Node is the temperature of a node in K, of those too that no cell of the mesh belongs to.
func (f nodal) Node(n int) (kelvin float64, ok bool) {
	if n < 0 || n >= len(f.rise) {
		return 0, false
	}
	return f.ambient + f.rise[n], true
}
