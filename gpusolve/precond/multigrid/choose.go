package multigrid

import (
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"thermsim/mesh"
)

// scatteredShare is the share of lateral faces with a jump in conductivity above which a plane counts as scattered.
// Interpolation along the conductances helps where a few edges bound large regions, and misleads where every other cell
// of every plane is another material.
const scatteredShare = 0.2

// likeSizes: cells up to this factor above the current size are merged together with the smallest.
const likeSizes = math.Sqrt2

// coarsenings lists the levels down to a single column. Sizes are measured in units of sqrt(k), so that cells of equal
// size couple equally along x and y. Each level merges the cells up to a size that doubles from level to level: narrow
// cells are merged until they are like the wide ones, be they narrow everywhere (dx and dy differ, or kx and ky) or
// where the grid is graded. Smoothing, which damps errors only along strong couplings, is thus never asked for more.
func coarsenings(m *mesh.Mesh, edges materialEdges) []Coarsening {
	kx, ky := lateralConductivity(m)
	x, y := newAxis(m.X, math.Sqrt(kx)), newAxis(m.Y, math.Sqrt(ky))
	x.edge, y.edge = edges.x, edges.y
	size := likeSizes * math.Min(x.smallest(), y.smallest())
	var list []Coarsening
	for len(x.size) > 1 || len(y.size) > 1 {
		high := len(list)%2 == 1
		nx, px := x.merge(size, high)
		ny, py := y.merge(size, high)
		before, after := len(x.size)*len(y.size), len(nx.size)*len(ny.size)
		if float64(after) > partedShare*float64(before) && (x.hasEdges() || y.hasEdges()) {
			x.edge, y.edge = nil, nil
			continue
		}
		size *= 2
		if float64(after) > worthwhile*float64(before) && after > 1 {
			continue
		}
		list = append(list, Coarsening{X: px, Y: py})
		x, y = nx, ny
	}
	return list
}

// lateralRates are, level by level, the largest part of a cell's heat in 1/s that its lateral couplings would move if
// it alone were warm: an estimate from the smallest cells and the largest diffusivities along x and y.
func lateralRates(m *mesh.Mesh, list []Coarsening) []float64 {
	var diffusivity [2]float64
	for k := range m.NZ() {
		for d, v := range m.LateralDiffusivity(k) {
			diffusivity[d] = math.Max(diffusivity[d], v)
		}
	}
	x, y := newAxis(m.X, 1).size, newAxis(m.Y, 1).size
	rates := make([]float64, len(list)+1)
	for n := range rates {
		if n > 0 {
			x, y = list[n-1].X.merge(x), list[n-1].Y.merge(y)
		}
		for d, size := range [][]float64{x, y} {
			if least := slices.Min(size); len(size) > 1 {
				rates[n] += 2 * diffusivity[d] / (least * least)
			}
		}
	}
	return rates
}

// worthwhile is the share of cells that a new level may keep. Levels that merge less cost more than they bring.
const worthwhile = 0.9

// lateralConductivity is the mean over the height of the stack.
func lateralConductivity(m *mesh.Mesh) (kx, ky float64) {
	for k := range m.NZ() {
		px, py := m.LateralConductivity(k)
		kx += px * m.DZ(k)
		ky += py * m.DZ(k)
	}
	return kx, ky
}

// axis is one direction of a level: the cells' nodes and sizes, in scaled units.
type axis struct {
	node, size []float64
	edge       []bool // edge[i] says that materials change at the face below cell i; nil where pairs may ignore that
}

// parted says whether an edge keeps cells i-1 and i from making a pair of a level that merges cells up to size.
func (a axis) parted(i int, size float64) bool {
	return a.edge != nil && a.edge[i] && min(a.size[i-1], a.size[i]) >= narrow*size
}

func (a axis) hasEdges() bool { return slices.Contains(a.edge, true) }

func newAxis(faces []float64, unit float64) axis {
	n := len(faces) - 1
	a := axis{node: make([]float64, n), size: make([]float64, n)}
	for i := range n {
		a.size[i] = (faces[i+1] - faces[i]) / unit
		a.node[i] = (faces[i+1] + faces[i]) / (2 * unit)
	}
	return a
}

func (a axis) smallest() float64 {
	s := math.Inf(1)
	for _, v := range a.size {
		s = math.Min(s, v)
	}
	return s
}

// merge pairs neighbouring cells of at most the given size, from the low end on or from the high end. Changing ends
// from level to level keeps the odd cell of an odd count from staying behind alone while all others grow.
func (a axis) merge(size float64, fromHigh bool) (axis, Pairing) {
	starts := a.starts(size, fromHigh)
	if len(starts) == len(a.size) {
		return a, Pairing{}
	}
	c := axis{node: make([]float64, len(starts)), size: make([]float64, len(starts))}
	if a.edge != nil {
		c.edge = make([]bool, len(starts))
	}
	parent := make([]int32, len(a.size))
	for p, lo := range starts {
		if a.edge != nil {
			c.edge[p] = a.edge[lo]
		}
		hi := len(a.size)
		if p+1 < len(starts) {
			hi = starts[p+1]
		}
		for i := lo; i < hi; i++ {
			parent[i] = int32(p)
			c.size[p] += a.size[i]
			// The node of a pair is half way between the nodes of its cells, where the coarse conductances have it.
			c.node[p] += a.node[i] / float64(hi-lo)
		}
	}
	return c, Pairing{Parent: parent, Far: farWeights(a, c, parent)}
}

// starts returns the first cell of every coarse cell, ascending.
func (a axis) starts(size float64, fromHigh bool) []int {
	fits := func(i int) bool { return i >= 0 && i < len(a.size) && a.size[i] <= size }
	pair := func(i int) bool { return fits(i) && fits(i+1) && !a.parted(i+1, size) }
	var s []int
	if !fromHigh {
		for i := 0; i < len(a.size); i++ {
			s = append(s, i)
			if pair(i) {
				i++
			}
		}
		return s
	}
	for i := len(a.size) - 1; i >= 0; i-- {
		if pair(i - 1) {
			i--
		}
		s = append(s, i)
	}
	slices.Reverse(s)
	return s
}

// farWeights interpolates linearly between coarse nodes.
func farWeights(fine, coarse axis, parent []int32) []float32 {
	w := make([]float32, len(parent))
	for i, p := range parent {
		own := coarse.node[p]
		far := int(p)
		if fine.node[i] < own {
			far--
		} else if fine.node[i] > own {
			far++
		}
		if far == int(p) || far < 0 || far >= len(coarse.node) {
			continue
		}
		w[i] = float32((fine.node[i] - own) / (coarse.node[far] - own))
	}
	return w
}

// A coarse cell of two materials, such as copper and air, has one value where the fine ones have two that are weakly
// coupled. What the coarse grid then treats as smooth is not smooth: a package of copper, silicon and air on a grid
// that divides none of its edges took 99 iterations instead of 14. So pairs part at the edges of materials as long as
// the grid gets coarser all the same; a cell that an edge cuts has one on both sides, and stays alone for some levels.
const (
	// edgeStrength is the least sum over the layers of |ln(k/k')| across a line of the grid, as a mean over its length,
	// that makes it an edge.
	edgeStrength = 0.05
	// partedShare is the share of cells that a level may keep because of edges. Where it keeps more, pairs ignore them
	// from there on.
	partedShare = 0.5
	// narrow is the width of a cell, in the largest that a level merges, below which it joins a neighbour across an
	// edge: what an edge cut, and left alone.
	narrow = 0.15
)

// materialEdges are the lines of the grid at which materials change: x[i] and y[j] are those below column i and row j.
// most is the largest |ln(k/k')| of neighbours in a plane.
type materialEdges struct {
	x, y []bool
	most float64
}

// stepsOf are sums of |ln(k/k')| across lines of the grid, and the largest.
type stepsOf struct {
	x, y []float64
	most float64
}

func edgesOf(m *mesh.Mesh) materialEdges {
	nx, ny := m.NX(), m.NY()
	layers := make([]stepsOf, len(m.LayerPlanes))
	var work errgroup.Group
	for l, planes := range m.LayerPlanes {
		if index := m.Planes[planes[0]].Index; index != nil {
			layers[l] = stepsOf{x: make([]float64, nx), y: make([]float64, ny)}
			work.Go(func() error { layers[l].add(m, index); return nil })
		}
	}
	_ = work.Wait() // none of them fails
	all := stepsOf{x: make([]float64, nx), y: make([]float64, ny)}
	for _, of := range layers {
		all.most = max(all.most, of.most)
		for i, v := range of.x {
			all.x[i] += v
		}
		for j, v := range of.y {
			all.y[j] += v
		}
	}
	return materialEdges{x: above(all.x, edgeStrength*(m.Y[ny]-m.Y[0])), most: all.most,
		y: above(all.y, edgeStrength*(m.X[nx]-m.X[0]))}
}

// add adds those of a layer.
func (s *stepsOf) add(m *mesh.Mesh, index [][]uint32) {
	step := func(a, b uint32) float64 {
		v := step(m, a, b)
		s.most = max(s.most, v)
		return v
	}
	for j, end := range mesh.Runs(index) {
		row := index[j]
		if j > 0 {
			below := index[j-1]
			for i := range row {
				if row[i] != below[i] {
					s.y[j] += step(row[i], below[i]) * m.DX(i)
				}
			}
		}
		height := 0.0
		for ; j < end; j++ {
			height += m.DY(j)
		}
		for i := 1; i < len(row); i++ {
			if row[i] != row[i-1] {
				s.x[i] += step(row[i], row[i-1]) * height
			}
		}
	}
}

// step is |ln(k/k')| along z, in which cells of two materials are their mean.
func step(m *mesh.Mesh, a, b uint32) float64 {
	return math.Abs(math.Log(m.Palette[a].K[2] / m.Palette[b].K[2]))
}

func above(values []float64, limit float64) []bool {
	is := make([]bool, len(values))
	for i, v := range values {
		is[i] = v > limit
	}
	return is
}
