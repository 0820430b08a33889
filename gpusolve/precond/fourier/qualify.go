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
	if err := CheckSides(m.Stack); err != nil {
		return err
	}
	for l, planes := range m.LayerPlanes {
		if m.Planes[planes[0]].Index != nil {
			return fmt.Errorf("%w: %s", ErrUnfit, uneven(m.Stack, &m.Stack.Layers[l]))
		}
		if why := lopsided(m, planes[0]); why != "" {
			return fmt.Errorf("%w: regions cut every cell of layer %s off its middle, and %s", ErrUnfit,
				m.Stack.Layers[l].Name, why)
		}
	}
	return nil
}

// lopsided finds what a plane's cells, all alike, meet with halves of different conductivities: a held side to which
// they do not conduct twice what they conduct to each other, as Layered does, or cells of other widths. Regions that
// cut each cell alike give it such halves. That is so on any grid of one cell, and where stripes have the pitch of the
// grid.
func lopsided(m *mesh.Mesh, k int) string {
	x, y := axesOfMesh(m)
	half := m.At(0, 0, k).Half
	for n, a := range []axis{x, y} {
		if a.graded() && half[2*n] != half[2*n+1] {
			return gradedAlong(n)
		}
	}
	gx, gy := lateral(m, k)
	for f := stack.West; f < stack.NumFaces; f++ {
		along, across, g, cell := x, y, gx, [2]int{}
		if f.Across() == 1 {
			along, across, g = y, x, gy
		}
		end := 0
		if f.High() {
			end, cell[f.Across()] = along.n, along.n-1
		}
		want := g * along.couplings()[end] * across.weights()[0]
		if along.ends&(HeldLow<<(f%2)) != 0 &&
			math.Abs(m.FaceConductance(f, cell[0], cell[1], k)-want) > 10*equidistant*want {
			return fmt.Sprintf("side %s is at a temperature", f)
		}
	}
	return ""
}

func gradedAlong(axis int) string { return "the grid is graded along " + string("xy"[axis]) }

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
	if CheckSides(s) != nil {
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

// Processor time in seconds, as measured on a core with AVX2: of the direct solver per cell, per cell and number of
// cells along graded axes, and per cube of such a number for the eigenvectors; of multigrid per cell.
const (
	secondsPerCell     = 65e-9
	secondsPerProduct  = 0.09e-9
	secondsPerCube     = 1.1e-9
	secondsByMultigrid = 430e-9
	// longestForVectors is about the time in which a GPU is opened: with vectors that take longer, multigrid on the GPU
	// is faster, by 0.1 s of 0.36 s with 512 x 512 cells.
	longestForVectors = 0.2
)

// Seconds is about the time that a core takes to solve a stack directly, and the part of it that graded axes take.
func Seconds(s *stack.Stack) (all, graded float64) {
	cells, across, cubes := gradedSums(s)
	graded = secondsPerProduct*cells*across + secondsPerCube*cubes
	return secondsPerCell*cells + graded, graded
}

// gradedSums are the cells of a stack, and the sums of the cells across graded axes and of their cubes.
func gradedSums(s *stack.Stack) (cells, across, cubes float64) {
	planes := 0
	for i := range s.Layers {
		planes += s.Layers[i].Planes()
	}
	cells = float64(planes)
	for axis, a := range []*stack.Axis{&s.Grid.X, &s.Grid.Y} {
		n := float64(a.Cells)
		cells *= n
		if graded(a, s.Size[axis]) || behindFilm(s, axis) {
			across, cubes = across+n, cubes+n*n*n
		}
	}
	return cells, across, cubes
}

// Slow says why multigrid is expected to solve a stack sooner, although this method applies; nil where it is not.
func Slow(s *stack.Stack) error {
	cells, _, cubes := gradedSums(s)
	if all, _ := Seconds(s); all < secondsByMultigrid*cells && secondsPerCube*cubes < longestForVectors {
		return nil
	}
	return fmt.Errorf("%w: multigrid is faster than eigenvectors on %d x %d cells", ErrUnfit, s.Grid.X.Cells,
		s.Grid.Y.Cells)
}

// CheckSides judges the sides and whether materials are constant, which the method needs as a preconditioner too.
func CheckSides(s *stack.Stack) error {
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
	_, _, err := endsOf(s)
	return err
}

// Refusal is why the method can do nothing for a stack, not even as a preconditioner; nil where it can.
func Refusal(s *stack.Stack) error {
	if err := CheckSides(s); err != nil {
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

// endsOf finds what holds the sides. A film is taken where it has the same part of all conductances to a side: where
// all layers conduct alike.
func endsOf(s *stack.Stack) (x, y Ends, err error) {
	var ends [2]Ends
	for f := stack.West; f < stack.NumFaces; f++ {
		axis := f.Across()
		if isFilm(&s.Boundary[f]) && !conductAlike(s, axis) {
			return 0, 0, fmt.Errorf("%w: the %s face is neither adiabatic nor at a fixed temperature", ErrUnfit, f)
		}
		if _, exchanges := s.Boundary[f].SurfaceResistance(1); exchanges {
			ends[axis] |= HeldLow << (f % 2)
		}
	}
	return ends[0], ends[1], nil
}

// isFilm says that a resistance lies between a face and its temperature.
func isFilm(b *stack.Boundary) bool {
	r, exchanges := b.SurfaceResistance(1)
	return r > 0 && exchanges
}

// behindFilm says that an end of an axis is behind a film.
func behindFilm(s *stack.Stack, axis int) bool {
	low := stack.West + stack.Face(2*axis)
	return isFilm(&s.Boundary[low]) || isFilm(&s.Boundary[low+1])
}

// conductAlike says that all materials of the layers have one conductivity along an axis.
func conductAlike(s *stack.Stack, axis int) bool {
	k := s.Materials[s.Layers[0].Material].K[axis]
	for l := range s.Layers {
		if s.Materials[s.Layers[l].Material].K[axis] != k {
			return false
		}
		for _, r := range s.Layers[l].Regions {
			if r.Fill != nil || s.Materials[r.Material].K[axis] != k {
				return false
			}
		}
	}
	return true
}

// Of is the operator of a mesh that Check accepts, in a steady state or, with a positive dt in s, in a time step.
func Of(m *mesh.Mesh, dt float64) (*Layered, error) {
	if err := Check(m); err != nil {
		return nil, err
	}
	l := &Layered{NX: m.NX(), NY: m.NY(), NZ: m.NZ(), GZ: make([]float64, m.NZ()+1)}
	l.setAxes(m)
	held := held32
	x, y := l.axes()
	if x.graded() || y.graded() { // others round the conductances of each cell
		held = func(g float64) float64 { return g }
	}
	area := x.weights()[0] * y.weights()[0]
	for k := range l.NZ {
		gx, gy := lateral(m, k)
		l.GX, l.GY = append(l.GX, held(gx)), append(l.GY, held(gy))
		row := make([]float64, l.NX)
		if k > 0 {
			m.CouplingZ(k-1, 0, row)
			l.GZ[k] = held(row[0] / area)
		}
		if dt > 0 {
			m.Capacity(k, 0, row)
			l.Capacity = append(l.Capacity, held(row[0]/area/dt))
		}
	}
	l.GZ[0] = held(m.FaceConductance(stack.Bottom, 0, 0, 0) / area)
	l.GZ[l.NZ] = held(m.FaceConductance(stack.Top, 0, 0, l.NZ-1) / area)
	return l, nil
}

// setAxes sets what holds the ends of the axes, and the widths of cells.
func (l *Layered) setAxes(m *mesh.Mesh) {
	x, y := axesOfMesh(m)
	l.X, l.Y, l.Widths, l.Films = x.ends, y.ends, [2][]float64{x.widths, y.widths}, [2][2]float64{x.films, y.films}
}

func axesOfMesh(m *mesh.Mesh) (x, y axis) {
	x.n, y.n = m.NX(), m.NY()
	x.ends, y.ends, _ = endsOf(m.Stack)
	x.widths, y.widths = widthsOf(m, 0), widthsOf(m, 1)
	if behindFilm(m.Stack, 0) || behindFilm(m.Stack, 1) {
		gx, gy := lateral(m, 0)
		for f := stack.West; f < stack.NumFaces; f++ {
			if !isFilm(&m.Stack.Boundary[f]) {
				continue
			}
			at := [2]int{}
			if f.High() {
				at[f.Across()] = [2]int{x.n, y.n}[f.Across()] - 1
			}
			if g := m.FaceConductance(f, at[0], at[1], 0); f.Across() == 0 {
				x.films[f%2] = g / (gx * y.weights()[0])
			} else {
				y.films[f%2] = g / (gy * x.weights()[0])
			}
		}
	}
	return x, y
}

// widthsOf are the widths of the cells along an axis over their mean; nil where all are equal and no end is behind a
// film.
func widthsOf(m *mesh.Mesh, axis int) []float64 {
	grid := [2]*stack.Axis{&m.Stack.Grid.X, &m.Stack.Grid.Y}[axis]
	if !graded(grid, m.Stack.Size[axis]) && !behindFilm(m.Stack, axis) {
		return nil
	}
	return relativeWidths([2][]float64{m.X, m.Y}[axis])
}

// relativeWidths are those of cells over their mean.
func relativeWidths(edges []float64) []float64 {
	n := len(edges) - 1
	mean := (edges[n] - edges[0]) / float64(n)
	w := make([]float64, n)
	for i := range w {
		w[i] = (edges[i+1] - edges[i]) / mean
	}
	return w
}

// lateral is the conductance between mean cells of plane k along x and y, or what it would be where there are none.
func lateral(m *mesh.Mesh, k int) (gx, gy float64) {
	x, y := axis{n: m.NX(), widths: widthsOf(m, 0)}, axis{n: m.NY(), widths: widthsOf(m, 1)}
	row := make([]float64, m.NX())
	material := m.At(0, 0, k)
	wx, wy := x.weights()[0], y.weights()[0]
	gx = m.DY(0) / wy * m.DZ(k) * material.K[0] / m.DX(0)
	if m.NX() > 1 {
		m.CouplingX(k, 0, row)
		gx = row[0] / (x.couplings()[1] * wy)
	}
	gy = m.DX(0) / wx * m.DZ(k) * material.K[1] / m.DY(0)
	if m.NY() > 1 {
		m.CouplingY(k, 0, row)
		gy = row[0] / (y.couplings()[1] * wx)
	}
	return gx, gy
}

// held32 is a conductance as the executors of other methods hold it.
func held32(g float64) float64 { return float64(float32(g)) }
