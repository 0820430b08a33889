package downstream

import (
	"math"

	"thermsim/mesh"
)

// coarse is the operator on blocks of cells: a number of blocks along x and y, and in each one unknown for the solids between the coolant of two cavities,
// the walls of the upper one included where they conduct well, and one for the coolant of each. Conduction between blocks has the cells of a block in series; what is carried passes from block to block. It is factored by Gaussian elimination
// within its band, blocks along the flow running last so that the band is narrow.
type coarse struct {
	nb    [2]int   // blocks along x and y
	of    [2][]int // block of every column and row
	size  [2]float64
	slots int      // unknowns of a block
	slot  [][2]int // of a plane: walls or solids, and coolant
	major int      // the axis whose blocks run last
	n, w  int      // unknowns, and the half width of the band
	band  []float64
	value []float64
	fluid []*stream // by plane
	task  blockTask
}

// The elimination may cost so many multiplications a cell, within bounds; there are lengthwise times as many blocks along the flow as across.
const (
	perCell    = 300
	leastWork  = 2e8
	mostWork   = 1e9
	lengthwise = 4
)

// across is the number of blocks across the flow for so many unknowns in a block.
func across(cells, slots int) int {
	work := math.Min(mostWork, math.Max(leastWork, perCell*float64(cells)))
	return max(1, int(math.Pow(work/lengthwise/math.Pow(float64(slots), 3), 0.25)))
}

func newCoarse(p *parts) *coarse {
	c := layout(p.mesh)
	for n := range p.streams {
		s := &p.streams[n]
		c.fluid[s.Fluid] = s
	}
	c.band = make([]float64, c.n*(2*c.w+1))
	c.value = make([]float64, c.n)
	p.Account(8 * int64(len(c.band)+len(c.value)))
	return c
}

// layout divides a mesh into blocks.
func layout(m *mesh.Mesh) *coarse {
	c := &coarse{slot: make([][2]int, m.NZ()), fluid: make([]*stream, m.NZ())}
	for k := range m.NZ() {
		own := m.Planes[k].Cavity
		if k > 0 && (m.Planes[k-1].Cavity != nil || own != nil && loose(m, own)) {
			c.slots++
		}
		c.slot[k] = [2]int{c.slots, c.slots}
		if own != nil && own.Wall == own.Fluid {
			c.slots++
			c.slot[k][1] = c.slots
		}
	}
	c.slots++
	c.major = m.Cavities[0].Along
	for axis, n := range [2]int{m.NX(), m.NY()} {
		most := across(m.Cells(), c.slots)
		if axis == c.major {
			most *= lengthwise
		}
		c.nb[axis] = min(n, most)
		c.of[axis] = make([]int, n)
		for i := range n {
			c.of[axis][i] = i * c.nb[axis] / n
		}
		c.size[axis] = float64(n) / float64(c.nb[axis])
	}
	c.n = c.nb[0] * c.nb[1] * c.slots
	c.w = c.nb[1-c.major] * c.slots
	return c
}

// loose says whether walls are tied to the coolant more than to the solids below, and so have an unknown of their own.
func loose(m *mesh.Mesh, v *mesh.Cavity) bool {
	y := &m.Stack.Layers[v.Layer]
	conductance := (1 - v.Of.Porosity()) * m.Stack.Materials[y.Material].K[2] / (y.Thickness / 2)
	return conductance < v.LargestFilm()
}

// unknown of a cell.
func (c *coarse) unknown(i, j, k int) int {
	b := [2]int{c.of[0][i], c.of[1][j]}
	s := c.slot[k][0]
	if f := c.fluid[k]; f != nil && f.Wet(i, j) {
		s = c.slot[k][1]
	}
	return (b[c.major]*c.nb[1-c.major]+b[1-c.major])*c.slots + s
}

func (c *coarse) add(row, col int, v float64) { c.band[row*(2*c.w+1)+col-row+c.w] += v }

// couple adds a conductance between two unknowns.
func (c *coarse) couple(a, b int, g float64) {
	if a == b || g == 0 {
		return
	}
	c.add(a, a, g)
	c.add(b, b, g)
	c.add(a, b, -g)
	c.add(b, a, -g)
}

// factor forms the operator and eliminates.
func (c *coarse) factor(p *parts) {
	clear(c.band)
	sheet := p.NX * p.NY
	for k := range p.NZ {
		for j := range p.NY {
			for i := range p.NX {
				at := k*sheet + j*p.NX + i
				a := c.unknown(i, j, k)
				padded := p.NX + at
				if i+1 < p.NX {
					c.couple(a, c.unknown(i+1, j, k), c.lateral(0, a, c.unknown(i+1, j, k), float64(p.GX[padded])))
				}
				if j+1 < p.NY {
					c.couple(a, c.unknown(i, j+1, k), c.lateral(1, a, c.unknown(i, j+1, k), float64(p.GY[padded])))
				}
				if k+1 < p.NZ {
					c.couple(a, c.unknown(i, j, k+1), float64(p.GZ[padded]))
				}
				if f := p.far[k]; f != nil {
					c.couple(a, c.unknown(i, j, k+2), float64(f[j*p.NX+i]))
				}
				for _, g := range [2][][]float32{p.Ground, p.Capacity} {
					if g[k] != nil {
						c.add(a, a, float64(g[k][j*p.NX+i]))
					}
				}
			}
		}
		if s := c.fluid[k]; s != nil {
			c.carry(p, s)
		}
	}
	c.eliminate()
}

// lateral puts the cells of a block in series, where the coupling is one between blocks and not between wall and coolant within one.
func (c *coarse) lateral(axis, a, b int, g float64) float64 {
	if a/c.slots == b/c.slots {
		return g
	}
	return g / c.size[axis]
}

// carry adds what coolant carries.
func (c *coarse) carry(p *parts, s *stream) {
	_, step := s.length(p)
	for j := range p.NY {
		for i := range p.NX {
			w := s.Carry(i, j, p.NX, p.NY)
			if w.Heat == 0 || !s.Wet(i, j) {
				continue
			}
			a, at := c.unknown(i, j, s.Fluid), j*p.NX+i
			c.add(a, a, w.Heat*w.Own)
			if w.Up != 0 {
				c.add(a, c.unknown((at-step)%p.NX, (at-step)/p.NX, s.Fluid), w.Heat*w.Up)
			}
			if w.Down != 0 {
				c.add(a, c.unknown((at+step)%p.NX, (at+step)/p.NX, s.Fluid), w.Heat*w.Down)
			}
		}
	}
}

// eliminate factors the band in place, without exchange of rows: pivots are far from zero, as every row is dominated by its diagonal, or by the
// antisymmetric part that central differences add.
func (c *coarse) eliminate() {
	width := 2*c.w + 1
	for r := range c.n {
		row := c.band[r*width : (r+1)*width]
		pivot := row[c.w]
		if pivot == 0 {
			row[c.w] = math.Inf(1) // an unknown without a cell
			continue
		}
		for below := r + 1; below < min(c.n, r+c.w+1); below++ {
			other := c.band[below*width : (below+1)*width]
			f := other[c.w-(below-r)]
			if f == 0 {
				continue
			}
			f /= pivot
			other[c.w-(below-r)] = f
			to := other[c.w-(below-r)+1:]
			for n, v := range row[c.w+1:] {
				to[n] -= f * v
			}
		}
	}
}

// solve overwrites the right side.
func (c *coarse) solve(v []float64) {
	width := 2*c.w + 1
	for r := range c.n {
		row := c.band[r*width : (r+1)*width]
		sum := v[r]
		for n := max(0, r-c.w); n < r; n++ {
			sum -= row[n-r+c.w] * v[n]
		}
		v[r] = sum
	}
	for r := c.n - 1; r >= 0; r-- {
		row := c.band[r*width : (r+1)*width]
		sum := v[r]
		for n := r + 1; n < min(c.n, r+c.w+1); n++ {
			sum -= row[n-r+c.w] * v[n]
		}
		v[r] = sum / row[c.w]
	}
}

// blockTask moves values between the cells of a run of blocks along y and their unknowns, so that no two workers share one.
type blockTask struct {
	c    *coarse
	p    *parts
	body func(unknown []int32, from int)
}

func (t *blockTask) Run(lo, hi, _ int) {
	c, p := t.c, t.p
	unknown := make([]int32, p.NX)
	for j := range p.NY {
		if b := c.of[1][j]; b < lo || b >= hi {
			continue
		}
		for k := range p.NZ {
			c.row(unknown, k, j)
			t.body(unknown, (k*p.NY+j)*p.NX)
		}
	}
}

// row fills in the unknowns of row j of plane k.
func (c *coarse) row(unknown []int32, k, j int) {
	f := c.fluid[k]
	along := c.of[1][j]
	for i := range unknown {
		b := [2]int{c.of[0][i], along}
		s := c.slot[k][0]
		if f != nil && f.Wet(i, j) {
			s = c.slot[k][1]
		}
		unknown[i] = int32((b[c.major]*c.nb[1-c.major]+b[1-c.major])*c.slots + s)
	}
}

// correct restricts the residual by sums, solves, and adds what comes out to every cell of a block.
func (c *coarse) correct(p *parts, z, r []float64) {
	clear(c.value)
	c.over(p, func(unknown []int32, from int) {
		for i, v := range r[from : from+p.NX] {
			c.value[unknown[i]] += v
		}
	})
	c.solve(c.value)
	c.over(p, func(unknown []int32, from int) {
		row := z[from : from+p.NX]
		for i := range row {
			row[i] += c.value[unknown[i]]
		}
	})
}

// over calls body with every row of cells and its unknowns.
func (c *coarse) over(p *parts, body func(unknown []int32, from int)) {
	c.task = blockTask{c, p, body}
	p.Run(&c.task, c.nb[1], p.NX*p.NY*p.NZ)
	c.task = blockTask{}
}
