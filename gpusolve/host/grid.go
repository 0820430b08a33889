package host

import (
	"thermsim/gpusolve/ops"
	"thermsim/stack"
)

// grid is what the system of a mesh has whatever its operator is: vectors over the cells, and sums over its rows.
type grid struct {
	Space
	PlaneReducer
	nx, ny, nz int
	sheet      int       // cells per plane
	partial    []float64 // perRow sums for each row
	share      *share    // nil where no ranks share the grid

	// The operations' arguments, kept here so that dispatching them allocates nothing.
	mapOp          mapTask
	continuationOp continuationTask
	combineOp      combineTask
}

func (g *grid) init(d *Device, nx, ny, nz int) {
	g.nx, g.ny, g.nz, g.sheet = nx, ny, nz, nx*ny
	g.Space = newSpace(d, g.sheet*nz, nx)
	g.PlaneReducer = NewPlaneReducer(&g.Space, nx, ny, nz, func(x ops.Vector) []float64 {
		return x.(*vec64).values()
	})
	g.partial = make([]float64, perRow*ny)
}

// rows runs a task over the rows of the finest grid.
func (g *grid) rows(t Task) { g.Run(t, g.ny, g.cells) }

// onFace calls f for every cell on a face.
func (g *grid) onFace(face stack.Face, f func(i, j, k int)) {
	switch face {
	case stack.Bottom, stack.Top:
		k := 0
		if face == stack.Top {
			k = g.nz - 1
		}
		for j := range g.ny {
			for i := range g.nx {
				f(i, j, k)
			}
		}
	case stack.West, stack.East:
		i := 0
		if face == stack.East {
			i = g.nx - 1
		}
		for k := range g.nz {
			for j := range g.ny {
				f(i, j, k)
			}
		}
	default:
		j := 0
		if face == stack.North {
			j = g.ny - 1
		}
		for k := range g.nz {
			for i := range g.nx {
				f(i, j, k)
			}
		}
	}
}

// owns says whether a row that the grid holds is its own.
func (g *grid) owns(j int) bool { return g.share == nil || j >= g.share.first && j < g.share.last }

// sums are the first n numbers of each row that a task has left in partial.
func (g *grid) sums(n int) rowSums {
	if g.share == nil {
		return g.partial
	}
	return g.share.joinRows(g, n)
}

// mapTask measures fields row by row.
type mapTask struct {
	x, y []float64
	body func(x, y []float64, j int)
}

func (t *mapTask) Run(lo, hi, _ int) {
	for j := lo; j < hi; j++ {
		t.body(t.x, t.y, j)
	}
}

func (g *grid) forRows(x, y ops.Vector, body func(x, y []float64, j int)) {
	g.mapOp = mapTask{x: x.(*vec64).values(), body: body}
	if y != nil {
		g.mapOp.y = y.(*vec64).values()
	}
	g.rows(&g.mapOp)
	g.mapOp = mapTask{}
}
