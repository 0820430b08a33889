package jacobi

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/ops"
)

// gpuOperations are those of an operator on a GPU.
type gpuOperations struct {
	*cuda.Space
	kernels *Kernels
	mesh    *cuda.Conductances // of a mesh's system; else one of the others
	by      *cuda.Diagonals
	rows    *cuda.Rows
}

func onGPU(a ops.Operator) (o Operations, ok bool, err error) {
	space, ok := cuda.SpaceOf(a)
	if !ok {
		return nil, false, nil
	}
	s := &gpuOperations{Space: space}
	if s.kernels, err = cuda.Module(space.Device, "jacobi", LoadKernels); err != nil {
		return nil, true, err
	}
	if s.mesh, ok = cuda.ConductancesOf(a); ok {
		return s, true, nil
	}
	d, r, err := matrixForms(a)
	if err != nil {
		return nil, true, err
	}
	if d != nil {
		s.by = d.(*cuda.Diagonals)
	} else {
		s.rows = r.(*cuda.Rows)
	}
	return s, true, nil
}

func (s *gpuOperations) InverseDiagonal(d ops.Vector) {
	if !s.Ready() {
		return
	}
	flat := cuda.Flat(s.Cells())
	switch m := s.mesh; {
	case m != nil:
		grid := s.Grid(m.NX, KernelsThreads, m.NY, 1)
		cuda.Launch(s.Space, &s.kernels.InverseDiagonal, grid, KernelsInverseDiagonalArgs{
			Nx: int32(m.NX), Ny: int32(m.NY), Nz: int32(m.NZ), Gx: m.GX, Gy: m.GY, Gz: m.GZ, Ground: m.Ground,
			GroundSlot: m.GroundSlot, Capacity: m.Capacity, D: cuda.F32(d),
		})
	case s.by != nil:
		main, _, _, _, _, _, _ := s.by.Arrays()
		cuda.Launch(s.Space, &s.kernels.InvertBands, flat,
			KernelsInvertBandsArgs{N: s.Cells(), Diagonal: main, D: cuda.F32(d)})
	default:
		rowPtr, col, val := s.rows.Arrays()
		cuda.Launch(s.Space, &s.kernels.InvertRows, flat, KernelsInvertRowsArgs{N: s.Cells(), RowPtr: rowPtr, Col: col,
			Val: val, D: cuda.F32(d)})
	}
}

func (s *gpuOperations) Scale(z, d, r ops.Vector) {
	cuda.Launch(s.Space, &s.kernels.Scale, cuda.Flat(s.Cells()),
		KernelsScaleArgs{N: s.Cells(), D: cuda.F32(d), R: cuda.F32(r), Z: cuda.F32(z)})
}
