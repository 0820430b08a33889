package mesh

import (
	"math"
	"runtime"
	"sync"

	"thermsim/stack"
)

// film is h and dh/dT at a surface temperature; beyond the range of a curve h is constant.
func (l *Laws) film(f *FaceLaw, kelvin float64) (h, slope float64) {
	h = f.Constant
	for _, curve := range [2]int32{f.Convection, f.Radiation} {
		if curve < 0 {
			continue
		}
		value, bend := l.withSlope(curve, kelvin, false)
		h += value
		slope += bend
	}
	return h, slope
}

// mostSurfaceSteps bounds the iteration for the surface temperature; bisection alone needs fewer steps.
const mostSurfaceSteps = 100

// surface solves for the rise v of a surface over the ambient of its face. The cell's center is u above that ambient,
// behind half a cell with the resistance half (m2K/W):
//
//	(u - v) / half = h(v) v
//
// by Newton's method between 0 and u, with bisection if a step leaves these bounds. slope is d(h v)/dv.
func (l *Laws) surface(f *FaceLaw, u, half float64) (v, h, slope float64) {
	low, high := math.Min(0, u), math.Max(0, u)
	v = u
	for range mostSurfaceSteps {
		var bend float64
		h, bend = l.film(f, f.Ambient+v)
		slope = h + float64(bend*v)
		missing := (u - v) - float64(float64(half*h)*v)
		if missing > 0 {
			low = v
		} else {
			high = v
		}
		next := v + missing/(1+float64(half*slope))
		if !(next >= low && next <= high) {
			next = (low + high) / 2
		}
		if math.Abs(next-v) <= float64(0x1p-48*math.Abs(u)) {
			break
		}
		v = next
	}
	return v, h, slope
}

// exchange returns the heat flux in W/m2 that leaves a cell, and the conductance g per area in W/(m2 K) of the face in
// A. The cell's center is u above the ambient of its face. The derivative of the heat flux by u is g, as in Newton's
// method, or the heat flux divided by u if that is larger. The right-hand side b contains g u minus the heat flux, so
// that b - A x contains the heat flux itself for any g. All g are positive.
func (l *Laws) exchange(f *FaceLaw, u, half float64) (heat, g float64) {
	v, h, slope := l.surface(f, u, half)
	derivative, secant := slope/(1+float64(half*slope)), h/(1+float64(half*h))
	if !(1+float64(half*slope) > 0) || !(derivative > secant) {
		derivative = secant
	}
	return h * v, derivative
}

// FaceTerm is the contribution of face f to cell (i, j, k) with the properties of c and the rise x over the ambient of
// the stack. It returns the face's part of the ground in FP32 as executors add it up, its contribution to b in W, and
// the heat in W that leaves through the face.
func (m *Mesh) FaceTerm(f stack.Face, i, j, k int, c *Material, x float64) (part float32, inflow, leaves float64) {
	var heat float64 // per area
	held, part := m.heldFaceConductance(f, i, j, k, func(e stack.Face) float64 {
		law := m.faceLaw(e)
		if law == nil {
			return m.faceConductance(e, i, j, k, c)
		}
		half := m.halfOf(e, i, j, k, c)
		if half >= insulating {
			return 0
		}
		q, g := m.Laws.exchange(law, x-law.Above, half)
		if e == f {
			heat = q
		}
		return m.CellFaceArea(e, i, j, k) * g
	})
	if m.faceLaw(f) != nil {
		leaves = float64(m.CellFaceArea(f, i, j, k) * heat)
		return part, float64(held*x) - leaves, leaves
	}
	rise := m.Drive(f, i, j, k).Temperature - m.Stack.Ambient
	return part, float64(held * rise), held * (x - rise)
}

// RefreshedFaces reports for each plane whether its face terms must be updated when the temperature changes: the plane
// has cells with temperature-dependent materials or faces.
func (m *Mesh) RefreshedFaces() []bool {
	planes := m.TemperatureDependentPlanes()
	for k := range planes {
		for f := range stack.Face(stack.NumFaces) {
			planes[k] = planes[k] || m.faceLaw(f) != nil &&
				!(f == stack.Bottom && k > 0 || f == stack.Top && k+1 < m.NZ())
		}
	}
	return planes
}

// FilmState is the state of a face with a temperature-dependent heat-transfer coefficient, in a temperature field.
type FilmState struct {
	Face             stack.Face
	MeanH            float64 // W/(m2 K), mean over the area
	Coldest, Hottest float64 // K, of the surface
	// W that leave through the constant coefficient, the law or natural convection, and radiation
	Constant, Law, Radiation float64
	Outside                  int // cells with a surface temperature outside the range of the law or natural convection
	area                     float64
}

// Films are the faces with temperature-dependent coefficients, in a field whose planes read copies in K. Only planes
// that they touch are read.
func (m *Mesh) Films(read func(k int, kelvin []float64) error) ([]FilmState, error) {
	var states []FilmState
	for f := range stack.Face(stack.NumFaces) {
		if m.faceLaw(f) != nil {
			states = append(states, FilmState{Face: f, Coldest: math.Inf(1), Hottest: math.Inf(-1)})
		}
	}
	err := m.onFaces(len(states), func(n int) stack.Face { return states[n].Face }, read,
		func(n, k int, kelvin []float64) { m.addFilm(&states[n], k, kelvin) })
	if err != nil {
		return nil, err
	}
	for n := range states {
		states[n].MeanH /= states[n].area
	}
	return states, nil
}

// onFaces visits some faces in each plane that they touch. Other planes are not read.
func (m *Mesh) onFaces(faces int, face func(n int) stack.Face, read func(k int, kelvin []float64) error,
	visit func(n, k int, kelvin []float64)) error {
	if faces == 0 {
		return nil
	}
	plane := make([]float64, m.NX()*m.NY())
	for k := range m.NZ() {
		known := false
		for n := range faces {
			if f := face(n); f == stack.Bottom && k > 0 || f == stack.Top && k+1 < m.NZ() {
				continue
			}
			if !known {
				if err := read(k, plane); err != nil {
					return err
				}
				known = true
			}
			visit(n, k, plane)
		}
	}
	return nil
}

// addFilm adds the cells of a face in plane k. Rows are summed in parallel and then added in order.
func (m *Mesh) addFilm(s *FilmState, k int, kelvin []float64) {
	first, end := m.faceRange(s.Face, [2]int{k, k + 1})
	rows := make([]FilmState, end[1]-first[1])
	inParallel(len(rows), func(n int) {
		row := &rows[n]
		row.Face, row.Coldest, row.Hottest = s.Face, s.Coldest, s.Hottest
		for i := first[0]; i < end[0]; i++ {
			j := first[1] + n
			m.addFilmCell(row, i, j, k, kelvin[j*m.NX()+i])
		}
	})
	for n := range rows {
		row := &rows[n]
		s.area += row.area
		s.MeanH += row.MeanH
		s.Coldest, s.Hottest = math.Min(s.Coldest, row.Coldest), math.Max(s.Hottest, row.Hottest)
		s.Constant += row.Constant
		s.Law += row.Law
		s.Radiation += row.Radiation
		s.Outside += row.Outside
	}
}

// addFilmCell adds a cell of temperature t.
func (m *Mesh) addFilmCell(s *FilmState, i, j, k int, t float64) {
	if math.IsNaN(t) || math.IsInf(t, 0) {
		return
	}
	law := m.faceLaw(s.Face)
	value := func(curve int32, t float64) float64 {
		if curve < 0 {
			return 0
		}
		return m.Laws.of(curve, t)
	}
	own := m.Laws.Warm(m.EntryAt(i, j, k), t, t)
	half := m.halfOf(s.Face, i, j, k, &own)
	if half >= insulating {
		return
	}
	v, h, _ := m.Laws.surface(law, t-law.Ambient, half)
	area, surface := m.CellFaceArea(s.Face, i, j, k), law.Ambient+v
	s.area += area
	s.MeanH += area * h
	s.Coldest, s.Hottest = math.Min(s.Coldest, surface), math.Max(s.Hottest, surface)
	s.Constant += area * law.Constant * v
	s.Law += area * value(law.Convection, surface) * v
	s.Radiation += area * value(law.Radiation, surface) * v
	if c := law.Convection; c >= 0 && (surface < m.Laws.Curves[c].Low || surface > m.Laws.Curves[c].High) {
		s.Outside++
	}
}

// inParallel calls f with 0 to n-1 on all processors.
func inParallel(n int, f func(n int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := n * w / workers; i < n*(w+1)/workers; i++ {
				f(i)
			}
		})
	}
	group.Wait()
}
