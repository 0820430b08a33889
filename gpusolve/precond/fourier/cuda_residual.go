package fourier

import (
	"math"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cudriver"
	"thermsim/gpusolve/ops"
)

// Residual takes the differences of planes and draws the right side in space. Where planes are not given it makes them one by one, of which three are needed
// at a time.
func (g *gpu) Residual(x, old Modes, p Planes) Norms {
	nan := math.NaN()
	failed := Norms{ops.Norms{Residual: nan, Source: nan, Floor: nan}, nan}
	t := cuda.NewTemporary(g.on.Space)
	defer t.Discard()
	drawn := g.draw(t)
	_, scalars, _ := g.on.Sums()
	cuda.Send(g.on.Space, scalars, make([]float64, 4))
	ring := planeRing{g: g, given: p, from: x}
	if p == nil {
		ring.own = cuda.Take[float64](t, 3*g.sheet)
	}
	var former cudriver.Ptr[float64]
	if old != nil {
		former = cuda.Take[float64](t, g.sheet)
	}
	for k := range g.NZ {
		if old != nil {
			g.inverse(rows{out: former}, old.(*gpuModes).at.Add(int64(k)*g.sheet), 1)
		}
		g.residualOf(k, &ring, former, drawn)
	}
	v := g.on.ReadScalars()
	if g.on.Err() != nil {
		return failed
	}
	n := Norms{ops.Norms{Residual: math.Sqrt(v[0]), Source: math.Sqrt(v[1]), Floor: 0x1p-53 * math.Sqrt(v[2])}, v[3]}
	if math.IsNaN(n.Residual) {
		return failed
	}
	return n
}

// draw makes the sheets in space.
func (g *gpu) draw(t *cuda.Temporary) cudriver.Ptr[float64] {
	drawn := cuda.Take[float64](t, int64(len(g.sources.all))*g.sheet)
	at := g.sources.amount
	for n, s := range g.sources.all {
		planes := cuda.Take[float64](t, int64(len(s.Planes))*g.sheet)
		g.sendPlanes(planes, s.Planes)
		g.product(drawn.Add(int64(n)*g.sheet), s, sum{at, g.NY, g.NX, s.alongY, s.alongX, planes})
		at = at.Add(int64(s.footprints + len(s.Planes)))
	}
	return drawn
}

// planeRing has the planes of a state as they are needed, in ascending order.
type planeRing struct {
	g     *gpu
	given Planes
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
	at := func(k int) cudriver.Ptr[float64] { return r.own.Add(int64(k%3) * r.g.sheet) }
	for ; r.made <= k; r.made++ {
		r.g.inverse(rows{out: at(r.made)}, r.from.(*gpuModes).at.Add(int64(r.made)*r.g.sheet), 1)
	}
	return at(k)
}

func (g *gpu) residualOf(k int, ring *planeRing, old, drawn cudriver.Ptr[float64]) {
	above := ring.plane(k + 1)
	own, below := ring.plane(k), ring.plane(k-1)
	if !g.on.Ready() {
		return
	}
	gain := 0.0
	if g.Capacity != nil {
		gain = g.Capacity[k]
	}
	_, scalars, ticket := g.on.Sums()
	g.on.Note(g.planeWork.Residual(g.on.Stream, cuda.Flat(g.sheet), SheetsResidualArgs{
		Nx: int32(g.NX), Ny: int32(g.NY), Below: below, Own: own, Above: above, Old: old, Gx: g.GX[k], Gy: g.GY[k], Down: g.GZ[k], Up: g.GZ[k+1], Gain: gain,
		XEnds: g.X.bits(), YEnds: g.Y.bits(), First: g.system.firstOnHost[k], Last: g.system.firstOnHost[k+1], Share: g.system.share, Sheet: g.system.sheet,
		Sheets: drawn, Partial: g.partial, Scalars: scalars, Ticket: ticket,
	}))
}

// bits are 1 for a held low end and 2 for a held high one.
func (e Ends) bits() int32 {
	low, high := e.held()
	return int32(low) + 2*int32(high)
}
