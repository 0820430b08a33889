package downstream

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/multigrid"
	"thermsim/mesh"
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

// Warm loads the kernels for a stack with coolant, so that set-up need not.
func Warm(d *cuda.Device, m *mesh.Mesh) error {
	defer d.Bind()()
	if _, err := cuda.Module(d, "bound", LoadBound); err != nil {
		return err
	}
	return multigrid.WarmCooled(d, m)
}

func (p *gpuOperations) diagonal(v ops.Vector) { p.Diagonal(v) }

// scratch is what the last reduction came to.
func (p *gpuOperations) scratch() float64 { return p.work.ReadScalars()[kernels.Scratch] }

func (p *gpuOperations) dominates(product, diagonal, weight ops.Vector) bool {
	partial, scalars, ticket := p.work.Sums()
	if p.Ready() {
		p.Note(p.kernels.Dominates(p.Stream, cuda.Flat(p.Cells()), BoundDominatesArgs{
			N: p.Cells(), Share: firm, Product: cuda.F64(product), Diagonal: cuda.F64(diagonal),
			Weight: cuda.F64(weight), Partial: partial,
			Scalars: scalars, Ticket: ticket,
		}))
	}
	return p.scratch() == 0
}

func (p *gpuOperations) scale(d, weight, product ops.Vector) {
	partial, scalars, ticket := p.work.Sums()
	if p.Ready() {
		p.Note(p.kernels.GreatestWeight(p.Stream, cuda.Flat(p.Cells()), BoundGreatestWeightArgs{
			N: p.Cells(), Weight: cuda.F64(weight), Partial: partial, Scalars: scalars, Ticket: ticket,
		}))
		p.Note(p.kernels.Scale(p.Stream, cuda.Flat(p.Cells()), BoundScaleArgs{
			N: p.Cells(), Product: cuda.F64(product), Scalars: scalars, D: cuda.F64(d),
		}))
	}
}

func (p *gpuOperations) most(r, d ops.Vector) float64 {
	partial, scalars, ticket := p.work.Sums()
	if p.Ready() {
		p.Note(p.kernels.Most(p.Stream, cuda.Flat(p.Cells()), BoundMostArgs{
			N: p.Cells(), R: cuda.F64(r), D: cuda.F64(d), Partial: partial, Scalars: scalars, Ticket: ticket,
		}))
	}
	return p.scratch()
}

func (p *gpuOperations) largest(v ops.Vector) float64 {
	partial, scalars, ticket := p.work.Sums()
	if p.Ready() {
		p.Note(p.kernels.Largest(p.Stream, cuda.Flat(p.Cells()), BoundLargestArgs{
			N: p.Cells(), V: cuda.F32(v), Partial: partial, Scalars: scalars, Ticket: ticket,
		}))
	}
	return p.scratch()
}
