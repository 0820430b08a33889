package memory

import (
	"slices"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/precond/multigrid"
	"thermsim/mesh"
)

// OfRanks is the memory of the rank that takes most of it where several share a mesh, in a steady state or in time
// steps of one length. It is that of one processor where they cannot.
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
