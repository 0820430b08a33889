package fourier

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"thermsim/gpusolve/precond"
	"thermsim/mesh"
	"thermsim/stack"
)

// ErrUnfit is why a stack cannot be solved this way.
var ErrUnfit = errors.New("fourier does not apply")

// equidistant is the largest relative deviation of a cell's width from the mean that counts as rounding: widths are
// differences of coordinates.
const equidistant = 1e-9

// Check says why the transforms do not diagonalise the operator of a mesh, in words for users; nil where they do.
func Check(m *mesh.Mesh) error {
	if err := CheckGrid(m.Stack); err != nil {
		return err
	}
	for l, planes := range m.LayerPlanes {
		if m.Planes[planes[0]].Index != nil {
			return fmt.Errorf("%w: %s", ErrUnfit, uneven(m.Stack, &m.Stack.Layers[l]))
		}
		if f, ok := lopsided(m, planes[0]); ok {
			return fmt.Errorf("%w: regions cut every cell of layer %s off its middle, and side %s is at a temperature",
				ErrUnfit, m.Stack.Layers[l].Name, f)
		}
	}
	return nil
}

// lopsided finds a held side to which a plane's cells, all alike, do not conduct twice what they conduct to each other,
// as Layered does: regions that cut each cell alike give its halves different conductivities. That is so on any grid of
// one cell, and where stripes have the pitch of the grid.
func lopsided(m *mesh.Mesh, k int) (f stack.Face, ok bool) {
	gx, gy := lateral(m, k)
	for f = stack.West; f < stack.NumFaces; f++ {
		i, j, twice := 0, 0, 2*gx
		switch f {
		case stack.East:
			i = m.NX() - 1
		case stack.North:
			j = m.NY() - 1
		}
		if f >= stack.South {
			twice = 2 * gy
		}
		if held, _ := isHeld(f, &m.Stack.Boundary[f]); held &&
			math.Abs(m.FaceConductance(f, i, j, k)-twice) > 10*equidistant*twice {
			return f, true
		}
	}
	return 0, false
}

// uneven is what makes a layer differ from place to place.
func uneven(s *stack.Stack, l *stack.Layer) string {
	own := &s.Materials[l.Material]
	for r := range l.Regions {
		if f := l.Regions[r].Fill; f != nil &&
			!(covers(s, &l.Regions[r]) && slices.Min(f.Values) == slices.Max(f.Values)) {
			return fmt.Sprintf("layer %s has a fill that follows a map or covers a part of it", l.Name)
		}
		if of := &s.Materials[l.Regions[r].Material]; of.K != own.K || of.C != own.C {
			return fmt.Sprintf("layer %s has a region of %s in %s", l.Name, of.Name, own.Name)
		}
	}
	return fmt.Sprintf("layer %s is not uniform", l.Name)
}

// covers says whether a region is the rectangle of the whole stack.
func covers(s *stack.Stack, r *stack.Region) bool { return r.Shape == nil && r.Rect == s.Domain() }

// MayApply says before there is a mesh whether Check may accept it: every layer is of one material, or regions that are
// alike are together as large as it.
func MayApply(s *stack.Stack) bool {
	if CheckGrid(s) != nil {
		return false
	}
	for l := range s.Layers {
		if !mayBeEven(s, &s.Layers[l]) {
			return false
		}
	}
	return true
}

func mayBeEven(s *stack.Stack, l *stack.Layer) bool {
	type kind struct {
		k    [3]float64
		c    float64
		fill stack.Rule
		part float64
	}
	of := func(material int) kind { return kind{k: s.Materials[material].K, c: s.Materials[material].C} }
	areas, own, others := map[kind]float64{}, of(l.Material), false
	for i := range l.Regions {
		r := &l.Regions[i]
		key := of(r.Material)
		if f := r.Fill; f != nil {
			key.fill, key.part = f.Rule, slices.Max(f.Values)
		}
		area := r.Width * r.Height
		if r.Shape != nil {
			area = r.Shape.Area()
		}
		areas[key] += area
		others = others || key != own
	}
	for _, area := range areas {
		if area >= s.Size[0]*s.Size[1]*(1-equidistant) {
			return true
		}
	}
	return !others
}

// CheckGrid judges the grid, the sides and whether materials are constant: what the method needs as a preconditioner
// too.
func CheckGrid(s *stack.Stack) error {
	for l := range s.Layers {
		if s.Layers[l].Coolant != nil {
			return fmt.Errorf("%w: coolant flows through layer %s", ErrUnfit, s.Layers[l].Name)
		}
	}
	for i := range s.Materials {
		if m := &s.Materials[i]; m.TemperatureDependent() {
			return fmt.Errorf("%w: material %s is temperature-dependent", ErrUnfit, m.Name)
		}
	}
	for f := range s.Boundary {
		if len(s.Boundary[f].Patches) > 0 {
			return fmt.Errorf("%w: the %s face has patches, whose conditions differ from place to place", ErrUnfit,
				stack.Face(f))
		}
		if s.Boundary[f].TemperatureDependent() {
			return fmt.Errorf("%w: the heat-transfer coefficient of the %s face is temperature-dependent", ErrUnfit,
				stack.Face(f))
		}
	}
	if s.Leaks() {
		return fmt.Errorf("%w: leakage is temperature-dependent", ErrUnfit)
	}
	for a, axis := range []*stack.Axis{&s.Grid.X, &s.Grid.Y} {
		if graded(axis, s.Size[a]) {
			return fmt.Errorf("%w: the grid is graded along %c", ErrUnfit, "xy"[a])
		}
	}
	_, _, err := endsOf(s)
	return err
}

// Refusal is why the method can do nothing for a stack, not even as a preconditioner; nil where it can.
func Refusal(s *stack.Stack) error {
	if err := CheckGrid(s); err != nil {
		return fmt.Errorf("%w: %w; choose another preconditioner", precond.ErrRefused, err)
	}
	return nil
}

// graded says whether cells differ in width.
func graded(a *stack.Axis, length float64) bool {
	width, from := length/float64(a.Cells), 0.0
	for _, s := range a.Segments {
		if s.Cells > 1 && math.Abs(s.Ratio-1) > equidistant ||
			math.Abs((s.To-from)/float64(s.Cells)-width) > equidistant*width {
			return true
		}
		from = s.To
	}
	return false
}

// endsOf finds what holds the sides.
func endsOf(s *stack.Stack) (x, y Ends, err error) {
	var ends [2]Ends
	for n, f := range []stack.Face{stack.West, stack.East, stack.South, stack.North} {
		held, err := isHeld(f, &s.Boundary[f])
		if err != nil {
			return 0, 0, err
		}
		if held {
			ends[n/2] |= HeldLow << (n % 2)
		}
	}
	return ends[0], ends[1], nil
}

// isHeld reports whether a side is at a fixed temperature, and refuses one that is neither that nor adiabatic.
func isHeld(f stack.Face, b *stack.Boundary) (bool, error) {
	r, exchanges := b.SurfaceResistance(1)
	if r > 0 && exchanges {
		return false, fmt.Errorf("%w: the %s face is neither adiabatic nor at a fixed temperature", ErrUnfit, f)
	}
	return exchanges, nil
}

// Of is the operator of a mesh that Check accepts, in a steady state or, with a positive dt in s, in a time step.
func Of(m *mesh.Mesh, dt float64) (*Layered, error) {
	if err := Check(m); err != nil {
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
