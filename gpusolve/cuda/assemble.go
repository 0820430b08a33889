package cuda

import (
	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/kernels"
	"thermsim/stack"
)

// compact is the mesh on the device: sizes of cells, and materials per plane.
type compact struct {
	dx, dy, dz, contact, uniform, slot, index, palette cu.DevicePtr
	resistances                                        cu.DevicePtr // of the faces in m2K/W, -1 where no temperature drives them
}

// assemble uploads the compact mesh and computes couplings, capacities and boundary terms on the device.
func (s *system) assemble() {
	s.uploadMesh()
	s.gx, s.gy, s.gz = s.newVector(s.cells, int64(s.nx), 4), s.newVector(s.cells, int64(s.nx), 4), s.newVector(s.cells, int64(s.nx), 4)
	if s.dt > 0 {
		s.capacity = s.newVector(s.cells, int64(s.nx), 4)
	}
	s.maxBlocks = max(reductionBlocks, int(blocks(s.nx, threads)))
	// Three sums of a residual, or two of every block of a smoothing step.
	s.reductions(max(3*int64(s.maxBlocks), 2*int64(blocks(s.nx, kernels.LinesThreads))*int64(s.ny)))
	s.side = s.alloc(16)
	s.spare = s.newVector(s.cells, int64(s.nx), 4)
	s.planes()
	if s.err != nil {
		return
	}
	c := &s.compact
	s.note(s.assembly.Couplings(s.stream, [3]uint32{blocks(s.nx, kernels.AssembleThreads), uint32(s.ny), uint32(s.nz)},
		int32(s.nx), int32(s.ny), int32(s.nz), c.dx, c.dy, c.dz, c.contact, c.uniform, c.slot, c.index, c.palette, s.dt,
		s.gx.at, s.gy.at, s.gz.at, s.capacity.address()))
	s.onFaces(func(face stack.Face, na, nb int, _, rise, flux float64) {
		s.note(s.assembly.GroundFace(s.stream, [3]uint32{blocks(na, kernels.AssembleThreads), uint32(nb), 1},
			int32(s.nx), int32(s.ny), int32(s.nz), c.dx, c.dy, c.dz, c.contact, c.uniform, c.slot, c.index, c.palette,
			int32(face), int32(na), c.resistances, rise, flux, s.ground.data, s.ground.onDev, s.inflow.data, s.inflow.onDev))
	})
	s.wait()
}

// uploadMesh sends the mesh as it is: planes of one layer share their index.
func (s *system) uploadMesh() {
	m := s.mesh
	sizes := func(n int, size func(int) float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = size(i)
		}
		return v
	}
	c := &s.compact
	c.dx, c.dy, c.dz = upload(&s.space, sizes(s.nx, m.DX)), upload(&s.space, sizes(s.ny, m.DY)), upload(&s.space, sizes(s.nz, m.DZ))
	c.contact = upload(&s.space, sizes(s.nz, func(k int) float64 { return m.Planes[k].ContactAbove }))
	uniform, slot := make([]uint32, s.nz), make([]int32, s.nz)
	var sheets [][]uint32
	for k, p := range m.Planes {
		uniform[k], slot[k] = p.Uniform, -1
		if p.Index == nil {
			continue
		}
		if n := len(sheets); n == 0 || &sheets[n-1][0] != &p.Index[0] {
			sheets = append(sheets, p.Index)
		}
		slot[k] = int32(len(sheets) - 1)
	}
	c.uniform, c.slot = upload(&s.space, uniform), upload(&s.space, slot)
	c.index = s.alloc(int64(len(sheets)) * s.sheet * 4)
	for n, sheet := range sheets {
		sendSlice(&s.space, c.index+cu.DevicePtr(int64(n)*s.sheet*4), sheet)
	}
	palette := make([]float64, 0, 6*len(m.Palette))
	for _, p := range m.Palette {
		palette = append(palette, p.Half[0], p.Half[1], p.Half[2], p.Half[3], p.K[2], p.C)
	}
	c.palette = upload(&s.space, palette)
	c.resistances = upload(&s.space, sizes(stack.NumFaces, func(f int) float64 { return s.faceResistance(stack.Face(f)) }))
}

// planes reserves the planes that boundaries and powers need.
func (s *system) planes() {
	grounded, heated := make([]bool, s.nz), make([]bool, s.nz)
	s.onFaces(func(face stack.Face, _, _ int, resistance, rise, _ float64) {
		first, last := 0, s.nz-1
		switch face {
		case stack.Bottom:
			last = 0
		case stack.Top:
			first = last
		}
		for k := first; k <= last; k++ {
			grounded[k] = grounded[k] || resistance >= 0
			heated[k] = heated[k] || resistance < 0 || rise != 0
		}
	})
	s.ground = s.reserve(grounded, 4)
	s.inflow = s.reserve(heated, 8)
	s.power = s.reserve(make([]bool, s.nz), 8)
}

// reserve numbers the wanted planes and takes memory for them.
func (s *system) reserve(want []bool, elem int64) slots {
	sl := slots{of: make([]int32, s.nz)}
	for k, w := range want {
		sl.of[k] = -1
		if w {
			sl.of[k] = int32(sl.count)
			sl.count++
		}
	}
	sl.onDev = upload(&s.space, sl.of)
	sl.data = s.alloc(int64(sl.count) * s.sheet * elem)
	return sl
}
