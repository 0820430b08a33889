package verify

import (
	"errors"
	"math"
	"path/filepath"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/internal/testtier"
	"thermsim/interop/hotspot"
	"thermsim/interop/importer"
	"thermsim/interop/network/netsolve"
	"thermsim/mesh"
)

// importHotSpot imports a case of package hotspot.
func importHotSpot(t *testing.T, dir, config string, compat bool, named map[string]string) *importer.Result {
	t.Helper()
	file := filepath.Join("..", "..", "interop", "hotspot", "testdata", dir, config)
	r, err := hotspot.Format.Import(importer.Request{Files: []string{file}, Named: named, Compat: compat,
		Direct: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Frames of HotSpot's transient, cell by cell: all of them in the full tier. The file has the fields of the five layers
// above the dummy, frame by frame.
func TestImportHotSpotTransient(t *testing.T) {
	r := importHotSpot(t, "eqstack", "stack.config", true,
		map[string]string{"ptrace": "step20.ptrace", "detailed_3D": "on"})
	m, err := mesh.Build(r.Stack)
	if err != nil {
		t.Fatal(err)
	}
	want := loadMaps(t, "hotspot", "transient_64.fld.gz")
	const layers = 5
	if steps := r.Stack.Transient.Steps; len(want) != layers*steps {
		t.Fatalf("%d maps for %d steps", len(want), steps)
	}
	n, largest := 0, 0.0
	plan := gpusolve.TransientOptions{Steps: testtier.Pick(6, r.Stack.Transient.Steps), Dt: r.Stack.Transient.Dt,
		OnStep: func(_ solution.Step, f solution.Field) error {
			for k := range layers {
				largest = max(largest, planeError(t, f, k+1, want[n*layers+k]))
			}
			n++
			return nil
		}}
	if _, err := netsolve.Transient(t.Context(), r.Network, m, gpusolve.Options{Device: "cpu"}, plan); err != nil {
		t.Fatal(err)
	}
	judgePeer(t, largest, 1e-4)
}

// Without --compat the plates have their real size and cells in height. The notes on HotSpot's first example put a
// cell-centred finite-volume code with two cells in the spreader and six in the sink at a peak of 343.69 K in the die,
// where HotSpot has 342.33 K.
func TestImportHotSpotDefault(t *testing.T) {
	r := importHotSpot(t, "ev6_2d", "ev6.config", false,
		map[string]string{"ptrace": "gcc_avg.ptrace", "flp": "ev6.flp"})
	if r.Network != nil {
		t.Fatal("thermsim's own way needs no network")
	}
	s := steadyField(t, r.Stack)
	t.Logf("peak %.2f K", s.PeakK)
	if math.Abs(s.PeakK-343.69) > 0.1 {
		t.Errorf("the peak is %.3f K, an independent code has 343.69 K", s.PeakK)
	}
	if math.Abs(s.Energy.Out-40.2073) > 1e-3 {
		t.Errorf("%.4f W leave, the trace's mean is 40.2073 W", s.Energy.Out)
	}
}

// The top layer's blocks are of bad material, the copper plates above are not: an independent finite-volume calculation
// of the stack as it is built has 52.49 degC.
func TestImportHotSpotTopBlocks(t *testing.T) {
	r := importHotSpot(t, "topblocks", "c.config", false,
		map[string]string{"ptrace": "p.ptrace", "grid_layer_file": "s.lcf", "detailed_3D": "on"})
	if s := steadyField(t, r.Stack); math.Abs(s.PeakK-(273.15+52.49)) > 0.01 {
		t.Errorf("the peak is %.3f degC, it should be 52.49 degC", s.PeakK-273.15)
	}
}

// A transient of thermsim's own way begins with the temperatures of an initial file, block by block: after a nanosecond
// they are still there.
func TestImportHotSpotInitialField(t *testing.T) {
	r := importHotSpot(t, "detailed", "chip.config", false,
		map[string]string{"ptrace": "chip.ptrace", "grid_layer_file": "chip.lcf", "detailed_3D": "on",
			"init_file": "chip.init"})
	m, err := mesh.Build(r.Stack)
	if err != nil {
		t.Fatal(err)
	}
	start, err := m.Initial(r.Initial)
	if err != nil {
		t.Fatal(err)
	}
	sol, err := gpusolve.Transient(t.Context(), m, gpusolve.Options{Device: "cpu"},
		gpusolve.TransientOptions{Steps: 1, Dt: 1e-9, Initial: start})
	if err != nil {
		t.Fatal(err)
	}
	defer sol.Close()
	want, got := make([]float64, m.NX()*m.NY()), make([]float64, m.NX()*m.NY())
	coldest, hottest := math.Inf(1), math.Inf(-1)
	for k := range m.NZ() {
		if err := errors.Join(start.Plane(k, want), sol.Field.Plane(k, got)); err != nil {
			t.Fatal(err)
		}
		for c := range want {
			if math.Abs(got[c]-want[c]) > 0.05 {
				t.Fatalf("plane %d, cell %d: %g K a nanosecond after %g K", k, c, got[c], want[c])
			}
			coldest, hottest = math.Min(coldest, got[c]), math.Max(hottest, got[c])
		}
	}
	if hottest-coldest < 60 {
		t.Errorf("temperatures from %g to %g K; those of the file span 79 K", coldest, hottest)
	}
}

// A deviation that shows in transients alone is measured in one: a third of all capacities makes 14 K here.
func TestMeasuredInTime(t *testing.T) {
	r := importHotSpot(t, "eqstack", "stack.config", false,
		map[string]string{"ptrace": "step20.ptrace", "detailed_3D": "on"})
	request :=
		importer.Request{
			Files: []string{filepath.Join("..", "..", "interop", "hotspot", "testdata", "eqstack", "stack.config")},
			Named: map[string]string{"ptrace": "step20.ptrace", "detailed_3D": "on"}}
	if err := MeasureDeviations(t.Context(), r, request, gpusolve.Options{Device: "cpu"}); err != nil {
		t.Fatal(err)
	}
	for _, d := range r.Deviations {
		if d.Name == "third-of-capacity" && !(d.Measured && d.Steps == 20 && math.Abs(d.SizeK-14) < 0.5) {
			t.Errorf("%+v", d)
		}
	}
}
