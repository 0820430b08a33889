package gpusolve

import (
	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/stepping"
	"thermsim/mesh"
	"thermsim/stack"
)

// Refusal is why the options cannot solve a stack, as Steady and Transient would say after its mesh is built; nil where
// nothing stands against them. What only the numbers of a matrix show, as a factorisation that breaks down, is not
// found.
func Refusal(s *stack.Stack, o Options) error {
	if err := o.Check(); err != nil {
		return err
	}
	if name, _ := precond.Split(o.Preconditioner); name == "fourier" {
		if err := fourier.Refusal(s); err != nil {
			return methods.Blame(err)
		}
	}
	m, err := mesh.Build(slab(s.Leaks()))
	if err != nil {
		return err
	}
	o.Device = "cpu"
	e, err := stepping.OpenIterated(m, &driver.Job{Options: o}, 0, 0)
	if err == nil {
		e.Close()
	}
	return err
}

// slab is a small stack that every method solves with settings that go together, but for leakage where it has some.
func slab(leaks bool) *stack.Stack {
	s := &stack.Stack{
		Schema: 1, Ambient: 300, Size: [2]float64{1e-3, 1e-3},
		Grid:      stack.Grid{X: stack.Axis{Cells: 4}, Y: stack.Axis{Cells: 4}},
		Materials: []stack.Material{{Name: "silicon", K: [3]float64{100, 100, 100}, C: 1e6}},
		Layers:    []stack.Layer{{Name: "die", Thickness: 1e-3, Cells: 2}},
	}
	if leaks {
		law := &stack.Curve{Law: stack.PolynomialLaw, Coefficients: []float64{1, 1e-3}, At: 300,
			Range: [2]float64{250, 400}}
		s.Layers[0].Powers = []stack.Power{{Area: s.Domain(), Leakage: stack.Leakage{Watts: 1e-6, Factor: law}}}
	}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 1e4, Temperature: s.Ambient}
	return s
}
