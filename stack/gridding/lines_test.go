package gridding

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/mesh"
	"thermsim/stack"
)

// plan is a stack of one die with blocks.
func plan(width, depth float64, blocks ...stack.Rect) *stack.Stack {
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{width, depth},
		Materials: []stack.Material{{Name: "silicon", K: [3]float64{130, 130, 130}, C: 1.6e6}}}
	l := stack.Layer{Name: "die", Thickness: 300e-6, Cells: 1,
		Powers: []stack.Power{{Area: s.Domain(), AllowOverlap: true}}}
	for n, r := range blocks {
		l.Powers[0].Blocks = append(l.Powers[0].Blocks, stack.Block{Name: fmt.Sprint("b", n), Rects: []stack.Rect{r},
			Watts: 1})
	}
	s.Layers = []stack.Layer{l}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 1e4, Temperature: 300}
	return s
}

// growth is the largest ratio of the sizes of neighbours.
func growth(faces []float64) float64 {
	most := 1.0
	for i := 2; i < len(faces); i++ {
		q := (faces[i] - faces[i-1]) / (faces[i-1] - faces[i-2])
		most = max(most, q, 1/q)
	}
	return most
}

// A block or a uniform power that only leaks is a source as one with watts is.
func TestLeakageIsASource(t *testing.T) {
	law := &stack.Curve{Law: stack.ExponentialLaw, Value: 1, Exponent: 0.015, At: 358.15, Range: [2]float64{250, 450}}
	for _, uniform := range []bool{false, true} {
		withPower := func(watts float64, leakage stack.Leakage) *stack.Stack {
			s := plan(10e-3, 8e-3, stack.Rect{X: 1e-3, Y: 2e-3, Width: 1.3e-3, Height: 0.7e-3})
			p := &s.Layers[0].Powers[0]
			if p.Blocks[0].Watts, p.Blocks[0].Leakage = watts, leakage; uniform {
				*p = stack.Power{Area: p.Blocks[0].Rects[0], Uniform: watts, Leakage: leakage}
			}
			return s
		}
		given, leaks := withPower(1, stack.Leakage{}), withPower(0, stack.Leakage{Watts: 1, Factor: law})
		for axis := range 2 {
			want, got := LinesOf(Spans(given, axis), 0), LinesOf(Spans(leaks, axis), 0)
			if a, b := fmt.Sprint(want.Axis(0.5)), fmt.Sprint(got.Axis(0.5)); a != b {
				t.Errorf("uniform %v, axis %d: %s, want %s", uniform, axis, b, a)
			}
		}
	}
}

// Every kept edge is a face, every block has four cells or more, and sizes grow slowly, on floorplans drawn at random.
func TestLinesOnRandomFloorplans(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 5))
	worst, steep, faceCount := 1.0, 0, 0
	for trial := range 300 {
		var blocks []stack.Rect
		for range 1 + rng.IntN(30) {
			w, h := 10e-3*math.Pow(0.02, rng.Float64()), 8e-3*math.Pow(0.02, rng.Float64())
			blocks = append(blocks, stack.Rect{X: (10e-3 - w) * rng.Float64(), Y: (8e-3 - h) * rng.Float64(), Width: w,
				Height: h})
		}
		s := plan(10e-3, 8e-3, blocks...)
		for axis := range 2 {
			l := LinesOf(Spans(s, axis), 0)
			a := l.Axis(0.5)
			s.Grid.X, s.Grid.Y = a, a
			s.Size = [2]float64{s.Size[axis], s.Size[axis]}
			faces, _, err := mesh.Faces(s)
			s.Size = [2]float64{10e-3, 8e-3}
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range l.X {
				at, _ := slices.BinarySearch(faces, x-1e-12)
				if math.Abs(faces[min(at, len(faces)-1)]-x) > 1e-12 {
					t.Errorf("trial %d: no face at %g", trial, x)
				}
			}
			for _, b := range blocks {
				lo, hi := b.X, b.X+b.Width
				if axis == 1 {
					lo, hi = b.Y, b.Y+b.Height
				}
				if n := Position(faces, hi) - Position(faces, lo); n < 3.6 {
					t.Errorf("trial %d: %.2f cells across a block of %g", trial, n, hi-lo)
				}
			}
			worst = max(worst, growth(faces))
			for i := 2; i < len(faces); i++ {
				if growth(faces[i-2:i+1]) > 1.6 {
					steep++
				}
			}
			faceCount += len(faces)
		}
	}
	t.Logf("growth at most %.2f, above 1.6 at %d of %d faces", worst, steep, faceCount)
	// Edges of blocks that overlap at random may leave room for one cell or two, and no size in between.
	if worst > 2.5 || steep > faceCount/200 {
		t.Errorf("neighbouring cells differ by up to %.2f, by more than 1.6 at %d of %d faces", worst, steep, faceCount)
	}
}

// Beside a sliver cells grow over more decades than a segment may hold: the run is written in parts, which a stack file
// can hold and which have the same faces.
func TestRunsBesideSlivers(t *testing.T) {
	for _, growth := range []float64{50, 0.02, 1e7, 1e-7, 1.1} {
		faces, size, x := make([]float64, 8), 1e-15, 0.0
		if growth < 1 {
			size = 1e-3
		}
		for i := range faces {
			x += size
			faces[i], size = x, size*growth
			if growth < 1e-3 && i == 2 || growth > 1e3 && i == 4 {
				faces = faces[:i]
				break
			}
		}
		a := stack.Axis{Segments: appendRuns(nil, 0, faces[len(faces)-1], faces)}
		for _, s := range a.Segments {
			a.Cells += s.Cells
			if !(s.Ratio >= 1/stack.SteepestSegment && s.Ratio <= stack.SteepestSegment) {
				t.Errorf("growth %g: a segment with ratio %g", growth, s.Ratio)
			}
		}
		s := plan(faces[len(faces)-1], 1e-3)
		s.Grid.X, s.Grid.Y = a, stack.Axis{Cells: 1}
		got, _, err := mesh.Faces(s)
		if err != nil || len(got) != len(faces)+1 {
			t.Fatalf("growth %g: %d faces, %v", growth, len(got), err)
		}
		for i, want := range faces {
			if math.Abs(got[i+1]-want) > 1e-9*want {
				t.Errorf("growth %g: face %d at %g, want %g", growth, i+1, got[i+1], want)
			}
		}
	}

	block := stack.Rect{X: 1e-3, Y: 1e-3, Width: 3e-3, Height: 3e-3}
	beside := block
	beside.X += 3e-3 + 1e-12
	s := plan(10e-3, 10e-3, block, beside)
	s.Materials = append(s.Materials, stack.Material{Name: "copper", K: [3]float64{400, 400, 400}, C: 3.4e6})
	s.Layers[0].Regions =
		[]stack.Region{{Material: 1, Rect: stack.Rect{X: 4e-3 + 0.5e-12, Y: 1e-3, Width: 1e-12, Height: 3e-3}}}
	for axis := range 2 {
		l := LinesOf(Spans(s, axis), 0)
		for _, seg := range l.Axis(1).Segments {
			if !(seg.Ratio >= 1/stack.SteepestSegment && seg.Ratio <= stack.SteepestSegment) {
				t.Errorf("axis %d: a segment with ratio %g", axis, seg.Ratio)
			}
		}
	}
}

// A cavity of the layer's own material in another region has lines at its edges, as has the space under a lid.
func TestCavitiesHaveLines(t *testing.T) {
	s := plan(10e-3, 8e-3)
	s.Materials = append(s.Materials, stack.Material{Name: "copper", K: [3]float64{400, 400, 400}, C: 3.4e6})
	cavity := stack.Rect{X: 2.3e-3, Y: 2.1e-3, Width: 5.1e-3, Height: 3.7e-3}
	s.Layers[0].Regions = []stack.Region{{Rect: stack.Rect{X: 4e-3, Y: 1e-3, Width: 1e-3, Height: 1e-3}},
		{Material: 1, Rect: stack.Rect{X: 1e-3, Y: 1e-3, Width: 8e-3, Height: 6e-3}}, {Rect: cavity}}
	for axis, want := range [2][]float64{{0, 1e-3, 2.3e-3, 7.4e-3, 9e-3, 10e-3},
		{0, 1e-3, 2.1e-3, 5.8e-3, 7e-3, 8e-3}} {
		got := LinesOf(Spans(s, axis), 0).X
		if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
			t.Errorf("axis %d: lines at %v, want %v", axis, got, want)
		}
	}
}
