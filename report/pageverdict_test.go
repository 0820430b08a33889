package report

import (
	"slices"
	"strings"
	"testing"

	"thermsim/gpusolve/solution"
	"thermsim/report/picture"
	"thermsim/report/samples"
	"thermsim/report/summary"
	"thermsim/stack"
)

// A report of a layer with very many regions does not draw each of them.
func TestDrawingOfManyRegions(t *testing.T) {
	size := func(regions int) int {
		r := sampleRun(t, 10, 8)
		for n := range regions {
			r.Mesh.Stack.Layers[0].Regions = append(r.Mesh.Stack.Layers[0].Regions, stack.Region{
				Rect: samples.Rect(float64(n)*1e-6, 0, 1e-6, 1e-3)[0], Material: 1})
		}
		svg, err := drawing(r.Mesh, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Contains(string(svg), "Without the"), regions > mostParts; got != want {
			t.Errorf("%d regions: omitted %v, expected %v", regions, got, want)
		}
		return len(svg)
	}
	if none, many := size(0), size(mostParts+1); many > none+1000 {
		t.Errorf("%d bytes for very many regions, %d without any", many, none)
	}
	size(3)
}

// report.pdf shows a transient at its peak, which is not its last step, and at its end.
func TestPaperShowsThePeak(t *testing.T) {
	r := sampleRun(t, 10, 8)
	s, err := Summarise(r)
	if err != nil {
		t.Fatal(err)
	}
	at := s.Temperature.MaxAt
	document := &documentRecorder{options: &Options{}, pdf: true}
	document.hold(r.Mesh, 3)
	for n, rise := range []float64{0, 5, 1} {
		step := solution.Step{Time: float64(n + 1), MaxK: s.Temperature.MaxK + rise}
		s.StepMaxima = append(s.StepMaxima, summary.Step{TimeS: step.Time, MaxK: step.MaxK})
		warmer := samples.Field{Mesh: r.Mesh, Of: func(x, y, z float64) float64 {
			return samples.Bumps(x, y, z) + rise
		}}
		if err := document.Step(n+1, step, warmer); err != nil {
			t.Fatal(err)
		}
	}
	s.Steps, s.Peak = 3, summary.Peak{MaxK: s.Temperature.MaxK + 5, TimeS: 2, At: at}
	figures, err := document.figures(&End{Run: r, Summary: s, N: 3})
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]struct {
		title string
		rise  float64
	}{0: {"Hottest layer at the peak, t = 2.00 s", 5}, 2: {"Hottest layer at the end, t = 3.00 s", 0}} {
		m, ok := figures[n].(*picture.HeatMap)
		if !ok || m.Title != want.title {
			t.Fatalf("figure %d: %T %q, expected %q", n, figures[n], m.Title, want.title)
		}
		near(t, want.title, slices.Max(m.Kelvin), s.Temperature.MaxK+want.rise, 1e-9)
	}
}
