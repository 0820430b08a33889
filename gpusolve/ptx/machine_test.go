package ptx

import (
	"testing"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/opstest"
)

func TestConformance(t *testing.T) {
	opstest.Run(t, func(t testing.TB) ops.Device {
		m := New(Options{})
		d, err := cuda.Open(m, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.Bind())
		return d
	})
}
