package mumax3

import (
	"slices"
	"testing"
	"unsafe"

	"thermsim/gpusolve"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
)

// A stack solved through the bindings has the bits that it has through the driver beneath, directly and by multigrid.
func TestSolveOnGPU(t *testing.T) {
	below, err := cudriver.Open()
	if err != nil {
		t.Skip(err)
	}
	if err := below.Init(); err != nil {
		t.Skip(err)
	}
	m, err := mesh.Build(cases.Stack10(cases.Options{NX: 96}))
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"", "multigrid"} {
		var fields [2][]float64
		counted := &counting{Driver: Over(below)}
		for n, drv := range []cudriver.Driver{below, counted} {
			s, err := gpusolve.Steady(t.Context(), m,
				gpusolve.Options{Device: "gpu", Driver: drv, Preconditioner: method})
			if err != nil {
				t.Fatal(err)
			}
			fields[n] = make([]float64, m.NX()*m.NY())
			if err := s.Field.Plane(1, fields[n]); err != nil {
				t.Fatal(err)
			}
			t.Logf("%q on %s: set up in %v, solved in %v", method, s.Device.Name, s.Timing.Setup, s.Timing.Solve)
			s.Close()
		}
		if !slices.Equal(fields[0], fields[1]) || counted.launches == 0 {
			t.Errorf("%q: the fields differ, or none of %d launches went through the bindings", method,
				counted.launches)
		}
	}
}

// counting counts launches.
type counting struct {
	cudriver.Driver
	launches int
}

func (c *counting) LaunchKernel(f cudriver.Function, grid, block [3]uint32, shared uint32, s cudriver.Stream,
	params []unsafe.Pointer) error {
	c.launches++
	return c.Driver.LaunchKernel(f, grid, block, shared, s, params)
}
