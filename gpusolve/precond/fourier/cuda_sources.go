package fourier

import (
	"slices"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cudriver"
	"thermsim/powermap"
)

// gpuSources are the loads on the device. The watts and factors of all loads lie one behind the other, and so do their spectra.
type gpuSources struct {
	all    []*gpuSource
	loads  []Load
	amount cudriver.Ptr[float64]
	sent   []float64
}

// gpuSource is what stays of an outline as long as it is asked for.
type gpuSource struct {
	*powermap.Outline
	footprints   int
	alongX       cudriver.Ptr[float64] // shares of the footprints' cells, NX for each
	alongY       cudriver.Ptr[float64]
	spectraX     cudriver.Ptr[float64] // their transforms
	spectraY     cudriver.Ptr[float64]
	planeSpectra cudriver.Ptr[float64]
}

// SetLoads makes the right side. Spectra of footprints are products, however many there are: a product costs a mode one multiplication and addition, and the
// plane in space would cost the same.
func (g *gpu) SetLoads(loads []Load) {
	if g.on.Err() != nil {
		return
	}
	fresh := g.outlines(loads)
	amounts := amountsOf(loads)
	if fresh || !slices.Equal(amounts, g.sources.sent) {
		cuda.Send(g.on.Space, g.sources.amount, amounts)
		g.sources.sent = amounts
		g.spectra()
	}
}

// amountsOf are the watts and factors of all loads.
func amountsOf(loads []Load) []float64 {
	var all []float64
	for _, l := range loads {
		all = append(append(all, l.Watts...), l.Factors...)
	}
	return all
}

// outlines keeps what was made for outlines that stay, and says whether anything but watts has changed.
func (g *gpu) outlines(loads []Load) (fresh bool) {
	s := &g.sources
	same := func(a, b Load) bool {
		return a.Outline == b.Outline && a.First == b.First && slices.Equal(a.Shares, b.Shares)
	}
	defer func() { s.loads = slices.Clone(loads) }()
	if slices.EqualFunc(s.loads, loads, same) {
		return false
	}
	former := s.all
	s.all = nil
	for _, l := range loads {
		known := slices.IndexFunc(former, func(f *gpuSource) bool { return f != nil && f.Outline == l.Outline })
		if known < 0 {
			s.all = append(s.all, g.newSource(l.Outline))
			continue
		}
		s.all = append(s.all, former[known])
		former[known] = nil
	}
	for _, f := range former {
		if f != nil {
			g.on.Discard(f.alongX, f.alongY, f.spectraX, f.spectraY, f.planeSpectra)
		}
	}
	g.on.Discard(s.amount, g.system.sheets)
	s.amount = cuda.Alloc[float64](g.on.Space, int64(len(amountsOf(loads))))
	g.system.sheets = cuda.Alloc[float64](g.on.Space, int64(len(loads))*g.sheet)
	g.entries(loads)
	return true
}

// entries tells the columns which sheets heat a plane.
func (g *gpu) entries(loads []Load) {
	s := &g.system
	s.firstOnHost = []int32{0}
	var sheet []int32
	var share []float64
	for k := range g.NZ {
		for n, l := range loads {
			if i := k - l.First; i >= 0 && i < len(l.Shares) {
				sheet, share = append(sheet, int32(n)), append(share, l.Shares[i])
			}
		}
		s.firstOnHost = append(s.firstOnHost, int32(len(sheet)))
	}
	g.on.Discard(s.sheet, s.share)
	s.sheet, s.share = cuda.Upload(g.on.Space, sheet), cuda.Upload(g.on.Space, share)
	cuda.Send(g.on.Space, s.first, s.firstOnHost)
}

// newSource transforms an outline's footprints and planes.
func (g *gpu) newSource(o *powermap.Outline) *gpuSource {
	s := &gpuSource{Outline: o, footprints: len(o.Footprints)}
	x, y := make([]float64, s.footprints*g.NX), make([]float64, s.footprints*g.NY)
	for n := range o.Footprints {
		f := &o.Footprints[n]
		copy(x[n*g.NX+f.I:(n+1)*g.NX], f.X)
		copy(y[n*g.NY+f.J:(n+1)*g.NY], f.Y)
	}
	s.alongX, s.alongY = cuda.Upload(g.on.Space, x), cuda.Upload(g.on.Space, y)
	s.spectraX, s.spectraY = cuda.Alloc[float64](g.on.Space, int64(len(x))), cuda.Alloc[float64](g.on.Space, int64(len(y)))
	g.run(g.x, rows{in: s.alongX, out: s.spectraX, planes: 1, rows: s.footprints, unit: 1 / float64(g.NX)})
	g.run(g.y, rows{in: s.alongY, out: s.spectraY, planes: 1, rows: s.footprints, unit: 1 / float64(g.NY)})
	if len(o.Planes) == 0 {
		return s
	}
	s.planeSpectra = cuda.Alloc[float64](g.on.Space, int64(len(o.Planes))*g.sheet)
	g.sendPlanes(s.planeSpectra, o.Planes)
	g.forward(s.planeSpectra, rows{in: s.planeSpectra}, len(o.Planes))
	return s
}

func (g *gpu) sendPlanes(dst cudriver.Ptr[float64], planes [][]float64) {
	for n, p := range planes {
		cuda.Send(g.on.Space, dst.Add(int64(n)*g.sheet), p)
	}
}

// spectra sums the loads' spectra with the watts of now.
func (g *gpu) spectra() {
	at := g.sources.amount
	for n, s := range g.sources.all {
		g.product(g.system.sheets.Add(int64(n)*g.sheet), s, sum{at, g.NX, g.NY, s.spectraX, s.spectraY, s.planeSpectra})
		at = at.Add(int64(s.footprints + len(s.Planes)))
	}
}

// sum is one of products of profiles along a and b and of planes.
type sum struct {
	amount cudriver.Ptr[float64]
	na, nb int
	a, b   cudriver.Ptr[float64]
	planes cudriver.Ptr[float64]
}

func (g *gpu) product(dst cudriver.Ptr[float64], s *gpuSource, p sum) {
	if !g.on.Ready() {
		return
	}
	grid := [3]uint32{cuda.Blocks(p.na, SheetsTile) * cuda.Blocks(p.nb, SheetsThreads), 1, 1}
	g.on.Note(g.planeWork.Product(g.on.Stream, grid, SheetsProductArgs{
		Na: int32(p.na), Nb: int32(p.nb), Footprints: int32(s.footprints), Watts: p.amount, X: p.a, Y: p.b, Planes: int32(len(s.Planes)),
		Factors: p.amount.Add(int64(s.footprints)), Plane: p.planes, Out: dst,
	}))
}
