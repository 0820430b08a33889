package downstream

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cudriver"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// gpuParts are the operations of the method on a GPU.
type gpuParts struct {
	*cuda.Cooling
	kernels *Streams
	streams cudriver.Ptr[StreamsStream]
	widest  int             // number of lines of a cavity
	work    *cuda.Iteration // of reductions
}

// newGPUParts takes the memory of the factors.
func newGPUParts(c *cuda.Cooling) (*gpuParts, error) {
	p := &gpuParts{Cooling: c}
	var err error
	if p.kernels, err = cuda.Module(c.Device, "streams", LoadStreams); err != nil {
		return nil, err
	}
	p.work = c.NewIteration()
	nx, ny := int64(c.NX), int64(c.NY)
	var all []StreamsStream
	for n, v := range c.Of {
		s := StreamsStream{Plane: int64(v.Fluid) * nx * ny, Lines: int32(len(v.Heat)), Axis: int32(v.Along)}
		if v.Along == 0 {
			s.Length, s.Across, s.Step = int32(nx), nx, 1
		} else {
			s.Length, s.Across, s.Step = int32(ny), 1, nx
		}
		if v.Backward {
			s.First, s.Step = (int64(s.Length)-1)*s.Step, -s.Step
		}
		if v.Of.Central {
			s.Central = 1
		}
		s.Heat, s.Wet = c.CavityLines(n)
		for _, f := range []*cudriver.Ptr[float64]{&s.Lower, &s.Upper, &s.Inverse} {
			*f = cuda.Alloc[float64](c.Space, nx*ny)
		}
		p.widest = max(p.widest, len(v.Heat))
		all = append(all, s)
	}
	p.streams = cuda.Upload(c.Space, all)
	return p, p.factor()
}

// factor takes the coolant's own equations from the operator.
func (p *gpuParts) factor() error {
	d, err := p.New64()
	if err != nil {
		return err
	}
	defer p.Release(d)
	p.Diagonal(d)
	if p.Ready() {
		p.Note(p.kernels.Factor(p.Stream, p.Grid(p.widest, StreamsThreads, len(p.Of), 1), StreamsFactorArgs{
			Most: int32(p.widest), Streams: p.streams, Gx: p.GX, Gy: p.GY, Diagonal: cuda.F64(d),
		}))
	}
	return p.Err()
}

func (p *gpuParts) diagonal(v ops.Vector) { p.Diagonal(v) }

func (p *gpuParts) subtract(t, r, y ops.Vector) {
	if p.Ready() {
		p.Note(p.kernels.Subtract(p.Stream, cuda.Flat(p.Cells()), StreamsSubtractArgs{N: p.Cells(), R: cuda.F32(r), Y: cuda.F64(y), T: cuda.F64(t)}))
	}
}

func (p *gpuParts) narrow(short, v ops.Vector) {
	if p.Ready() {
		p.Note(p.kernels.Narrow(p.Stream, cuda.Flat(p.Cells()), StreamsNarrowArgs{N: p.Cells(), V: cuda.F64(v), To: cuda.F32(short)}))
	}
}

func (p *gpuParts) add(z, part ops.Vector) {
	if p.Ready() {
		p.Note(p.kernels.AddSingle(p.Stream, cuda.Flat(p.Cells()), StreamsAddSingleArgs{N: p.Cells(), V: cuda.F32(part), Z: cuda.F64(z)}))
	}
}

func (p *gpuParts) sweep(z, t ops.Vector) {
	if p.Ready() {
		p.Note(p.kernels.Sweep(p.Stream, p.Grid(p.widest, StreamsLines, len(p.Of), 1), StreamsSweepArgs{
			Most: int32(p.widest), Streams: p.streams, T: cuda.F64(t), Z: cuda.F64(z),
		}))
	}
}

// scratch is what the last reduction came to.
func (p *gpuParts) scratch() float64 { return p.work.ReadScalars()[kernels.Scratch] }

func (p *gpuParts) dominates(product, diagonal, weight ops.Vector) bool {
	partial, scalars, ticket := p.work.Sums()
	if p.Ready() {
		p.Note(p.kernels.Dominates(p.Stream, cuda.Flat(p.Cells()), StreamsDominatesArgs{
			N: p.Cells(), Share: firm, Product: cuda.F64(product), Diagonal: cuda.F64(diagonal), Weight: cuda.F64(weight), Partial: partial,
			Scalars: scalars, Ticket: ticket,
		}))
	}
	return p.scratch() == 0
}

func (p *gpuParts) scale(weight, product ops.Vector) {
	partial, scalars, ticket := p.work.Sums()
	if p.Ready() {
		p.Note(p.kernels.GreatestWeight(p.Stream, cuda.Flat(p.Cells()), StreamsGreatestWeightArgs{
			N: p.Cells(), Weight: cuda.F64(weight), Partial: partial, Scalars: scalars, Ticket: ticket,
		}))
		p.Note(p.kernels.Scale(p.Stream, cuda.Flat(p.Cells()), StreamsScaleArgs{
			N: p.Cells(), Product: cuda.F64(product), Scalars: scalars, Weight: cuda.F64(weight),
		}))
	}
}

func (p *gpuParts) most(r, d ops.Vector) float64 {
	partial, scalars, ticket := p.work.Sums()
	if p.Ready() {
		p.Note(p.kernels.Most(p.Stream, cuda.Flat(p.Cells()), StreamsMostArgs{
			N: p.Cells(), R: cuda.F64(r), D: cuda.F64(d), Partial: partial, Scalars: scalars, Ticket: ticket,
		}))
	}
	return p.scratch()
}

func (p *gpuParts) largest(v ops.Vector) float64 {
	partial, scalars, ticket := p.work.Sums()
	if p.Ready() {
		p.Note(p.kernels.Largest(p.Stream, cuda.Flat(p.Cells()), StreamsLargestArgs{
			N: p.Cells(), V: cuda.F32(v), Partial: partial, Scalars: scalars, Ticket: ticket,
		}))
	}
	return p.scratch()
}

// onGPU is refused.
func onGPU(ops.System) (relaxed ops.System, o operations, ok bool, err error) {
	return nil, nil, false, nil
}
