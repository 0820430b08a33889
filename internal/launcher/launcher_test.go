package launcher

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// machine has variables in pairs.
func machine(pairs ...string) Machine {
	return Machine{
		Getenv: func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		},
		Read: func(path string) ([]byte, error) {
			if path == "/var/spool/nodes" {
				return []byte("c12\nc12\nc13\n"), nil
			}
			return nil, errors.New("no such file")
		},
		Parent: 4711,
	}
}

// What Slurm sets in the script of a job, and in a step that srun starts there.
var (
	script = []string{"SLURM_JOB_ID", "1234", "SLURM_JOB_NODELIST", "n[07-09]", "SLURM_PROCID", "0", "SLURM_LOCALID",
		"0", "SLURM_NTASKS", "6", "SLURM_NODEID", "0"}
	step = []string{"SLURM_JOB_ID", "1234", "SLURM_STEP_ID", "2", "SLURM_JOB_NODELIST", "n[07-09]",
		"SLURM_STEP_NODELIST", "n[08-09]", "SLURM_PROCID", "5", "SLURM_LOCALID", "1",
		"SLURM_NTASKS", "6", "SLURM_STEP_NUM_TASKS", "6"}
	// of mpirun on one machine, and on several within a job of Slurm, whose step starts mpirun's helpers
	openMPI = []string{"OMPI_COMM_WORLD_RANK", "1", "OMPI_COMM_WORLD_SIZE", "4", "OMPI_COMM_WORLD_LOCAL_RANK", "1",
		"OMPI_COMM_WORLD_LOCAL_SIZE", "4", "PMIX_NAMESPACE", "prterun-a-77@1"}
	openMPIs = append([]string{"OMPI_COMM_WORLD_RANK", "7", "OMPI_COMM_WORLD_SIZE", "8", "OMPI_COMM_WORLD_LOCAL_RANK",
		"3", "OMPI_COMM_WORLD_LOCAL_SIZE", "4", "OMPI_MCA_ess_base_jobid", "99"},
		"SLURM_JOB_ID", "1234", "SLURM_JOB_NODELIST", "n[07-08]", "SLURM_STEP_NODELIST", "n[07-08]", "SLURM_PROCID",
		"1", "SLURM_NTASKS", "2", "SLURM_STEP_NUM_TASKS", "2")
	hydra  = []string{"PMI_RANK", "2", "PMI_SIZE", "3", "MPI_LOCALRANKID", "2", "MPI_LOCALNRANKS", "3"}
	hydras = []string{"PMI_RANK", "2", "PMI_SIZE", "4", "MPI_LOCALRANKID", "0", "MPI_LOCALNRANKS", "2", "PBS_JOBID",
		"55.head", "PBS_NODEFILE", "/var/spool/nodes"}
	kube = []string{"JOB_COMPLETION_INDEX", "3"}
)

// at is where ranks meet on a host, in the run that a key tells from others.
func at(host, key string) string { return fmt.Sprintf("%s:%d", host, port(key)) }

func TestPlan(t *testing.T) {
	for name, tt := range map[string]struct {
		env    []string
		wishes Request
		want   Plan
	}{
		"alone":       {nil, Request{Rank: -1}, Plan{Ranks: 1}},
		"one process": {nil, Request{Ranks: 4, Rank: -1}, Plan{Ranks: 4}},
		"by hand": {nil, Request{2, 1, "a:7000"},
			Plan{Ranks: 2, Rank: 1, Rendezvous: "a:7000", Local: -1}},
		"by hand, one":            {nil, Request{1, 0, "a:7000"}, Plan{Ranks: 1}},
		"the script of a job":     {script, Request{Rank: -1}, Plan{Ranks: 1}},
		"one process in a script": {script, Request{Ranks: 2, Rank: -1}, Plan{Ranks: 2}},
		"srun":                    {step, Request{Rank: -1}, Plan{6, 5, at("n08", "1234.2"), 1, "Slurm"}},
		"srun on one node": {append([]string{"SLURM_STEP_NUM_NODES", "1"}, step...), Request{Rank: -1},
			Plan{6, 5, at("127.0.0.1", "1234.2"), 1, "Slurm"}},
		"srun, told twice": {step, Request{Ranks: 6, Rank: -1}, Plan{6, 5, at("n08", "1234.2"), 1, "Slurm"}},
		"srun, alone":      {step, Request{Ranks: 1, Rank: -1}, Plan{Ranks: 1}},
		"srun, another place": {step, Request{Rank: -1, Rendezvous: "ib7:7000"},
			Plan{6, 5, "ib7:7000", 1, "Slurm"}},
		"srun of one task": {append([]string{"SLURM_STEP_NUM_TASKS", "1", "SLURM_PROCID", "0"}, script...),
			Request{Rank: -1}, Plan{Ranks: 1}},
		"mpirun": {openMPI, Request{Rank: -1},
			Plan{4, 1, at("127.0.0.1", "prterun-a-77@1"), 1, "Open MPI"}},
		"mpirun in a job of Slurm": {openMPIs, Request{Rank: -1}, Plan{8, 7, at("n07", "99"), 3, "Open MPI"}},
		"mpiexec":                  {hydra, Request{Rank: -1}, Plan{3, 2, at("127.0.0.1", "4711"), 2, "mpiexec"}},
		"mpiexec in a job of PBS":  {hydras, Request{Rank: -1}, Plan{4, 2, at("c12", "55.head"), 0, "mpiexec"}},
		"an index is no run":       {kube, Request{Rank: -1}, Plan{Ranks: 1}},
		"Kubernetes": {kube, Request{4, -1, "job-0.job:7000"},
			Plan{4, 3, "job-0.job:7000", -1, "Kubernetes"}},
		"Kubernetes, in every process": {kube, Request{4, -1, ""}, Plan{Ranks: 4}},
	} {
		got, err := machine(tt.env...).Plan(tt.wishes)
		if err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, tt.want)
		}
		if got.Together() != (tt.want.Rendezvous == "") {
			t.Errorf("%s: together %v", name, got.Together())
		}
	}
}

func TestPlansThatFail(t *testing.T) {
	for name, tt := range map[string]struct {
		env    []string
		wishes Request
		want   string
	}{
		"no place":              {nil, Request{2, 1, ""}, "--rendezvous HOST:PORT"},
		"no rank":               {nil, Request{2, -1, "a:7000"}, "--rank R"},
		"no number":             {nil, Request{0, 0, "a:7000"}, "--ranks N"},
		"Kubernetes, no number": {kube, Request{0, -1, "a:7000"}, "--ranks N"},
		"beyond":                {nil, Request{2, 2, "a:7000"}, "--rank 2 is out of range"},
		"no port":               {nil, Request{2, 1, "a"}, "HOST:PORT"},
		"a wrong port":          {nil, Request{2, 1, "a:http"}, "HOST:PORT"},
		"no host":               {nil, Request{2, 1, ":7000"}, "HOST:PORT"},
		"two numbers":           {step, Request{4, -1, ""}, "Slurm started 6 tasks"},
		"no host is told":       {hydras[:8], Request{0, -1, ""}, "--rendezvous HOST:PORT"},
		"nonsense":              {[]string{"PMI_RANK", "x", "PMI_SIZE", "2"}, Request{0, -1, ""}, "PMI_RANK"},
		"many in one process":   {nil, Request{mostTogether + 1, -1, ""}, "exceed the limit of 1000 in one process"},
		"many by hand":          {nil, Request{mostRanks + 1, 0, "a:7000"}, "100001 ranks exceed the limit of 100000"},
		"many of a launcher": {[]string{"PMI_RANK", "0", "PMI_SIZE", "2000000000"}, Request{0, -1, "a:7000"},
			"exceed the limit of 100000"},
		"out of range": {[]string{"PMI_RANK", "2", "PMI_SIZE", "2"}, Request{0, -1, ""}, "rank 2 of only 2"},
	} {
		if got, err := machine(tt.env...).Plan(tt.wishes); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %+v, %v; want %q", name, got, err, tt.want)
		}
	}
}

func TestFirstHost(t *testing.T) {
	for list, want := range map[string]string{
		"":                           "",
		"n1":                         "n1",
		"n1,n2":                      "n1",
		"n[08-11,15],login":          "n08",
		"gpu[3,7-9]":                 "gpu3",
		"rack[1-2]n[08-11]-ib,x[1]":  "rack1n08-ib",
		"node-a-[001-100].cluster,b": "node-a-001.cluster",
	} {
		if got := firstOf(list); got != want {
			t.Errorf("%q: %q, want %q", list, got, want)
		}
	}
}

// Runs side by side meet elsewhere, and ports stay clear of those that systems give out by themselves, up to 60999 on
// Linux.
func TestPorts(t *testing.T) {
	seen := map[int]bool{}
	for _, key := range []string{"1234.0", "1234.1", "1235.0", "", "prterun-a-77@1"} {
		p := port(key)
		if p < 61000 || p > 65535 || seen[p] {
			t.Errorf("port %d of %q", p, key)
		}
		seen[p] = true
	}
}
