package gpusolve_test

import (
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/cases"
)

func TestTimeProducts(t *testing.T) {
	all, err := gpusolve.TimeProducts(stackMesh(t, cases.Options{NX: 16}), gpusolve.Options{Device: "cpu"}, 3)
	if err != nil {
		t.Fatal(err)
	}
	bytes := map[string]float64{}
	for _, p := range all {
		if !(p.Seconds > 0) {
			t.Errorf("%+v took no time", p)
		}
		bytes[p.Operation+" "+p.Format+" "+p.Form+" "+p.Entries+" "+p.Vectors] = p.Bytes
	}
	// A cell's share of the four diagonals, and of what is read and written: in a step d, z and r are read, and the next ones written.
	for what, want := range map[string]float64{
		"product quaddiag plain fp64 fp64": 48, "product quaddiag plain fp32 fp64": 32, "product quaddiag plain fp32 fp32": 24, "product quaddiag plain fp16 fp32": 16,
		"step quaddiag plain fp16 fp32": 32, "step quaddiag scaled fp16 fp32": 30, "step quaddiag plain fp64 fp64": 80, "step quaddiag plain fp32 fp32": 40,
		"product csr plain fp64 fp64": 12*(7-2.0/16-2.0/16-2.0/10) + 8 + 16,
	} {
		if d := bytes[what] - want; d > 1e-9 || d < -1e-9 {
			t.Errorf("%s: %g bytes a cell, want %g", what, bytes[what], want)
		}
	}
	if _, err := gpusolve.TimeProducts(stackMesh(t, cases.Options{NX: 16}), gpusolve.Options{Device: "cpu"}, 0); err == nil {
		t.Error("no runs were taken")
	}
}
