package fourier

import (
	"errors"
	"fmt"
	"math"

	"thermsim/mesh"
	"thermsim/stack"
)

// ErrUnfit is why a stack cannot be solved this way.
var ErrUnfit = errors.New("fourier does not apply")

// equidistant is the largest relative deviation of a cell's width from the mean that counts as rounding: widths are differences of coordinates.
const equidistant = 1e-9

// Check says why the transforms do not diagonalise the operator of a stack, in words for users; nil where they do.
func Check(s *stack.Stack) error {
	if err := CheckGrid(s); err != nil {
		return err
	}
	for l := range s.Layers {
		layer := &s.Layers[l]
		if layer.Coolant != nil {
			return fmt.Errorf("%w: coolant flows through layer %s", ErrUnfit, layer.Name)
		}
		for r := range layer.Regions {
			if layer.Regions[r].Fill != nil {
				return fmt.Errorf("%w: layer %s has a fill that follows a map or covers a part of it", ErrUnfit, layer.Name)
			}
			a, b := &s.Materials[layer.Material], &s.Materials[layer.Regions[r].Material]
			if a.K != b.K || a.C != b.C {
				return fmt.Errorf("%w: layer %s has a region of %s in %s", ErrUnfit, layer.Name, b.Name, a.Name)
			}
		}
	}
	return nil
}

// CheckGrid judges the grid, the sides and whether materials are constant: what the method needs as a preconditioner too.
func CheckGrid(s *stack.Stack) error {
	for i := range s.Materials {
		if m := &s.Materials[i]; m.TemperatureDependent() {
			return fmt.Errorf("%w: material %s follows the temperature", ErrUnfit, m.Name)
		}
	}
	for a, axis := range []*stack.Axis{&s.Grid.X, &s.Grid.Y} {
		if graded(axis, s.Size[a]) {
			return fmt.Errorf("%w: the grid is graded along %c", ErrUnfit, "xy"[a])
		}
	}
	_, _, err := endsOf(s)
	return err
}

// graded says whether cells differ in width.
func graded(a *stack.Axis, length float64) bool {
	width, from := length/float64(a.Cells), 0.0
	for _, s := range a.Segments {
		if s.Cells > 1 && math.Abs(s.Ratio-1) > equidistant || math.Abs((s.To-from)/float64(s.Cells)-width) > equidistant*width {
			return true
		}
		from = s.To
	}
	return false
}

// endsOf finds what holds the sides.
func endsOf(s *stack.Stack) (x, y Ends, err error) {
	var held [stack.NumFaces]bool
	for f := stack.West; f < stack.NumFaces; f++ {
		if held[f], err = isHeld(f, &s.Boundary[f]); err != nil {
			return 0, 0, err
		}
	}
	ends := func(low, high bool) Ends {
		switch {
		case low && high:
			return Held
		case low:
			return HeldLow
		case high:
			return HeldHigh
		}
		return Adiabatic
	}
	return ends(held[stack.West], held[stack.East]), ends(held[stack.South], held[stack.North]), nil
}

// isHeld says whether a side is at a temperature. One that leads to a temperature through a resistance is neither that nor adiabatic.
func isHeld(f stack.Face, b *stack.Boundary) (bool, error) {
	switch {
	case b.Kind == stack.FixedTemperature, b.Kind == stack.LumpedResistance && b.Resistance == 0:
		return true, nil
	case b.Kind == stack.Convective && b.H > 0:
		return false, fmt.Errorf("%w: side %s has a heat transfer coefficient", ErrUnfit, f)
	case b.Kind == stack.LumpedResistance:
		return false, fmt.Errorf("%w: side %s has a resistance", ErrUnfit, f)
	}
	return false, nil
}

// Of is the operator of a mesh whose stack Check accepts, in a steady state or, with a positive dt in s, in a time step.
func Of(m *mesh.Mesh, dt float64) (*Layered, error) {
	if err := Check(m.Stack); err != nil {
		return nil, err
	}
	l := &Layered{NX: m.NX(), NY: m.NY(), NZ: m.NZ(), GZ: make([]float64, m.NZ()+1)}
	l.X, l.Y, _ = endsOf(m.Stack)
	for k := range l.NZ {
		gx, gy := lateral(m, k)
		l.GX, l.GY = append(l.GX, held32(gx)), append(l.GY, held32(gy))
		row := make([]float64, l.NX)
		if k > 0 {
			m.CouplingZ(k-1, 0, row)
			l.GZ[k] = held32(row[0])
		}
		if dt > 0 {
			m.Capacity(k, 0, row)
			l.Capacity = append(l.Capacity, held32(row[0]/dt))
		}
	}
	l.GZ[0] = held32(m.FaceConductance(stack.Bottom, 0, 0, 0))
	l.GZ[l.NZ] = held32(m.FaceConductance(stack.Top, 0, 0, l.NZ-1))
	return l, nil
}

// lateral is the conductance between neighbours of plane k along x and y, or what it would be where there are none.
func lateral(m *mesh.Mesh, k int) (gx, gy float64) {
	row := make([]float64, m.NX())
	material := m.At(0, 0, k)
	gx = m.DY(0) * m.DZ(k) * material.K[0] / m.DX(0)
	if m.NX() > 1 {
		m.CouplingX(k, 0, row)
		gx = row[0]
	}
	gy = m.DX(0) * m.DZ(k) * material.K[1] / m.DY(0)
	if m.NY() > 1 {
		m.CouplingY(k, 0, row)
		gy = row[0]
	}
	return gx, gy
}

// held32 is a conductance as the executors of other methods hold it.
func held32(g float64) float64 { return float64(float32(g)) }
