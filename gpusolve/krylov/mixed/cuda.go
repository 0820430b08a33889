package mixed

import (
	"errors"
	"fmt"
	"math"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/cuda/kernels/launch"
	"thermsim/gpusolve/ops"
)

// gpuOperations are those of a workspace on a GPU.
type gpuOperations struct{ *cuda.Iteration }

func onGPU(w ops.Workspace) (Operations, bool, error) {
	i, ok := cuda.IterationOf(w)
	return gpuOperations{i}, ok, nil
}

// GPUBands are the four diagonals of a symmetric matrix in one precision.
type GPUBands[T cuda.Number] struct{ Main, X, Y, Z cudriver.Ptr[T] }

// GPUMatrix is a Stored of a GPU: as four diagonals, or by rows. What it does not hold is nowhere.
type GPUMatrix struct {
	Double GPUBands[float64]
	Single GPUBands[float32]
	Half   GPUBands[cudriver.Half]
	// of FP16 entries: the main diagonal where it is not kept, and the inverse of their power of two
	Unit, Undo float32
	Promote    cudriver.Ptr[int32]   // nowhere where all planes are alike
	Scale      cudriver.Ptr[float32] // S, nowhere in the plain form

	s          *cuda.Space
	nx, ny, nz int
	promoted   [3]int
	rows       *cuda.Rows            // by rows, with values in FP64
	rowValues  cudriver.Ptr[float32] // values by rows in FP32
	owned      []cudriver.Pointer
}

var _ Stored = (*GPUMatrix)(nil)

func (a *GPUMatrix) Promoted() [3]int { return a.promoted }

func (a *GPUMatrix) Release() {
	a.s.Discard(a.owned...)
	a.owned = nil
}

// own takes memory that goes with the copies.
func own[T any](a *GPUMatrix, n int64) cudriver.Ptr[T] {
	p := cuda.Alloc[T](a.s, n)
	a.owned = append(a.owned, p)
	return p
}

// Tiles is the grid of kernels that march columns. most bounds the blocks, as reductions need; 0 leaves them free.
func (a *GPUMatrix) Tiles(vectors Precision, most int) [3]uint32 {
	threads := QuaddiagThreads
	if vectors == Double {
		threads = QuaddiagBroad
	}
	x, y := cuda.Blocks(a.nx, kernels.Tile), min(cuda.Blocks(a.ny, threads/kernels.Tile), uint32(a.s.MostRows()))
	if most > 0 {
		y = min(y, uint32(max(1, most/int(x))))
	}
	return [3]uint32{x, y, 1}
}

// Shape of the grid, as kernels take it.
func (a *GPUMatrix) Shape() (nx, ny, nz int32) { return int32(a.nx), int32(a.ny), int32(a.nz) }

func (a *GPUMatrix) sheet() int64 { return int64(a.nx) * int64(a.ny) }

func (s gpuOperations) StoreDiagonals(d ops.Diagonals, c Copies) (Stored, error) {
	q, err := cuda.Module(s.Device, "quaddiag", LoadQuaddiag)
	if err != nil {
		return nil, err
	}
	if !d.Symmetric() {
		return nil, errUnsymmetric
	}
	var from GPUBands[float64]
	from.Main, from.X, from.Y, from.Z, _, _, _ = d.(*cuda.Diagonals).Arrays()
	a := &GPUMatrix{s: s.Space, Undo: 1}
	a.nx, a.ny, a.nz = d.Shape()
	sizes, err := a.extent(q, from)
	if err == nil && c.Scaled {
		a.Scale = own[float32](a, s.Cells())
		cuda.Launch(s.Space, &q.RootScale, cuda.Flat(s.Cells()),
			QuaddiagRootScaleArgs{N: s.Cells(), Diagonal: from.Main, Scale: a.Scale})
		sizes, err = a.extent(q, from)
	}
	if err == nil {
		a.keep(q, from, c, sizes)
		err = s.Err()
	}
	if err != nil {
		a.Release()
		return nil, err
	}
	return a, nil
}

// partsOfPlane is the number of blocks that look through a plane of that many cells.
func partsOfPlane(sheet int64) int64 { return min(QuaddiagParts, (sheet+QuaddiagFlat-1)/QuaddiagFlat) }

// extent is the largest size of the entries main, x, y and z of every plane.
func (a *GPUMatrix) extent(q *Quaddiag, from GPUBands[float64]) ([][4]float64, error) {
	s := a.s
	parts := partsOfPlane(a.sheet())
	part := cuda.Alloc[[5]float64](s, parts*int64(a.nz))
	defer s.Discard(part)
	cuda.Launch(s, &q.Extent, [3]uint32{uint32(parts) * uint32(a.nz), 1, 1}, QuaddiagExtentArgs{
		Parts: int32(parts), Nx: int64(a.nx), Sheet: a.sheet(), N: s.Cells(), Main: from.Main, X: from.X, Y: from.Y,
		Z: from.Z, Scale: a.Scale, Sizes: cudriver.At[float64](part.Address()),
	})
	got := make([][5]float64, parts*int64(a.nz))
	cuda.Receive(s, got, part)
	sizes := make([][4]float64, a.nz)
	for n, b := range got {
		k := n / int(parts)
		for i := range sizes[k] {
			sizes[k][i] = math.Max(sizes[k][i], b[i])
		}
		if least := -b[4]; s.Err() == nil && !(least > 0) {
			return nil, fmt.Errorf("the main diagonal is not positive: it goes down to %g", least)
		}
	}
	return sizes, s.Err()
}

// keepBands lays out a copy, with some zeros on either side of x and y, so that kernels need not look for the ends.
func keepBands[T cuda.Number](a *GPUMatrix, kernel *launch.Kernel[QuaddiagKeepArgs[T]], from GPUBands[float64],
	main bool, factor float32) (b GPUBands[T]) {
	one := func(src cudriver.Ptr[float64], offset, zeros int64) cudriver.Ptr[T] {
		n := a.s.Cells() - offset
		to := own[T](a, n+2*zeros).Add(zeros)
		if n > 0 {
			cuda.Launch(a.s, kernel, cuda.Flat(n),
				QuaddiagKeepArgs[T]{N: n, Offset: offset, From: src, Scale: a.Scale, Factor: factor, To: to})
		}
		return to
	}
	nx := int64(a.nx)
	b.X, b.Y, b.Z = one(from.X, 1, 1), one(from.Y, nx, nx), one(from.Z, a.sheet(), 0)
	if main {
		b.Main = one(from.Main, 0, 0)
	}
	return b
}

// keep makes the copies asked for.
func (a *GPUMatrix) keep(q *Quaddiag, from GPUBands[float64], c Copies, sizes [][4]float64) {
	if c.Double {
		a.Double = keepBands(a, &q.KeepDouble, from, true, 1)
	}
	if c.Single {
		a.Single = keepBands(a, &q.KeepSingle, from, true, 1)
	}
	if !c.Half {
		return
	}
	exponent := HalfExponent(sizes)
	a.Unit, a.Undo = float32(math.Ldexp(1, exponent)), float32(math.Ldexp(1, -exponent))
	a.Half = keepBands(a, &q.KeepHalf, from, !c.Scaled, a.Unit)
	masks, promoted := Promotions(sizes, c.PromotePlanes)
	a.promoted = promoted
	if c.PromotePlanes {
		a.Promote = own[int32](a, int64(len(masks)))
		cuda.Send(a.s, a.Promote, masks)
	}
}

// StoreRows keeps FP32 values in addition to those of r.
func (s gpuOperations) StoreRows(r ops.Rows, c Copies) (Stored, error) {
	if c.Scaled || c.Half {
		return nil, errors.New("a matrix by rows is kept neither scaled nor in FP16")
	}
	m, err := cuda.Module(s.Device, "mixed", LoadKernels)
	if err != nil {
		return nil, err
	}
	a := &GPUMatrix{s: s.Space, rows: r.(*cuda.Rows), Undo: 1}
	a.nx, a.ny, a.nz = int(s.Pad()), 1, 1
	if c.Single {
		n := r.Entries()
		_, _, values := a.rows.Arrays()
		a.rowValues = own[float32](a, n)
		cuda.Launch(s.Space, &m.DoubleToSingle, cuda.Flat(n),
			KernelsDoubleToDoubleArgs[float64, float32]{N: n, Factor: 1, From: values, To: a.rowValues})
	}
	return a, s.Err()
}

// NewVector makes a zero vector whose pads reach as far as the grid's rows.
func (s gpuOperations) NewVector(a Stored, p Precision) (ops.Vector, error) {
	pad := max(s.Pad(), int64(a.(*GPUMatrix).nx))
	switch p {
	case Double:
		return cuda.NewVector[float64](s.Space, s.Cells(), pad), s.Err()
	case Single:
		return cuda.NewVector[float32](s.Space, s.Cells(), pad), s.Err()
	}
	return cuda.NewVector[cudriver.Half](s.Space, s.Cells(), pad), s.Err()
}
