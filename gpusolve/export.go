package gpusolve

import (
	"fmt"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
	"thermsim/mesh"
	"thermsim/stack"
)

// Exportable refuses a stack whose matrix depends on its solution, and names the cause.
func Exportable(s *stack.Stack) error {
	refuse := func(what, remedy string) error {
		return fmt.Errorf("%w: %s depends on temperature, so the matrix is not constant; %s", ErrOption, what, remedy)
	}
	for i := range s.Materials {
		if m := &s.Materials[i]; m.TemperatureDependent() {
			return refuse("material "+m.Name, "give constants for the operating temperature")
		}
	}
	for f := range s.Boundary {
		if s.Boundary[f].TemperatureDependent() {
			return refuse(fmt.Sprintf("the heat transfer coefficient of the %s face", stack.Face(f)),
				"give a constant h")
		}
	}
	if s.Leaks() {
		return refuse("leakage", "omit it, or give it as a power")
	}
	return nil
}

// Export returns the steady system A theta = b of a mesh, with the same values that Steady solves with: theta is the
// temperature rise over the stack's ambient in K, and b is in W. It runs on the processor and takes about 200 bytes per
// cell.
func Export(m *mesh.Mesh) (a *sparse.Diagonals, b []float64, err error) {
	if err := Exportable(m.Stack); err != nil {
		return nil, nil, err
	}
	if m.Cooled() {
		return nil, nil,
			fmt.Errorf("%w: coolant couples cells beyond their neighbours, which the exported format cannot represent",
				ErrOption)
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
