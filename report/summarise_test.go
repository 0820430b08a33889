package report

import (
	"bytes"
	"encoding/json"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/report/printout"
	"thermsim/report/samples"
	"thermsim/report/statistics"
	"thermsim/report/summary"
	"thermsim/stack"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %.12g, want %.12g within %g", what, got, want, tol)
	}
}

func linearRun(t testing.TB, s *stack.Stack) *Run {
	m := samples.Build(t, s)
	return &Run{Command: "steady", Mesh: m,
		Solution: &solution.Solution{Field: samples.Field{Mesh: m, Of: samples.Linear}}}
}

func summarise(t testing.TB, r *Run) *summary.Summary {
	t.Helper()
	s, err := Summarise(r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestMeansOfALinearFieldOnAGradedGrid(t *testing.T) {
	st := samples.Stack(0, 40)
	st.Grid.X = stack.Axis{Cells: 31,
		Segments: []stack.Segment{{To: 4e-3, Cells: 20, Ratio: 3}, {To: 10e-3, Cells: 11, Ratio: 0.5}}}
	s := summarise(t, linearRun(t, st))
	near(t, "mean", s.Temperature.MeanK, samples.Linear(5e-3, 4e-3, st.Height()/2), 1e-9)
	bottom := 0.0
	for l, layer := range st.Layers {
		near(t, "mean of "+layer.Name, s.Layers[l].MeanK, samples.Linear(5e-3, 4e-3, bottom+layer.Thickness/2), 1e-9)
		bottom += layer.Thickness
	}
	m := samples.Build(t, st)
	i, k := m.NX()-1, m.NZ()-1 // the field rises to the east, the south and the top
	near(t, "max", s.Temperature.MaxK, samples.Linear((m.X[i]+m.X[i+1])/2, (m.Y[0]+m.Y[1])/2, (m.Z[k]+m.Z[k+1])/2),
		1e-10)
	if at := s.Temperature.MaxAt; at.Layer != "lid" || at.Block != "" || at.XM != (m.X[i]+m.X[i+1])/2 {
		t.Errorf("the maximum is at %+v, want the south-east corner of the lid", at)
	}
}

// stepIntegral is the integral from 0 to x of the step function that takes, in each of n cells of length l/n, the
// cell's centre.
func stepIntegral(l float64, n int, x float64) float64 {
	h := l / float64(n)
	whole := math.Min(math.Floor(x/h), float64(n-1))
	return h*h*whole*whole/2 + (whole+0.5)*h*(x-whole*h)
}

// On a grid that its edges miss, a block's average is the integral of the cell-wise constant field over the block: for
// a linear field it separates, and each direction has a closed form. It lies within half a cell's slope of the field at
// the block's centre.
func TestBlockAveragesOnAMisalignedGrid(t *testing.T) {
	const nx, ny = 37, 23
	st := samples.Stack(nx, ny)
	r := linearRun(t, st)
	s := summarise(t, r)
	meanOf := func(l float64, n int, a, b float64) float64 {
		return (stepIntegral(l, n, b) - stepIntegral(l, n, a)) / (b - a)
	}
	zMean := 201e-6
	for n, b := range st.Layers[1].Powers[0].Blocks {
		want, area, exact := 0.0, 0.0, 0.0
		for _, q := range b.Rects {
			x, y := meanOf(10e-3, nx, q.X, q.X+q.Width), meanOf(8e-3, ny, q.Y, q.Y+q.Height)
			want += samples.Linear(x, y, zMean) * q.Area()
			exact += samples.Linear(q.X+q.Width/2, q.Y+q.Height/2, zMean) * q.Area()
			area += q.Area()
		}
		got := s.Blocks[n]
		near(t, "average of "+b.Name, got.AvgK, want/area, 1e-9)
		near(t, "average of "+b.Name+" against the continuous field", got.AvgK, exact/area,
			2e3*10e-3/nx/2+1.5e3*8e-3/ny/2)
		near(t, "area of "+b.Name, got.AreaM2, area, 1e-18)
		if got.PowerW != b.Watts || got.Layer != "feol" {
			t.Errorf("block %s: %+v", b.Name, got)
		}
	}
	// The core spans x 1.13 to 4.43 mm: its hottest cell holds its south-east corner, in the upper plane.
	m := r.Mesh
	const i, j = 16, 2 // 4.43 / (10/37) = 16.4, 0.97 / (8/23) = 2.8
	want := samples.Linear((m.X[i]+m.X[i+1])/2, (m.Y[j]+m.Y[j+1])/2, (m.Z[3]+m.Z[4])/2)
	near(t, "maximum of the core", s.Blocks[0].MaxK, want, 1e-10)
}

// Between the centres of cells of one material a linear field is given back exactly, whatever the grading; a cooled
// face shows the surface, and one that no heat passes its cell.
func TestProbes(t *testing.T) {
	st := samples.Stack(0, 9)
	st.Grid.X = stack.Axis{Cells: 13, Segments: []stack.Segment{{To: 10e-3, Cells: 13, Ratio: 4}}}
	st.Probes = []stack.Probe{
		{Name: "inside", X: 3.21e-3, Y: 4.56e-3, Z: 117e-6},
		{Name: "between planes", X: 6e-3, Y: 1e-3, Z: 800e-6},
		{Name: "corner", X: 0, Y: 0, Z: 0},
		{Name: "far corner", X: 10e-3, Y: 8e-3, Z: st.Height()},
	}
	r := linearRun(t, st)
	s := summarise(t, r)
	for _, p := range s.Probes[:2] {
		near(t, p.Name, p.TemperatureK, samples.Linear(p.XM, p.YM, p.ZM), 1e-9)
	}
	m := r.Mesh
	first, last := statistics.PlaceOf(m, 0, 0, 0), statistics.PlaceOf(m, m.NX()-1, m.NY()-1, m.NZ()-1)
	near(t, "corner", s.Probes[2].TemperatureK, samples.Linear(first.XM, first.YM, first.ZM), 1e-10)
	// 1e4 W/(m2 K) to 300 K behind half a cell of copper.
	cell, film, half := samples.Linear(last.XM, last.YM, last.ZM), 1e-4, 1e-3/3/2/400
	near(t, "far corner", s.Probes[3].TemperatureK, 300+(cell-300)*film/(film+half), 1e-10)
}

// The prominence of the lower of two bumps is its height above the lowest point of the highest way to the other: on the
// line between the two, found here by walking along it.
func TestHotSpotsAndTheirProminence(t *testing.T) {
	bump := func(x, y, x0 float64) float64 {
		return math.Exp(-((x-x0)*(x-x0) + (y-4e-3)*(y-4e-3)) / (1.2e-3 * 1.2e-3))
	}
	f := func(x, y, z float64) float64 { return 300 + 50*bump(x, y, 2.5e-3) + 30*bump(x, y, 6e-3) + z }
	m := samples.Build(t, samples.Stack(200, 161))
	r := &Run{Mesh: m, Solution: &solution.Solution{Field: samples.Field{Mesh: m, Of: f}}}
	s := summarise(t, r)
	if len(s.HotSpots) != 2 {
		t.Fatalf("%d hot spots, want 2: %+v", len(s.HotSpots), s.HotSpots)
	}
	saddle := math.Inf(1)
	for x := 2.5e-3; x < 6e-3; x += 1e-6 {
		saddle = min(saddle, f(x, 4e-3, 0))
	}
	second := s.HotSpots[1]
	near(t, "x of the second", second.XM, 6e-3, 5e-5)
	near(t, "y of the second", second.YM, 4e-3, 3e-5)
	// bins hold maxima, so the saddle rises a little
	near(t, "prominence of the second", second.ProminenceK, f(6e-3, 4e-3, 0)-saddle, 0.2)
	near(t, "the hottest", s.HotSpots[0].MaxK, s.Temperature.MaxK, 0)
	if s.HotSpots[0].Layer != "lid" {
		t.Errorf("the hottest spot is in %s, want lid, the top layer", s.HotSpots[0].Layer)
	}
}

func TestUniformFieldHasOneHotSpot(t *testing.T) {
	m := samples.Build(t, samples.Stack(30, 30))
	s := summarise(t,
		&Run{Mesh: m, Solution: &solution.Solution{Field: samples.Field{Mesh: m, Of: func(x, y, z float64) float64 {
			return 350
		}}}})
	if len(s.HotSpots) != 1 || s.Temperature.MaxK != 350 || s.Temperature.MinK != 350 {
		t.Errorf("hot spots %+v, temperature %+v", s.HotSpots, s.Temperature)
	}
}

func TestFiguresOfTheSolveArePassedOn(t *testing.T) {
	r := sampleRun(t, 20, 16)
	r.Parse, r.Build = 2*time.Millisecond, 3*time.Millisecond
	r.Solution.Timing = solution.Timing{Device: time.Second, Setup: 2 * time.Second, Solve: 4 * time.Second}
	r.Solution.Energy = solution.Energy{In: 16, Out: 15, Stored: 0.5, ByFace: [6]float64{1, 2, 3, 4, 5, 6},
		ImbalanceRel: 0.03125}
	r.Start = time.Now().Add(-time.Minute)
	s := summarise(t, r)
	if e := s.Energy; e.InW != 16 || e.OutW != 15 || e.StoredW != 0.5 || e.ImbalanceRel != 0.03125 ||
		e.ByFaceW != (summary.Face{Bottom: 1, Top: 2, West: 3, East: 4, South: 5, North: 6}) {
		t.Errorf("energy %+v", e)
	}
	near(t, "R_th", s.RthKPerW, (s.Temperature.MaxK-300)/16, 1e-12)
	near(t, "requested watts", s.Power.RequestedW, 16, 0)
	near(t, "watts of the feol", s.Layers[1].PowerW, 16, 1e-12)
	if v := s.Time; v.ParseS != 0.002 || v.MeshS != 0.003 || v.DeviceS != 1 || v.SetupS != 2 || v.SolveS != 4 ||
		v.TotalS < 60 {
		t.Errorf("times %+v", v)
	}
	if s.Memory.DeviceBytes != 12345678 || s.Memory.HostPeakBytes < 1<<20 {
		t.Errorf("memory %+v", s.Memory)
	}
	if s.Grid != (summary.Grid{NX: 20, NY: 16, NZ: 8, Cells: 2560}) {
		t.Errorf("grid %+v", s.Grid)
	}
}

func TestTransientPowersAreThoseOfTheLastStep(t *testing.T) {
	st := samples.Stack(10, 8)
	p := &st.Layers[1].Powers[0]
	p.Trace = &stack.Trace{Times: []float64{0, 1}, End: 2, Watts: [][]float64{{1, 2, 3}, {10, 20, 30}}}
	m := samples.Build(t, st)
	r := &Run{Command: "transient", Mesh: m, Solution: &solution.Solution{
		Field: samples.Field{Mesh: m, Of: samples.Linear}, Dt: 0.5,
		Status: solution.Status{Converged: true, IterationsTotal: 31},
		Steps: []solution.Step{{Time: 0.5, MaxK: 301, PowerW: 6, Converged: false},
			{Time: 1, PowerW: 6, Converged: true}, {Time: 1.5, PowerW: 60, Converged: true}},
	}}
	s := summarise(t, r)
	for i, want := range []float64{10, 20, 30} {
		near(t, "watts of "+s.Blocks[i].Name, s.Blocks[i].PowerW, want, 1e-12)
	}
	near(t, "watts of the layer", s.Layers[1].PowerW, 60, 1e-12)
	if !math.IsNaN(s.RthKPerW) {
		t.Errorf("R_th is %g; a transient has none", s.RthKPerW)
	}
	if s.Steps != 3 || s.DtS != 0.5 || *s.IterationsTotal != 31 || s.StepMaxima[0].MaxK != 301 {
		t.Errorf("steps %d dt %g iterations %d maxima %+v", s.Steps, s.DtS, *s.IterationsTotal, s.StepMaxima)
	}
	if s.Solver.Converged {
		t.Error("a step that did not converge must show in the verdict")
	}
}

func TestFiguresDoNotDependOnTheCores(t *testing.T) {
	r := sampleRun(t, 301, 257)
	text := func() string {
		s := summarise(t, r)
		s.Time, s.Memory = summary.Time{}, summary.Memory{}
		var b bytes.Buffer
		if err := s.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	all := text()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if text() != all {
		t.Error("one core and all cores give different summaries")
	}
}

func TestSummaryOfABrokenField(t *testing.T) {
	r := sampleRun(t, 12, 10)
	m := r.Mesh
	r.Solution.Field = samples.Field{Mesh: m, Of: func(x, y, z float64) float64 {
		if x < 1e-3 {
			return math.NaN()
		}
		return 350
	}}
	s := summarise(t, r)
	broken := 0
	for i := range m.NX() {
		if (m.X[i]+m.X[i+1])/2 < 1e-3 {
			broken += m.NY() * m.NZ()
		}
	}
	if s.Temperature.NonFiniteCells != broken || s.Temperature.MaxK != 350 {
		t.Errorf("temperature %+v, want %d cells left out", s.Temperature, broken)
	}
	r.Solution.Field = samples.Field{Mesh: m, Of: func(x, y, z float64) float64 { return math.Inf(1) }}
	s = summarise(t, r)
	var b bytes.Buffer
	if err := s.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Temperature map[string]any
		Rth         any `json:"rth_K_per_W"`
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, b.String())
	}
	if v, there := got.Temperature["max_K"]; !there || v != nil {
		t.Errorf("max_K is %v, want null", v)
	}
	if err := printout.Write(&b, s, printout.Style{Details: true}); err != nil || strings.Contains(b.String(), "NaN") {
		t.Errorf("text of a broken field: %v", err)
	}
}

func TestSummariseNeedsItsParts(t *testing.T) {
	for _, r := range []*Run{nil, {}, {Mesh: &mesh.Mesh{}}} {
		if _, err := Summarise(r); err == nil {
			t.Errorf("%+v was summarised", r)
		}
	}
}

func BenchmarkSummarise512x512x10(b *testing.B) {
	st := samples.Stack(512, 512)
	st.Layers[3].Cells = 5
	m := samples.Build(b, st)
	plane := make([]float64, 512*512)
	if err := (samples.Field{Mesh: m, Of: samples.Bumps}).Plane(2, plane); err != nil {
		b.Fatal(err)
	}
	r := &Run{Mesh: m, Solution: &solution.Solution{Field: samePlane(plane)}}
	for b.Loop() {
		if _, err := Summarise(r); err != nil {
			b.Fatal(err)
		}
	}
}

// samePlane is a field whose planes are all alike.
type samePlane []float64

func (p samePlane) Plane(_ int, dst []float64) error {
	copy(dst, p)
	return nil
}
