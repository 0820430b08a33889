package estimates_test

import (
	"context"
	"errors"
	"math"
	"strings"

	"thermsim/gpusolve"
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/stack"
)

// trial is one stack solved by one method.
type trial struct {
	stack           string
	method          string
	error, estimate float64 // K; an estimate that is not known is NaN
	iterations      int
	reason          string
	converged       bool // the status says so
	balanced        bool // the heat balance agrees
	within          bool // the error is below the tolerance
}

// rounding is the share of the largest rise below which neither the solver's nor the exact field means anything.
const rounding = 1e-12

// exceeds says that a result called converged is further from the truth than so many times its estimate.
func (t trial) exceeds(times float64) bool { return t.converged && !(t.error <= times*t.estimate) }

// misleads says the same of a result that is not called converged but has an estimate.
func (t trial) misleads(times float64) bool { return !t.converged && t.error > times*t.estimate }

// hottest is the largest rise in K that a stack is given: what conducts badly gets less power.
const hottest = 1000

// try solves a stack by all methods.
func try(s *stack.Stack, methods []string, tol float64, limit int) ([]trial, error) {
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
		if name, _, _ := strings.Cut(method, ":"); name == "fourier" && fourier.CheckSides(m.Stack) != nil {
			continue
		}
		t, err := solve(m, truth, method, gpusolve.Options{Preconditioner: method, Device: "cpu", Tol: tol,
			MaxIter: limit})
		if err != nil {
			return nil, err
		}
		t.stack = s.Title
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
	if errors.Is(err, gpusolve.ErrOption) {
		return trial{method: method, estimate: math.NaN(), reason: err.Error()}, nil
	}
	if err != nil {
		return trial{}, err
	}
	defer sol.Close()
	st := sol.Status
	t := trial{method: method, estimate: st.EstimatedErrorK, iterations: st.Iterations, reason: st.Reason,
		converged: st.Converged}
	t.balanced = sol.Energy.ImbalanceRel <= solution.ImbalanceLimit(m, sol)
	t.error, err = departure(sol.Field, m, truth)
	t.within = t.error <= o.Tol
	return t, err
}

// departure is the largest difference of a field from the true rises, beyond rounding.
func departure(f gpusolve.Field, m *mesh.Mesh, truth []float64) (float64, error) {
	top := 0.0
	sheet := make([]float64, m.NX()*m.NY())
	for k := range m.NZ() {
		if err := f.Plane(k, sheet); err != nil {
			return 0, err
		}
		for c, v := range sheet {
			top = math.Max(top, math.Abs(v-m.Stack.Ambient-truth[k*len(sheet)+c]))
		}
	}
	return math.Max(0, top-rounding*(m.Stack.Ambient+largest(truth))), nil
}

func largest(x []float64) float64 {
	top := 0.0
	for _, v := range x {
		top = math.Max(top, math.Abs(v))
	}
	return top
}
