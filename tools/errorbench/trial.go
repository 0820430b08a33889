package main

import (
	"context"
	"math"
	"strings"

	"thermsim/gpusolve"
	"thermsim/gpusolve/cases"
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/stack"
)

// trial is one stack solved by one method.
type trial struct {
	seed            uint64
	method          string
	error, estimate float64 // K
	iterations      int
	solved          bool // the solver says that the tolerance is reached, and the heat balance agrees: exit status 0 of a run
}

// rounding is the share of the largest rise below which neither the solver's nor the exact field means anything.
const rounding = 1e-12

func (t trial) exceeds() bool { return t.solved && !(t.error <= t.estimate) }

// hottest is the largest rise in K that a stack is given: what conducts badly gets less power.
const hottest = 1000

// try solves a random stack by all methods.
func try(seed uint64, methods []string, tol float64, limit int) ([]trial, error) {
	s := cases.Any(seed)
	m, truth, err := exactField(s)
	if err != nil {
		return nil, err
	}
	if top := largest(truth); top > hottest {
		cool(s, hottest/top)
		if m, truth, err = exactField(s); err != nil {
			return nil, err
		}
	}
	var all []trial
	for _, method := range methods {
		if name, _, _ := strings.Cut(method, ":"); name == "fourier" && fourier.CheckGrid(m.Stack) != nil {
			continue
		}
		t, err := solve(m, truth, method, gpusolve.Options{Preconditioner: method, Device: "cpu", Tol: tol, MaxIter: limit})
		if err != nil {
			return nil, err
		}
		t.seed = seed
		all = append(all, t)
	}
	return all, nil
}

func exactField(s *stack.Stack) (*mesh.Mesh, []float64, error) {
	m, err := mesh.Build(s)
	if err != nil {
		return nil, nil, err
	}
	dev := host.Open()
	defer dev.Close()
	sys, err := dev.Assemble(m, 0)
	if err != nil {
		return nil, nil, err
	}
	defer sys.Free()
	x, err := exact(sys)
	return m, x, err
}

// cool multiplies all powers and the temperatures of faces above ambient, and with them the whole field.
func cool(s *stack.Stack, factor float64) {
	for l := range s.Layers {
		for p := range s.Layers[l].Powers {
			for b := range s.Layers[l].Powers[p].Blocks {
				s.Layers[l].Powers[p].Blocks[b].Watts *= factor
			}
		}
	}
	for f := range s.Boundary {
		for _, b := range s.Boundary[f].Conditions() {
			b.Flux *= factor
			b.Temperature = s.Ambient + factor*(b.Temperature-s.Ambient)
		}
	}
}

func solve(m *mesh.Mesh, truth []float64, method string, o gpusolve.Options) (trial, error) {
	sol, err := gpusolve.Steady(context.Background(), m, o)
	if err != nil {
		return trial{}, err
	}
	defer sol.Close()
	st := sol.Status
	t := trial{method: method, estimate: st.EstimatedErrorK, iterations: st.Iterations}
	t.solved = st.Reason == solution.ReasonTolerance && sol.Energy.ImbalanceRel <= solution.ImbalanceLimit(m, sol)
	sheet := make([]float64, m.NX()*m.NY())
	for k := range m.NZ() {
		if err := sol.Field.Plane(k, sheet); err != nil {
			return t, err
		}
		for c, v := range sheet {
			t.error = math.Max(t.error, math.Abs(v-m.Stack.Ambient-truth[k*len(sheet)+c]))
		}
	}
	t.error = math.Max(0, t.error-rounding*(m.Stack.Ambient+largest(truth)))
	return t, nil
}

func largest(x []float64) float64 {
	top := 0.0
	for _, v := range x {
		top = math.Max(top, math.Abs(v))
	}
	return top
}
