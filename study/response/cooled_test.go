package response_test

import (
	"math"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/stackfile"
	"thermsim/study/response"
)

// Where coolant flows the operator is not symmetric, and no bound is proved. Responses still are those of steps in
// time, which are taken here by backward Euler and extrapolated to steps of no length.
func TestStepResponsesOfACooledStack(t *testing.T) {
	s, err := stackfile.Load("../../examples/counter-flow/stack.toml")
	if err != nil {
		t.Fatal(err)
	}
	s.Grid = stack.Grid{X: stack.Axis{Cells: 8}, Y: stack.Axis{Cells: 8}}
	x := steps(t, s, response.Request{From: []int{0}, To: []int{1, 2}, Start: 1e-5, End: 10})
	heated := ports.Responding(s)
	for n, in := range x.Inputs {
		heated.Layers[in.Layer].Powers[in.Power].Uniform = []float64{1, 0, 0}[n]
	}
	m, err := mesh.Build(heated)
	if err != nil {
		t.Fatal(err)
	}
	r := reduction.Regions{NX: m.NX(), NY: m.NY(), NZ: m.NZ()}
	for n := range x.Inputs {
		r.Groups = append(r.Groups, x.Inputs[n].Heated(m))
	}
	regions, err := reduction.New(r)
	if err != nil {
		t.Fatal(err)
	}
	means := func(end float64, steps int) (kelvin []float64) {
		sol, err := gpusolve.Transient(t.Context(), m, gpusolve.Options{Device: "cpu", Tol: 1e-7},
			gpusolve.TransientOptions{Steps: steps, Dt: end / float64(steps)})
		if err != nil {
			t.Fatal(err)
		}
		defer sol.Close()
		v, err := solution.Reduce(sol.Field, regions)
		if err != nil {
			t.Fatal(err)
		}
		for n := range v.Extents {
			_, mean, _ := v.Extents[n].Result()
			kelvin = append(kelvin, mean)
		}
		return kelvin
	}
	for _, place := range []int{60, 80} { // 10 ms and 0.1 s
		at := x.Times[place]
		coarse, fine := means(at, 20), means(at, 40)
		for _, c := range x.Curves {
			if c.To.Kind != ports.Mean {
				continue
			}
			want := 2*fine[c.To.Of] - coarse[c.To.Of]
			if math.Abs(c.Z[place]-want) > 2e-3*(2*fine[0]-coarse[0]) {
				t.Errorf("%s at %.3g s: %.6g K/W, stepped %.6g", c.To.Name, at, c.Z[place], want)
			}
		}
	}
}
