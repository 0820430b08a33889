package launcher

import "fmt"

// Plan is the part of a run that this process does.
type Plan struct {
	Ranks int // 1: one process without communication.
	Rank  int // of this process; 0 if all ranks run in it.
	// number of this process among those of the run on the same machine; -1 if there are several processes and it is
	// unknown.
	Local    int
	Launcher string // that started a process for each rank; "" if all ranks run in this one.
}

// Together reports whether all ranks run in this process.
func (p Plan) Together() bool { return p.Launcher == "" }

// mostRanks is the largest number of ranks, the number of rows of the finest grid; mostTogether is the largest number
// in one process.
const mostRanks, mostTogether = 100_000, 1000

// NewPlan combines the number of ranks that the user asks for, 0 if none, with the environment of the launcher. Ranks
// communicate only if several processes were started together.
func NewPlan(ranks int, getenv func(string) string) (Plan, error) {
	if ranks == 1 {
		return Plan{Ranks: 1}, nil
	}
	t, err := findTask(getenv)
	switch {
	case err != nil:
		return Plan{}, fmt.Errorf("%w; use --ranks 1 to run one process", err)
	case t == nil || t.count == 1:
		if ranks > mostTogether {
			return Plan{}, fmt.Errorf("%d ranks exceed the limit of %d in one process. Use one rank for each GPU or "+
				"NUMA node, or start several processes", ranks, mostTogether)
		}
		return Plan{Ranks: max(1, ranks)}, nil
	case ranks > 1 && ranks != t.count:
		return Plan{}, fmt.Errorf("--ranks %d: %s started %d tasks, and each is a rank; remove --ranks, or run "+
			"one process with --ranks 1", ranks, t.launcher, t.count)
	case t.count > mostRanks:
		return Plan{}, fmt.Errorf("%d ranks exceed the limit of %d, the number of rows of the finest grid. Use fewer, "+
			"larger parts", t.count, mostRanks)
	case t.launcher == "Slurm" && getenv("SLURM_MPI_TYPE") == "none":
		return Plan{}, fmt.Errorf("srun started %d tasks without MPI. Fix: use its option --mpi=pmix or "+
			"--mpi=pmi2, whichever the MPI library supports, or run one process with --ranks 1", t.count)
	}
	return Plan{t.count, t.rank, t.local, t.launcher}, nil
}
