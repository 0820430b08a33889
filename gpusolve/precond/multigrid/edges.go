package multigrid

import (
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"thermsim/mesh"
)

// A coarse cell of two materials, copper and air say, has one value where the fine ones have two that little ties
// together: what the coarse grid then takes for smooth is not, and a package of copper, silicon and air on a grid that
// divides none of its edges took 99 iterations in place of 14. So pairs part at the edges of materials as long as the
// grid gets coarser all the same; a cell that an edge cuts has one on both sides, and stays alone for some levels.
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

// edges finds the lines of the grid at which materials change: x[i] and y[j] are those below column i and row j.
func edges(m *mesh.Mesh) (x, y []bool) {
	nx, ny := m.NX(), m.NY()
	type sums struct{ x, y []float64 }
	layers := make([]sums, len(m.LayerPlanes))
	var work errgroup.Group
	for l, planes := range m.LayerPlanes {
		if index := m.Planes[planes[0]].Index; index != nil {
			layers[l] = sums{make([]float64, nx), make([]float64, ny)}
			work.Go(func() error { addEdges(m, index, layers[l].x, layers[l].y); return nil })
		}
	}
	_ = work.Wait() // none of them fails
	sumX, sumY := make([]float64, nx), make([]float64, ny)
	for _, of := range layers {
		for i, v := range of.x {
			sumX[i] += v
		}
		for j, v := range of.y {
			sumY[j] += v
		}
	}
	return above(sumX, edgeStrength*(m.Y[ny]-m.Y[0])), above(sumY, edgeStrength*(m.X[nx]-m.X[0]))
}

// addEdges adds those of a layer. Most rows are like the one below: they are compared only.
func addEdges(m *mesh.Mesh, index []uint32, sumX, sumY []float64) {
	nx := m.NX()
	for j := 0; j < m.NY(); {
		row := index[j*nx : (j+1)*nx]
		if j > 0 {
			below := index[(j-1)*nx : j*nx]
			for i := range row {
				if row[i] != below[i] {
					sumY[j] += step(m, row[i], below[i]) * m.DX(i)
				}
			}
		}
		height := m.DY(j)
		for j++; j < m.NY() && slices.Equal(row, index[j*nx:(j+1)*nx]); j++ {
			height += m.DY(j)
		}
		for i := 1; i < nx; i++ {
			if row[i] != row[i-1] {
				sumX[i] += step(m, row[i], row[i-1]) * height
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
