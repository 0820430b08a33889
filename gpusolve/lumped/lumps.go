package lumped

import (
	"context"
	"fmt"
	"math"
	"slices"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/solution"
)

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

// nodal is a temperature field of nodes on the planes of a mesh.
type nodal struct {
	at      [][]int32
	rise    []float64
	ambient float64
}

// Plane copies plane k in K.
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
