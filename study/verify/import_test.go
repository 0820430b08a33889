package verify

import (
	"path/filepath"
	"testing"

	"thermsim/gpusolve/solution"
	"thermsim/interop/importer"
	"thermsim/interop/threedice"
)

// import3DICE imports a case of package threedice.
func import3DICE(t *testing.T, name string, compat bool) *importer.Result {
	t.Helper()
	file := filepath.Join("..", "..", "interop", "threedice", "testdata", name, "case.stk")
	r, err := threedice.Format.Import(importer.Request{Files: []string{file}, Compat: compat})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// With --compat an imported project gives 3D-ICE's own temperatures, cell by cell.
func TestImport3DICESteady(t *testing.T) {
	for _, name := range []string{"steady", "aniso", "layout"} {
		t.Run(name, func(t *testing.T) {
			f := steadyField(t, import3DICE(t, name, true).Stack).Field
			feol, other := loadMaps(t, "3dice", name+"_feol.fld.gz"), loadMaps(t, "3dice", name+"_other.fld.gz")
			largest := 0.0
			for i, k := range feolPlanes {
				largest = max(largest, planeError(t, f, k, feol[i]))
			}
			for i, k := range otherPlanes {
				largest = max(largest, planeError(t, f, k, other[i]))
			}
			judgePeer(t, largest, 1e-5)
		})
	}
}

func TestImport3DICETransient(t *testing.T) {
	const slot = 10
	st := import3DICE(t, "transient", true).Stack
	if st.Transient.Steps != 50 || st.Transient.Dt != 1e-3 {
		t.Fatalf("%d steps of %g s", st.Transient.Steps, st.Transient.Dt)
	}
	feol, other := loadMaps(t, "3dice", "transient_feol.fld.gz"), loadMaps(t, "3dice", "transient_other.fld.gz")
	steps := st.Transient.Steps
	largest := 0.0
	stepThrough(t, st, func(n int, f solution.Field) {
		for i, k := range feolPlanes {
			largest = max(largest, planeError(t, f, k, feol[i*steps+n]))
		}
		if n%slot == slot-1 {
			for i, k := range otherPlanes {
				largest = max(largest, planeError(t, f, k, other[i*steps/slot+n/slot]))
			}
		}
	})
	judgePeer(t, largest, 1e-5)
}

// Without --compat the node of the bottom layer is in its middle, which the catalogue of 3D-ICE's deviations puts at up
// to 0.116 K here.
func TestImport3DICEDefault(t *testing.T) {
	r := import3DICE(t, "steady", false)
	f := steadyField(t, r.Stack).Field
	feol := loadMaps(t, "3dice", "steady_feol.fld.gz")
	d := planeError(t, f, feolPlanes[0], feol[0])
	t.Logf("largest difference in the source layer %.4f K", d)
	if !(d > 0.01 && d < 0.12) {
		t.Errorf("thermsim's own arithmetic differs by %g K from 3D-ICE's, expected some hundredths", d)
	}
	if len(r.Deviations) == 0 || r.Deviations[0].Name != "outer-node" || r.Deviations[0].Emulated {
		t.Errorf("deviations: %+v", r.Deviations)
	}
}
