package report

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"thermsim/report/fieldfile"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/stack/stackfile"
)

// Two zones that a border of cells does not part: what they carry adds up to the power, and each warms its own flow.
// Maps show the coolant by itself.
func TestStreams(t *testing.T) {
	text := strings.Replace(strings.Replace(cooled, "DIRECTION", "-x", 1), `flow = "30 ml/min"`,
		`zone = [{ to = "2.3 mm", flow = "20 ml/min" }, { to = "6 mm", flow = "10 ml/min" }]`, 1)
	st, err := stackfile.Parse("stack.toml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := mesh.Build(st)
	if err != nil {
		t.Fatal(err)
	}
	sol, err := gpusolve.Steady(t.Context(), m, gpusolve.Options{Device: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	defer sol.Close()
	r := &Run{Command: "steady", Mesh: m, Solution: sol}
	s, err := Summarise(r)
	if err != nil {
		t.Fatal(err)
	}
	c := &s.Coolant[0]
	if len(c.Streams) != 2 || math.Abs(c.Streams[0].HeatW+c.Streams[1].HeatW-40) > 1e-3 {
		t.Fatalf("%+v", c.Streams)
	}
	for _, x := range c.Streams {
		if rise := x.HeatW / (st.Layers[1].Coolant.Fluid.C * x.FlowM3PerS); math.Abs(x.OutletK-293.15-rise) >
			1e-9*rise {
			t.Errorf("%+v", x)
		}
	}
	if !(c.Streams[0].OutletK < c.OutletK && c.OutletK < c.Streams[1].OutletK) {
		t.Errorf("outlets at %g and %g K, mixed %g", c.Streams[0].OutletK, c.Streams[1].OutletK, c.OutletK)
	}
	dir := t.TempDir()
	if _, err := writeRun(t.Context(), dir, r, s, Options{}); err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile(filepath.Join(dir, "streams.csv"))
	if err != nil || strings.Count(string(table), "\n") != 3 {
		t.Errorf("%v: %s", err, table)
	}
	of, err := os.ReadFile(filepath.Join(dir, "map_cavity_coolant.csv"))
	if err != nil || !strings.HasPrefix(string(of), "# coolant in layer cavity, z 5e-05 to 0.00015 m, 1 plane(s)\n") {
		t.Errorf("%v: %.200s", err, of)
	}
	plane := make([]float64, m.NX()*m.NY())
	if err := sol.Field.Plane(m.Cavities[0].Fluid, plane); err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(of)), "\n")
	last := strings.Split(rows[len(rows)-1], ",")
	if !strings.HasPrefix(last[20], fieldfile.Metres(plane[len(plane)-1])[:7]) {
		t.Errorf("the map ends with %s, the plane with %g", last[20], plane[len(plane)-1])
	}
}
