package host

import (
	"math"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
	"thermsim/gpusolve/sparse"
	"thermsim/mesh"
)

// cooling is what the operator of a stack with coolant has in addition to its couplings:
//
//	far      couplings of planes k and k+2, symmetric
//	carried  Heat_n (theta_face downstream - theta_face upstream) in the rows of the coolant, which is not
type cooling struct {
	far [][]float32 // per lower plane, nil where there are none
	of  []*mesh.Cavity
	at  []*mesh.Cavity // by plane of coolant, nil elsewhere
}

func newCooling(s *system) *cooling {
	if !s.mesh.Cooled() {
		return nil
	}
	c := &cooling{far: make([][]float32, s.nz), of: s.mesh.Cavities, at: make([]*mesh.Cavity, s.nz)}
	for _, v := range c.of {
		c.at[v.Fluid] = v
	}
	row := make([]float64, s.nx)
	for k := range s.nz {
		if s.mesh.CouplingFar(k, 0, row) {
			c.far[k] = make([]float32, s.sheet)
			s.Account(4 * int64(s.sheet))
		}
	}
	return c
}

// assemble rounds the far couplings and lets the inlets drive their heat in.
func (c *cooling) assemble(s *system) {
	row := make([]float64, s.nx)
	for k, far := range c.far {
		if far == nil {
			continue
		}
		for j := range s.ny {
			s.mesh.CouplingFar(k, j, row)
			round(far[j*s.nx:(j+1)*s.nx], row)
		}
	}
	for _, v := range c.of {
		s.addInlets(v)
	}
}

// addInlets lets the inlets of a cavity drive their heat in.
func (s *system) addInlets(v *mesh.Cavity) {
	rise := v.Of.Inlet - s.mesh.Stack.Ambient
	if rise == 0 {
		return
	}
	q := s.planeInflow(v.Fluid)
	v.Inlets(s.nx, s.ny, func(cell, line int) { q[cell] += v.Heat[line] * rise })
}

// add adds what cooling does in row j of plane k to q = A x. x is padded.
func addCooling[T float32 | float64](s *system, q []float64, x []T, k, j int) {
	c := s.cooling
	at := s.pad + k*s.sheet + j*s.nx
	for _, o := range [2]int{0, -2} {
		if k+o < 0 || c.far[k+o] == nil {
			continue
		}
		far := c.far[k+o][j*s.nx : (j+1)*s.nx]
		other := at + (2+2*o)*s.sheet
		for i, g := range far {
			q[i] += float64(g) * (float64(x[at+i]) - float64(x[other+i]))
		}
	}
	if v := c.at[k]; v != nil {
		for i := range q {
			q[i] += carriedAt(s, v, x, at+i, i, j)
		}
	}
}

// carriedAt is the heat that the coolant carries out of a cell, with the inlet at the ambient.
func carriedAt[T float32 | float64](s *system, v *mesh.Cavity, x []T, at, i, j int) float64 {
	w := v.Carry(i, j, s.nx, s.ny)
	if w.Heat == 0 {
		return 0
	}
	step := s.nx
	if v.Along == 0 {
		step = 1
	}
	if v.Backward {
		step = -step
	}
	sum := w.Own * float64(x[at])
	if w.Up != 0 {
		sum += w.Up * float64(x[at-step])
	}
	if w.Down != 0 {
		sum += w.Down * float64(x[at+step])
	}
	return w.Heat * sum
}

func (c *cooling) addMagnitude(s *system, size, x []float64, k, j int) {
	at := s.pad + k*s.sheet + j*s.nx
	for _, o := range [2]int{0, -2} {
		if k+o < 0 || c.far[k+o] == nil {
			continue
		}
		other := at + (2+2*o)*s.sheet
		for i, g := range c.far[k+o][j*s.nx : (j+1)*s.nx] {
			size[i] += float64(g) * (math.Abs(x[at+i]) + math.Abs(x[other+i]))
		}
	}
	if v := c.at[k]; v != nil {
		for i := range size {
			if heat := v.Heat[v.Line(i, j)]; heat > 0 {
				size[i] += heat * math.Abs(x[at+i])
			}
		}
	}
}

// addEntries adds the entries to those of the couplings.
func (c *cooling) addEntries(s *system, t *sparse.Triplets) {
	c.farEntries(s, func(a, b int, g float64) {
		t.Add(int32(a), int32(a), g)
		t.Add(int32(b), int32(b), g)
		t.Add(int32(a), int32(b), -g)
		t.Add(int32(b), int32(a), -g)
	})
	c.carriedEntries(s, func(row, col int, v float64) { t.Add(int32(row), int32(col), v) })
}

func (c *cooling) farEntries(s *system, visit func(a, b int, g float64)) {
	for k, far := range c.far {
		for n, g := range far {
			visit(k*s.sheet+n, (k+2)*s.sheet+n, float64(g))
		}
	}
}

// carriedEntries visits what the coolant carries, all of it between neighbours.
func (c *cooling) carriedEntries(s *system, visit func(row, col int, v float64)) {
	for _, v := range c.of {
		step := s.nx
		if v.Along == 0 {
			step = 1
		}
		if v.Backward {
			step = -step
		}
		for j := range s.ny {
			for i := range s.nx {
				cell := v.Fluid*s.sheet + j*s.nx + i
				w := v.Carry(i, j, s.nx, s.ny)
				for _, e := range [3]struct {
					to    int
					value float64
				}{{cell, w.Own}, {cell - step, w.Up}, {cell + step, w.Down}} {
					if e.value != 0 && w.Heat != 0 {
						visit(cell, e.to, w.Heat*e.value)
					}
				}
			}
		}
	}
}

// addDiagonals makes the seven diagonals of the couplings those of the operator, and counts the entries that lie beside
// them. The main one keeps the share of couplings two planes apart: factors without that share needed more iterations
// in trials.
func (c *cooling) addDiagonals(s *system, d *sparse.Diagonals) (beside int64) {
	l := s.Arrays()
	d.LowerX, d.LowerY, d.LowerZ = reuse.Make[float64](l, len(d.X)), reuse.Make[float64](l, len(d.Y)),
		reuse.Make[float64](l, len(d.Z))
	copy(d.LowerX, d.X)
	copy(d.LowerY, d.Y)
	copy(d.LowerZ, d.Z)
	c.farEntries(s, func(a, b int, g float64) {
		d.Main[a] += g
		d.Main[b] += g
		if g != 0 {
			beside += 2
		}
	})
	c.carriedEntries(s, func(row, col int, v float64) {
		switch col - row {
		case 0:
			d.Main[row] += v
		case 1: // first, as offsets coincide on a grid one cell wide
			d.X[row] += v
		case -1:
			d.LowerX[col] += v
		case s.nx:
			d.Y[row] += v
		case -s.nx:
			d.LowerY[col] += v
		}
	})
	return beside
}

// rows is the matrix of a stack with coolant.
func (s *system) cooledRows() (*sparse.CSR, error) {
	plain := s.expand()
	var t sparse.Triplets
	rows := plain.CSR()
	for r := range rows.N() {
		cols, vals := rows.Row(r)
		for n, col := range cols {
			t.Add(int32(r), col, vals[n])
		}
	}
	s.cooling.addEntries(s, &t)
	a, _, err := sparse.FromTriplets(s.cells, &t)
	return a, err
}

func (s *system) CoolantHeat(x ops.Vector) []float64 {
	if s.cooling == nil {
		return nil
	}
	v := x.(*vec64).values()
	heat := make([]float64, len(s.cooling.of))
	for n, c := range s.cooling.of {
		rise := c.Of.Inlet - s.mesh.Stack.Ambient
		c.Outlets(s.nx, s.ny, func(cell, line int) { heat[n] += c.Heat[line] * (v[c.Fluid*s.sheet+cell] - rise) })
	}
	return heat
}
