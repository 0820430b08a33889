package meshed_test

import (
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
)

// Systems with patches whose materials follow the temperature: processor and GPU agree to the bit, and the heat of the
// patches adds up to that of the face.
func TestRefreshAtWithPatches(t *testing.T) {
	for seed := range uint64(6) {
		s := followed(0)
		cases.Patch(rand.New(rand.NewPCG(seed, 5)), s)
		of := map[string]assembled{}
		for name, open := range solves.Executors(t) {
			dev := open()
			defer dev.Close()
			defer dev.Bind()()
			m, err := mesh.Build(s)
			if err != nil {
				t.Fatal(err)
			}
			sys, err := dev.Assemble(m, 1e-3)
			if err != nil {
				t.Fatal(err)
			}
			defer sys.Free()
			x, _ := sys.New64()
			old, _ := sys.New64()
			rng := rand.New(rand.NewPCG(seed, 6))
			a, b := make([]float64, x.Len()), make([]float64, x.Len())
			for c := range a {
				a[c], b[c] = -20+120*rng.Float64(), -20+120*rng.Float64()
			}
			sys.Write(x, a)
			sys.Write(old, b)
			if err := sys.RefreshAt(x, old); err != nil {
				t.Fatal(err)
			}
			of[name] = assembledOf(t, sys, x, old)
			patchesAddUp(t, m, sys.FaceHeat(x), a)
		}
		host, device := of["host"], of["interpreter"]
		host.same(t, "host and GPU", &device, 1e-13)
	}
}

// patchesAddUp compares the heat through the patches at rises x with that through the faces.
func patchesAddUp(t *testing.T, m *mesh.Mesh, heat [6]float64, x []float64) {
	t.Helper()
	states, err := m.Patches(func(k int, kelvin []float64) error {
		for c := range kelvin {
			kelvin[c] = m.Stack.Ambient + x[k*len(kelvin)+c]
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var sum, flows [6]float64
	for _, p := range states {
		sum[p.Face] += p.Heat
		flows[p.Face] += max(p.Heat, -p.Heat)
	}
	for f := range sum {
		if m.Patched[f] != nil && max(sum[f]-heat[f], heat[f]-sum[f]) > 1e-11*flows[f] {
			t.Errorf("face %d: %.15g W through its patches, %.15g through it", f, sum[f], heat[f])
		}
	}
}
