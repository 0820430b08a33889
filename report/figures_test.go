package report

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"image/gif"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"thermsim/gpusolve/solution"
	"thermsim/internal/staging"
	"thermsim/report/samples"
	"thermsim/report/summary"
)

// topOf is the largest of some numbers.
func topOf(y []float64) float64 {
	top := math.Inf(-1)
	for _, v := range y {
		top = max(top, v)
	}
	return top
}

// traceOf is a trace of that text.
func traceOf(text string) TraceReader {
	return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
}

func figures(t *testing.T) *Figures {
	t.Helper()
	r := sampleRun(t, 40, 32)
	s, err := Summarise(r)
	if err != nil {
		t.Fatal(err)
	}
	return &Figures{Run: r, Options: Options{At: [2]float64{math.NaN(), math.NaN()}}, Summary: s}
}

// A title is bounded as that of a stack file: 1,000 bytes (docs/explanation/reliability.md), and no control characters.
func TestTitleIsBounded(t *testing.T) {
	for title, want := range map[string]string{
		strings.Repeat("é", 500):  "",
		strings.Repeat("x", 1001): "the title of the pictures is longer than 1000 bytes. Fix: choose another title",
		"a\x1b]0;x\a":             "the title of the pictures contains control characters. Fix: choose another title",
	} {
		got := ""
		if err := (&PictureStyle{Colors: "inferno", Title: title}).Check(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%.20q: %q, want %q", title, got, want)
		}
	}
}

// Sizes of pictures are positive and at most 20,000.
func TestSizesAreBounded(t *testing.T) {
	for v, ok := range map[float64]bool{0: true, 20_000: true, 20_001: false, -1: false, math.NaN(): false} {
		for _, s := range []PictureStyle{{WidthPt: v}, {FontPt: v}, {DPI: v}} {
			if err := s.Check(); (err == nil) != ok {
				t.Errorf("%+v: %v", s, err)
			}
		}
	}
}

// A section must hold the field's values along its line, plane by plane, and cut through the hottest point unless told
// otherwise.
func TestSectionIsTheField(t *testing.T) {
	f := figures(t)
	m := f.Mesh
	for axis, name := range []string{"x", "y"} {
		s, err := f.section(axis)
		if err != nil {
			t.Fatal(err)
		}
		if s.Axis != name || len(s.Layers) != len(m.Stack.Layers) {
			t.Errorf("axis %s, %d layers", s.Axis, len(s.Layers))
		}
		if top := topOf(s.Kelvin); top != f.Summary.Temperature.MaxK {
			t.Errorf("the section along %s is %g K at most, the field %g", name, top, f.Summary.Temperature.MaxK)
		}
		n := len(s.Across) - 1
		at := f.Summary.Temperature.MaxAt
		for k := range m.NZ() {
			for i := range n {
				along := (s.Across[i] + s.Across[i+1]) / 2
				x, y := along, at.YM
				if axis == 1 {
					x, y = at.XM, along
				}
				if want := samples.Bumps(x, y, (m.Z[k]+m.Z[k+1])/2); math.Abs(s.Kelvin[k*n+i]-want) > 1e-9 {
					t.Fatalf("cell %d of plane %d is %g, want %g", i, k, s.Kelvin[k*n+i], want)
				}
			}
		}
	}
	f.At = [2]float64{1e-3, 99e-3}
	if _, err := f.section(0); err == nil || !strings.Contains(err.Error(), "outside the stack") {
		t.Errorf("a cut beside the stack: %v", err)
	}
}

func TestFiguresOfATransient(t *testing.T) {
	f := figures(t)
	rec, err := NewFrameRecorder(f.Mesh, "")
	if err != nil {
		t.Fatal(err)
	}
	for n := range 4 {
		rise := float64(n)
		field := samples.Field{Mesh: f.Mesh, Of: func(x, y, z float64) float64 { return samples.Bumps(x, y, z) + rise }}
		if err := rec.Step(n+1, solution.Step{Time: 1e-3 * (rise + 1)}, field); err != nil {
			t.Fatal(err)
		}
	}
	f.Frames = rec
	f.Trace = traceOf("time_s,power_W,max_K,chip/core_mean_K,chip/core_max_K,probe_K\n" +
		"0.001,5,310,300,305,301\n0.002,5,320,310,315,311\n")
	f.History = []HistoryPoint{{Step: 1, ErrorK: 3}, {Step: 1, Iteration: 1, ErrorK: 0.1},
		{Step: 2, ErrorK: 1}, {Step: 2, Iteration: 1, ErrorK: 0.01}}
	files, err := f.Files([]string{"all"})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	stage := func(t *staging.Transaction) error { return t.WriteFiles(context.Background(), files...) }
	if _, err := staging.Do(context.Background(), dir, staging.Options{}, stage); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"panels", "section_x", "section_y", "traces", "history"} {
		b, err := os.ReadFile(filepath.Join(dir, name+".png"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(bytes.NewReader(b)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, "animation.gif"))
	if err != nil {
		t.Fatal(err)
	}
	if g, err := gif.DecodeAll(bytes.NewReader(b)); err != nil || len(g.Image) != 4 {
		t.Errorf("the animation: %v", err)
	}
	chart, err := f.traces()
	if err != nil {
		t.Fatal(err)
	}
	// The hottest cell first, then the maxima of blocks and the probes by their peaks; 0.002 s is 2 ms.
	if len(chart.Curves) != 3 || chart.Curves[1].Name != "chip/core" || chart.Curves[2].Name != "probe" ||
		chart.X != "time (ms)" || chart.Curves[0].X[1] != 2 ||
		math.Abs(chart.Curves[1].Y[1]-41.85) > 1e-9 {
		t.Errorf("the traces are %+v over %s", chart.Curves, chart.X)
	}
	f.StartK = 300
	f.Summary.Limits = []summary.Limit{{TMaxK: 358.15}, {TMaxK: 358.15}, {TMaxK: 378.15}}
	chart, err = f.traces()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range chart.Curves {
		if len(k.Y) != 3 || !slices.Equal(k.X, []float64{0, 1, 2}) || math.Abs(k.Y[0]-26.85) > 1e-9 {
			t.Errorf("%s starts at %v degC, %v ms", k.Name, k.Y, k.X)
		}
	}
	if l := chart.Limits; len(l) != 2 || l[0].Name != "limit 85 °C" || l[1].Name != "limit 105 °C" {
		t.Errorf("the limits are %v", l)
	}
}

// What a run has no data for is left out of "all", and refused by name.
func TestFiguresWithoutData(t *testing.T) {
	f := figures(t)
	files, err := f.Files([]string{"all"})
	if err != nil || len(files) != 3 {
		t.Errorf("%d files, %v", len(files), err)
	}
	for _, name := range []string{"traces", "history", "animation"} {
		if _, err := f.Files([]string{name}); err == nil || !strings.Contains(err.Error(), "no data") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := f.Files([]string{"panel"}); err == nil || !strings.Contains(err.Error(), "expected one of panels") {
		t.Errorf("a wrong name: %v", err)
	}
	f.Style.Formats = []string{"svg", "pdf"}
	if files, err = f.Files([]string{"panels"}); err != nil || len(files) != 2 || files[1].Name != "panels.pdf" {
		t.Errorf("two formats: %v, %v", files, err)
	}
	f.Mesh.Power.Layers = nil
	if _, err := f.Files([]string{"panels"}); err == nil ||
		!strings.Contains(err.Error(), "no layer has power. Fix: select layers with --maps") {
		t.Errorf("panels of a stack without power: %v", err)
	}
}

// Frames of a large plane are kept small, by maximum.
func TestRecorderKeepsTheHotSpot(t *testing.T) {
	m := samples.Build(t, samples.Stack(1200, 8))
	rec, err := NewFrameRecorder(m, "")
	if err != nil {
		t.Fatal(err)
	}
	hot := spike{m.NX() * m.NY(), 777}
	if err := rec.Step(1, solution.Step{Time: 1}, hot); err != nil {
		t.Fatal(err)
	}
	if n := len(rec.maps[0]); n != frameCells*8 || topOf(rec.maps[0]) != 400 {
		t.Errorf("%d values, at most %g K", n, topOf(rec.maps[0]))
	}
}

// spike is 300 K but for one cell of every plane.
type spike struct{ cells, at int }

func (s spike) Plane(_ int, dst []float64) error {
	for i := range dst {
		dst[i] = 300
	}
	dst[s.at] = 400
	return nil
}

var _ solution.Field = spike{}

// The chart of a trace has the hottest cell and the eleven hottest of all maxima and probes, by what they reach, and
// holds no more of a table that is read row by row: block b reaches 300 + b kelvin at t = b, but for one without a
// value.
func TestTracesShowTheHottest(t *testing.T) {
	const blocks, rows = 40, 2000
	f := figures(t)
	f.Trace = func() (io.ReadCloser, error) {
		in, out := io.Pipe()
		go func() {
			w := bufio.NewWriter(out)
			fmt.Fprint(w, "time_s,power_W,max_K")
			for b := range blocks {
				fmt.Fprintf(w, ",chip/b%d_mean_K,chip/b%d_max_K", b, b)
			}
			fmt.Fprintln(w, ",probe_K")
			for n := range rows {
				fmt.Fprintf(w, "%d,5,%d", n, 400+n%2)
				for b := range blocks {
					switch {
					case b == 39:
						fmt.Fprint(w, ",,")
					case b == n:
						fmt.Fprintf(w, ",999,%d", 300+b)
					default:
						fmt.Fprint(w, ",999,290")
					}
				}
				fmt.Fprintln(w, ",331.5")
			}
			out.CloseWithError(w.Flush())
		}()
		return in, nil
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c, err := f.traces()
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > 13*8*rows*2 {
		t.Errorf("%d bytes are held for %d numbers", held, 13*rows)
	}
	var names []string
	for _, k := range c.Curves {
		names = append(names, k.Name)
	}
	want := []string{"hottest cell", "chip/b38", "chip/b37", "chip/b36", "chip/b35", "chip/b34", "chip/b33", "chip/b32",
		"probe", "chip/b31", "chip/b30", "chip/b29"}
	if !slices.Equal(names, want) || c.Subtitle != "hottest cell, and the 11 hottest of 41 blocks and probes" {
		t.Errorf("curves %q, %q", names, c.Subtitle)
	}
	for _, k := range c.Curves {
		if len(k.X) != rows || len(k.Y) != rows {
			t.Fatalf("%s has %d and %d points", k.Name, len(k.X), len(k.Y))
		}
	}
	if y := c.Curves[1].Y; math.Abs(y[38]-(338-273.15)) > 1e-9 || math.Abs(y[37]-(290-273.15)) > 1e-9 {
		t.Errorf("b38 reaches %g after %g degC", y[38], y[37])
	}
}
