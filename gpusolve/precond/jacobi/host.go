package jacobi

import (
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
)

// hostOperations are those of an operator on the processor.
type hostOperations struct {
	*host.Space
	mesh *host.Conductances   // of a mesh's system
	row  func(at int) float64 // an entry of a matrix's diagonal

	scaleOp scaleTask // here so that dispatching it allocates nothing
}

func onHost(a ops.Operator) (o Operations, ok bool, err error) {
	space, ok := host.SpaceOf(a)
	if !ok {
		return nil, false, nil
	}
	s := &hostOperations{Space: space}
	if s.mesh, ok = host.ConductancesOf(a); ok {
		return s, true, nil
	}
	d, r, err := matrixForms(a)
	switch {
	case err != nil:
		return nil, true, err
	case d != nil:
		main := d.Download().Main
		s.row = func(at int) float64 { return main[at] }
	default:
		rows := r.Download()
		s.row = func(at int) float64 { return rows.At(at, at) }
	}
	return s, true, nil
}

func (s *hostOperations) InverseDiagonal(d ops.Vector) {
	dst := host.Singles(d)
	if s.mesh == nil {
		for c := range dst {
			dst[c] = float32(1 / s.row(c))
		}
		return
	}
	diagonal := make([]float64, s.mesh.NX)
	for k := range s.mesh.NZ {
		for j := range s.mesh.NY {
			s.mesh.Diagonal(diagonal, k, j)
			c := (k*s.mesh.NY + j) * s.mesh.NX
			for i, v := range diagonal {
				dst[c+i] = float32(1 / v)
			}
		}
	}
}

// scaleBlock is the number of values that are handed out together.
const scaleBlock = 2048

type scaleTask struct{ z, d, r []float32 }

func (s *hostOperations) Scale(z, d, r ops.Vector) {
	s.scaleOp = scaleTask{z: host.Singles(z), r: host.Singles(r)}
	if d != nil {
		s.scaleOp.d = host.Singles(d)
	}
	s.Run(&s.scaleOp, (s.Cells()+scaleBlock-1)/scaleBlock, s.Cells())
	s.scaleOp = scaleTask{}
}

func (t *scaleTask) Run(lo, hi, _ int) {
	a, b := lo*scaleBlock, min(hi*scaleBlock, len(t.z))
	if t.d == nil {
		copy(t.z[a:b], t.r[a:b])
		return
	}
	for c := a; c < b; c++ {
		t.z[c] = t.d[c] * t.r[c]
	}
}
