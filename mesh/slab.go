package mesh

import "thermsim/stack"

// Slab is the part of the mesh with the rows (y) from <= j < to, as a separate mesh: the part of a rank when several
// ranks share a grid. Its cells have the couplings, capacities and faces of m, bit for bit. The cut sides are
// adiabatic, so that its last row has no coupling beyond. It excludes power and coolant, and areas of whole faces are
// those of m.
func (m *Mesh) Slab(from, to int) *Mesh {
	s := *m
	s.whole = m.Whole()
	s.Y = m.Y[from : to+1]
	s.Power = nil
	s.Planes = make([]Plane, len(m.Planes))
	nx := m.NX()
	if m.Leakage != nil {
		l := *m.Leakage
		l.Sheets = make([][]float64, len(m.Leakage.Sheets))
		for n, sheet := range m.Leakage.Sheets {
			l.Sheets[n] = sheet[from*nx : to*nx]
		}
		s.Leakage = &l
	}
	for k, p := range m.Planes {
		if p.Index != nil {
			p.Index = p.Index[from:to]
		}
		s.Planes[k] = p
	}
	for f, p := range m.Patched {
		if p != nil {
			s.Patched[f] = p.rows(from, to)
		}
	}
	if from > 0 {
		s.close(stack.South)
	}
	if to < m.NY() {
		s.close(stack.North)
	}
	return &s
}

// Whole is the mesh that a slab was cut from; for any other mesh, the mesh itself.
func (m *Mesh) Whole() *Mesh {
	if m.whole != nil {
		return m.whole
	}
	return m
}

// close makes a face adiabatic. The stack and the laws are shared, so they are copied.
func (m *Mesh) close(f stack.Face) {
	s := *m.Stack
	s.Boundary[f] = stack.Boundary{}
	m.Stack, m.Patched[f], m.drives[f] = &s, nil, newDrive(&s.Boundary[f], 0)
	if m.Laws != nil {
		laws := *m.Laws
		laws.Faces[f] = laws.faceLaw(&s.Boundary[f], s.Ambient)
		m.Laws = &laws
	}
}

// rows is the part of a face that belongs to a slab. The side faces across y are unchanged.
func (p *PatchedFace) rows(from, to int) *PatchedFace {
	c := *p
	c.parts, c.owner = nil, nil // only reports use them
	switch p.face.Across() {
	case 2:
		c.NB = to - from
		c.Cells = p.Cells[from*p.NA : to*p.NA]
	case 0:
		c.NA, c.Cells = to-from, nil
		for k := range p.NB {
			c.Cells = append(c.Cells, p.Cells[k*p.NA+from:k*p.NA+to]...)
		}
	}
	return &c
}
