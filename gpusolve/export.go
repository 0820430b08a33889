package gpusolve

import (
	"fmt"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
	"thermsim/mesh"
)

// Export writes out the steady system A theta = b of a mesh, theta the rise over the stack's ambient in K and b in W: the very numbers that Steady
// solves with. It works on the processor and takes about 200 bytes a cell.
func Export(m *mesh.Mesh) (a *sparse.Diagonals, b []float64, err error) {
	dev := host.Open()
	defer dev.Close()
	defer dev.Bind()()
	sys, err := dev.Assemble(m, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrDevice, err)
	}
	defer sys.Free()
	sys.SetPower(m.Power.Steady())
	d, err := sys.(ops.Forms).Diagonals()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrDevice, err)
	}
	r, err := sys.NewWork()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrDevice, err)
	}
	r32, err := sys.Single(r)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrDevice, err)
	}
	sys.Residual(r, r32, nil, nil) // b, as x is zero
	b = make([]float64, m.Cells())
	sys.Read(r, b)
	return d.Download(), b, nil
}
