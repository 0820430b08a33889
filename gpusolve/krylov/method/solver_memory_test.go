package method_test

import (
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/mesh"
)

// measured is a device that counts what is allocated on it.
type measured interface {
	ops.Device
	Allocated() int64
}

// What the solvers are said to take is what they allocate, but for the ends of their vectors and a few numbers: on the
// processor, and on a GPU, where conjugate gradients keep single precision.
func TestMemoryOfSolvers(t *testing.T) {
	m, err := mesh.Build(cases.Stack10(cases.Options{NX: 48}))
	if err != nil {
		t.Fatal(err)
	}
	shape := precond.Shape{NX: m.NX(), NY: m.NY(), NZ: m.NZ(), Unknowns: int64(m.Cells()), Symmetric: true,
		Assembled: true, Mesh: m}
	onGPU := shape
	onGPU.GPU = true
	for name, c := range map[string]struct {
		device measured
		stated int64
		open   func(f *fake) error
	}{
		"conjugate gradients": {host.Open(), krylov.PCGMemory(shape),
			func(f *fake) error { _, err := krylov.NewPCG(f.s, f); return err }},
		"conjugate gradients on a GPU": {devices.Interpreter(t, interpreter.Options{NoRaces: true}),
			krylov.PCGMemory(onGPU), func(f *fake) error { _, err := krylov.NewPCG(f.s, f); return err }},
		"BiCGSTAB": {host.Open(), krylov.BiCGSTABMemory(shape),
			func(f *fake) error { _, err := krylov.NewBiCGSTAB(f.s, f); return err }},
	} {
		s, err := c.device.Assemble(m, 0)
		if err != nil {
			t.Fatal(err)
		}
		before := c.device.Allocated()
		if err := c.open(&fake{s: s, scale: func(int) float64 { return 1 }}); err != nil {
			t.Fatal(err)
		}
		if taken := c.device.Allocated() - before; taken > c.stated+1024 || float64(taken) < 0.9*float64(c.stated) {
			t.Errorf("%s: %d bytes are stated, %d taken", name, c.stated, taken)
		}
		c.device.Close()
	}
}
