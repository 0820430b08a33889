package fourier

import (
	"math"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

// Residual takes the differences of planes and draws the right-hand side in space. Planes that are given go in one
// launch, as many as there is room for sums of. Very large planes take a launch each, because blocks that drift apart
// read their neighbours again: a whole solve of ten planes of 1e8 cells took 44 ms in one launch on an H200, 40 with a
// launch each. Otherwise it makes them one by one, of which three are needed at a time, and in time those of the state
// before.
func (g *gpuOperations) Residual(x, old Modes, p ops.Vector) Norms {
	nan := math.NaN()
	failed := Norms{ops.Norms{Residual: nan, Source: nan, Floor: nan}, nan}
	t := cuda.NewTemporary(g.on.Space)
	defer t.Discard()
	r := residualWork{gpuOperations: g, together: 1, ring: planeRing{g: g, given: p, from: x}}
	if p == nil {
		r.ring.own = cuda.Take[float64](t, 3*g.space)
	}
	if old != nil {
		r.former, r.old = old.(*gpuModes), cuda.Take[float64](t, g.space)
	} else if p != nil && 8*g.space <= tileBytes {
		r.together = min(g.NZ, cuda.ReductionBlocks)
	}
	r.draw(t)
	for k := 0; k < g.NZ; k += r.together {
		r.take(k, min(r.together, g.NZ-k))
	}
	v := g.joinNorms(g.on.ReadScalars()[:residualSums])
	if g.on.Err() != nil {
		return failed
	}
	n := Norms{ops.Norms{Residual: math.Sqrt(v[0]), Source: math.Sqrt(v[1]), Floor: 0x1p-53 * math.Sqrt(v[2])}, v[3]}
	if math.IsNaN(n.Residual) {
		return failed
	}
	return n
}

// residualBlocks are those of a multiprocessor: each ends with sums over its threads.
const residualBlocks = 8

// residualWork is a residual in progress.
type residualWork struct {
	*gpuOperations
	ring     planeRing
	together int                   // planes of a launch
	former   *gpuModes             // in time
	old      cudriver.Ptr[float64] // a plane of it
	drawn    cudriver.Ptr[float64] // the loads in space
}

// draw makes the loads in space: in the tiles, where no plane goes through these and there is room, else in memory of
// its own.
func (r *residualWork) draw(t *cuda.Temporary) {
	s := &r.sources
	loads, planes := int64(len(s.loads))*r.space, int64(s.planes)*r.space
	if r.ring.given != nil && r.former == nil && loads+planes <= int64(r.atOnce)*r.tile {
		r.drawn = r.tiles
	} else {
		r.drawn = cuda.Take[float64](t, loads+planes)
	}
	maps := r.drawn.Add(loads)
	r.sendPlanes(maps, r.from, r.to)
	r.product(r.drawn, stretch{r.from, r.to, r.NY}, r.NX, s.alongY, s.alongX, maps)
}

// planeRing has the planes of a state as they are needed, in ascending order.
type planeRing struct {
	g     *gpuOperations
	given ops.Vector
	from  Modes
	own   cudriver.Ptr[float64]
	made  int // planes so far
}

func (r *planeRing) plane(k int) cudriver.Ptr[float64] {
	switch {
	case k < 0 || k >= r.g.NZ:
		return cudriver.Ptr[float64]{}
	case r.given != nil:
		return r.g.plane(r.given, k)
	}
	at := func(k int) cudriver.Ptr[float64] { return r.own.Add(int64(k%3) * r.g.space) }
	for ; r.made <= k; r.made++ {
		r.g.inverse(rows{out: at(r.made)}, r.from.(*gpuModes).at.Add(int64(r.made)*r.g.sheet), 1)
	}
	return at(k)
}

// take adds n planes from plane k on.
func (r *residualWork) take(k, n int) {
	if r.former != nil {
		r.inverse(rows{out: r.old}, r.former.at.Add(int64(k)*r.sheet), 1)
	}
	above := r.ring.plane(k + n)
	own, below := r.ring.plane(k), r.ring.plane(k-1)
	low, high := r.own()
	each := max(1,
		min(int(cuda.Blocks((high-low)*r.NX, SheetsFlat)),
			min(cuda.ReductionBlocks, residualBlocks*r.on.Multiprocessors)/n))
	_, scalars, ticket := r.on.Sums()
	grid := [3]uint32{uint32(n * each), 1, 1}
	args := SheetsResidualArgs{
		Nx: int32(r.NX), Ny: int32(r.to - r.from), Nz: int32(r.NZ), K0: int32(k), Each: int32(each),
		Fresh: cuda.Flag(k == 0), Below: below, Own: own, Above: above, Old: r.old, Planes: r.system.parts,
		Bottom: r.GZ[0], Top: r.GZ[r.NZ], XEnds: int32(r.X), YEnds: int32(r.Y), First: r.system.first,
		Share: r.system.share, Sheet: r.system.sheet, Sheets: r.drawn, Partial: r.partial, Scalars: scalars,
		Ticket: ticket,
	}
	switch {
	case r.x.weighted:
		r.takeGraded(&args, grid)
		return
	case r.alone():
		cuda.Launch(r.on.Space, &r.planeWork.Residual, grid, args)
		return
	}
	cuda.Launch(r.on.Space, &r.planeWork.ResidualRows, grid, SheetsResidualRowsArgs{
		Nx: args.Nx, Ny: args.Ny, Nz: args.Nz, Low: int32(low - r.from), High: int32(high - r.from), K0: args.K0,
		Each: args.Each, Fresh: args.Fresh, Below: args.Below, Own: args.Own, Above: args.Above, Old: args.Old,
		Planes: args.Planes, Bottom: args.Bottom, Top: args.Top, XEnds: args.XEnds, YEnds: args.YEnds,
		First: args.First, Share: args.Share, Sheet: args.Sheet, Sheets: args.Sheets, Partial: args.Partial,
		Scalars: args.Scalars, Ticket: args.Ticket,
	})
}

// takeGraded launches the residual of a graded grid.
func (r *residualWork) takeGraded(args *SheetsResidualArgs, grid [3]uint32) {
	low, high := r.own()
	from := int64(r.from)
	cuda.Launch(r.on.Space, &r.planeWork.ResidualGraded, grid, SheetsResidualGradedArgs{
		Nx: args.Nx, Ny: args.Ny, Nz: args.Nz, Low: int32(low - r.from), High: int32(high - r.from), K0: args.K0,
		Each: args.Each, Fresh: args.Fresh, Below: args.Below, Own: args.Own, Above: args.Above, Old: args.Old,
		Planes: args.Planes, Bottom: args.Bottom, Top: args.Top, First: args.First, Share: args.Share,
		Sheet: args.Sheet, Sheets: args.Sheets, Partial: args.Partial, Scalars: args.Scalars, Ticket: args.Ticket,
		XWidths: r.x.widths, YWidths: r.y.widths.Add(from), XCouplings: r.x.couplings,
		YCouplings: r.y.couplings.Add(from),
	})
}
