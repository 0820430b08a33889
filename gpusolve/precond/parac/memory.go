package parac

import (
	"math"

	"thermsim/gpusolve/precond"
)

// What the GPU's elimination sets aside, as package cuda does: entries of G an edge of the matrix and a row, edges that
// wait, and scratch of a warp.
const (
	outputsPerEdge, outputsPerRow = 4.2, 2
	waiting                       = 1.5
	scratchOfWarp                 = 2048
	warps, verticesOfBlock        = 4, 32
	blocksOfMultiprocessor        = 8
	largeGPU                      = 160 // multiprocessors, where they are not known
	slotBytes, vertexBytes        = 4 + 16, 32
)

// fill is how many entries of G come of an edge of a grid's matrix, from experience: random samples, so it differs by a
// few percent.
const fill = 3.6

// Memory is that of the elimination, and then of the factor while it is sorted, beside the matrix by rows.
func Memory(s precond.Shape, set precond.Settings) precond.Need {
	edges, n := float64(s.Entries-s.Unknowns)/2, float64(s.Unknowns)
	rows := s.Rows()
	if !s.GPU {
		return onProcessor(s, edges)
	}
	room := set.Float("room")
	slots := math.Ceil(max(1, room*waiting*edges/n)) * n
	outputs := room * (outputsPerEdge*edges + outputsPerRow*n)
	sms := float64(s.Multiprocessors)
	if sms == 0 {
		sms = largeGPU
	}
	scratch := room * (scratchOfWarp*warps*max(1, min(n/verticesOfBlock+1, blocksOfMultiprocessor*sms)) + n)
	// orders; vertices, starts, counts and pivots of columns, and their entries
	lists := 12*n + (vertexBytes+8+4+8)*n + 8*outputs
	eliminating := lists + 8*n + slotBytes*slots + 32*scratch
	entries := fill * edges
	held := 48*n + 16*entries
	sorting := lists + held + 20*n + 16*entries
	setUp := float64(rows.Held) + max(eliminating, sorting)
	return precond.Need{SetUp: max(rows.SetUp, int64(setUp)), Held: int64(held)}
}

// onProcessor is the elimination on the processor: states of vertices, the order's lists, columns as they come and
// edges that wait, which the sorted factor joins before they are collected. Measured on layered stacks.
func onProcessor(s precond.Shape, edges float64) precond.Need {
	n, entries := float64(s.Unknowns), fill*edges
	held := 40*n + 16*entries
	return precond.Need{SetUp: s.Rows().Held + int64(held+160*n+11*entries), Held: int64(held)}
}
