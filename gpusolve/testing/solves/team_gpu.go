package solves

import (
	"math"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/mesh"
)

// GpuTeam solves on ranks whose GPUs are interpreters, one for each or one for all.
func GpuTeam(t *testing.T, m *mesh.Mesh, n int, o gpusolve.Options, shared bool,
	solve func(o gpusolve.Options) (*gpusolve.Solution, error)) (field []float64, transport string) {
	t.Helper()
	fresh := func() cudriver.Driver { return devices.Machine(interpreter.Options{NoRaces: true}) }
	one := fresh()
	err := Together(t, n, func(_ int, g ranks.Group) error {
		o := o
		o.Device, o.Driver, o.Ranks = "gpu", one, g
		if !shared {
			o.Driver = fresh()
		}
		s, err := solve(o)
		if err != nil {
			return err
		}
		defer s.Close()
		if g.Rank() == 0 {
			field, transport = Planes(t, m, s.Field), s.Device.Transport
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return field, transport
}

// Apart is the largest difference of two fields.
func Apart(a, b []float64) float64 {
	far := math.Abs(float64(len(a) - len(b)))
	for i := range min(len(a), len(b)) {
		far = math.Max(far, math.Abs(a[i]-b[i]))
	}
	return far
}
