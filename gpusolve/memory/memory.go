// Package memory counts the memory that a solve will take before any of it is taken.
package memory

import (
	"slices"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/guess"
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/precond/multigrid"
	"thermsim/mesh"
	"thermsim/stack"
)

// Need is the memory of a solve in bytes, by what takes it, counted before any of it is taken. On a GPU it is the GPU's
// memory.
type Need struct {
	System int64 // the matrix, the right-hand side and the states
	SetUp  int64 // the method at the peak of its setup
	Method int64 // the method afterwards
	Krylov int64 // vectors of the Krylov solver
	// collected says that memory released by the setup is available only after the next garbage collection.
	collected bool
}

// Peak is the most that is held at a time. The Krylov solver's vectors are made when the method is set up: on the
// processor in addition to what the setup left.
func (n Need) Peak() int64 {
	if n.collected {
		return n.System + max(n.SetUp, n.Method) + n.Krylov
	}
	return n.Live()
}

// Live is the peak of what is in use.
func (n Need) Live() int64 { return n.System + max(n.SetUp, n.Method+n.Krylov) }

// OfSystem is the memory that a mesh takes to solve with a method as users write it, on a GPU or the processor;
// nothing where there is no such method.
func OfSystem(m *mesh.Mesh, preconditioner string, inTime, gpu bool) Need {
	s := ShapeOf(m, inTime, gpu)
	if methods.SolvesDirectly(m, preconditioner) {
		return OfDirect(s, 1)
	}
	return Of(s, preconditioner, SystemBytes(s))
}

// OfDirect is the need of the direct solver on a number of ranks. It needs no matrix.
func OfDirect(s precond.Shape, size int) Need {
	n := fourier.DirectMemory(s, size)
	return Need{SetUp: n.SetUp, Method: n.Held, collected: !s.GPU}
}

// OfStack is the need before the mesh is built, so that a grid that is too large gets no further: the least that a
// stack on its grid takes.
func OfStack(s *stack.Stack, preconditioner string, inTime, gpu bool) Need {
	shape := precond.Shape{NX: s.Grid.X.Cells, NY: s.Grid.Y.Cells, Symmetric: true, Assembled: true, InTime: inTime,
		GPU: gpu}
	for i := range s.Layers {
		shape.NZ += s.Layers[i].Planes()
	}
	shape.Unknowns = shape.Sheet() * int64(shape.NZ)
	if methods.MaySolveDirectly(s, preconditioner) {
		return OfDirect(shape, 1)
	}
	shape.Entries = precond.GridEntries(shape.NX, shape.NY, shape.NZ)
	return Of(shape, preconditioner, SystemBytes(shape))
}

// Of adds a method and its Krylov solver to a system.
func Of(s precond.Shape, spec string, system int64) Need {
	m, set, err := methods.Find(spec)
	if err != nil {
		return Need{System: system}
	}
	if s.Assembled && !s.Symmetric {
		m = methods.WithCoolant(m)
	}
	n := m.Memory(s, set)
	return Need{System: system, SetUp: n.SetUp, Method: n.Held, Krylov: m.SolverMemory(s, set), collected: !s.GPU}
}

// ShapeOf is what memory depends on.
func ShapeOf(m *mesh.Mesh, inTime, gpu bool) precond.Shape {
	return precond.Shape{NX: m.NX(), NY: m.NY(), NZ: m.NZ(), Unknowns: int64(m.Cells()),
		Entries:   precond.GridEntries(m.NX(), m.NY(), m.NZ()),
		Symmetric: !m.Cooled(), Assembled: true, Mesh: m, InTime: inTime, Grounded: groundedPlanes(m), GPU: gpu}
}

// SystemBytes is the memory of the couplings, x, the planes of the boundary, the power and, in time, capacities and
// former states. Without a mesh it is the cells alone.
func SystemBytes(s precond.Shape) int64 {
	bytes := s.Vector(3*4 + 8)
	if s.InTime {
		bytes += s.Vector(4 + 8*max(1, s.States-1))
		if s.States == 0 { // differences of states, where steps have one length
			bytes += 4 * s.Vector(4)
		}
	}
	m := s.Mesh
	if m == nil {
		return bytes
	}
	bytes += (4*s.Grounded+8*planesOf(m, m.Heats))*s.Sheet() + powerBytes(s) + Reductions(s)
	bytes += followingBytes(s) + leakingBytes(s)
	for _, c := range m.Cavities {
		if c.Wall != c.Fluid {
			bytes += 2 * 4 * s.Sheet()
		}
		if s.GPU { // what the inlet brings in
			bytes += 8*s.Sheet() + 16*int64(len(c.Heat)) + 28*int64(s.NX+s.NY)
		}
	}
	if s.GPU {
		const rounding = 18 * cuda.StoreAlign // of what is asked for in two pieces
		bytes += rounding + 4*indexSheets(m)*s.Sheet() + 8*int64(s.NX+s.NY) + int64(32*s.NZ+48*len(m.Palette)) +
			24*patchedCells(m)
	}
	return bytes
}

// followingBytes is the memory of the iteration over temperature-dependent properties: vectors of Anderson's method,
// and on a GPU the laws.
func followingBytes(s precond.Shape) int64 {
	l := s.Mesh.Laws
	if l == nil {
		return 0
	}
	bytes := s.Vector((3 + 2*guess.Depth) * 8)
	if s.GPU {
		bytes += int64(20*len(l.Entries)+32*len(l.Parts)+48*len(l.Materials)+40*len(l.Curves)+40*len(l.Pieces)+4*len(
			l.Buckets)) + 4*int64(s.NZ) + 8*int64(len(l.Materials))
	}
	return bytes
}

// leakingBytes is the memory of the iteration over leakage: vectors to find the loop gain, and planes without the
// leakage.
func leakingBytes(s precond.Shape) int64 {
	l := s.Mesh.Leakage
	if l == nil {
		return 0
	}
	vectors := int64(5)
	if s.InTime {
		vectors = 4
	}
	bytes := s.Vector(vectors*8) + 12*int64(len(l.Planes))*s.Sheet()
	if s.GPU {
		bytes += 8*int64(len(l.Sheets))*s.Sheet() +
			int64(32*len(l.Planes)+8*len(l.Terms)+40*len(l.Laws.Curves)+40*len(l.Laws.Pieces)+4*len(l.Laws.Buckets))
	}
	return bytes
}

// Reductions is what sums take: a few numbers for each block of a GPU or row of cells.
func Reductions(s precond.Shape) int64 {
	if !s.GPU {
		const workers = 256 << 10 // their scratch
		return workers + 32*int64(s.NY)*int64(s.NZ) + s.Unknowns/64
	}
	const blocks, scalars = 4096, 4096
	return 8*max(3*blocks, (int64(s.NX)/32+1)*int64(s.NY)) + scalars
}

// powerBytes is the power in FP64: a plane for each layer that is drawn, on a GPU with its footprints; the processor
// refers to maps where they are.
func powerBytes(s precond.Shape) int64 {
	layers := s.Mesh.Power.Steady()
	if s.InTime {
		sequence := s.Mesh.Power.Sequence()
		if drawn, err := sequence.Over(0, 1); err == nil {
			layers = drawn
		}
	}
	bytes := int64(0)
	for n := range layers {
		d := &layers[n]
		plane, _ := d.Multiple()
		switch {
		case !s.GPU && plane != nil:
			continue
		case plane != nil:
			bytes += 8 * s.Sheet()
			continue
		}
		bytes += 8 * s.Sheet()
		if !s.GPU {
			continue
		}
		bytes += 8*int64(len(d.Planes))*s.Sheet() + s.Sheet()/16
		for k := range d.Footprints {
			bytes += 8*int64(len(d.Footprints[k].X)+len(d.Footprints[k].Y)) + 64
		}
	}
	return bytes
}

func patchedCells(m *mesh.Mesh) (n int64) {
	for _, p := range m.Patched {
		if p != nil {
			n += int64(p.NA) * int64(p.NB)
		}
	}
	return n
}

// indexSheets counts the planes of material numbers; planes of a layer share theirs.
func indexSheets(m *mesh.Mesh) int64 {
	var n int64
	for l := range m.LayerPlanes {
		if k := m.LayerPlanes[l][0]; k < m.NZ() && m.Planes[k].Index != nil {
			n++
		}
	}
	return n
}

// groundedPlanes is the number of planes that hold cells of a face with a temperature.
func groundedPlanes(m *mesh.Mesh) int64 {
	return planesOf(m, func(f stack.Face) bool {
		_, ok := m.FaceResistance(f)
		return ok
	})
}

// planesOf counts the planes with cells of the faces asked for, and those that leak.
func planesOf(m *mesh.Mesh, wanted func(stack.Face) bool) int64 {
	for f := stack.West; f < stack.NumFaces; f++ {
		if wanted(f) {
			return int64(m.NZ())
		}
	}
	planes := map[int]bool{}
	if wanted(stack.Bottom) {
		planes[0] = true
	}
	if wanted(stack.Top) {
		planes[m.NZ()-1] = true
	}
	if l := m.Leakage; l != nil {
		for n := range l.Planes {
			planes[l.Planes[n].Plane] = true
		}
	}
	return int64(len(planes))
}

// OfRanks is the memory of the rank that takes most of it where several share a mesh, in a steady state or with fixed
// time steps. It is that of one device where ranks cannot share the mesh.
func OfRanks(m *mesh.Mesh, preconditioner string, inTime, gpu bool, ranks int) Need {
	if methods.SolvesDirectly(m, preconditioner) && fourier.CheckRanks(m.NX(), m.NY(), ranks) == nil {
		return OfDirect(ShapeOf(m, inTime, gpu), ranks)
	}
	return OfRank(m, inTime, gpu, ranks, 0)
}

func OfRank(m *mesh.Mesh, inTime, gpu bool, ranks int, states int64) Need {
	exchange := host.ExchangeColumns
	if gpu {
		exchange = cuda.ExchangeColumns
	}
	plan := multigrid.Choose(m)
	rows, levels, err := plan.Share(m.NX(), m.NY(), ranks, exchange)
	if err != nil {
		return OfSystem(m, methods.All()[0].Name, inTime, gpu)
	}
	largest, most := 0, 0
	for r := range ranks {
		if from, to := rows.Held(r); to-from > most {
			largest, most = r, to-from
		}
	}
	need, whole := Need{}, ShapeOf(m, inTime, gpu)
	for _, r := range slices.Compact([]int{0, largest, ranks - 1}) { // the outer ones have more faces
		from, to := rows.Held(r)
		part := m.Slab(from, to)
		part.Power = m.Power // which planes have any
		s := ShapeOf(part, inTime, gpu)
		s.States = states
		held := plan.RankMemory(s, whole, rows, levels, r)
		n := Need{System: SystemBytes(s), SetUp: held.SetUp, Method: held.Held, Krylov: krylov.PCGMemory(s),
			collected: !gpu}
		if n.Peak() > need.Peak() {
			need = n
		}
	}
	return need
}
