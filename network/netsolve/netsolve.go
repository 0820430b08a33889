// Package netsolve solves thermal networks, steady and in time, and reports as gpusolve does, so that the same tables and maps can be made.
package netsolve

import (
	"context"
	"fmt"
	"math"
	"time"

	"thermsim/gpusolve"
	"thermsim/gpusolve/sparse"
	"thermsim/mesh"
	"thermsim/network"
)

// solver is a network with its matrix. Unknowns are rises above the stack's ambient.
type solver struct {
	net     *network.Network
	mesh    *mesh.Mesh
	matrix  *gpusolve.Matrix
	open    *gpusolve.MatrixSolver
	options gpusolve.Options
	dt      float64 // s, 0 in a steady state
	// tol is the error in K that a system may keep, 0 where residuals are to judge.
	tol      float64
	diagonal []float64 // of the matrix, W/K
	ruler    *ruler
	watch    func(gpusolve.Progress)
	watts    []float64
	opened   time.Duration // what opening the device took
	started  time.Time
	setup    time.Duration
}

// newSolver assembles conductances, and capacities over dt where that is positive. The tolerance in K is that of all systems together.
func newSolver(ctx context.Context, n *network.Network, m *mesh.Mesh, o gpusolve.Options, systems int, dt float64) (*solver, error) {
	start := time.Now()
	if err := n.Check(); err != nil {
		return nil, err
	}
	if len(n.At) != m.NZ() {
		return nil, fmt.Errorf("network: fields of %d planes for a mesh of %d", len(n.At), m.NZ())
	}
	var t sparse.Triplets
	for _, l := range n.Links {
		t.Add(l.A, l.A, l.Conductance)
		t.Add(l.B, l.B, l.Conductance)
		t.Add(l.A, l.B, -l.Conductance)
		t.Add(l.B, l.A, -l.Conductance)
	}
	for _, g := range n.Grounds {
		t.Add(g.Node, g.Node, g.Conductance)
	}
	if dt > 0 {
		for i, c := range n.Capacity {
			t.Add(int32(i), int32(i), c/dt)
		}
	}
	rows, _, err := sparse.FromTriplets(len(n.Capacity), &t)
	if err != nil {
		return nil, err
	}
	matrix, err := gpusolve.NewMatrix(rows, gpusolve.Shape{})
	if err != nil {
		return nil, err
	}
	s := &solver{net: n, mesh: m, matrix: matrix, options: o, dt: dt, watts: make([]float64, len(n.Capacity)), watch: o.Progress, started: start}
	if o.RTol <= 0 && o.ATol <= 0 {
		if s.tol = o.Tol; s.tol <= 0 {
			s.tol = gpusolve.DefaultTol
		}
		s.tol /= float64(systems)
	}
	s.diagonal = diagonal(n, dt)
	o.Tol = 0 // a matrix knows no kelvins
	if s.open, err = gpusolve.OpenMatrix(matrix, o); err != nil {
		return nil, err
	}
	if s.ruler, err = newRuler(ctx, s); err != nil {
		s.open.Close()
		return nil, err
	}
	s.setup = time.Since(start)
	return s, nil
}

// diagonal of the matrix.
func diagonal(n *network.Network, dt float64) []float64 {
	d := make([]float64, len(n.Capacity))
	for _, l := range n.Links {
		d[l.A] += l.Conductance
		d[l.B] += l.Conductance
	}
	for _, g := range n.Grounds {
		d[g.Node] += g.Conductance
	}
	if dt > 0 {
		for i, c := range n.Capacity {
			d[i] += c / dt
		}
	}
	return d
}

// setWatts puts the blocks' mean powers over (t0, t1] into the nodes, or the steady ones where t1 is 0, and returns their sum.
func (s *solver) setWatts(t0, t1 float64) (total float64, err error) {
	clear(s.watts)
	type place struct{ layer, power int }
	known := map[place][]float64{}
	for _, src := range s.net.Sources {
		at := place{src.Layer, src.Power}
		p := &s.mesh.Stack.Layers[src.Layer].Powers[src.Power]
		if known[at] == nil {
			if t1 > 0 {
				if known[at], err = s.mesh.Power.BlockWatts(p, t0, t1); err != nil {
					return 0, err
				}
			} else {
				for b := range p.Blocks {
					known[at] = append(known[at], p.Blocks[b].Watts)
				}
			}
		}
		w := src.Share * known[at][src.Block]
		s.watts[src.Node] += w
		total += w
	}
	return total, nil
}

// right is the right-hand side for the rises x of the step before.
func (s *solver) right(x []float64) []float64 {
	b := append([]float64(nil), s.watts...)
	for _, g := range s.net.Grounds {
		b[g.Node] += g.Conductance * (g.Temperature - s.mesh.Stack.Ambient)
	}
	if s.dt > 0 {
		for i, c := range s.net.Capacity {
			b[i] += c / s.dt * x[i]
		}
	}
	return b
}

// advance solves A x' = b and returns x'. It solves for the change, which is small in a step.
func (s *solver) advance(ctx context.Context, x []float64) (*gpusolve.MatrixSolution, []float64, error) {
	b := s.right(x)
	next, r := append([]float64(nil), x...), make([]float64, len(x))
	s.residual(r, next, b)
	if s.tol > 0 {
		sol, err := s.solve(ctx, next, r, b, s.tol)
		return s.judged(sol, r, b), next, err
	}
	o := gpusolve.Options{RTol: s.options.RTol, ATol: s.options.ATol, MaxIter: s.options.MaxIter, Progress: s.watch}
	scale, remaining := norm(b), norm(r)
	if remaining == 0 || o.ATol > 0 && remaining <= o.ATol || o.ATol <= 0 && remaining <= o.RTol*scale {
		sol := s.unsolved()
		sol.Status.Converged, sol.Status.Reason = true, gpusolve.ReasonTolerance
		return s.judged(sol, r, b), next, nil
	}
	if o.RTol > 0 {
		o.RTol = math.Min(0.1, o.RTol*scale/remaining)
	}
	sol, err := s.open.Solve(ctx, r, o)
	if err != nil {
		return nil, nil, err
	}
	s.opened += sol.Timing.Device
	for i, v := range sol.X {
		next[i] += v
	}
	s.residual(r, next, b)
	return s.judged(sol, r, b), next, nil
}

// judged puts the residual of the whole system in place of that of the change, and bounds the error by it.
func (s *solver) judged(sol *gpusolve.MatrixSolution, r, b []float64) *gpusolve.MatrixSolution {
	if sol == nil {
		return nil
	}
	st := &sol.Status
	st.ResidualW, st.RelativeResidual, st.EstimatedErrorK = norm(r), 0, s.ruler.bound(r)
	if scale := norm(b); scale > 0 {
		st.RelativeResidual = st.ResidualW / scale
	}
	return sol
}

func norm(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum)
}

// field is a temperature field on the mesh that the network stands beside.
type field struct {
	at      [][]int32
	rise    []float64
	ambient float64
}

// Plane copies plane k in K.
func (f field) Plane(k int, dst []float64) error {
	if k < 0 || k >= len(f.at) || len(dst) != len(f.at[k]) {
		return fmt.Errorf("network: plane %d of %d with %d cells", k, len(f.at), len(dst))
	}
	for c, node := range f.at[k] {
		dst[c] = f.ambient + f.rise[node]
	}
	return nil
}

// Node is the temperature of a node in K, of those too that no cell of the mesh belongs to.
func (f field) Node(n int) (kelvin float64, ok bool) {
	if n < 0 || n >= len(f.rise) {
		return 0, false
	}
	return f.ambient + f.rise[n], true
}

// balance of heat for rises x; old are those before the step.
func (s *solver) balance(watts float64, x, old []float64) gpusolve.Energy {
	e := gpusolve.Energy{In: watts}
	for _, g := range s.net.Grounds {
		w := g.Conductance * (x[g.Node] + s.mesh.Stack.Ambient - g.Temperature)
		e.ByFace[g.Face] += w
		e.Out += w
	}
	if s.dt > 0 {
		for i, c := range s.net.Capacity {
			e.Stored += c * (x[i] - old[i]) / s.dt
		}
	}
	e.Scale = math.Max(math.Abs(watts), math.Abs(e.Stored))
	for _, w := range e.ByFace {
		e.Scale = math.Max(e.Scale, math.Abs(w))
	}
	if e.Scale > 0 {
		e.ImbalanceRel = math.Abs(e.In-e.Out-e.Stored) / e.Scale
	}
	return e
}

func (s *solver) hottest(x []float64) float64 {
	hot := math.Inf(-1)
	for _, v := range x {
		hot = math.Max(hot, v)
	}
	return hot + s.mesh.Stack.Ambient
}

// solution fills in what every outcome has.
func (s *solver) solution(last *gpusolve.MatrixSolution, x []float64) *gpusolve.Solution {
	out := &gpusolve.Solution{
		Status: last.Status, Field: field{s.net.At, x, s.mesh.Stack.Ambient}, PeakK: s.hottest(x),
		Device: last.Device, Memory: last.Memory, Dt: s.dt,
	}
	out.Timing = gpusolve.Timing{Device: s.opened, Setup: s.setup, Solve: time.Since(s.started) - s.setup}
	return out
}
