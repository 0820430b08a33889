package fourier

import (
	"math"
	"slices"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

// gpuModes are modes on the GPU.
type gpuModes struct {
	at      cudriver.Ptr[float64]
	count   int64
	changes int // times that they were set
}

func (m *gpuModes) Bytes() int64 { return 8 * m.count }

func (g *gpuOperations) NewModes() (Modes, error) { return g.newModes(), g.on.Err() }

func (g *gpuOperations) newModes() *gpuModes {
	n := g.sheet * int64(g.NZ)
	return &gpuModes{at: cuda.Alloc[float64](g.on.Space, n), count: n}
}

func (g *gpuOperations) Combine(dst Modes, a float64, x Modes, b float64, y Modes) {
	to := dst.(*gpuModes)
	to.changes++
	g.on.CombineValues(to.count, to.at, a, x.(*gpuModes).at, b, y.(*gpuModes).at)
}

func (g *gpuOperations) NewPlanes(n int) (ops.Vector, error) {
	return cuda.NewRawVector[float64](g.on.Space, g.space*int64(n)), g.on.Err()
}

// plane is where plane i of p begins.
func (g *gpuOperations) plane(p ops.Vector, i int) cudriver.Ptr[float64] {
	return cuda.F64(p).Add(int64(i) * g.space)
}

func (g *gpuOperations) Read(p ops.Vector, i int, dst []float64) {
	cuda.Receive(g.on.Space, dst[g.from*g.NX:g.to*g.NX], g.plane(p, i))
}

func (g *gpuOperations) Write(p ops.Vector, i int, src []float64) {
	cuda.Send(g.on.Space, g.plane(p, i), src[g.from*g.NX:g.to*g.NX])
}

func (g *gpuOperations) ReadModes(m Modes, dst []float64) {
	from := m.(*gpuModes)
	cuda.Receive(g.on.Space, dst[:from.count], from.at)
}

func (g *gpuOperations) WriteModes(m Modes, src []float64) {
	to := m.(*gpuModes)
	to.changes++
	cuda.Send(g.on.Space, to.at, src[:to.count])
}

// Inverse goes from modes to space, first along y.
func (g *gpuOperations) Inverse(dst ops.Vector, at int, m Modes, first, n int) {
	g.inverse(rows{out: g.plane(dst, at)}, m.(*gpuModes).at.Add(int64(first)*g.sheet), n)
}

// inverse brings n planes of modes to out or out32 of r.
func (g *gpuOperations) inverse(r rows, m cudriver.Ptr[float64], n int) {
	for done := 0; done < n; done += g.atOnce {
		some, at := min(g.atOnce, n-done), int64(done)*g.space
		g.run(g.y, rows{in: m.Add(int64(done) * g.sheet), from: g.sheet, out: g.tiles, to: g.tile, tiles: true,
			planes: some, rows: g.width, inverse: true})
		last := rows{in: g.tiles, from: g.tile, tilesIn: true, to: g.space, planes: some, rows: g.to - g.from,
			inverse: true}
		if g.crossing != nil {
			last.in, last.from = g.cross(&g.crossing.toRows, some)
		}
		if r.out32.IsNil() {
			last.out = r.out.Add(at)
		} else {
			last.out32 = r.out32.Add(at)
		}
		g.run(g.x, last)
	}
}

// Forward goes from space to modes, first along x.
func (g *gpuOperations) Forward(m Modes, first, n int, src ops.Vector) {
	m.(*gpuModes).changes++
	own, _ := g.own()
	g.forward(m.(*gpuModes).at.Add(int64(first)*g.sheet),
		rows{in: g.plane(src, 0).Add(int64((own - g.from) * g.NX)), from: g.space, field: true}, n)
}

// forward sets n planes of modes from in or in32 of r, where the own rows are and from values further those of the next
// plane.
func (g *gpuOperations) forward(m cudriver.Ptr[float64], r rows, n int) {
	first, end := g.own()
	own := end - first
	for done := 0; done < n; done += g.atOnce {
		some, at := min(g.atOnce, n-done), int64(done)*r.from
		line := rows{from: r.from, out: g.tiles, to: tileValues(g.NX, own), tiles: true, planes: some, rows: own,
			unit: 1 / float64(g.NX), field: r.field}
		if r.in32.IsNil() {
			line.in = r.in.Add(at)
		} else {
			line.in32 = r.in32.Add(at)
		}
		g.run(g.x, line)
		last := rows{in: g.tiles, from: g.tile, tilesIn: true, out: m.Add(int64(done) * g.sheet), to: g.sheet,
			planes: some, rows: g.width, unit: 1 / float64(g.NY), field: r.field}
		if g.crossing != nil {
			last.in, last.from = g.cross(&g.crossing.toColumns, some)
		}
		g.run(g.y, last)
	}
}

func (g *gpuOperations) Precondition(z, r ops.Vector) {
	g.forward(g.rough.at, rows{in32: cuda.F32(r), from: g.sheet}, g.NZ)
	g.solve(&g.plain, g.rough.at, g.rough.at, 1)
	g.inverse(rows{out32: cuda.F32(z)}, g.rough.at, g.NZ)
}

// gpuWeight is the spectrum of weights along an axis.
type gpuWeight struct {
	axis    *gpuAxis
	weights []float64
	at      cudriver.Ptr[float64]
}

// keptWeights is how many spectra of weights stay on the device.
const keptWeights = 1024

// weight is the sum of the weights times each basis function, twice where the inverse transform counts a coefficient
// twice. Equal weights of equal cells meet the constant function alone.
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
	if a.of.ends == Adiabatic && !a.of.graded() && equal(w) {
		cuda.Send(g.on.Space, at, []float64{2 * float64(len(w)) * w[0]})
	} else {
		from := cuda.Upload(g.on.Space, w)
		g.run(a, rows{in: from, out: at, planes: 1, rows: 1, unit: 2})
		g.on.Discard(from)
	}
	g.weights = append(g.weights, gpuWeight{a, slices.Clone(w), at})
	return at
}

// gpuSums are the sums of all planes of a state as it was after its change number changes.
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
	cuda.Launch(g.on.Space, &g.planeWork.Weigh, [3]uint32{uint32(blocks * g.NZ), 1, 1}, SheetsWeighArgs{
		Na: int32(g.width), Nb: int32(g.NY), Nz: int32(g.NZ), Blocks: int32(blocks), HalfA: half, HalfB: halfOf(g.y),
		X: x.Add(int64(g.waves[g.rank])), Y: y, V: of.at, Partial: g.partial, Sums: g.sums, Ticket: ticket,
	})
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

// halfOf is 1 where slot 0 counts once and others twice.
func halfOf(a *gpuAxis) int32 { return cuda.Flag(!a.of.ends.fourth() && !a.of.graded()) }

func (g *gpuOperations) Max(p ops.Vector, at, n int) float64 {
	if !g.on.Ready() {
		return math.NaN()
	}
	return g.on.Max(g.plane(p, at), int64(n)*g.space)
}
