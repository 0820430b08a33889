package reduce_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/study/reducedmodel"
	"thermsim/study/reducedmodel/reduce"
)

func TestFilmsTry(t *testing.T) {
	s := cases.Stack10(cases.Options{NX: 12, NY: 10})
	films := []reducedmodel.Film{{Name: "top", From: 10, To: 10000}, {Name: "bottom", From: 1, To: 1000}, {Name: "sides", From: 1, To: 100}}
	for f := range s.Boundary {
		fmt.Println(s.Boundary[f])
	}
	start := time.Now()
	p, err := reduce.RunFilms(t.Context(), s, mesh.Build, films, reduce.Options{Tol: 0.1, Solve: gpusolve.Options{Device: "cpu"},
		Progress: func(a, b int) {
			if a%10 == 0 {
				fmt.Println(a, b, time.Since(start))
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(time.Since(start), p.States(), len(p.Snapshots))
	fmt.Printf("%+v\n", p.Error)
	random := rand.New(rand.NewPCG(3, 4))
	inputs := ports.InputsOf(s)
	for range 10 {
		q := *s
		h := make([]float64, 3)
		for f := range h {
			h[f] = films[f].From * math.Pow(films[f].To/films[f].From, random.Float64())
		}
		for f := range q.Boundary {
			q.Boundary[f] = stack.Boundary{Kind: stack.Convective, H: h[2], Temperature: s.Ambient}
		}
		q.Boundary[stack.Top].H, q.Boundary[stack.Bottom].H = h[0], h[1]
		m, err := mesh.Build(&q)
		if err != nil {
			t.Fatal(err)
		}
		watts := make([]float64, len(inputs))
		for i := range watts {
			watts[i] = p.Inputs[i].Range
		}
		r, err := gpusolve.SolveMany(t.Context(), m, gpusolve.Options{Device: "cpu", Tol: 1e-6}, gpusolve.Many{Watts: [][]float64{watts}})
		if err != nil {
			t.Fatal(err)
		}
		model, err := p.At(h, 0)
		if err != nil {
			t.Fatal(err)
		}
		step, _ := reducedmodel.NewStepper(model)
		step.Settle(watts)
		kelvin := make([]float64, len(model.Outputs))
		step.Temperatures(kelvin)
		bound, err := p.BoundK(h, 0)
		worst := 0.0
		for i := range inputs {
			worst = math.Max(worst, math.Abs(kelvin[i]-r.Mean[0][i]))
		}
		fmt.Printf("%.3g rise %.4g error %.3g bound %.3g %v\n", h, kelvin[0]-s.Ambient, worst, bound, err)
	}
}
