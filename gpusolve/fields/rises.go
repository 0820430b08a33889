package fields

import (
	"fmt"
	"math"

	"thermsim/gpusolve/solution"
	"thermsim/mesh"
)

// Uniform is the rise that a stack starts with where no field is given.
func Uniform(m *mesh.Mesh) float64 {
	if initial := m.Stack.Transient.Initial; initial > 0 {
		return initial - m.Stack.Ambient
	}
	return 0
}

// RisesOf reads a field on the planes of a mesh.
func RisesOf(m *mesh.Mesh, f solution.Field) ([]float64, error) {
	sheet := m.NX() * m.NY()
	rises := make([]float64, m.Cells())
	for k := range m.NZ() {
		if err := ReadRises(m, f, k, rises[k*sheet:(k+1)*sheet]); err != nil {
			return nil, err
		}
	}
	return rises, nil
}

// ReadRises reads plane k.
func ReadRises(m *mesh.Mesh, f solution.Field, k int, plane []float64) error {
	if err := f.Plane(k, plane); err != nil {
		return fmt.Errorf("the field to start from: %w", err)
	}
	for c, kelvin := range plane {
		if !(kelvin > 0) || math.IsInf(kelvin, 0) {
			return fmt.Errorf("%w: the field to start from has %g K in cell %d of plane %d", solution.ErrOption, kelvin,
				c, k)
		}
		plane[c] = kelvin - m.Stack.Ambient
	}
	return nil
}

// Hold copies a field on the planes of a mesh into memory, where it outlives its device.
func Hold(m *mesh.Mesh, f solution.Field) (solution.Field, error) {
	sheet := m.NX() * m.NY()
	kelvin := make(heldField, m.Cells())
	for k := range m.NZ() {
		if err := f.Plane(k, kelvin[k*sheet:(k+1)*sheet]); err != nil {
			return nil, err
		}
	}
	return kelvin, nil
}

// heldField is a field in memory, in K.
type heldField []float64

// Plane copies a plane.
func (h heldField) Plane(k int, dst []float64) error {
	copy(dst, h[k*len(dst):])
	return nil
}

// Evenly is a field of one temperature in K.
type Evenly float64

// Plane fills a plane.
func (e Evenly) Plane(_ int, dst []float64) error {
	for c := range dst {
		dst[c] = float64(e)
	}
	return nil
}
