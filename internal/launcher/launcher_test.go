package launcher

import (
	"slices"
	"strings"
	"testing"
)

// environment has variables in pairs.
func environment(pairs ...string) func(string) string {
	return func(name string) string {
		if i := slices.Index(pairs, name); i >= 0 && i%2 == 0 {
			return pairs[i+1]
		}
		return ""
	}
}

// What Slurm sets in the script of a job, and in a step that srun starts there.
var (
	script = []string{"SLURM_JOB_ID", "1234", "SLURM_PROCID", "0", "SLURM_LOCALID", "0", "SLURM_NTASKS", "6"}
	step   = []string{"SLURM_JOB_ID", "1234", "SLURM_STEP_ID", "2", "SLURM_PROCID", "5", "SLURM_LOCALID", "1",
		"SLURM_NTASKS", "6", "SLURM_STEP_NUM_TASKS", "6", "PMIX_RANK", "5"}
	// of mpirun on several machines within a job of Slurm, whose step starts mpirun's helpers
	openMPI = append([]string{"OMPI_COMM_WORLD_RANK", "7", "OMPI_COMM_WORLD_SIZE", "8", "OMPI_COMM_WORLD_LOCAL_RANK",
		"3"}, "SLURM_PROCID", "1", "SLURM_NTASKS", "2", "SLURM_STEP_NUM_TASKS", "2", "SLURM_MPI_TYPE", "none")
	hydra = []string{"PMI_RANK", "2", "PMI_SIZE", "3", "MPI_LOCALRANKID", "2"}
)

func TestPlan(t *testing.T) {
	for name, tt := range map[string]struct {
		env   []string
		ranks int
		want  Plan
	}{
		"alone":                   {nil, 0, Plan{Ranks: 1}},
		"one process":             {nil, 4, Plan{Ranks: 4}},
		"the script of a job":     {script, 0, Plan{Ranks: 1}},
		"one process in a script": {script, 2, Plan{Ranks: 2}},
		"srun":                    {step, 0, Plan{6, 5, 1, "Slurm"}},
		"srun, given twice":       {step, 6, Plan{6, 5, 1, "Slurm"}},
		"srun, alone":             {step, 1, Plan{Ranks: 1}},
		"srun of one task": {append([]string{"SLURM_STEP_NUM_TASKS", "1"}, script...), 0,
			Plan{Ranks: 1}},
		"mpirun in a job of Slurm": {openMPI, 0, Plan{8, 7, 3, "Open MPI"}},
		"mpiexec":                  {hydra, 0, Plan{3, 2, 2, "mpiexec"}},
		"no local rank":            {hydra[:4], 0, Plan{3, 2, -1, "mpiexec"}},
		"a Kubernetes index":       {[]string{"JOB_COMPLETION_INDEX", "3"}, 0, Plan{Ranks: 1}},
	} {
		got, err := NewPlan(tt.ranks, environment(tt.env...))
		if err != nil || got != tt.want || got.Together() != (tt.want.Launcher == "") {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, tt.want)
		}
	}
}

func TestPlansThatFail(t *testing.T) {
	for name, tt := range map[string]struct {
		env   []string
		ranks int
		want  string
	}{
		"two numbers":         {step, 4, "Slurm started 6 tasks"},
		"srun without MPI":    {append([]string{"SLURM_MPI_TYPE", "none"}, step...), 0, "--mpi=pmix"},
		"nonsense":            {[]string{"PMI_RANK", "x", "PMI_SIZE", "2"}, 0, "PMI_RANK"},
		"many in one process": {nil, mostTogether + 1, "exceed the limit of 1000 in one process"},
		"many of a launcher": {[]string{"PMI_RANK", "0", "PMI_SIZE", "2000000000"}, 0,
			"exceed the limit of 100000"},
		"out of range": {[]string{"PMI_RANK", "2", "PMI_SIZE", "2"}, 0, "rank 2 of only 2"},
	} {
		got, err := NewPlan(tt.ranks, environment(tt.env...))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %+v, %v; want %q", name, got, err, tt.want)
		}
	}
}
