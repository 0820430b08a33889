package mesh

// Couplings computes rows of couplings, for one goroutine and from Begin on. Rows with the same cells and widths are
// equal, bit for bit, and are computed once.
type Couplings struct {
	mesh *Mesh
	rows [3]recent
}

// recent holds the latest rows. On uniform grids, widths are differences of rounded coordinates and have few values.
type recent struct {
	rows [8]couplingRow
	next int
}

type couplingRow struct {
	key couplingKey
	g   []float64
}

// couplingKey is what a row depends on: the palette indices of its cells and of the next row's, nil in uniform planes,
// and the widths of both rows.
type couplingKey struct {
	plane       int
	cells, next *uint32
	dy, dyNext  float64
}

// Begin forgets all rows; the next ones are those of m.
func (c *Couplings) Begin(m *Mesh) {
	c.mesh = m
	for axis := range c.rows {
		for n := range c.rows[axis].rows {
			c.rows[axis].rows[n].key.plane = -1
		}
	}
}

// X is a row of CouplingX. It is valid for the next few calls, and must not be changed.
func (c *Couplings) X(k, j int) []float64 {
	return c.rows[0].row(c.mesh, couplingKey{k, c.cells(k, j), nil, c.mesh.DY(j), 0}, j, c.mesh.CouplingX)
}

// Y is a row of CouplingY, as X.
func (c *Couplings) Y(k, j int) []float64 {
	key := couplingKey{k, c.cells(k, j), nil, c.mesh.DY(j), 0}
	if j+1 < c.mesh.NY() {
		key.next, key.dyNext = c.cells(k, j+1), c.mesh.DY(j+1)
	}
	return c.rows[1].row(c.mesh, key, j, c.mesh.CouplingY)
}

// Z is a row of CouplingZ, as X.
func (c *Couplings) Z(k, j int) []float64 {
	key := couplingKey{k, c.cells(k, j), nil, c.mesh.DY(j), 0}
	if k+1 < c.mesh.NZ() {
		key.next = c.cells(k+1, j)
	}
	return c.rows[2].row(c.mesh, key, j, c.mesh.CouplingZ)
}

func (c *Couplings) cells(k, j int) *uint32 {
	if index := c.mesh.Planes[k].Index; index != nil {
		return &index[j][0]
	}
	return nil
}

// row finds a row, or computes it in place of the oldest. Coolant differs from row to row.
func (r *recent) row(m *Mesh, key couplingKey, j int, compute func(k, j int, dst []float64)) []float64 {
	for n := range r.rows {
		if known := &r.rows[n]; known.key == key && !m.Cooled() {
			return known.g
		}
	}
	oldest := &r.rows[r.next]
	r.next = (r.next + 1) % len(r.rows)
	if oldest.key = key; len(oldest.g) != m.NX() {
		oldest.g = make([]float64, m.NX())
	}
	compute(key.plane, j, oldest.g)
	return oldest.g
}
