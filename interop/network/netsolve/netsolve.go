// Package netsolve solves thermal networks, steady and transient, with gpusolve's engine and results, so that they have
// the same tables and maps.
package netsolve

import (
	"context"
	"fmt"
	"math"

	"thermsim/gpusolve"
	"thermsim/gpusolve/lumped"
	"thermsim/gpusolve/solution"
	"thermsim/interop/network"
	"thermsim/mesh"
	"thermsim/stack"
)

// system is a network with the mesh that it replaces.
type system struct {
	*network.Network
	mesh    *mesh.Mesh
	leakage map[*stack.Block]float64 // W, in a steady state
}

// Steady solves for the steady temperatures of a network. A solve that does not reach its tolerance is not an error:
// see Status.
func Steady(ctx context.Context, n *network.Network, m *mesh.Mesh, o gpusolve.Options) (*solution.Solution, error) {
	if len(n.Grounds) == 0 {
		return nil, gpusolve.ErrSingular
	}
	s := system{Network: n, mesh: m}
	l, err := s.lumped()
	if err != nil {
		return nil, err
	}
	if n.Leakage == nil {
		return l.Steady(ctx, o)
	}
	return s.leaking(ctx, l, o)
}

// leaking solves again and again, each time with the leakage at the temperatures before.
func (s *system) leaking(ctx context.Context, l *lumped.System, o gpusolve.Options) (*solution.Solution, error) {
	s.leakage = map[*stack.Block]float64{}
	before := map[*stack.Block]float64{}
	for n := range s.Leakage.MostSystems {
		sol, err := l.Steady(ctx, o)
		if err != nil || !sol.Status.Converged {
			return sol, err
		}
		field := sol.Field.(lumped.Nodes)
		node := func(n int32) float64 { kelvin, _ := field.Node(int(n)); return kelvin }
		rise := 0.0
		for i := range s.Sources {
			b := s.block(&s.Sources[i])
			if b.Leakage.Factor == nil || i > 0 && b == s.block(&s.Sources[i-1]) {
				continue
			}
			kelvin := s.Leakage.Kelvin(&s.Sources[i], node)
			rise = math.Max(rise, kelvin-before[b])
			before[b], s.leakage[b] = kelvin, b.Leakage.Watts*b.Leakage.Factor.Of(kelvin)
		}
		switch {
		case rise < s.Leakage.Within:
			return sol, nil
		case n > 0 && rise > s.Leakage.Most:
			return nil, s.runaway(n + 1)
		}
	}
	return nil, s.runaway(s.Leakage.MostSystems)
}

func (s *system) runaway(systems int) error {
	return fmt.Errorf("%w: the leakage of the blocks does not settle in %d steady states, after which the project's "+
		"simulator stops as well. Fix: less power or better cooling", gpusolve.ErrRunaway, systems)
}

// block is that of a source.
func (s *system) block(src *network.Source) *stack.Block {
	return &s.mesh.Stack.Layers[src.Layer].Powers[src.Power].Blocks[src.Block]
}

// Transient steps a network by backward Euler, like gpusolve.Transient. It starts from the initial field of the
// options, otherwise from the initial temperatures of the network, or else of the stack.
func Transient(ctx context.Context, n *network.Network, m *mesh.Mesh, o gpusolve.Options, t gpusolve.TransientOptions) (
	*solution.Solution, error) {
	s := system{Network: n, mesh: m}
	l, err := s.lumped()
	if err != nil {
		return nil, err
	}
	return l.Transient(ctx, o, t)
}

func (s *system) lumped() (*lumped.System, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	l := &lumped.System{Mesh: s.mesh, Capacity: s.Capacity, At: s.At, Initial: s.Initial, Heat: s.heat,
		FaceHeat: s.faceHeat}
	for _, k := range s.Links {
		l.Conductances.Add(k.A, k.A, k.Conductance)
		l.Conductances.Add(k.B, k.B, k.Conductance)
		l.Conductances.Add(k.A, k.B, -k.Conductance)
		l.Conductances.Add(k.B, k.A, -k.Conductance)
	}
	for _, g := range s.Grounds {
		l.Conductances.Add(g.Node, g.Node, g.Conductance)
	}
	return l, nil
}

// heat adds the mean powers of blocks over (t0, t1], or the steady ones if t1 is 0, and the heat flow of the grounds at
// ambient temperature.
func (s *system) heat(b []float64, t0, t1 float64) (total float64, err error) {
	means := map[*stack.Power][]float64{}
	for _, src := range s.Sources {
		p := &s.mesh.Stack.Layers[src.Layer].Powers[src.Power]
		watts := p.Blocks[src.Block].Watts + s.leakage[&p.Blocks[src.Block]]
		if t1 > 0 {
			if means[p] == nil {
				if means[p], err = s.mesh.Power.BlockWatts(p, t0, t1); err != nil {
					return 0, err
				}
			}
			watts = means[p][src.Block]
		}
		w := src.Share * watts
		b[src.Node] += w
		total += w
	}
	for _, g := range s.Grounds {
		b[g.Node] += g.Conductance * (g.Temperature - s.mesh.Stack.Ambient)
	}
	return total, nil
}

// faceHeat is the heat flow out of the grounds of each face in W.
func (s *system) faceHeat(x []float64) (byFace [6]float64) {
	for _, g := range s.Grounds {
		byFace[g.Face] += g.Conductance * (x[g.Node] + s.mesh.Stack.Ambient - g.Temperature)
	}
	return byFace
}
