package fourier

import (
	"math"
	"slices"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

// gpuWeight is the spectrum of weights along an axis.
type gpuWeight struct {
	axis    *gpuAxis
	weights []float64
	at      cudriver.Ptr[float64]
}

// keptWeights is how many spectra of weights stay on the device.
const keptWeights = 1024

// weight is the sum of the weights times each basis function, twice where the inverse transform counts a coefficient
// twice. Equal weights meet the constant function alone.
func (g *gpuOperations) weight(a *gpuAxis, w []float64) cudriver.Ptr[float64] {
	for _, k := range g.weights {
		if k.axis == a && slices.Equal(k.weights, w) {
			return k.at
		}
	}
	if len(g.weights) == keptWeights {
		for _, k := range g.weights {
			g.on.Discard(k.at)
		}
		g.weights = g.weights[:0]
	}
	at := cuda.Alloc[float64](g.on.Space, int64(len(w)))
	if a.ends == Adiabatic && equal(w) {
		cuda.Send(g.on.Space, at, []float64{2 * float64(len(w)) * w[0]})
	} else {
		from := cuda.Upload(g.on.Space, w)
		g.run(a, rows{in: from, out: at, planes: 1, rows: 1, unit: 2})
		g.on.Discard(from)
	}
	g.weights = append(g.weights, gpuWeight{a, slices.Clone(w), at})
	return at
}

// gpuSums are the sums of all planes of a state as it was after so many changes.
type gpuSums struct {
	of      *gpuModes
	changes int
	x, y    cudriver.Ptr[float64]
	planes  []float64
}

// keptSums is the number of sums that are kept: with the same weights callers ask for one plane after another.
const keptSums = 8

// Sum weighs the modes of all planes and keeps what it finds until they change.
func (g *gpuOperations) Sum(m Modes, k int, wx, wy []float64) float64 {
	of := m.(*gpuModes)
	x, y := g.weight(g.x, wx), g.weight(g.y, wy)
	for _, s := range g.known {
		if s.of == of && s.changes == of.changes && s.x == x && s.y == y {
			return s.planes[k]
		}
	}
	if !g.on.Ready() {
		return math.NaN()
	}
	blocks := max(1, min(g.width, residualSums*cuda.ReductionBlocks/g.NZ, blocksOfSum))
	half := int32(0) // slot 0 is the first rank's
	if g.rank == 0 {
		half = halfOf(g.x)
	}
	_, _, ticket := g.on.Sums()
	g.on.Note(g.planeWork.Weigh(g.on.Stream, [3]uint32{uint32(blocks * g.NZ), 1, 1}, SheetsWeighArgs{
		Na: int32(g.width), Nb: int32(g.NY), Nz: int32(g.NZ), Blocks: int32(blocks), HalfA: half, HalfB: halfOf(g.y),
		X: x.Add(int64(g.waves[g.rank])), Y: y, V: of.at,
		Partial: g.partial, Sums: g.sums, Ticket: ticket,
	}))
	s := gpuSums{of, of.changes, x, y, make([]float64, g.NZ)}
	cuda.Receive(g.on.Space, s.planes, g.sums)
	g.total(s.planes)
	if g.on.Err() != nil {
		return math.NaN()
	}
	if len(g.known) == keptSums {
		g.known = g.known[1:]
	}
	g.known = append(slices.Clip(g.known), s)
	return s.planes[k]
}

// blocksOfSum is the most blocks that add up a plane.
const blocksOfSum = 256

// halfOf is 1 where slot 0 counts once.
func halfOf(a *gpuAxis) int32 {
	if a.ends.fourth() {
		return 0
	}
	return 1
}

// Max is the largest value of n planes in the rows of this rank, NaN where any is NaN.
func (g *gpuOperations) Max(p ops.Vector, at, n int) float64 {
	if !g.on.Ready() {
		return math.NaN()
	}
	return g.on.Max(g.plane(p, at), int64(n)*g.space)
}
