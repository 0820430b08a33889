package report

import (
	"bytes"
	"context"
	"encoding/xml"
	"math"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/report/printout"
	"thermsim/report/samples"
	"thermsim/report/summary"
	"thermsim/stack"
)

// Where the powers grow in proportion by the margin in watts, the limit is met exactly: solved again, the margin is
// nothing.
func TestMarginInWatts(t *testing.T) {
	s := samples.Stack(20, 16)
	s.TMax = 360
	solve := func() *summary.Limit {
		m := samples.Build(t, s)
		sol, err := gpusolve.Steady(context.Background(), m, gpusolve.Options{Device: "cpu", Tol: 1e-7})
		if err != nil {
			t.Fatal(err)
		}
		defer sol.Close()
		return &summarise(t, &Run{Command: "steady", Mesh: m, Solution: sol}).Limits[0]
	}
	first := solve()
	if math.Abs(first.MarginW) < 0.1 {
		t.Fatalf("margin of %g W", first.MarginW)
	}
	blocks := s.Layers[1].Powers[0].Blocks
	for i := range blocks {
		blocks[i].Watts *= 1 + first.MarginW/16
	}
	near(t, "margin left", solve().MarginK, 0, 1e-5)

	s.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.Convective, H: 10, Temperature: 310}
	if w := solve().MarginW; !math.IsNaN(w) {
		t.Errorf("between two temperatures the margin is %g W; it is not known", w)
	}
}

// What later regions hide cannot be too hot: its limit is no one's, and does not stand for that of its die.
func TestHiddenRegionsHaveNoLimit(t *testing.T) {
	s := samples.Stack(20, 16)
	part := stack.Rect{X: 2e-3, Y: 2e-3, Width: 3e-3, Height: 3e-3}
	hidden := stack.Region{Name: "hidden", Die: "d", TMax: 400, Material: 1, Rect: part}
	alone := stack.Region{Name: "alone", TMax: 400, Material: 1, Rect: part}
	over := stack.Region{Name: "over", Die: "d", TMax: 400, Material: 1, Rect: part}
	s.Layers[1].Regions = []stack.Region{hidden, alone, over}
	limits := summarise(t, linearRun(t, s)).Limits
	if len(limits) != 1 || limits[0].Name != "over" || !limits[0].OK {
		t.Errorf("%+v", limits)
	}
}

// Limits of layers, regions, powers and blocks are told worst first, and a block without one of its own has its
// power's.
func TestLimitsWorstFirst(t *testing.T) {
	st := regionStack(20, 16) // the logic may have 400 K
	l := &st.Layers[1]
	l.TMax = 318
	l.Powers[0].TMax = 312
	l.Powers[0].Blocks = append(l.Powers[0].Blocks,
		stack.Block{Name: "own", Rects: samples.Rect(8e-3, 1e-3, 1e-3, 1e-3),
			TMax: 450})
	l.Powers[1].TMax = 500
	s := summarise(t, linearRun(t, st))
	var got []string
	last := math.Inf(-1)
	for i := range s.Limits {
		l := &s.Limits[i]
		got = append(got, l.Label())
		near(t, "margin of "+l.Label(), l.MarginK, l.TMaxK-l.MaxK, 0)
		if l.MarginK < last || l.OK != (l.MarginK >= 0) {
			t.Errorf("%+v", l)
		}
		last = l.MarginK
	}
	want := "layer feol; block wide of layer feol; region logic of layer feol; block own of layer feol; power leak " +
		"of layer feol"
	if strings.Join(got, "; ") != want {
		t.Fatalf("limits %q, want %q", got, want)
	}
	near(t, "hottest of the layer", s.Limits[0].MaxK, samples.Linear(9.75e-3, 0.25e-3, 201.5e-6), 1e-10)
	if n := len(s.Exceeded()); n != 2 {
		t.Errorf("%d limits are exceeded, want 2", n)
	}
	if text := text(t, s, printout.Style{Details: true}); !strings.Contains(text, "Limits: 2 of 5 EXCEEDED") {
		t.Errorf("the tables say\n%s", text)
	}
}

// A test case of each limit, a failure of each that is exceeded, and an error of a solve that cannot be relied on.
func TestJUnit(t *testing.T) {
	st := regionStack(20, 16)
	st.Title, st.TMax = `"<&>"`, 310
	r := linearRun(t, st)
	r.Solution.Status.Reason = "iteration limit"
	var b bytes.Buffer
	if err := writeJUnit(&b, summarise(t, r)); err != nil {
		t.Fatal(err)
	}
	var got junitSuites
	if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	u := got.Suite
	if u.Name != st.Title || u.Tests != 3 || u.Failures != 1 || u.Errors != 1 || len(u.Cases) != 3 {
		t.Fatalf("suite %+v", u)
	}
	if e := u.Cases[0].Error; e == nil || !strings.Contains(e.Message, "iteration limit") {
		t.Errorf("the solve is %+v", u.Cases[0])
	}
	if f := u.Cases[1].Failure; f == nil || !strings.Contains(f.Message, "exceeds its tmax of 36.85 degC by") {
		t.Errorf("the stack is %+v", u.Cases[1])
	}
	if c := u.Cases[2]; c.Failure != nil || c.Name != "region logic of layer feol below 126.85 degC" {
		t.Errorf("the logic is %+v", c)
	}
}
