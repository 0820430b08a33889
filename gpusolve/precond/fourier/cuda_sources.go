package fourier

import (
	"slices"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
)

// gpuSources are the loads on the device. The footprints, planes, and watts and factors of all loads lie one behind the
// other, and so do their spectra.
type gpuSources struct {
	loads          []Load
	prints, planes int                // of all loads
	block          cudriver.Ptr[byte] // memory of all that follows
	amount         cudriver.Ptr[float64]
	firstPrint     cudriver.Ptr[int32]
	firstPlane     cudriver.Ptr[int32]
	alongX         cudriver.Ptr[float64] // shares of the footprints' cells, NX for each
	alongY         cudriver.Ptr[float64]
	spectraX       cudriver.Ptr[float64] // their transforms
	spectraY       cudriver.Ptr[float64]
	planeSpectra   cudriver.Ptr[float64]
	sent           []float64 // amounts on the device
	next           []float64 // amounts to compare with them
	outlines       []byte    // on the way to the device
}

// SetLoads makes the right-hand side. Spectra of footprints are products, however many there are: a product costs a
// mode one multiplication and addition, and the plane in space would cost the same.
func (g *gpuOperations) SetLoads(loads []Load) {
	s := &g.sources
	if g.on.Err() != nil {
		return
	}
	s.next = appendAmounts(s.next[:0], loads)
	same := func(a, b Load) bool {
		return a.Outline == b.Outline && a.First == b.First && slices.Equal(a.Shares, b.Shares)
	}
	switch {
	case s.block.IsNil() || !slices.EqualFunc(s.loads, loads, same):
		s.loads = slices.Clone(loads)
		g.setOutlines()
	case slices.Equal(s.next, s.sent):
		return
	default:
		cuda.SendPinned(g.on.Space, s.amount, s.next)
	}
	s.sent, s.next = s.next, s.sent
	g.spectra()
}

// appendAmounts adds the watts and factors of all loads.
func appendAmounts(all []float64, loads []Load) []float64 {
	for _, l := range loads {
		all = append(append(all, l.Watts...), l.Factors...)
	}
	return all
}

// setOutlines sends the loads' outlines and amounts in one piece, and transforms the footprints and planes.
func (g *gpuOperations) setOutlines() {
	s := &g.sources
	o := outlinesOf(g.Layered, s.loads, s.next)
	s.prints, s.planes = o.prints(), len(o.planes)
	// What is made on the device lies behind what is sent.
	sizes := loadSizes(g.Layered, s.loads, g.sheet)
	bytes := loadBytes(g.Layered, s.loads, g.sheet)
	if s.block.IsNil() {
		s.block = cuda.AllocRaw[byte](g.on.Space, bytes)
	} else {
		g.on.Wait() // for what is on its way out of s.outlines
		g.on.Discard(s.block)
		s.block = cuda.AllocApart[byte](g.on.Space, bytes)
	}
	p := cuda.NewPacker(s.block, o.bytes())
	x, y := o.pack(&p, g)
	s.outlines = p.Bytes()
	cuda.SendLater(g.on.Space, s.block, s.outlines)
	at := s.block.Add(o.bytes())
	for i, to := range []*cudriver.Ptr[float64]{&s.alongX, &s.alongY, &s.spectraX, &s.spectraY, &s.planeSpectra,
		&g.system.sheets} {
		*to = cudriver.At[float64](at.Address())
		at = at.Add(aligned(8 * sizes[i]))
	}
	g.spread(g.NX, x, s.alongX)
	g.spread(g.NY, y, s.alongY)
	g.run(g.x, rowsOf(s.alongX, s.spectraX, s.prints, g.NX))
	g.run(g.y, rowsOf(s.alongY, s.spectraY, s.prints, g.NY))
	if s.planes > 0 {
		g.transformPlanes()
	}
}

// transformPlanes makes the spectra of the planes of all loads, in place where one rank has all.
func (g *gpuOperations) transformPlanes() {
	s := &g.sources
	t := cuda.NewTemporary(g.on.Space)
	defer t.Discard()
	first, end := g.own()
	in, own := s.planeSpectra, int64(end-first)*int64(g.NX)
	if g.crossing != nil {
		in = cuda.Take[float64](t, int64(s.planes)*own)
	}
	g.sendPlanes(in, first, end)
	g.forward(s.planeSpectra, rows{in: in, from: own}, s.planes)
}

// loadSizes are the values that the device makes of loads: footprints along x and y, their transforms, planes, and
// spectra.
func loadSizes(l *Layered, loads []Load, sheet int64) [6]int64 {
	prints, planes := int64(0), int64(0)
	for _, d := range loads {
		prints += int64(len(d.Footprints))
		planes += int64(len(d.Planes))
	}
	x, y := prints*int64(l.NX), prints*int64(l.NY)
	return [...]int64{x, y, x, y, planes * sheet, int64(len(loads)) * sheet}
}

// loadBytes is the memory of loads on the device, with sheet modes of a plane.
func loadBytes(l *Layered, loads []Load, sheet int64) int64 {
	bytes := outlinesOf(l, loads, appendAmounts(nil, loads)).bytes()
	for _, n := range loadSizes(l, loads, sheet) {
		bytes += aligned(8 * n)
	}
	return bytes
}

// rowsOf are forward transforms of rows.
func rowsOf(in, out cudriver.Ptr[float64], count, n int) rows {
	return rows{in: in, out: out, planes: 1, rows: count, unit: 1 / float64(n)}
}

// spread lays the footprints' shares out in whole rows.
func (g *gpuOperations) spread(n int, p gpuProfiles, out cudriver.Ptr[float64]) {
	count := int64(g.sources.prints) * int64(n)
	if !g.on.Ready() || count == 0 {
		return
	}
	grid := [3]uint32{uint32((count + SheetsFlat - 1) / SheetsFlat), 1, 1}
	cuda.Launch(g.on.Space, &g.planeWork.Spread, grid,
		SheetsSpreadArgs{Count: count, N: int32(n), Start: p.start, From: p.from, Shares: p.shares, Out: out})
}

// sendPlanes copies rows of the planes of all loads in space.
func (g *gpuOperations) sendPlanes(dst cudriver.Ptr[float64], first, end int) {
	for _, l := range g.sources.loads {
		for _, p := range l.Planes {
			cuda.Send(g.on.Space, dst, p[first*g.NX:end*g.NX])
			dst = dst.Add(int64(end-first) * int64(g.NX))
		}
	}
}

// spectra sums the loads' spectra with the watts of now.
func (g *gpuOperations) spectra() {
	s := &g.sources
	g.product(g.system.sheets, stretch{g.waves[g.rank], g.waves[g.rank+1], g.NX}, g.NY, s.spectraX, s.spectraY,
		s.planeSpectra)
}

// stretch is a range of the values of a profile, of all of them.
type stretch struct{ from, to, all int }

// product sums products of profiles along a and b, and planes, for each load. Of the profiles along a it takes a
// stretch.
func (g *gpuOperations) product(dst cudriver.Ptr[float64], along stretch, nb int, a, b, planes cudriver.Ptr[float64]) {
	s, na := &g.sources, along.to-along.from
	if !g.on.Ready() || len(s.loads) == 0 {
		return
	}
	grid := [3]uint32{cuda.Blocks(na, SheetsTile) * cuda.Blocks(nb, SheetsThreads) * uint32(len(s.loads)), 1, 1}
	cuda.Launch(g.on.Space, &g.planeWork.Product, grid, SheetsProductArgs{
		Na: int32(na), Nb: int32(nb), Step: int32(along.all), FirstPrint: s.firstPrint, FirstPlane: s.firstPlane,
		Amounts: s.amount, X: a.Add(int64(along.from)), Y: b, Plane: planes, Out: dst,
	})
}

// outlines are the data of loads on the device: which of them heat a plane, and their footprints along either axis.
type outlines struct {
	amounts, share         []float64
	first, sheet           []int32 // entries of each plane, and the load of each entry
	firstPrint, firstPlane []int32 // of each load
	planes                 [][]float64
	x, y                   profiles
}

// profiles are the shares of footprints along an axis: those of footprint f are from[f] to from[f+1]-1 and belong to
// the cells from start[f] on.
type profiles struct {
	start, from []int32
	shares      []float64
}

func (p *profiles) add(first int, shares []float64) {
	p.start = append(p.start, int32(first))
	p.shares = append(p.shares, shares...)
	p.from = append(p.from, int32(len(p.shares)))
}

func outlinesOf(l *Layered, loads []Load, amounts []float64) *outlines {
	o := &outlines{amounts: amounts, first: []int32{0}, firstPrint: []int32{0}, firstPlane: []int32{0}}
	o.x.from, o.y.from = []int32{0}, []int32{0}
	for k := range l.NZ {
		for n, d := range loads {
			if i := k - d.First; i >= 0 && i < len(d.Shares) {
				o.sheet, o.share = append(o.sheet, int32(n)), append(o.share, d.Shares[i])
			}
		}
		o.first = append(o.first, int32(len(o.sheet)))
	}
	for _, d := range loads {
		for n := range d.Footprints {
			f := &d.Footprints[n]
			o.x.add(f.I, f.X)
			o.y.add(f.J, f.Y)
		}
		o.planes = append(o.planes, d.Planes...)
		o.firstPrint = append(o.firstPrint, int32(o.prints()))
		o.firstPlane = append(o.firstPlane, int32(len(o.planes)))
	}
	return o
}

func (o *outlines) prints() int { return len(o.x.start) }

// bytes that are sent, whole pieces of memory.
func (o *outlines) bytes() int64 {
	doubles := len(o.amounts) + len(o.share) + len(o.x.shares) + len(o.y.shares)
	whole := len(o.first) + len(o.sheet) + len(o.firstPrint) + len(o.firstPlane) + 4*o.prints() + 2
	return aligned(int64(8*doubles + 4*whole))
}

// aligned is a number of bytes up to where the next piece of memory may begin.
func aligned(bytes int64) int64 { return (bytes + cuda.StoreAlign - 1) &^ (cuda.StoreAlign - 1) }

// gpuProfiles are profiles on the device.
type gpuProfiles struct {
	start, from cudriver.Ptr[int32]
	shares      cudriver.Ptr[float64]
}

// pack gathers all of it, doubles first, and says where everything is going to be.
func (o *outlines) pack(p *cuda.Packer, g *gpuOperations) (x, y gpuProfiles) {
	s := &g.sources
	s.amount, g.system.share = cuda.Pack(p, o.amounts), cuda.Pack(p, o.share)
	x.shares, y.shares = cuda.Pack(p, o.x.shares), cuda.Pack(p, o.y.shares)
	g.system.first, g.system.sheet = cuda.Pack(p, o.first), cuda.Pack(p, o.sheet)
	s.firstPrint, s.firstPlane = cuda.Pack(p, o.firstPrint), cuda.Pack(p, o.firstPlane)
	x.start, x.from = cuda.Pack(p, o.x.start), cuda.Pack(p, o.x.from)
	y.start, y.from = cuda.Pack(p, o.y.start), cuda.Pack(p, o.y.from)
	return x, y
}
