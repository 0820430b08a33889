package downstream

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
)

// gpuOperations are the operations of the method on a GPU.
type gpuOperations struct {
	*cuda.Cooling
	kernels *Bound
	work    *cuda.Iteration // of reductions
	central gpuStreams
}

func onGPU(s ops.System) (o operations, ok bool, err error) {
	c, ok := cuda.CoolingOf(s)
	if !ok {
		return nil, false, nil
	}
	k, err := cuda.Module(c.Device, "bound", LoadBound)
	if err != nil {
		return nil, true, err
	}
	p := &gpuOperations{Cooling: c, kernels: k, work: c.NewIteration()}
	return p, true, p.newStreams()
}

func (p *gpuOperations) diagonal(v ops.Vector) { p.Diagonal(v) }

// scratch is what the last reduction came to.
func (p *gpuOperations) scratch() float64 { return p.work.ReadScalars()[kernels.Scratch] }

func (p *gpuOperations) raised(to, r, d ops.Vector, share float64) {
	if p.Ready() {
		cuda.Launch(p.Space, &p.kernels.Raised, cuda.Flat(p.Cells()), BoundRaisedArgs{
			N: p.Cells(), R: cuda.F64(r), D: cuda.F64(d), Share: share, To: cuda.F32(to),
		})
	}
}

func (p *gpuOperations) dominates(product, d, weight ops.Vector, share float64) bool {
	partial, scalars, ticket := p.work.Sums()
	if p.Ready() {
		cuda.Launch(p.Space, &p.kernels.Dominates, cuda.Flat(p.Cells()), BoundDominatesArgs{
			N: p.Cells(), Share: share, Product: cuda.F64(product), Diagonal: cuda.F64(d),
			Weight: cuda.F64(weight), Partial: partial, Scalars: scalars, Ticket: ticket,
		})
	}
	return p.scratch() == 0
}

func (p *gpuOperations) scale(d, weight, product ops.Vector) {
	partial, scalars, ticket := p.work.Sums()
	if p.Ready() {
		cuda.Launch(p.Space, &p.kernels.GreatestWeight, cuda.Flat(p.Cells()), BoundGreatestWeightArgs{
			N: p.Cells(), Weight: cuda.F64(weight), Partial: partial, Scalars: scalars, Ticket: ticket,
		})
		cuda.Launch(p.Space, &p.kernels.Scale, cuda.Flat(p.Cells()), BoundScaleArgs{
			N: p.Cells(), Product: cuda.F64(product), Scalars: scalars, D: cuda.F64(d),
		})
	}
}

func (p *gpuOperations) most(r, d ops.Vector) float64 {
	partial, scalars, ticket := p.work.Sums()
	if p.Ready() {
		cuda.Launch(p.Space, &p.kernels.Most, cuda.Flat(p.Cells()), BoundMostArgs{
			N: p.Cells(), R: cuda.F64(r), D: cuda.F64(d), Partial: partial, Scalars: scalars, Ticket: ticket,
		})
	}
	return p.scratch()
}

func (p *gpuOperations) largest(v ops.Vector) float64 {
	partial, scalars, ticket := p.work.Sums()
	if p.Ready() {
		cuda.Launch(p.Space, &p.kernels.Largest, cuda.Flat(p.Cells()), BoundLargestArgs{
			N: p.Cells(), V: cuda.F32(v), Partial: partial, Scalars: scalars, Ticket: ticket,
		})
	}
	return p.scratch()
}

// gpuStreams are the lines of cavities with central differences, with the factors of the equations along them.
type gpuStreams struct {
	kernels *Streams
	data    cudriver.Ptr[StreamsStream]
	count   int
	widest  int // number of lines of a cavity
}

// newStreams takes the memory of the factors, where any cavity needs them.
func (p *gpuOperations) newStreams() (err error) {
	nx, ny := int64(p.NX), int64(p.NY)
	var all []StreamsStream
	for n, v := range p.Of {
		if !v.Of.Central {
			continue
		}
		length, step, across, first := v.Course(p.NX, p.NY)
		s := StreamsStream{Plane: int64(v.Fluid) * nx * ny, Lines: int32(len(v.Heat)), Axis: int32(v.Along),
			Length: int32(length), Step: int64(step), Across: int64(across), First: int64(first)}
		s.Heat, s.Wet = p.CavityLines(n)
		for _, f := range []*cudriver.Ptr[float64]{&s.Lower, &s.Upper, &s.Inverse} {
			*f = cuda.Alloc[float64](p.Space, nx*ny)
		}
		p.central.widest = max(p.central.widest, len(v.Heat))
		all = append(all, s)
	}
	if p.central.count = len(all); p.central.count == 0 {
		return p.Err()
	}
	if p.central.kernels, err = cuda.Module(p.Device, "streams", LoadStreams); err != nil {
		return err
	}
	p.central.data = cuda.Upload(p.Space, all)
	return p.factor()
}

// factor takes the coolant's own equations from the operator.
func (p *gpuOperations) factor() error {
	if p.central.count == 0 {
		return p.Err()
	}
	d, err := p.New64()
	if err != nil {
		return err
	}
	defer p.Release(d)
	p.Diagonal(d)
	if p.Ready() {
		cuda.Launch(p.Space, &p.central.kernels.Factor, p.Grid(p.central.widest, StreamsThreads, p.central.count, 1),
			StreamsFactorArgs{
				Most: int32(p.central.widest), Streams: p.central.data, Gx: p.GX, Gy: p.GY, Diagonal: cuda.F64(d),
			})
	}
	return p.Err()
}

func (p *gpuOperations) residual(t, r, y ops.Vector) {
	if p.Ready() {
		cuda.Launch(p.Space, &p.central.kernels.Subtract, cuda.Flat(p.Cells()),
			StreamsSubtractArgs{N: p.Cells(), R: cuda.F32(r), Y: cuda.F64(y), T: cuda.F64(t)})
	}
}

func (p *gpuOperations) narrow(short, v ops.Vector) {
	if p.Ready() {
		cuda.Launch(p.Space, &p.central.kernels.Narrow, cuda.Flat(p.Cells()),
			StreamsNarrowArgs{N: p.Cells(), V: cuda.F64(v), To: cuda.F32(short)})
	}
}

func (p *gpuOperations) add(z, part ops.Vector) {
	if p.Ready() {
		cuda.Launch(p.Space, &p.central.kernels.AddSingle, cuda.Flat(p.Cells()),
			StreamsAddSingleArgs{N: p.Cells(), V: cuda.F32(part), Z: cuda.F64(z)})
	}
}

func (p *gpuOperations) sweep(z, t ops.Vector) {
	if p.central.count > 0 && p.Ready() {
		cuda.Launch(p.Space, &p.central.kernels.Sweep, p.Grid(p.central.widest, StreamsLines, p.central.count, 1),
			StreamsSweepArgs{
				Most: int32(p.central.widest), Streams: p.central.data, T: cuda.F64(t), Z: cuda.F64(z),
			})
	}
}
