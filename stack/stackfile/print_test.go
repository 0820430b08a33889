package stackfile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"thermsim/stack"
	"thermsim/stack/heatsink"
	"thermsim/stack/internal/faults"
)

// sameStack compares all that Print promises to keep.
var sameStack = cmp.Options{
	cmpopts.IgnoreTypes(stack.Pos{}),
	cmpopts.IgnoreFields(stack.Stack{}, "File", "Inputs"),
	cmpopts.IgnoreFields(stack.Grid{}, "Default"),
	cmpopts.EquateEmpty(),
}

// reload prints a stack and reads it back from memory alone.
func reload(s *stack.Stack) (again *stack.Stack, text string, err error) {
	var b bytes.Buffer
	if err := Print(&b, s); err != nil {
		return nil, "", err
	}
	again, err = Parse("printed.toml", b.Bytes(), files{}.open)
	return again, b.String(), err
}

func TestPrintRoundTripFiles(t *testing.T) {
	paths, err := filepath.Glob("../../examples/*/*.toml")
	if err != nil {
		t.Fatal(err)
	}
	stacks := map[string]*stack.Stack{"full": mustParse(t, fullFiles)}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte("schema")) {
			continue // a sweep, a table of policies
		}
		if stacks[path], err = Load(path); err != nil {
			t.Fatal(err)
		}
	}
	for name, s := range stacks {
		again, text, err := reload(s)
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
			continue
		}
		if diff := cmp.Diff(s, again, sameStack); diff != "" {
			t.Errorf("%s changed (-before +after):\n%s", name, diff)
		}
	}
}

// drawTransient draws steps of one length, or such as follow the temperatures.
func drawTransient(t *rapid.T, positive func(string) float64) stack.Transient {
	tr := stack.Transient{Initial: positive("T0")}
	switch rapid.IntRange(0, 3).Draw(t, "time") {
	case 0:
		tr.Dt, tr.Steps = positive("dt"), rapid.IntRange(0, 99).Draw(t, "steps")
	case 1:
		tr.Dt, tr.Until = positive("dt"), positive("until")
	case 2:
		tr.Until, tr.DtTol, tr.ToSteady, tr.At = positive("until"), positive("dt_tol"), positive("to_steady"),
			[]float64{1e-3, 1. / 3, 7}
	case 3:
		tr.Periodic, tr.DtTol, tr.Every = true, positive("dt_tol"), positive("every")
	}
	return tr
}

// Any valid stack must survive Print and Parse bit by bit.
func TestPrintRoundTrip(t *testing.T) { rapid.Check(t, printRoundTrip) }

func FuzzPrint(f *testing.F) {
	for seed := range byte(4) {
		f.Add(bitStream(seed))
	}
	f.Fuzz(rapid.MakeFuzz(printRoundTrip))
}

// bitStream is enough for a stack: from nothing a fuzzer gets to whole stacks late.
func bitStream(seed byte) []byte {
	stream := make([]byte, 4096)
	rand.NewChaCha8([32]byte{seed}).Read(stream)
	return stream
}

func printRoundTrip(t *rapid.T) {
	s := drawStack(t)
	again, text, err := reload(s)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if diff := cmp.Diff(s, again, sameStack); diff != "" {
		t.Fatalf("changed (-before +after):\n%s\n%s", diff, text)
	}
}

// drawFilm makes a face convective, in any of its ways.
func drawFilm(t *rapid.T, b *stack.Boundary, positive func(string) float64) {
	b.H, b.Temperature = positive("h"), positive("T")
	switch rapid.IntRange(0, 3).Draw(t, "film") {
	case 1:
		b.H, b.Law = 0,
			&stack.Curve{Law: stack.PowerLaw, Value: positive("h"), At: 300,
				Exponent: rapid.Float64Range(-2, 2).Draw(t, "n"), Range: [2]float64{250, 450}}
	case 2:
		b.Natural = rapid.SampledFrom([]heatsink.Orientation{heatsink.Up, heatsink.Down, heatsink.Vertical}).Draw(t,
			"orientation")
		b.Length, b.Temperature = positive("length"), rapid.Float64Range(210, 590).Draw(t, "air")
	case 3:
		b.H = 0
		b.Emissivity = rapid.Float64Range(1e-3, 1).Draw(t, "emissivity")
	}
}

func drawGrid(t *rapid.T, size [2]float64) stack.Grid {
	most := rapid.IntRange(1000, 1_000_000_000)
	switch rapid.IntRange(0, 3).Draw(t, "auto") {
	case 0:
		return stack.Grid{Auto: &stack.AutoGrid{Error: rapid.Float64Range(1e-9, 1e9).Draw(t, "error"),
			MaxCells: most.Draw(t, "most")}}
	case 1:
		return stack.Grid{Auto: &stack.AutoGrid{Relative: rapid.Float64Range(1e-9, 1e9).Draw(t, "relative"),
			MaxCells: most.Draw(t, "most")}}
	}
	return stack.Grid{X: drawAxis(t, size[0]), Y: drawAxis(t, size[1])}
}

func drawStack(t *rapid.T) *stack.Stack {
	positive := func(name string) float64 { return rapid.Float64Range(1e-9, 1e9).Draw(t, name) }
	watts := rapid.Float64Range(0, 1e3)
	limit := rapid.SampledFrom([]float64{0, 358.15, 1.0 / 3})
	s := &stack.Stack{Schema: 1, Title: line(t, "title"), Ambient: positive("ambient"), TMax: limit.Draw(t, "tmax"),
		Size: [2]float64{positive("sx"), positive("sy")}}
	s.Grid = drawGrid(t, s.Size)
	for f := range s.Boundary {
		b := &s.Boundary[f]
		b.Kind = stack.BoundaryKind(rapid.IntRange(0, 4).Draw(t, "kind"))
		switch b.Kind {
		case stack.Convective:
			drawFilm(t, b, positive)
		case stack.LumpedResistance:
			b.Resistance, b.Temperature = positive("R"), positive("T")
		case stack.FixedTemperature:
			b.Temperature = positive("T")
		case stack.HeatFlux:
			b.Flux = rapid.Float64Range(-1e9, 1e9).Draw(t, "flux")
		}
	}
	for i := range rapid.IntRange(1, 4).Draw(t, "layers") {
		name := rapid.StringMatching(`[a-z "µ'#=]{0,3}[a-z]`).Draw(t, "material")
		s.Materials = append(s.Materials,
			stack.Material{Name: fmt.Sprint(i, name), K: [3]float64{positive("kx"), positive("ky"), positive("kz")},
				C: positive("c"), Source: line(t, "source")})
		y := stack.Layer{Name: fmt.Sprint("layer", i), Material: i, Thickness: positive("d"),
			Cells: rapid.IntRange(1, 99).Draw(t, "cells"), TMax: limit.Draw(t, "tmax")}
		if rapid.Bool().Draw(t, "contact") {
			y.ContactResistance = positive("R")
		}
		area := s.Domain()
		if rapid.Bool().Draw(t, "region") {
			area = drawRect(t, s.Domain())
			y.Regions = []stack.Region{{Name: "die", Material: i, Rect: area, TMax: limit.Draw(t, "tmax")}}
			y.MeanOfAll = rapid.Bool().Draw(t, "mean")
		}
		if rapid.Bool().Draw(t, "uniform") {
			y.Powers = append(y.Powers, stack.Power{Name: rapid.SampledFrom([]string{"", "a \"b\" µ"}).Draw(t, "name"),
				Area: area, Uniform: watts.Draw(t, "W"), Leakage: drawLeakage(t), TMax: limit.Draw(t, "tmax")})
		}
		if rapid.Bool().Draw(t, "map") {
			nx, ny := rapid.IntRange(1, 4).Draw(t, "nx"), rapid.IntRange(1, 4).Draw(t, "ny")
			m := &stack.PowerMap{NX: nx, NY: ny, Values: rapid.SliceOfN(watts, nx*ny, nx*ny).Draw(t, "map")}
			if rapid.Bool().Draw(t, "temperatures") {
				kelvin := positive("t")
				m.Temperatures = []float64{kelvin, 2 * kelvin, 3 * kelvin}
				m.Hotter = [][]float64{m.Values, rapid.SliceOfN(watts, nx*ny, nx*ny).Draw(t, "hotter")}
			}
			y.Powers = append(y.Powers,
				stack.Power{Area: area, Map: m,
					Schedule: []stack.ScalePoint{{Time: 0, Factor: 1}, {Time: positive("t"), Factor: 0.5}}})
		}
		if rapid.Bool().Draw(t, "blocks") {
			y.Powers = append(y.Powers, drawBlocks(t, area, watts))
		}
		s.Layers = append(s.Layers, y)
	}
	s.Transient = drawTransient(t, positive)
	s.Solver = stack.Solver{Preconditioner: "jacobi", Device: "gpu:1", Tol: positive("tol"), RTol: positive("rtol"),
		ATol: positive("atol"), MaxIter: 7}
	s.Output.Maps = []string{"layer0", "all"}
	s.Probes = []stack.Probe{{Name: "p", X: s.Size[0] / 3, Y: s.Size[1] / 7, Z: s.Height() / 2}}
	if len(s.Layers) > 1 {
		s.Probes[0].Z, s.Probes[0].Side = s.Layers[0].Thickness, stack.Above
	}
	return s
}

func drawAxis(t *rapid.T, size float64) stack.Axis {
	if rapid.Bool().Draw(t, "equal") {
		return stack.Axis{Cells: rapid.IntRange(1, 999).Draw(t, "n")}
	}
	return stack.Axis{Cells: 5,
		Segments: []stack.Segment{{To: size / 3, Cells: 2, Ratio: rapid.Float64Range(0.1, 10).Draw(t, "ratio")},
			{To: size, Cells: 3, Ratio: 1}}}
}

func drawRect(t *rapid.T, in stack.Rect) stack.Rect {
	part := rapid.Float64Range(0.01, 0.49)
	r := stack.Rect{X: in.X + in.Width*part.Draw(t, "x"), Y: in.Y + in.Height*part.Draw(t, "y"),
		Width: in.Width * part.Draw(t, "w"), Height: in.Height * part.Draw(t, "h")}
	return r
}

// drawLeakage is none, or one of any law.
func drawLeakage(t *rapid.T) stack.Leakage {
	watts, part := rapid.Float64Range(1e-9, 1e9).Draw(t, "leakage"), rapid.Float64Range(0.1, 1)
	from := 200 + 100*part.Draw(t, "from")
	ends := [2]float64{from, from + 200*part.Draw(t, "range")}
	switch rapid.IntRange(0, 3).Draw(t, "law") {
	case 0:
		return stack.Leakage{Watts: watts,
			Factor: &stack.Curve{Law: stack.ExponentialLaw, Value: 1, Exponent: 0.03 * part.Draw(t, "beta"),
				At: 300 * part.Draw(t, "at"), Range: ends}}
	case 1:
		return stack.Leakage{Watts: watts,
			Factor: &stack.Curve{Law: stack.PolynomialLaw, Coefficients: []float64{1, 0.001 * part.Draw(t, "a1"), 1e-5},
				At: 300 * part.Draw(t, "at"), Range: ends}}
	case 2:
		return stack.Leakage{Watts: watts,
			Factor: &stack.Curve{Law: stack.TableLaw, Temperatures: ends[:],
				Values: []float64{0.5, 1 + part.Draw(t, "top")}, Range: ends}}
	}
	return stack.Leakage{}
}

func drawBlocks(t *rapid.T, area stack.Rect, watts *rapid.Generator[float64]) stack.Power {
	p := stack.Power{Area: area, AllowOverlap: true}
	n := rapid.IntRange(1, 3).Draw(t, "blocks")
	for i := range n {
		b := stack.Block{Name: fmt.Sprintf("b %d\\", i), Watts: watts.Draw(t, "W"), Leakage: drawLeakage(t)}
		for range rapid.IntRange(1, 3).Draw(t, "rects") {
			b.Rects = append(b.Rects, drawRect(t, area))
		}
		p.Blocks = append(p.Blocks, b)
	}
	if rapid.Bool().Draw(t, "trace") {
		p.Trace = &stack.Trace{Times: []float64{0, 0.1}, End: rapid.Float64Range(0.2, 9).Draw(t, "end"),
			Repeat: rapid.Bool().Draw(t, "repeat")}
		for range 2 {
			p.Trace.Watts = append(p.Trace.Watts, rapid.SliceOfN(watts, n, n).Draw(t, "row"))
		}
	}
	return p
}

// Comments change nothing of the stack, whatever they hold.
func TestPrintCommented(t *testing.T) {
	s := mustParse(t, fullFiles)
	odd := "two\nlines = 3 \x00\xff \"quoted\" #"
	c := Comments{Head: []string{odd, ""}, Grid: []string{odd}, Materials: map[int][]string{0: {odd}},
		Layers:   map[int][]string{0: {"lowest"}, 1: {odd}},
		Contacts: map[int]string{0: odd, 1: odd}, Transient: []string{odd}, Powers: map[*stack.Power][]string{}}
	for f := range c.Boundary {
		c.Boundary[f] = odd
	}
	for i := range s.Layers {
		for p := range s.Layers[i].Powers {
			c.Powers[&s.Layers[i].Powers[p]] = []string{odd}
		}
	}
	var b bytes.Buffer
	if err := PrintCommented(&b, s, c); err != nil {
		t.Fatal(err)
	}
	again, err := Parse("printed.toml", b.Bytes(), files{}.open)
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	if diff := cmp.Diff(s, again, sameStack); diff != "" {
		t.Errorf("changed (-before +after):\n%s", diff)
	}
	if !bytes.Contains(b.Bytes(), []byte("\n# lowest\n[[layer]]\n")) {
		t.Errorf("the comment of the first layer is missing:\n%s", b.String())
	}
}

// line draws a text that may stand in a title.
func line(t *rapid.T, label string) string {
	return rapid.String().Filter(func(s string) bool {
		return faults.Text(s, faults.MostNameBytes) == ""
	}).Draw(t, label)
}

// A stack built in Go needs no Schema to be printed as a file of the version that is read.
func TestPrintWithoutSchema(t *testing.T) {
	s := mustParse(t, fullFiles)
	s.Schema = 0
	again, text, err := reload(s)
	if err != nil || again.Schema != 1 {
		t.Errorf("%v\n%s", err, text)
	}
}
