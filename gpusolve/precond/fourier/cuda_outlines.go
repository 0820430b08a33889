package fourier

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
)

// outlines are what the device is told of loads: which of them heat a plane, and their footprints along either axis.
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

// pack gathers all of it, doubles first, and says where everything is going to be.
func (o *outlines) pack(p *cuda.Packer, g *gpuOperations) (startX, fromX cudriver.Ptr[int32],
	sharesX cudriver.Ptr[float64], startY, fromY cudriver.Ptr[int32], sharesY cudriver.Ptr[float64]) {
	s := &g.sources
	s.amount, g.system.share = cuda.Pack(p, o.amounts), cuda.Pack(p, o.share)
	sharesX, sharesY = cuda.Pack(p, o.x.shares), cuda.Pack(p, o.y.shares)
	g.system.first, g.system.sheet = cuda.Pack(p, o.first), cuda.Pack(p, o.sheet)
	s.firstPrint, s.firstPlane = cuda.Pack(p, o.firstPrint), cuda.Pack(p, o.firstPlane)
	startX, fromX = cuda.Pack(p, o.x.start), cuda.Pack(p, o.x.from)
	startY, fromY = cuda.Pack(p, o.y.start), cuda.Pack(p, o.y.from)
	return startX, fromX, sharesX, startY, fromY, sharesY
}
