package krylov_test

import (
	"testing"

	"thermsim/gpusolve/cases"
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/precond"
	"thermsim/mesh"
)

// What the solvers are said to take is what they allocate, on the processor, but for the ends of their vectors.
func TestMemoryOfSolvers(t *testing.T) {
	m, err := mesh.Build(cases.Stack10(cases.Options{NX: 48}))
	if err != nil {
		t.Fatal(err)
	}
	shape := precond.Shape{NX: m.NX(), NY: m.NY(), NZ: m.NZ(), Unknowns: int64(m.Cells()), Symmetric: true, Assembled: true, Mesh: m}
	for name, c := range map[string]struct {
		stated int64
		open   func(s *fake) error
	}{
		"conjugate gradients": {krylov.PCGMemory(shape), func(f *fake) error { _, err := krylov.NewPCG(f.s, f); return err }},
		"BiCGSTAB":            {krylov.BiCGSTABMemory(shape), func(f *fake) error { _, err := krylov.NewBiCGSTAB(f.s, f); return err }},
	} {
		d := host.Open()
		s, err := d.Assemble(m, 0)
		if err != nil {
			t.Fatal(err)
		}
		before := d.Allocated()
		if err := c.open(&fake{s: s, scale: func(int) float64 { return 1 }}); err != nil {
			t.Fatal(err)
		}
		if taken := d.Allocated() - before; taken > c.stated || float64(taken) < 0.9*float64(c.stated) {
			t.Errorf("%s: %d bytes are stated, %d taken", name, c.stated, taken)
		}
		d.Close()
	}
}
