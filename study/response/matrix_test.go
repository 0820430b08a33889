package response_test

import (
	"errors"
	"math"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/study/response"
)

func matrix(t *testing.T, s *stack.Stack, method string, peaks bool) *response.Matrix {
	t.Helper()
	x, err := response.Resistances(t.Context(), s,
		response.Options{Solver: gpusolve.Options{Device: "cpu", Preconditioner: method}}, peaks)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// The matrix is symmetric, and superposed on the stack without power it gives the temperatures of solves of their own:
// at the stack's powers, and with 1 W in every input, of which the rises are the sums of the rows.
func TestMatrixSuperposes(t *testing.T) {
	for name, s := range map[string]*stack.Stack{"fourier": small(false), "multigrid": small(true)} {
		s.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.LumpedResistance, Resistance: 8, Temperature: 310}
		x := matrix(t, s, name, true)
		if x.Asymmetry > 1e-9 {
			t.Errorf("%s: asymmetry %g", name, x.Asymmetry)
		}
		t.Logf("%s: asymmetry %.2g", name, x.Asymmetry)
		var own, units []float64
		for _, in := range x.Inputs {
			own, units = append(own, in.Watts), append(units, 1)
		}
		none := temperatures(t, s, name, make([]float64, len(own)))
		for what, watts := range map[string][]float64{"own powers": own, "1 W everywhere": units} {
			solved, rises := temperatures(t, s, name, watts), x.Rises(watts)
			for o := range solved {
				if d := math.Abs(none[o] + rises[o] - solved[o]); d > 1e-8*(solved[o]-none[o]) {
					t.Errorf("%s, %s, %s: %.12g K superposed, %.12g K solved", name, what, x.Outputs[o].Name,
						none[o]+rises[o], solved[o])
				}
			}
		}
		for n := range x.Inputs {
			if p := x.R[len(x.Inputs)+len(s.Probes)+n][n]; math.Abs(p-x.Hottest[n]) > 1e-10*p {
				t.Errorf("%s: the hottest cell of %s is at %g and %g K/W", name, x.Inputs[n].Name, p, x.Hottest[n])
			}
		}
	}
}

// temperatures of the means and probes of a stack with other watts, by a solve of its own.
func temperatures(t *testing.T, s *stack.Stack, method string, watts []float64) []float64 {
	t.Helper()
	inputs := ports.InputsOf(s)
	for n, in := range inputs {
		p := &s.Layers[in.Layer].Powers[in.Power]
		before := *p
		defer func() { *p = before }()
		if in.Block < 0 {
			p.Uniform = watts[n]
			continue
		}
		p.Blocks = append([]stack.Block(nil), p.Blocks...)
		p.Blocks[in.Block].Watts = watts[n]
	}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	sol, err := gpusolve.Steady(t.Context(), m, gpusolve.Options{Device: "cpu", Preconditioner: method, RTol: 1e-13})
	if err != nil {
		t.Fatal(err)
	}
	defer sol.Close()
	r := reduction.Regions{NX: m.NX(), NY: m.NY(), NZ: m.NZ(), Points: ports.Points(m)}
	for n := range inputs {
		r.Groups = append(r.Groups, inputs[n].Heated(m))
	}
	regions, err := reduction.New(r)
	if err != nil {
		t.Fatal(err)
	}
	v, err := solution.Reduce(sol.Field, regions)
	if err != nil {
		t.Fatal(err)
	}
	var kelvin []float64
	for n := range v.Extents {
		_, mean, _ := v.Extents[n].Result()
		kelvin = append(kelvin, mean)
	}
	return append(kelvin, v.Points...)
}

func TestWhatHasNoMatrix(t *testing.T) {
	bare, warm, held := small(false), small(false), small(false)
	for l := range bare.Layers {
		bare.Layers[l].Powers = nil
	}
	warm.Boundary[stack.Top].Emissivity = 0.9
	held.Boundary[stack.Top] = stack.Boundary{}
	for want, s := range map[error]*stack.Stack{response.ErrNoInput: bare, ports.ErrNonlinear: warm,
		gpusolve.ErrSingular: held} {
		if _, err := response.Resistances(t.Context(), s, response.Options{}, false); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
		if _, err := response.StepResponses(t.Context(), s, response.Options{}, response.Request{}); !errors.Is(err,
			want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	slow := response.Options{Solver: gpusolve.Options{Device: "cpu", MaxIter: 2}}
	if _, err := response.Resistances(t.Context(), small(true), slow, false); !errors.Is(err,
		response.ErrNotConverged) {
		t.Errorf("%v after 2 iterations", err)
	}
}
