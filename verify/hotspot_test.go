package verify

import (
	"math"
	"path/filepath"
	"testing"

	"thermsim/gpusolve"
	"thermsim/importer"
	"thermsim/importer/hotspot"
	"thermsim/mesh"
	"thermsim/network/netsolve"
)

// importHotSpot imports a case of package hotspot.
func importHotSpot(t *testing.T, dir, config string, compat bool, named map[string]string) *importer.Result {
	t.Helper()
	file := filepath.Join("..", "importer", "hotspot", "testdata", dir, config)
	r, err := hotspot.Format{}.Import(importer.Request{Files: []string{file}, Named: named, Compat: compat, Direct: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Every frame of HotSpot's transient, cell by cell. The fields of the five layers above the dummy follow each other, frame by frame.
func TestImportHotSpotTransient(t *testing.T) {
	r := importHotSpot(t, "eqstack", "stack.config", true, map[string]string{"ptrace": "step20.ptrace", "detailed_3D": "on"})
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
	plan := gpusolve.TransientOptions{Steps: r.Stack.Transient.Steps, Dt: r.Stack.Transient.Dt, OnStep: func(_ gpusolve.Step, f gpusolve.Field) error {
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

// Without --compat the plates have their real size and cells in height. The notes on HotSpot's first example put a cell-centred finite-volume code with
// two cells in the spreader and six in the sink at a peak of 343.69 K in the die, where HotSpot has 342.33 K.
func TestImportHotSpotDefault(t *testing.T) {
	r := importHotSpot(t, "ev6_2d", "ev6.config", false, map[string]string{"ptrace": "gcc_avg.ptrace", "flp": "ev6.flp"})
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
