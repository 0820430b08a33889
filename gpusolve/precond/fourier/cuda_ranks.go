package fourier

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
)

// crossing is how planes pass between ranks on the way between the transforms along x and y. A line of tiles is a pair
// of rows that the next transform takes: a rank has a stretch of every line, and each line is wanted by one rank, or in
// space by neighbours too. What a rank sends another lies together in every plane.
type crossing struct {
	link              cuda.Link
	toRows, toColumns way
	received, joined  cudriver.Ptr[float64] // stretches of others, and whole lines of them
}

// way is one direction.
type way struct {
	lines       int   // in all
	across      []int // tiles that each rank has of a line
	first, last []int // half-open range of lines that each rank takes
}

// tileBytesEach is a tile of two by two doubles, tileValuesEach their number.
const (
	tileValuesEach = 4
	tileBytesEach  = 8 * tileValuesEach
)

// join makes what planes pass by.
func (g *gpuOperations) join() error {
	link, err := g.on.LinkOf(g.group)
	if err != nil {
		return err
	}
	c := &crossing{link: link, toRows: way{lines: (g.NY + 1) / 2}, toColumns: way{lines: (g.NX + 1) / 2}}
	for r := range g.size() {
		from, to := g.held(r)
		c.toRows.add((g.partWidth(r)+1)/2, from/2, (to+1)/2)
		c.toColumns.add((g.rows[r+1]-g.rows[r]+1)/2, g.waves[r]/2, (g.waves[r+1]+1)/2)
	}
	size := int64(g.atOnce) * g.mostTiles()
	c.received, c.joined = cuda.AllocRaw[float64](g.on.Space, size), cuda.AllocRaw[float64](g.on.Space, size)
	g.crossing = c
	return g.on.Err()
}

func (w *way) add(across, first, last int) {
	w.across, w.first, w.last = append(w.across, across), append(w.first, first), append(w.last, last)
}

// pieces are what a rank has for another of each plane, where they lie in its tiles.
func (w *way) pieces(from, to int) cuda.Spans {
	line := int64(w.across[from]) * tileBytesEach
	return cuda.Spans{At: int64(w.first[to]) * line, Step: int64(w.lines) * line, Bytes: int64(w.last[to]-w.first[to]) *
		line}
}

// cross passes planes of tiles between ranks. It returns where their lines are whole, and how far apart planes are.
func (g *gpuOperations) cross(w *way, planes int) (at cudriver.Ptr[float64], apart int64) {
	c, me := g.crossing, g.rank
	width := 0 // of a line
	with := make([]cuda.Portion, g.size())
	next := int64(0)
	for r := range with {
		width += w.across[r]
		in := w.pieces(r, me)
		with[r] = cuda.Portion{Count: planes, Out: w.pieces(me, r), There: in,
			In: cuda.Spans{At: next, Step: in.Bytes, Bytes: in.Bytes}}
		if r != me {
			next += int64(planes) * in.Bytes
		}
	}
	if g.on.Ready() {
		g.on.Note(c.link.AllToAll(g.on.Space, g.tiles.Address(), c.received.Address(), with))
	}
	apart = int64(w.last[me]-w.first[me]) * int64(width) * tileValuesEach
	column := 0
	for r, p := range with {
		from, step := c.received.Add(p.In.At/8), p.In.Step
		if r == me {
			from, step = g.tiles.Add(p.Out.At/8), p.Out.Step
		}
		g.place(SheetsPlaceArgs{Line: int32(2 * w.across[r]), Count: int32(p.In.Bytes / 16), Width: int32(2 * width),
			At: int32(2 * column), From: step / 16, To: apart / 2, In: from, Out: c.joined}, planes)
		column += w.across[r]
	}
	return c.joined, apart
}

func (g *gpuOperations) place(a SheetsPlaceArgs, planes int) {
	if g.on.Ready() {
		grid := [3]uint32{cuda.Blocks(int(a.Count), SheetsFlat), uint32(planes), 1}
		cuda.Launch(g.on.Space, &g.planeWork.Place, grid, a)
	}
}

// joinNorms adds up the sums of a residual and finds its largest value.
func (g *gpuOperations) joinNorms(v []float64) []float64 {
	if g.alone() {
		return v
	}
	const most = residualSums - 1
	joined := make([]float64, residualSums)
	for _, of := range g.numbers(v...) {
		for n, x := range of[:most] {
			joined[n] += x
		}
		joined[most] = max(joined[most], of[most])
	}
	return joined
}
