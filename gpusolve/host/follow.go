package host

import (
	"sync/atomic"

	"thermsim/gpusolve/ops"
	"thermsim/mesh"
	"thermsim/stack"
)

// following is the data of a system with temperature-dependent materials.
type following struct {
	planes  []bool         // whether any cell of the plane follows
	faces   []bool         // whether any cell or face of the plane does
	outside []atomic.Int64 // by material
}

// followTask discretises the mesh at the temperatures of x, row by row.
type followTask struct {
	s      *system
	x, old []float64
}

func newFollowing(m *mesh.Mesh) *following {
	if m.Laws == nil {
		return nil
	}
	return &following{planes: m.TemperatureDependentPlanes(), faces: m.RefreshedFaces(),
		outside: make([]atomic.Int64, len(m.Stack.Materials))}
}

func (s *system) RefreshAt(x, old ops.Vector) error {
	f := s.following
	if err := s.Unleak(); f == nil || err != nil {
		return err
	}
	s.generation++
	for m := range f.outside {
		f.outside[m].Store(0)
	}
	t := &followTask{s, Doubles(x), nil}
	if old != nil {
		t.old = Doubles(old)
	}
	s.rows(t)
	for _, v := range s.mesh.Cavities {
		if f.faces[v.Fluid] {
			s.addInlets(v)
		}
	}
	return nil
}

func (s *system) OutOfRange() []int64 {
	if s.following == nil {
		return nil
	}
	counts := make([]int64, len(s.following.outside))
	for m := range counts {
		counts[m] = s.following.outside[m].Load()
	}
	if s.share != nil {
		s.share.totalCounts(&s.grid, counts)
	}
	return counts
}

func (t *followTask) Run(lo, hi, worker int) {
	s := t.s
	n, nz := s.nx, s.nz
	// Two rows of all planes: j and the one behind it, which is the next to be done.
	v := s.Scratch(worker).Doubles(2 * nz * rowValues * n)
	row, next := v[:nz*rowValues*n], v[nz*rowValues*n:]
	for k := range nz {
		t.warm(row, k, lo, true)
	}
	for j := lo; j < hi; j++ {
		if j+1 < s.ny {
			for k := range nz {
				t.warm(next, k, j+1, j+1 < hi)
			}
		}
		for k := range nz {
			own := slabOf(row, k, n)
			if s.following.planes[k] {
				t.lateral(&own, slabOf(next, k, n), k, j)
			}
			if k+1 < nz && (s.following.planes[k] || s.following.planes[k+1]) {
				t.vertical(&own, slabOf(row, k+1, n), k, j)
			}
			if s.dt > 0 && s.following.planes[k] {
				t.capacity(&own, k, j)
			}
		}
		for _, c := range s.mesh.Cavities {
			if s.following.follows(c) {
				t.cool(c, j, row[:n])
			}
		}
		t.faces(j)
		row, next = next, row
	}
}

// slab is a row of cells: the resistances of their halves in m2K/W, and their heat capacities in J/(m3 K).
type slab struct{ west, east, south, north, vertical, capacity []float64 }

const rowValues = 8

func slabOf(v []float64, k, n int) slab {
	at := func(i int) []float64 { return v[(k*rowValues+i)*n : (k*rowValues+i+1)*n] }
	return slab{at(0), at(1), at(2), at(3), at(4), at(5)}
}

// temperatures are those of the row at its start and its end, which lie behind its slab.
func temperatures(v []float64, k, n int) (kelvin, before []float64) {
	return v[(k*rowValues+6)*n : (k*rowValues+7)*n], v[(k*rowValues+7)*n : (k*rowValues+8)*n]
}

// warm fills row j of plane k in v with what its cells have at their temperatures. count says that the row is the
// worker's own, so that each counts once.
func (t *followTask) warm(v []float64, k, j int, count bool) {
	s := t.s
	m := s.mesh
	if !s.following.planes[k] && (k == 0 || !s.following.planes[k-1]) && (k+1 == s.nz || !s.following.planes[k+1]) {
		return // neither the plane nor an adjacent one is written
	}
	r := slabOf(v, k, s.nx)
	kelvin, before := temperatures(v, k, s.nx)
	ambient := m.Stack.Ambient
	c := k*s.sheet + j*s.nx
	for i := range kelvin {
		kelvin[i] = ambient + t.x[c+i]
	}
	if t.old == nil {
		copy(before, kelvin)
	} else {
		for i := range before {
			before[i] = ambient + t.old[c+i]
		}
	}
	if p := &m.Planes[k]; p.Index == nil && m.Laws.Entries[p.Uniform].Areas == 0 {
		t.uniform(&r, kelvin, before, k, j)
	} else {
		t.mixed(&r, kelvin, before, k, j)
	}
	if !count || !s.owns(j) || !s.following.planes[k] {
		return
	}
	for i, v := range kelvin {
		if m.Flows(i, j, k) {
			continue
		}
		m.Laws.Outside(m.EntryAt(i, j, k), v, func(material int) { s.following.outside[material].Add(1) })
	}
}

// uniform is warm for a row of one material.
func (t *followTask) uniform(r *slab, kelvin, before []float64, k, j int) {
	m := t.s.mesh
	dy, dz := m.DY(j), m.DZ(k)
	id := m.Laws.Entries[m.Planes[k].Uniform].Material
	law := &m.Laws.Materials[id]
	m.Laws.Row(r.west, id, mesh.LawKX, kelvin)
	kx, ky, kz := r.west, r.south, r.vertical
	same := func(a, b int) bool { return law.Curve[a] == law.Curve[b] && law.Constant[a] == law.Constant[b] }
	if same(mesh.LawKX, mesh.LawKY) {
		copy(ky, kx)
	} else {
		m.Laws.Row(ky, id, mesh.LawKY, kelvin)
	}
	if same(mesh.LawKX, mesh.LawKZ) {
		copy(kz, kx)
	} else {
		m.Laws.Row(kz, id, mesh.LawKZ, kelvin)
	}
	for i := range kx {
		kx[i], ky[i], kz[i] = m.DX(i)/(2*kx[i]), dy/(2*ky[i]), dz/(2*kz[i])
	}
	copy(r.east, kx)
	copy(r.north, ky)
	if t.s.dt > 0 {
		m.Laws.MeanRow(r.capacity, id, kelvin, before)
	}
}

// mixed is warm for a row of cells of many kinds, or of several materials each.
func (t *followTask) mixed(r *slab, kelvin, before []float64, k, j int) {
	m := t.s.mesh
	dy, dz := m.DY(j), m.DZ(k)
	for i := range kelvin {
		w := m.Laws.Warm(m.EntryAt(i, j, k), kelvin[i], before[i])
		dx := m.DX(i)
		r.west[i], r.east[i] = dx/(2*w.Half[0]), dx/(2*w.Half[1])
		r.south[i], r.north[i] = dy/(2*w.Half[2]), dy/(2*w.Half[3])
		r.vertical[i], r.capacity[i] = dz/(2*w.K[2]), w.C
	}
}

// lateral writes the couplings of a row along x, and along y to the next row.
func (t *followTask) lateral(own *slab, next slab, k, j int) {
	s := t.s
	m := s.mesh
	c := s.pad + k*s.sheet + j*s.nx
	dy, dz := m.DY(j), m.DZ(k)
	area := dy * dz
	gx := s.gx.buf[c : c+s.nx]
	for i := range s.nx - 1 {
		gx[i] = float32(area / (own.east[i] + own.west[i+1]))
	}
	if j+1 == s.ny {
		return
	}
	gy := s.gy.buf[c : c+s.nx]
	for i := range gy {
		gy[i] = float32(m.DX(i) * dz / (own.north[i] + next.south[i]))
	}
}

func (t *followTask) vertical(own *slab, above slab, k, j int) {
	s := t.s
	m := s.mesh
	c := s.pad + k*s.sheet + j*s.nx
	dy, contact := m.DY(j), m.Planes[k].ContactAbove
	gz := s.gz.buf[c : c+s.nx]
	for i := range gz {
		gz[i] = float32(m.DX(i) * dy / (own.vertical[i] + contact + above.vertical[i]))
	}
}

func (t *followTask) capacity(own *slab, k, j int) {
	s := t.s
	m := s.mesh
	area := m.DY(j) * m.DZ(k)
	held := s.capacity[k][j*s.nx : (j+1)*s.nx]
	for i, v := range own.capacity {
		held[i] = float32(v * area * m.DX(i) / s.dt)
	}
}

// faces writes ground and inflow of row j again, in the planes where cells or faces follow.
func (t *followTask) faces(j int) {
	s := t.s
	for k := range s.nz {
		if !s.following.faces[k] {
			continue
		}
		if g := s.ground[k]; g != nil {
			clear(g[j*s.nx : (j+1)*s.nx])
		}
		if q := s.inflow[k]; q != nil {
			clear(q[j*s.nx : (j+1)*s.nx])
		}
		for f := range stack.Face(stack.NumFaces) {
			if !s.mesh.Exchanges(f) {
				continue
			}
			first, end := 0, s.nx
			switch {
			case f == stack.Bottom && k > 0, f == stack.Top && k < s.nz-1, f == stack.South && j > 0,
				f == stack.North && j < s.ny-1:
				continue
			case f == stack.West:
				end = 1
			case f == stack.East:
				first = end - 1
			}
			for i := first; i < end; i++ {
				t.face(f, i, j, k)
			}
		}
	}
}

// face adds what a face does to a cell.
func (t *followTask) face(f stack.Face, i, j, k int) {
	s := t.s
	c := j*s.nx + i
	d := s.mesh.Drive(f, i, j, k)
	if d.Flux != 0 {
		s.inflow[k][c] += float64(d.Flux * s.mesh.CellFaceArea(f, i, j, k))
	}
	if !d.Driven() {
		return
	}
	x := t.x[k*s.sheet+c]
	own := s.faceMaterial(t.x, i, j, k)
	part, inflow, _ := s.mesh.FaceTerm(f, i, j, k, &own, x)
	s.ground[k][c] += part
	if s.mesh.Stack.Boundary[f].TemperatureDependent() || d.Temperature != s.mesh.Stack.Ambient {
		s.inflow[k][c] += inflow
	}
}

// faceMaterial is what a cell on a face is made of, at the temperature of x where that matters.
func (s *system) faceMaterial(x []float64, i, j, k int) mesh.Material {
	if s.following == nil || !s.following.planes[k] {
		return *s.mesh.At(i, j, k)
	}
	kelvin := s.mesh.Stack.Ambient + x[k*s.sheet+j*s.nx+i]
	return s.mesh.Laws.Warm(s.mesh.EntryAt(i, j, k), kelvin, kelvin)
}

// follows says whether the walls of a cavity or the planes below and above it have temperature-dependent cells.
func (f *following) follows(c *mesh.Cavity) bool {
	for k := c.Wall - 1; k <= c.Fluid+1; k++ {
		if f.planes[k] {
			return true
		}
	}
	return false
}

// solid is what the solid in a cell is made of at its temperature, with the mean heat capacity of the step.
func (t *followTask) solid(i, j, k int) mesh.Material {
	s := t.s
	c := k*s.sheet + j*s.nx + i
	kelvin := s.mesh.Stack.Ambient + t.x[c]
	before := kelvin
	if t.old != nil {
		before = s.mesh.Stack.Ambient + t.old[c]
	}
	return s.mesh.Laws.Warm(s.mesh.EntryAt(i, j, k), kelvin, before)
}

// cool writes what a cavity changes in row j, over what is there of solids. row is for use in between.
func (t *followTask) cool(c *mesh.Cavity, j int, row []float64) {
	s := t.s
	m := s.mesh
	for k := c.Wall - 1; k <= c.Fluid; k++ {
		at := s.pad + k*s.sheet + j*s.nx
		m.CoolZ(t.solid, k, j, row)
		round(s.gz.buf[at:], row)
		if far := s.cooling.far[k]; far != nil && m.CoolFar(t.solid, k, j, row) {
			round(far[j*s.nx:(j+1)*s.nx], row)
		}
		if k < c.Wall {
			continue
		}
		m.CoolX(t.solid, k, j, row)
		round(s.gx.buf[at:], row[:s.nx-1])
		if j+1 < s.ny {
			m.CoolY(t.solid, k, j, row)
			round(s.gy.buf[at:], row)
		}
		if s.dt > 0 {
			m.CoolCapacity(t.solid, k, j, row)
			for i, v := range row {
				s.capacity[k][j*s.nx+i] = float32(v / s.dt)
			}
		}
	}
}

// leaking is the data of a system with leakage: the planes of ground and inflow without it.
type leaking struct {
	of     *mesh.Leakage
	ground [][]float32
	inflow [][]float64
	in     bool // the leakage is in
}

func (s *system) newLeaking() {
	of := s.mesh.Leakage
	if of == nil {
		return
	}
	l := &leaking{of: of}
	for n := range of.Planes {
		k := of.Planes[n].Plane
		s.planeGround(k)
		s.planeInflow(k)
		l.ground, l.inflow = append(l.ground, make([]float32, s.sheet)), append(l.inflow, make([]float64, s.sheet))
		s.Account(int64(s.sheet) * 12)
	}
	s.leaking = l
}

// Leak puts the leakage into the operator and into driven sources. It is multiplied by a scale and linear around the
// state x:
//
//	q f(T) = q f(T0) + q f'(T0) (T - T0)
//
// Outside the range of a law f' is zero, or with ends that at the end. The diagonal is FP32; what it holds of f' is
// what the source holds, so that the residual of x has q f(T0) in full.
func (s *system) Leak(x ops.Vector, scale float64, ends bool) error {
	l := s.leaking
	if l == nil {
		return nil
	}
	for n := range l.of.Planes {
		k := l.of.Planes[n].Plane
		if !l.in {
			copy(l.ground[n], s.ground[k])
			copy(l.inflow[n], s.inflow[k])
		}
	}
	l.in = true
	v := Doubles(x)
	s.rows(loop(func(lo, hi, _ int) {
		for n := range l.of.Planes {
			s.leakRows(n, lo, hi, v, scale, ends)
		}
	}))
	return nil
}

func (s *system) Unleak() error {
	l := s.leaking
	if l == nil || !l.in {
		return nil
	}
	for n := range l.of.Planes {
		k := l.of.Planes[n].Plane
		copy(s.ground[k], l.ground[n])
		copy(s.inflow[k], l.inflow[n])
	}
	l.in = false
	return nil
}

// leakRows puts the leakage of plane n of those that leak into ground and inflow.
func (s *system) leakRows(n, lo, hi int, v []float64, scale float64, ends bool) {
	l := s.leaking
	p := &l.of.Planes[n]
	ground, inflow := s.ground[p.Plane], s.inflow[p.Plane]
	without, driven := l.ground[n], l.inflow[n]
	for c := lo * s.nx; c < hi*s.nx; c++ {
		x := v[p.Plane*s.sheet+c]
		watts, slope := l.of.At(p, c, s.mesh.Stack.Ambient+x, ends)
		g := float32(float64(without[c]) - float64(scale*slope))
		ground[c] = g
		inflow[c] = driven[c] + (float64(scale*watts) + float64((float64(g)-float64(without[c]))*x))
	}
}
