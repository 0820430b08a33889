package downstream

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

// gpuStreams are the lines of cavities with central differences, with the factors of their own equations.
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
		p.Note(p.central.kernels.Factor(p.Stream, p.Grid(p.central.widest, StreamsThreads, p.central.count, 1),
			StreamsFactorArgs{
				Most: int32(p.central.widest), Streams: p.central.data, Gx: p.GX, Gy: p.GY, Diagonal: cuda.F64(d),
			}))
	}
	return p.Err()
}

func (p *gpuOperations) residual(t, r, y ops.Vector) {
	if p.Ready() {
		p.Note(p.central.kernels.Subtract(p.Stream, cuda.Flat(p.Cells()),
			StreamsSubtractArgs{N: p.Cells(), R: cuda.F32(r), Y: cuda.F64(y), T: cuda.F64(t)}))
	}
}

func (p *gpuOperations) narrow(short, v ops.Vector) {
	if p.Ready() {
		p.Note(p.central.kernels.Narrow(p.Stream, cuda.Flat(p.Cells()),
			StreamsNarrowArgs{N: p.Cells(), V: cuda.F64(v), To: cuda.F32(short)}))
	}
}

func (p *gpuOperations) add(z, part ops.Vector) {
	if p.Ready() {
		p.Note(p.central.kernels.AddSingle(p.Stream, cuda.Flat(p.Cells()),
			StreamsAddSingleArgs{N: p.Cells(), V: cuda.F32(part), Z: cuda.F64(z)}))
	}
}

func (p *gpuOperations) sweep(z, t ops.Vector) {
	if p.central.count > 0 && p.Ready() {
		p.Note(p.central.kernels.Sweep(p.Stream, p.Grid(p.central.widest, StreamsLines, p.central.count, 1),
			StreamsSweepArgs{
				Most: int32(p.central.widest), Streams: p.central.data, T: cuda.F64(t), Z: cuda.F64(z),
			}))
	}
}
