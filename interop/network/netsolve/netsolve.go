// Package netsolve solves thermal networks, steady and transient, with gpusolve's engine and results, so that they have
// the same tables and maps.
package netsolve

import (
	"context"

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
	mesh *mesh.Mesh
}

// Steady solves for the steady temperatures of a network. A solve that does not reach its tolerance is not an error:
// see Status.
func Steady(ctx context.Context, n *network.Network, m *mesh.Mesh, o gpusolve.Options) (*solution.Solution, error) {
	if len(n.Grounds) == 0 {
		return nil, gpusolve.ErrSingular
	}
	l, err := system{n, m}.lumped()
	if err != nil {
		return nil, err
	}
	return l.Steady(ctx, o)
}

// Transient steps a network by backward Euler, like gpusolve.Transient. It starts from the initial field of the
// options, otherwise from the initial temperatures of the network, or else of the stack.
func Transient(ctx context.Context, n *network.Network, m *mesh.Mesh, o gpusolve.Options, t gpusolve.TransientOptions) (
	*solution.Solution, error) {
	l, err := system{n, m}.lumped()
	if err != nil {
		return nil, err
	}
	return l.Transient(ctx, o, t)
}

func (s system) lumped() (*lumped.System, error) {
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
func (s system) heat(b []float64, t0, t1 float64) (total float64, err error) {
	means := map[*stack.Power][]float64{}
	for _, src := range s.Sources {
		p := &s.mesh.Stack.Layers[src.Layer].Powers[src.Power]
		watts := p.Blocks[src.Block].Watts
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
func (s system) faceHeat(x []float64) (byFace [6]float64) {
	for _, g := range s.Grounds {
		byFace[g.Face] += g.Conductance * (x[g.Node] + s.mesh.Stack.Ambient - g.Temperature)
	}
	return byFace
}
