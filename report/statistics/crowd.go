package statistics

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"thermsim/gpusolve/reduction"
	"thermsim/mesh"
)

// Layers with too many overlapping regions for a decomposition into rectangles are evaluated cell by cell: each region
// has a share of each cell.

// fewestLines is the smallest number of sampling lines, for all rows of cells together, of a layer whose strips
// intersect too many rectangles.
const fewestLines = 1024

// crowd computes the visible share of every cell for groups of items, south to north, west to east. group is the group
// of every item.
func (h *sheet) crowd(m *mesh.Mesh, group []int, groups int) [][]reduction.Cell {
	h.ys = edges(append(h.ys, m.Y...), slack*h.ys[len(h.ys)-1])
	for n := range h.rects {
		r := &h.rects[n]
		r.y0, r.y1 = h.ys[edge(h.ys, r.y0)], h.ys[edge(h.ys, r.y1)]
	}
	h.leaveOutFlat() // both edges of a rectangle may snap to one edge of the grid
	h.order()
	if h.met <= mostMet {
		h.met = 0
		if cells := h.rows(m, group, groups, mostMet); h.met <= mostMet {
			return cells
		}
	}
	h.sample(m)
	h.sampled = true
	return h.rows(m, group, groups, math.MaxInt)
}

// sample moves rectangles so that they cover the share of each row of cells that they have of its sampling lines. The
// lines are evenly spaced with a random offset each.
func (h *sheet) sample(m *mesh.Mesh) {
	met := 0.0 // mean number of rectangles on a line
	for _, r := range h.rects {
		met += (r.y1 - r.y0) / h.ys[len(h.ys)-1]
	}
	lines := max(2, max(fewestLines, min(len(h.ys), int(mostMet/max(1, met))))/m.NY())
	draw := rand.New(rand.NewPCG(1, 2)) // the same for every run
	var at []float64
	h.ys = append(h.ys[:0], m.Y[0])
	for j := range m.NY() {
		step := m.DY(j) / float64(lines)
		for n := range lines {
			at = append(at, m.Y[j]+step*(float64(n)+draw.Float64()))
			h.ys = append(h.ys, m.Y[j]+step*float64(n+1))
		}
		h.ys[len(h.ys)-1] = m.Y[j+1]
	}
	for n := range h.rects {
		r := &h.rects[n]
		r.y0, r.y1 = h.ys[sort.SearchFloat64s(at, r.y0)], h.ys[sort.SearchFloat64s(at, r.y1)]
	}
	h.leaveOutFlat()
	h.order()
}

// leaveOutFlat removes rectangles without height, which would cover the strip north of them.
func (h *sheet) leaveOutFlat() {
	h.rects = slices.DeleteFunc(h.rects, func(r laid) bool { return r.y0 >= r.y1 })
}

// rows merges the strips of every row of cells, and stops after most rectangles. No strip crosses the edge of a row.
func (h *sheet) rows(m *mesh.Mesh, group []int, groups, most int) [][]reduction.Cell {
	w := row{sheet: h, mesh: m, group: group, cells: make([][]reduction.Cell, groups), areas: map[[2]int32]float64{}}
	var p painter
	h.sweep(func(s *between) bool {
		for w.j < m.NY()-1 && m.Y[w.j+1] <= s.south+(s.north-s.south)/2 {
			w.end()
		}
		for n := range w.strips {
			if w.strips[n].mark == s.mark {
				w.strips[n].height += s.north - s.south
				return h.met <= most
			}
		}
		if len(w.strips) == mostAlike {
			w.put(&w.strips[0])
			w.strips = slices.Delete(w.strips, 0, 1)
		}
		w.strips = append(w.strips, seenStrip{s.mark, s.north - s.south, p.paint(h, s)})
		return h.met <= most
	})
	w.end()
	return w.cells
}

// row accumulates the visible items of a row of cells.
type row struct {
	sheet  *sheet
	mesh   *mesh.Mesh
	group  []int
	j      int
	strips []seenStrip          // the last different ones
	areas  map[[2]int32]float64 // m2, by group and column
	shares []float64            // of an interval, scratch
	cells  [][]reduction.Cell
}

// seenStrip holds the visible items of strips of a row with the same rectangles.
type seenStrip struct {
	mark   uint64
	height float64 // m, of all of them
	shown  []seen
}

// mostAlike is the number of cached strips: strips of regions on a pitch alternate.
const mostAlike = 32

// put distributes a strip's intervals to the cells of the row.
func (w *row) put(s *seenStrip) {
	for _, v := range s.shown {
		i, x := reduction.Lengths(w.mesh.X, w.sheet.xs[v.x0], w.sheet.xs[v.x1], w.shares)
		for n, dx := range x {
			w.areas[[2]int32{int32(w.group[v.of]), int32(i + n)}] += dx * s.height
		}
		w.shares = x[:0]
	}
}

// end emits the cells of the row and starts the next row.
func (w *row) end() {
	for n := range w.strips {
		w.put(&w.strips[n])
	}
	w.strips = w.strips[:0]
	first := make([]int, len(w.cells))
	for g := range w.cells {
		first[g] = len(w.cells[g])
	}
	for at, area := range w.areas {
		g, i := at[0], at[1]
		share := min(1, area/(w.mesh.DX(int(i))*w.mesh.DY(w.j)))
		w.cells[g] = append(w.cells[g], reduction.Cell{I: i, J: int32(w.j), Share: share})
	}
	for g := range w.cells {
		slices.SortFunc(w.cells[g][first[g]:], func(a, b reduction.Cell) int { return cmp.Compare(a.I, b.I) })
	}
	clear(w.areas)
	w.j++
}
