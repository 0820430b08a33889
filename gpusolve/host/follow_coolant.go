package host

import "thermsim/mesh"

// follows says whether the walls of a cavity or the planes below and above it have cells that follow the temperature.
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
