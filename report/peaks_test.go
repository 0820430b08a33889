package report

import (
	"math"
	"path/filepath"
	"testing"

	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/report/samples"
	"thermsim/report/statistics"
	"thermsim/report/summary"
	"thermsim/stack"
)

// pulse is hottest in the core at steps 4 and 5 of 6, as hot in both, and in the cache at step 2; the region under the
// io warms to the last, and the cells east of it cool from the first.
func pulse(step int) func(x, y, z float64) float64 {
	near := func(x, y, x0, y0 float64) float64 {
		if math.Hypot(x-x0, y-y0) > 3e-3 {
			return 0 // so that nothing else disturbs what is as hot
		}
		return math.Exp(-((x-x0)*(x-x0) + (y-y0)*(y-y0)) / (1e-3 * 1e-3))
	}
	core := []float64{10, 20, 30, 50, 50, 10}[step-1]
	cache := []float64{10, 40, 20, 10, 5, 2}[step-1]
	return func(x, y, z float64) float64 {
		return 300 + core*near(x, y, 2.75e-3, 2.25e-3) + cache*near(x, y, 7.25e-3, 2.25e-3) +
			float64(step)*near(x, y, 2.25e-3, 5.75e-3) + float64(6-step)*near(x, y, 7.25e-3, 5.75e-3) + 1e3*z
	}
}

// pulseRun records six steps of a pulse into dir, and of its fields those that kept says.
func pulseRun(t *testing.T, dir string, kept OutputOptions) (*Run, *summary.Summary) {
	t.Helper()
	st := samples.Stack(20, 16)
	st.TMax = 340
	st.Layers[1].Regions =
		[]stack.Region{{Name: "corner", Material: 0, Rect: stack.Rect{X: 1e-3, Y: 5e-3, Width: 3e-3, Height: 2e-3}}}
	m := samples.Build(t, st)
	files := begin(t, dir, nil)
	r := &Run{Command: "transient", Mesh: m,
		Solution: &solution.Solution{Dt: 1e-3,
			Status: solution.Status{Converged: true, Reason: solution.ReasonTolerance}}}
	w, err := NewRecording(files, r, 6, Options{At: [2]float64{math.NaN(), math.NaN()}, JUnit: true,
		Figures: []string{"maxima"}}, kept)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 6; n++ {
		f := samples.Field{Mesh: m, Of: pulse(n)}
		step := solution.Step{Time: 1e-3 * float64(n), MaxK: hottestOf(t, m, f), PowerW: 16, Converged: true}
		r.Solution.Steps, r.Solution.Field = append(r.Solution.Steps, step), f
		if err := w.Step(n, step, f); err != nil {
			t.Fatal(err)
		}
	}
	s, err := w.Finish(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := files.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r, s
}

func hottestOf(t *testing.T, m *mesh.Mesh, f solution.Field) float64 {
	t.Helper()
	plane, top := make([]float64, m.NX()*m.NY()), math.Inf(-1)
	for k := range m.NZ() {
		if err := f.Plane(k, plane); err != nil {
			t.Fatal(err)
		}
		for _, v := range plane {
			top = max(top, v)
		}
	}
	return top
}

// The whole, blocks, regions and layers have their peaks at the steps and cells that the formula tells, also when the
// run is opened again with its last step alone; limits hold for the peaks.
func TestPeaksOverTime(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	r, s := pulseRun(t, dir, OutputOptions{SaveLast: true})
	check := func(s *summary.Summary) {
		t.Helper()
		top := r.Mesh.NZ() - 1
		_, _, lid := r.Mesh.Center(0, 0, top)
		_, _, feol := r.Mesh.Center(0, 0, 3)
		for what, c := range map[string]struct {
			got     summary.Peak
			step    int
			x, y, z float64
		}{
			"the whole": {s.Peak, 4, 2.75e-3, 2.25e-3, lid},
			"the lid":   {s.Layers[3].Peak, 4, 2.75e-3, 2.25e-3, lid},
			"the core":  {s.Blocks[0].Peak, 4, 2.75e-3, 2.25e-3, feol},
			"the cache": {s.Blocks[1].Peak, 2, 7.25e-3, 2.25e-3, feol},
			"corner":    {region(t, s, "region", "corner").Peak, 6, 2.25e-3, 5.75e-3, feol},
		} {
			near(t, "peak of "+what, c.got.MaxK, pulse(c.step)(c.x, c.y, c.z), 1e-9)
			near(t, "time of "+what, c.got.TimeS, 1e-3*float64(c.step), 1e-15)
			near(t, "place of "+what, math.Hypot(c.got.At.XM-c.x, c.got.At.YM-c.y)+math.Abs(c.got.At.ZM-c.z), 0, 1e-12)
		}
		if !math.IsNaN(s.RthKPerW) {
			t.Errorf("R_th is %g", s.RthKPerW)
		}
		if l := s.Limits[0]; l.OK || l.TimeS != 4e-3 || l.At.Layer != "lid" {
			t.Errorf("limit %+v", l)
		}
	}
	check(s)
	again, err := Restore(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	restored := summarise(t, again.Run)
	check(restored)
	if err := again.Show(6); err != nil {
		t.Fatal(err)
	}
	check(summarise(t, again.Run))
}

// Of equally hot layers, the earliest gives the time at which the run is hottest.
func TestHottestLayers(t *testing.T) {
	p := statistics.Peaks{Layers: []statistics.Moment{{Kelvin: math.NaN()}, {Kelvin: 390, Step: 1},
		{Kelvin: 400, Step: 3}, {Kelvin: 400, Step: 2}, {Kelvin: 400, Step: 4}, {Kelvin: math.Inf(1), Step: 1}}}
	if top := p.Hottest(); top.Kelvin != 400 || top.Step != 2 {
		t.Errorf("hottest: %+v", top)
	}
}

// The map of maxima holds each cell's hottest over all steps.
func TestMapOfMaxima(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	r, _ := pulseRun(t, dir, OutputOptions{})
	rows := readCSV(t, filepath.Join(dir, "maxima_feol.csv"))
	for len(rows) > 0 && len(rows[0]) != r.Mesh.NX()+1 {
		rows = rows[1:] // comments
	}
	if len(rows) != r.Mesh.NY()+1 {
		t.Fatalf("%d rows of %d cells", len(rows), r.Mesh.NX())
	}
	for j, row := range rows[1:] {
		for i, cell := range row[1:] {
			x, y, z := r.Mesh.Center(i, j, 3) // the hotter of two planes
			want := math.Inf(-1)
			for n := 1; n <= 6; n++ {
				want = max(want, pulse(n)(x, y, z))
			}
			near(t, "maximum", parse(t, cell), want, 1e-6)
		}
	}
}
