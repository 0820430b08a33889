package mesh

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"thermsim/powermap"
	"thermsim/stack"
)

// MaxCells is the largest number of cells that is accepted. A larger mesh is most likely a typing error.
const MaxCells = 16 << 30

// MaxSheet is the largest number of cells in a plane: kernels index the cells of a plane by 32 bits, and those of the
// grid by 64.
const MaxSheet = 1<<31 - 1

// Build discretizes a stack on its grid: cells, materials and power.
func Build(s *stack.Stack) (*Mesh, error) { return build(s, nil) }

// Rebuild is Build for a stack with the size, the lateral grid and the powers of m, which it takes over.
func (m *Mesh) Rebuild(s *stack.Stack) (*Mesh, error) { return build(s, m.Power) }

func build(s *stack.Stack, power *powermap.Map) (*Mesh, error) {
	if s.Grid.Auto != nil {
		return nil, errors.New("the grid of this stack is automatic; resolve it with package autogrid before meshing")
	}
	planes := 0.0
	for _, l := range s.Layers {
		planes += float64(l.Planes())
	}
	if n := float64(s.Grid.X.Cells) * float64(s.Grid.Y.Cells) * planes; n > MaxCells {
		return nil, fmt.Errorf("%d x %d x %g is %.3g cells; the limit is %.3g. Fix: coarsen the grid",
			s.Grid.X.Cells, s.Grid.Y.Cells, planes, n, float64(MaxCells))
	}
	if n := float64(s.Grid.X.Cells) * float64(s.Grid.Y.Cells); n > MaxSheet {
		return nil, fmt.Errorf("%d x %d is %.3g cells in a plane; the limit is %d. Fix: coarsen the grid",
			s.Grid.X.Cells, s.Grid.Y.Cells, n, MaxSheet)
	}
	if s.PowerGrid != nil {
		return nil, &stack.Error{Pos: s.PowerGrid.Pos, Msg: "only 'thermsim steady' and 'thermsim check' solve the " +
			"power grid of a stack", Remedy: "remove [power_grid]"}
	}
	if list := s.UnsupportedMaterials(); len(list) > 0 {
		return nil, list
	}
	x, y, err := Faces(s)
	if err != nil {
		return nil, err
	}
	m := &Mesh{Stack: s, X: x, Y: y, Z: []float64{0}, Laws: newLaws(s), Power: power}
	for _, mat := range s.Materials {
		m.add(plain(mat.K, mat.C))
	}
	p := newPainter(m)
	for l := range s.Layers {
		m.addLayer(l, p)
		if err := m.addCavity(l); err != nil {
			return nil, err
		}
	}
	for f := range m.drives {
		m.drives[f] = newDrive(&s.Boundary[f], m.FaceArea(stack.Face(f)))
	}
	m.addPatches()
	if power != nil {
		m.Leakage = newLeakage(m)
		return m, nil
	}
	return m, m.MapPowers()
}

// MapPowers maps the powers of the stack onto the grid, again where they have changed.
func (m *Mesh) MapPowers() (err error) {
	if m.Power, err = powermap.New(m.Stack, powermap.Grid{X: m.X, Y: m.Y}); err != nil {
		return err
	}
	m.Leakage = newLeakage(m)
	return nil
}

// addLayer appends the planes of layer l.
func (m *Mesh) addLayer(l int, p *painter) {
	layer := &m.Stack.Layers[l]
	bottom := m.Z[len(m.Z)-1]
	first := len(m.Planes)
	painted, rough := p.paint(layer)
	index, uniform := m.settle(painted, layer.Material)
	m.Rough = append(m.Rough, rough)
	m.characters = append(m.characters, m.characterise(index, uniform))
	for p := range layer.Planes() {
		m.Z = append(m.Z, bottom+layer.PlaneTop(p))
		m.Planes = append(m.Planes, Plane{Layer: l, Uniform: uniform, Index: index})
	}
	m.Planes[len(m.Planes)-1].ContactAbove = layer.ContactResistance
	m.LayerPlanes = append(m.LayerPlanes, [2]int{first, len(m.Planes)})
}

// newLeakage takes the leakage of the power; nil if there is none.
func newLeakage(m *Mesh) *Leakage {
	if !m.Stack.Leaks() {
		return nil
	}
	l := &Leakage{Laws: &Laws{}}
	for _, layer := range m.Power.Leakage() {
		first := len(l.Terms)
		for _, t := range layer.Terms {
			n := slices.Index(l.curves, t.Law)
			if n < 0 {
				n = int(l.Laws.addCurve(t.Law))
				l.curves = append(l.curves, t.Law)
			}
			l.Terms = append(l.Terms, LeakageTerm{int32(n), int32(len(l.Sheets))})
			l.Sheets = append(l.Sheets, t.Watts)
		}
		r := m.PowerPlanes(layer.Layer)
		for k := r[0]; k < r[1]; k++ {
			l.Planes = append(l.Planes, LeakagePlane{1 / float64(r[1]-r[0]), k, first, len(l.Terms) - first})
		}
	}
	return l
}

// faces returns the face coordinates of an axis of the given length in m.
func faces(a stack.Axis, length float64) ([]float64, error) {
	if a.Cells < 1 {
		return nil, fmt.Errorf("grid with %d cells; expected at least 1", a.Cells)
	}
	if len(a.Segments) == 0 {
		f := make([]float64, a.Cells+1)
		for i := range f {
			f[i] = length * (float64(i) / float64(a.Cells))
		}
		return f, nil
	}
	f := make([]float64, 1, a.Cells+1)
	for _, s := range a.Segments {
		from := f[len(f)-1]
		if !(s.To > from) || s.Cells < 1 || !(s.Ratio > 0) {
			return nil, fmt.Errorf("grid segment from %g m to %g m with %d cells and ratio %g; ends must increase, "+
				"cells and ratio must be positive", from, s.To, s.Cells, s.Ratio)
		}
		f = appendSegment(f, s)
	}
	if end := f[len(f)-1]; math.Abs(end-length) > 1e-9*length {
		return nil, fmt.Errorf("grid segments end at %g m, the domain at %g m; make the last "+
			"segment end there", end, length)
	}
	f[len(f)-1] = length
	return f, nil
}

// appendSegment adds the faces of one segment. Sizes are d, d q, d q^2 ... with q^(n-1) = Ratio.
func appendSegment(f []float64, s stack.Segment) []float64 {
	from := f[len(f)-1]
	length := s.To - from
	q := 1.0
	if s.Cells > 1 {
		q = math.Pow(s.Ratio, 1/float64(s.Cells-1))
	}
	total, size := 0.0, 1.0
	for range s.Cells {
		total += size
		size *= q
	}
	sum, size := 0.0, 1.0
	for range s.Cells - 1 {
		sum += size
		size *= q
		f = append(f, from+length*(sum/total))
	}
	return append(f, s.To)
}

// Faces returns the lateral face coordinates in m of the stack's grid.
func Faces(s *stack.Stack) (x, y []float64, err error) {
	if x, err = faces(s.Grid.X, s.Size[0]); err != nil {
		return nil, nil, fmt.Errorf("x: %w", err)
	}
	if y, err = faces(s.Grid.Y, s.Size[1]); err != nil {
		return nil, nil, fmt.Errorf("y: %w", err)
	}
	return x, y, nil
}
