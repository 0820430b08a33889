package converge

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/study/verify/analytic"
)

// Values that follow a law exactly give back its order and its limit.
func TestJudge(t *testing.T) {
	for _, p := range []float64{0.6, 1, 1.5, 2} {
		f := func(h float64) float64 { return 80 - 3*math.Pow(h, p) }
		e := Judge(f(4), f(2), f(1), 0)
		if math.Abs(e.Order-p) > 1e-9 || math.Abs(e.Extrapolated-80) > 1e-9 || e.Uncertainty < 3 ||
			e.Uncertainty > 3.76 {
			t.Errorf("order %g: %+v", p, e)
		}
	}
	for name, v := range map[string][3]float64{"swings": {80, 82, 81}, "moves apart": {80, 81, 83},
		"hardly settles": {80, 81, 81.9}} {
		if e := Judge(v[0], v[1], v[2], 0); e.Extrapolated != v[2] || e.Uncertainty < 2.7 {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if e := Judge(80, 80.00001, 80.00002, 1e-5); !math.IsNaN(e.Order) || e.Uncertainty > 1e-4 {
		t.Errorf("noise: %+v", e)
	}
}

// Refined grids keep every face, graded ones too.
func TestRefineNests(t *testing.T) {
	s :=
		plate(analytic.Plate{A: 10e-3, B: 8e-3, H: 1e4,
			Sheets: []analytic.Sheet{{Thickness: 1e-3, K: [3]float64{100, 100, 100}}}},
			analytic.Source{X: 5e-3, Y: 4e-3, Width: 2e-3, Height: 1e-3, Watts: 1})
	s.Grid.X = stack.Axis{Cells: 9,
		Segments: []stack.Segment{{To: 4e-3, Cells: 5, Ratio: 0.3}, {To: 7e-3, Cells: 1, Ratio: 1},
			{To: 10e-3, Cells: 3, Ratio: 4}}}
	fine, err := Refine(s)
	if err != nil {
		t.Fatal(err)
	}
	coarseX, _, err := mesh.Faces(s)
	if err != nil {
		t.Fatal(err)
	}
	fineX, _, err := mesh.Faces(fine)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range coarseX {
		if math.Abs(fineX[2*i]-x) > 1e-12 {
			t.Errorf("face %d moved from %g to %g", i, x, fineX[2*i])
		}
	}
	if s.Layers[0].Cells*2 != fine.Layers[0].Cells || s.Grid.X.Cells != 9 {
		t.Error("the planes are not refined, or the stack itself was")
	}
}

// plate is a plate heated over a block of its lower face and cooled on its upper one.
func plate(p analytic.Plate, src analytic.Source) *stack.Stack {
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{p.A, p.B},
		Grid: stack.Grid{X: stack.Axis{Cells: 16}, Y: stack.Axis{Cells: 16}}}
	const skin = 1e-8 // m, holds the source
	for n, sheet := range p.Sheets {
		s.Materials = append(s.Materials, stack.Material{Name: string(rune('a' + n)), K: sheet.K, C: 1e6})
		thickness := sheet.Thickness
		if n == 0 {
			r := stack.Rect{X: src.X - src.Width/2, Y: src.Y - src.Height/2, Width: src.Width, Height: src.Height}
			s.Layers = append(s.Layers, stack.Layer{Name: "skin", Thickness: skin, Cells: 1, Powers: []stack.Power{
				{Area: s.Domain(), Blocks: []stack.Block{{Name: "source", Rects: []stack.Rect{r}, Watts: src.Watts}}}}})
			thickness -= skin
		}
		s.Layers = append(s.Layers, stack.Layer{Name: "sheet" + string(rune('a'+n)), Material: n, Thickness: thickness,
			Cells: 3})
	}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: p.H, Temperature: 300}
	return s
}

// A mirrored stack has the estimates of the stack, and so has one that is turned by a quarter. The block lies at a side
// that is cooled too weakly to move the maximum away: no parabola goes through a cell behind such a face.
func TestEstimatesOfTurnedStacks(t *testing.T) {
	const side = 8e-3
	corner := stack.Rect{X: 0, Y: 1e-3, Width: 2e-3, Height: 3e-3}
	of := func(turn func(stack.Rect) stack.Rect, cooled stack.Face) []float64 {
		s := plate(analytic.Plate{A: side, B: side, H: 1e3, Sheets: []analytic.Sheet{{Thickness: 1e-3,
			K: [3]float64{20, 20, 20}}}}, analytic.Source{X: 4e-3, Y: 4e-3, Width: 1e-3, Height: 1e-3, Watts: 0.1})
		r := turn(corner)
		s.Layers[0].Powers[0].Blocks = append(s.Layers[0].Powers[0].Blocks,
			stack.Block{Name: "corner", Rects: []stack.Rect{r}, Watts: 3})
		s.Boundary[cooled] = stack.Boundary{Kind: stack.Convective, H: 200, Temperature: 300}
		study, err := Run(t.Context(), s, gpusolve.Options{Device: "cpu", Tol: 1e-8},
			func(_ int, s *stack.Stack) (*mesh.Mesh, error) { return mesh.Build(s) })
		if err != nil {
			t.Fatal(err)
		}
		var all []float64
		for _, q := range study.Quantities {
			all = append(append(all, q.Extrapolated, q.Uncertainty), q.Values[:]...)
		}
		return all
	}
	want := of(func(r stack.Rect) stack.Rect { return r }, stack.West)
	for _, c := range []struct {
		name   string
		turn   func(stack.Rect) stack.Rect
		cooled stack.Face
	}{
		{"mirrored", func(r stack.Rect) stack.Rect {
			return stack.Rect{X: side - r.X - r.Width, Y: r.Y, Width: r.Width, Height: r.Height}
		}, stack.East},
		{"turned", func(r stack.Rect) stack.Rect {
			return stack.Rect{X: r.Y, Y: r.X, Width: r.Height, Height: r.Width}
		}, stack.South},
		{"turned and mirrored", func(r stack.Rect) stack.Rect {
			return stack.Rect{X: r.Y, Y: side - r.X - r.Width, Width: r.Height, Height: r.Width}
		}, stack.North},
	} {
		got := of(c.turn, c.cooled)
		for n := range want {
			if math.Abs(got[n]-want[n]) > 1e-5*(1+math.Abs(want[n]-300)) {
				t.Errorf("%s: figure %d is %.8g, not %.8g", c.name, n, got[n], want[n])
			}
		}
	}
}

// On random plates of one or two sheets (50 in the full tier), the exact maximum lies in the interval, wherever the
// source's edges cut cells.
func TestIntervalHoldsTheExactMaximum(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 14))
	between := func(lo, hi float64) float64 { return lo * math.Exp(rng.Float64()*math.Log(hi/lo)) }
	for range testtier.Pick(20, 50) {
		k := between(1, 400)
		p := analytic.Plate{A: between(5e-3, 20e-3), B: between(5e-3, 20e-3), H: between(1e3, 1e5)}
		p.Sheets = []analytic.Sheet{{Thickness: between(0.5e-3, 2e-3), K: [3]float64{k, k, k}}}
		if rng.IntN(2) == 0 {
			k := between(1, 400)
			p.Sheets = append(p.Sheets, analytic.Sheet{Thickness: between(0.5e-3, 2e-3), K: [3]float64{k, k, k}})
		}
		src := analytic.Source{X: p.A / 2, Y: p.B / 2, Width: p.A * between(0.2, 0.9), Height: p.B * between(0.2, 0.9),
			Watts: between(0.1, 10)}
		study, err := Run(context.Background(), plate(p, src), gpusolve.Options{Device: "cpu", Tol: 1e-6},
			func(_ int, s *stack.Stack) (*mesh.Mesh, error) { return mesh.Build(s) })
		if err != nil {
			t.Fatal(err)
		}
		exact := 300 + p.Rise(src, src.X, src.Y, 300)
		q := study.Quantities[1]
		off := math.Abs(q.Extrapolated - exact)
		if !(off <= q.Uncertainty) {
			t.Errorf("%s: %.6f +- %.6f K from %v (order %.2f), exact %.6f K", q.Block, q.Extrapolated, q.Uncertainty,
				q.Values, q.Order, exact)
		}
		t.Logf("rise %.4f K, extrapolated off by %.5f, uncertainty %.5f, order %.2f", exact-300, off, q.Uncertainty,
			q.Order)
	}
}

// Where the edges of the source lie on faces of all grids nothing is cut, and the order is that of the scheme.
func TestSecondOrder(t *testing.T) {
	for _, k := range []float64{2, 20, 200} {
		for _, part := range []float64{0.25, 0.5, 0.75} {
			p := analytic.Plate{A: 8e-3, B: 8e-3, H: 1e4,
				Sheets: []analytic.Sheet{{Thickness: 2e-3, K: [3]float64{k, k, k}}}}
			src := analytic.Source{X: 4e-3, Y: 4e-3, Width: part * 8e-3, Height: part * 8e-3, Watts: 2}
			study, err := Run(context.Background(), plate(p, src), gpusolve.Options{Device: "cpu", Tol: 1e-7},
				func(_ int, s *stack.Stack) (*mesh.Mesh, error) { return mesh.Build(s) })
			if err != nil {
				t.Fatal(err)
			}
			q, exact := study.Quantities[1], 300+p.Rise(src, src.X, src.Y, 300)
			t.Logf("k = %g, %g of the side: order %.3f, off by %.2g of %.2g K, uncertainty %.2g", k, part, q.Order,
				q.Extrapolated-exact, exact-300, q.Uncertainty)
			if math.Abs(q.Order-2) > 0.25 || math.Abs(q.Extrapolated-exact) > q.Uncertainty {
				t.Errorf("k = %g, %g of the side: order %.3f, %.6f +- %.6f K, exact %.6f K", k, part, q.Order,
					q.Extrapolated, q.Uncertainty, exact)
			}
		}
	}
}
