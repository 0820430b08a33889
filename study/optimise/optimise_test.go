package optimise_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/stackfile"
	"thermsim/study/optimise"
	"thermsim/study/sensitivity"
	"thermsim/study/sweep"
)

const mm = 1e-3

// problem is a heated plate that is cooled from the top, whose heat-transfer coefficient is the number to choose.
func problem(file *stackfile.OptimiseFile, size [2]float64, cells [2]int,
	layer stack.Layer) *optimise.Problem {
	load := func(numbers []float64) (*stack.Stack, error) {
		s := &stack.Stack{Schema: 1, Size: size, Ambient: 300, Materials: []stack.Material{
			{Name: "silicon", K: [3]float64{100, 100, 100}, C: 1.6e6},
			{Name: "mold", K: [3]float64{1, 1, 1}, C: 1.6e6}}}
		layer.Name, layer.Thickness, layer.Cells = "die", 0.5*mm, 1
		s.Layers = []stack.Layer{layer, {Name: "lid", Thickness: 0.5 * mm, Cells: 1}}
		s.Grid.X.Cells, s.Grid.Y.Cells = cells[0], cells[1]
		s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 3000, Temperature: 300}
		if len(numbers) > 0 {
			s.Boundary[stack.Top].H = numbers[0]
		}
		return s, nil
	}
	return &optimise.Problem{File: file, Load: load, Mesh: mesh.Build, Solver: gpusolve.Options{Device: "cpu"},
		Progress: func(string) {}}
}

func run(t *testing.T, p *optimise.Problem) *optimise.Result {
	t.Helper()
	r, err := optimise.Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func block(name string, at [2]float64, width, height, watts float64) stack.Block {
	rect := stack.Rect{X: at[0], Y: at[1], Width: width, Height: height}
	return stack.Block{Name: name, Rects: []stack.Rect{rect}, Watts: watts}
}

// A plate with the power density q that costs c K for each W/(m^2 K) of cooling is best at h = sqrt(q/c): there the
// derivative -q/h^2 + c of the surface temperature and the cost is 0.
func TestCostOfCooling(t *testing.T) {
	const q, cost = 20 / (10 * mm * 10 * mm), 1e-3
	file := &stackfile.OptimiseFile{Steps: 30, Vary: []stackfile.Choice{
		{Key: "boundary.top.h", Range: stackfile.Range{Low: 1000, High: 100e3}, Cost: cost}}}
	p := problem(file, [2]float64{10 * mm, 10 * mm}, [2]int{4, 4}, stack.Layer{Powers: []stack.Power{{Uniform: 20}}})
	p.Start = []float64{3000}
	r := run(t, p)
	if h, want := r.Designs[0].Numbers[0], math.Sqrt(q/cost); math.Abs(h/want-1) > 1e-3 {
		t.Errorf("h = %g; expected %g", h, want)
	}
	if r.Designs[0].Steps > 15 {
		t.Errorf("%d steps", r.Designs[0].Steps)
	}
	file.Vary[0].Cost, file.Steps = 0, 50 // without a cost the best is the bound
	if h := run(t, p).Designs[0].Numbers[0]; h != 100e3 {
		t.Errorf("without a cost, h = %g", h)
	}
}

// The cheapest cooler h and conductor k for a limit of the rise by q/h + q d/k minimise a h + b k where h = c/sqrt(a)
// and k = c sqrt(d/b), with c = q (sqrt(a) + sqrt(b d))/rise. A limit that does not bind changes nothing.
func TestLeastCost(t *testing.T) {
	const q, rise, a, b, d = 2e5, 60, 1e-3, 2e-2, 0.5 * mm
	file := &stackfile.OptimiseFile{Minimise: "cost", Steps: 30, Vary: []stackfile.Choice{
		{Key: "boundary.top.h", Range: stackfile.Range{Low: 1000, High: 100e3}, Cost: a},
		{Key: "lid", Range: stackfile.Range{Low: 0.5, High: 20}, Cost: b}}}
	p := problem(file, [2]float64{10 * mm, 10 * mm}, [2]int{4, 4}, stack.Layer{Powers: []stack.Power{{Uniform: 20}}})
	load := p.Load
	p.Load = func(numbers []float64) (*stack.Stack, error) {
		s, err := load(numbers)
		s.Layers[1].Material = 1
		s.Materials[1].K[2] = numbers[1]
		s.Layers[0].TMax, s.Layers[1].TMax = 300+rise+q*d/2/100, 300+2*rise // the first half layer takes q d/2k
		return s, err
	}
	p.Start = []float64{3000, 2}
	best := &run(t, p).Designs[0]
	c := q * (math.Sqrt(a) + math.Sqrt(b*d)) / rise
	for i, want := range []float64{c / math.Sqrt(a), c * math.Sqrt(d/b)} {
		if got := best.Numbers[i]; math.Abs(got/want-1) > 3e-3 {
			t.Errorf("number %d: got %g; expected %g", i, got, want)
		}
	}
	if m := *best.Margin; m < 0 || m > 0.05 {
		t.Errorf("margin %g K", m)
	}
	p.File.Vary[0].High = 2000 // q/h = 100 K
	if m := *run(t, p).Designs[0].Margin; m > -30 {
		t.Errorf("limits that cannot be met: margin %g K", m)
	}
}

// With a large weight of the wires, the numbers are as good as those found for the same placement without moves:
// kinks of the wire length do not stop them.
func TestNumbersWithWires(t *testing.T) {
	for _, minimise := range []string{"cost", "temperature"} {
		file := &stackfile.OptimiseFile{Minimise: minimise, Wire: []float64{0.6}, Restarts: 2, Seed: 1, Steps: 30,
			Moves: []stackfile.Move{{Names: []string{"die/a"}}},
			Nets:  []stackfile.Net{{From: "die/a", To: "die/b", Wires: 1}},
			Vary: []stackfile.Choice{{Key: "boundary.top.h", Range: stackfile.Range{Low: 500, High: 20000},
				Cost: 0.01}}}
		layer := stack.Layer{TMax: 353, Powers: []stack.Power{{Blocks: []stack.Block{
			block("a", [2]float64{9 * mm, 7 * mm}, 4*mm, 2*mm, 10),
			block("b", [2]float64{5 * mm, 7 * mm}, 4*mm, 2*mm, 12)}}}}
		p := problem(file, [2]float64{20 * mm, 16 * mm}, [2]int{20, 16}, layer)
		p.Start = []float64{3000}
		d := &run(t, p).Designs[0]
		file.Moves = nil
		a := &layer.Powers[0].Blocks[0].Rects[0]
		a.X, a.Y = d.Places[0][0], d.Places[0][1]
		want := run(t, p).Designs[0].Numbers[0]
		if got := d.Numbers[0]; math.Abs(got/want-1) > 1e-3 {
			t.Errorf("%s: h = %g; without moves %g", minimise, got, want)
		}
	}
}

// A long block on a strip with adiabatic ends is coolest in the middle and along it. Resumed after an interruption, the
// run solves the rest and finds the same.
func TestTurnedAndResumed(t *testing.T) {
	const length, width, cell = 10 * mm, 2 * mm, 0.25 * mm
	file := &stackfile.OptimiseFile{Restarts: 1, Seed: 1, Steps: 20,
		Moves: []stackfile.Move{{Names: []string{"die/a"}, Rotate: true}}}
	blocks := []stack.Block{block("a", [2]float64{}, 0.5*mm, 2*mm, 3)}
	p := problem(file, [2]float64{length, width}, [2]int{40, 8}, stack.Layer{Powers: []stack.Power{{Blocks: blocks}}})
	want := run(t, p)
	d := &want.Designs[0]
	s, err := p.Stack(want.Parts, d)
	if err != nil {
		t.Fatal(err)
	}
	if b := s.Layers[0].Powers[0].Blocks[0].Rects[0]; d.Quarters[0]%2 != 1 || b.Width != 2*mm || b.Height != 0.5*mm ||
		math.Abs(b.X+b.Width/2-length/2) > cell/2 {
		t.Errorf("got %+v; expected it along the strip and in its middle", b)
	}
	folder, meshes := t.TempDir(), 0
	ctx, stop := context.WithCancel(t.Context())
	p.Mesh = func(s *stack.Stack) (*mesh.Mesh, error) {
		if meshes++; meshes == 20 {
			stop()
		}
		return mesh.Build(s)
	}
	for resumed := range 2 {
		if p.Journal, err = optimise.OpenJournal(folder, "1", "file", "identity"); err != nil {
			t.Fatal(err)
		}
		got, err := optimise.Run(ctx, p)
		if resumed == 0 {
			if !errors.Is(err, context.Canceled) || meshes != 20 {
				t.Fatalf("interrupted: got %v after %d meshes", err, meshes)
			}
			ctx, meshes = t.Context(), 1000
		} else if err != nil || !reflect.DeepEqual(got, want) || meshes > 1000+2*(want.Solves-8) {
			t.Errorf("resumed: got %v, %+v after %d meshes; expected %+v", err, got, meshes-1000, want)
		}
		if err := p.Journal.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := optimise.OpenJournal(folder, "1", "file", "other"); !errors.Is(err, sweep.ErrOther) {
		t.Errorf("another file: got %v", err)
	}
}

// Two equal blocks on a strip with adiabatic ends are coolest with their centers at 1/4 and 3/4 of its length: with
// their mirror images all sources then have equal distances. The grid shifts that by less than half a cell.
func TestStrip(t *testing.T) {
	const length, width, side, cell = 20 * mm, 2 * mm, 2.5 * mm, 0.125 * mm
	file := &stackfile.OptimiseFile{Restarts: 2, Seed: 1, Steps: 20,
		Moves: []stackfile.Move{{Names: []string{"die/a", "die/b"}}}}
	blocks := []stack.Block{block("a", [2]float64{}, side, width, 3), block("b", [2]float64{4 * mm}, side, width, 3)}
	r := run(t, problem(file, [2]float64{length, width}, [2]int{160, 4}, stack.Layer{
		Powers: []stack.Power{{Blocks: blocks}}}))
	at := r.Designs[0].Places
	low, high := min(at[0][0], at[1][0])+side/2, max(at[0][0], at[1][0])+side/2
	if math.Abs(low-length/4) > cell/2 || math.Abs(high-3*length/4) > cell/2 {
		t.Errorf("centers at %g and %g mm; expected 5 and 15 mm", low/mm, high/mm)
	}
	if !r.Legal || r.Designs[0].Value >= r.Initial.Value {
		t.Error("no better than initially")
	}
}

// Twelve blocks come out cooler than in random placements, and do not overlap. A weight of the wires shortens them.
func TestBlocks(t *testing.T) {
	const size, side, gap = 10 * mm, 1.5 * mm, 0.1 * mm
	keepOut := stack.Rect{X: 4 * mm, Y: 4 * mm, Width: 2 * mm, Height: 2 * mm}
	var blocks []stack.Block
	var names []string
	file := &stackfile.OptimiseFile{Restarts: 2, Seed: 1, Steps: 5, Wire: []float64{0, 0.5},
		KeepOut: []stack.Rect{keepOut}}
	for i := range 12 {
		name := fmt.Sprint("b", i)
		blocks = append(blocks, block(name, [2]float64{float64(i%4) * 2 * mm, float64(i/4) * 2 * mm}, side, side,
			float64(1+i%4)))
		names = append(names, "die/"+name)
		file.Nets = append(file.Nets, stackfile.Net{From: "die/b0", To: "die/" + name, Wires: 1})
	}
	file.Moves = []stackfile.Move{{Names: names, Spacing: gap}}
	p := problem(file, [2]float64{size, size}, [2]int{32, 32}, stack.Layer{Powers: []stack.Power{{Blocks: blocks}}})
	r := run(t, p)
	checkLegal(t, r, side, gap, keepOut)
	random := rand.New(rand.NewPCG(1, 1))
	for range 5 {
		places := randomPlaces(random, 12, size, side, keepOut)
		s, err := p.Stack(r.Parts, &optimise.Design{Places: places, Quarters: make([]int, len(places))})
		if err != nil {
			t.Fatal(err)
		}
		all, err := sensitivity.Of(t.Context(), s, []sensitivity.Objective{{}},
			sensitivity.Options{Mesh: mesh.Build, KeysOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		if gain := all[0].Value - r.Designs[0].Value; gain < 1 {
			t.Errorf("%g K better than a random placement at %.2f K", gain, all[0].Value)
		}
	}
	if a, b := &r.Designs[0], &r.Designs[1]; !(b.Length < 0.8*a.Length && b.Value > a.Value) {
		t.Errorf("wires of %g mm at %g K; without their weight %g mm at %g K", b.Length/mm, b.Value, a.Length/mm,
			a.Value)
	}
}

func checkLegal(t *testing.T, r *optimise.Result, side, gap float64, keepOut stack.Rect) {
	t.Helper()
	for n := range r.Designs {
		at := r.Designs[n].Places
		for i, a := range at {
			for j, b := range at[:i] {
				if max(math.Abs(a[0]-b[0]), math.Abs(a[1]-b[1])) < side+gap-1e-6*mm {
					t.Errorf("design %d: %s and %s overlap", n, r.Parts[i], r.Parts[j])
				}
			}
			if a[0]+side > keepOut.X+1e-6*mm && a[0] < keepOut.X+keepOut.Width-1e-6*mm &&
				a[1]+side > keepOut.Y+1e-6*mm && a[1] < keepOut.Y+keepOut.Height-1e-6*mm {
				t.Errorf("design %d: %s is in the keep-out", n, r.Parts[i])
			}
		}
	}
}

// randomPlaces are placements of squares without overlap.
func randomPlaces(random *rand.Rand, count int, size, side float64, keepOut stack.Rect) (at [][2]float64) {
	for len(at) < count {
		p := [2]float64{random.Float64() * (size - side), random.Float64() * (size - side)}
		free := p[0]+side < keepOut.X || p[0] > keepOut.X+keepOut.Width || p[1]+side < keepOut.Y ||
			p[1] > keepOut.Y+keepOut.Height
		for _, q := range at {
			free = free && max(math.Abs(p[0]-q[0]), math.Abs(p[1]-q[1])) > side
		}
		if free {
			at = append(at, p)
		} else if random.Float64() < 1e-3 {
			at = nil
		}
	}
	return at
}

// Four equal chiplets in mold are best in the middles of the quarters of a square, by its symmetry: mirror images make
// a regular lattice.
func TestChiplets(t *testing.T) {
	const size, side = 20 * mm, 4 * mm
	file := &stackfile.OptimiseFile{Restarts: 2, Seed: 1, Steps: 15}
	layer := stack.Layer{Material: 1}
	var names []string
	for i := range 4 {
		name := fmt.Sprint("chiplet", i)
		names = append(names, name)
		rect := stack.Rect{X: float64(i) * 4.5 * mm, Y: float64(i%2) * mm, Width: side, Height: side}
		layer.Regions = append(layer.Regions, stack.Region{Name: name, Die: name, Rect: rect})
		layer.Powers = append(layer.Powers, stack.Power{Name: name, Uniform: 10, Area: rect})
	}
	file.Moves = []stackfile.Move{{Names: names, Spacing: 0.5 * mm}}
	r := run(t, problem(file, [2]float64{size, size}, [2]int{40, 40}, layer))
	quarters := map[[2]int]bool{}
	for _, at := range r.Designs[0].Places {
		x, y := (at[0]+side/2)/(size/2), (at[1]+side/2)/(size/2)
		quarters[[2]int{int(x), int(y)}] = true
		if math.Abs(x-math.Floor(x)-0.5) > 0.1 || math.Abs(y-math.Floor(y)-0.5) > 0.1 {
			t.Errorf("a center at %g, %g mm; expected 5 or 15", x*size/2/mm, y*size/2/mm)
		}
	}
	if len(quarters) != 4 {
		t.Errorf("the chiplets are in %d quarters", len(quarters))
	}
}

// Parts that do not exist, that are moved twice, or do not fit are refused.
func TestParts(t *testing.T) {
	blocks := []stack.Block{block("a", [2]float64{}, 5.5*mm, 5.5*mm, 1), block("b", [2]float64{}, 5.5*mm, 5.5*mm, 1)}
	for names, want := range map[[2]string]error{
		{"die/a", "die/c"}: optimise.ErrPart, {"die/a", "die/a"}: optimise.ErrPart,
		{"die/a", "die/b"}: optimise.ErrFull,
	} {
		file := &stackfile.OptimiseFile{Restarts: 1, Moves: []stackfile.Move{{Names: names[:]}}}
		layer := stack.Layer{Powers: []stack.Power{{Blocks: blocks}}}
		_, err := optimise.Run(t.Context(), problem(file, [2]float64{10 * mm, 10 * mm}, [2]int{8, 8}, layer))
		if !errors.Is(err, want) {
			t.Errorf("%v: got %v; expected %v", names, err, want)
		}
	}
}
