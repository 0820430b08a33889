package gpusolve

import (
	"fmt"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
	"thermsim/mesh"
)

// ErrNonlinear refuses to write out a system whose matrix depends on its solution.
var ErrNonlinear = fmt.Errorf("%w: properties of materials follow the temperature, so there is no one matrix; give constants for the temperature that you mean", ErrOption)

// Export writes out the steady system A theta = b of a mesh, theta the rise over the stack's ambient in K and b in W: the very numbers that Steady
// solves with. It works on the processor and takes about 200 bytes a cell.
func Export(m *mesh.Mesh) (a *sparse.Diagonals, b []float64, err error) {
	if m.TemperatureDependent() {
		return nil, nil, ErrNonlinear
	}
	if m.Cooled() {
		return nil, nil, fmt.Errorf("%w: coolant couples cells beyond their neighbours, which the form that is written cannot hold", ErrOption)
	}
	dev := host.Open()
	defer dev.Close()
	defer dev.Bind()()
	sys, err := dev.Assemble(m, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrDevice, err)
	}
	defer sys.Free()
	source, err := sys.NewSource(true)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrDevice, err)
	}
	source.SetPower(m.Power.Steady())
	d, err := sys.(ops.Forms).Diagonals()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrDevice, err)
	}
	b = make([]float64, m.Cells())
	source.Read(b)
	return d.Download(), b, nil
}
