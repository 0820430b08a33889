// Package launcher reads the environment that cluster launchers give to their processes: Slurm, the launchers of MPI,
// Kubernetes, and Batch of Amazon Web Services.
package launcher

import (
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// Machine is the environment of a process.
type Machine struct {
	Getenv func(string) string
	Read   func(path string) ([]byte, error) // of files that list hosts
	Parent int                               // process that started this one
}

// task is the position of this process among those that a launcher started together.
type task struct {
	launcher    string
	rank, count int // count is 0 if the launcher does not report it.
	local       int // number among those on the same machine; -1 if unknown.
	host        string
	key         string // the same for all of them, different for each run; "" if unknown.
}

// variables are the names of a launcher's environment variables; all except rank may be empty.
type variables struct {
	launcher                       string
	rank, count, local, localCount string
	keys                           []string
}

// launchers, in order of precedence: mpirun within a Slurm job starts its own helpers as that job's tasks, so MPI comes
// first.
var launchers = []variables{
	{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
		"OMPI_COMM_WORLD_LOCAL_SIZE", []string{"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"}},
	{"MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE",
		nil},
	{"mpiexec", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", nil},
	// Only within a step does Slurm set SLURM_STEP_NUM_TASKS. In the script of a job it sets SLURM_PROCID and
	// SLURM_NTASKS too, although there is only one process.
	{"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "", nil},
	{"Kubernetes", "JOB_COMPLETION_INDEX", "", "", "", nil},
}

// task finds the position of this process; nil if it was started alone.
func (m Machine) task() (*task, error) {
	for _, v := range launchers {
		if m.Getenv(v.rank) == "" || v.count != "" && m.Getenv(v.count) == "" {
			continue
		}
		t := &task{launcher: v.launcher, local: -1}
		var err error
		for _, n := range []struct {
			variable string
			into     *int
		}{{v.rank, &t.rank}, {v.count, &t.count}, {v.local, &t.local}} {
			text := m.Getenv(n.variable)
			if n.variable == "" || text == "" {
				continue
			}
			if *n.into, err = strconv.Atoi(text); err != nil || *n.into < 0 {
				return nil, fmt.Errorf("%s=%q of %s is not a task number", n.variable, text, v.launcher)
			}
		}
		if v.count != "" && t.rank >= t.count {
			return nil, fmt.Errorf("%s reports rank %d of only %d", v.launcher, t.rank, t.count)
		}
		m.locate(t, &v)
		return t, nil
	}
	return nil, nil
}

// locate finds the host of rank 0, which is the first host of the job, and a key that identifies this run.
func (m Machine) locate(t *task, v *variables) {
	t.host = m.firstHost()
	together := v.localCount != "" && m.Getenv(v.localCount) == strconv.Itoa(t.count)
	if together || v.launcher == "Slurm" && m.Getenv("SLURM_STEP_NUM_NODES") == "1" {
		t.host = "127.0.0.1"
	}
	for _, name := range v.keys {
		if t.key == "" {
			t.key = m.Getenv(name)
		}
	}
	switch {
	case t.key != "":
	case v.launcher == "Slurm":
		t.key = m.Getenv("SLURM_JOB_ID") + "." + m.Getenv("SLURM_STEP_ID")
	case together: // the processes of a machine have one parent
		t.key = strconv.Itoa(m.Parent)
	default:
		for _, name := range []string{"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"} {
			t.key += m.Getenv(name)
		}
	}
}

// firstHost is the first host of a job; "" if no batch system reports it.
func (m Machine) firstHost() string {
	for _, name := range []string{"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"} {
		if list := m.Getenv(name); list != "" {
			return firstOf(list)
		}
	}
	if path := m.Getenv("PBS_NODEFILE"); path != "" {
		if text, err := m.Read(path); err == nil {
			return firstWord(string(text))
		}
	}
	return firstWord(m.Getenv("LSB_HOSTS"))
}

func firstWord(text string) string {
	if words := strings.Fields(text); len(words) > 0 {
		return words[0]
	}
	return ""
}

// firstOf is the first host of a Slurm host list such as "rack[1-2]n[08-11,15],login".
func firstOf(list string) string {
	var host strings.Builder
	in, chosen := false, false // brackets; the first of what they hold is taken
	for _, c := range strings.TrimSpace(list) {
		switch {
		case c == '[':
			in, chosen = true, false
		case c == ']':
			in = false
		case in && (c == '-' || c == ','):
			chosen = true
		case in && chosen:
		case c == ',':
			return host.String()
		default:
			host.WriteRune(c)
		}
	}
	return host.String()
}

// port is where the ranks of a run meet: above the ephemeral ports of the system, and most likely different for
// concurrent runs.
func port(key string) int {
	const first, count = 61440, 4096
	h := fnv.New32a()
	h.Write([]byte(key)) // which cannot fail
	return first + int(h.Sum32()%count)
}

// array describes the environment variables with which a scheduler numbers the independent tasks of a job array.
type array struct {
	name               string
	index, first, step string // variables; first and step may be empty
	count              string // variable of the number of tasks; empty where there is none
}

var arrays = []array{
	{"Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP", "SLURM_ARRAY_TASK_COUNT"},
	{"AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX", "", "", "AWS_BATCH_JOB_ARRAY_SIZE"},
	{"Kubernetes", "JOB_COMPLETION_INDEX", "", "", ""},
}

// Part finds which part of some work a scheduler has assigned to this process, from 0. of is the number of parts; 0 if
// the scheduler reports it.
func Part(of int, getenv func(string) string) (index, parts int, err error) {
	for _, a := range arrays {
		text := getenv(a.index)
		if text == "" {
			continue
		}
		value := func(variable string, otherwise int) int {
			n, err := strconv.Atoi(getenv(variable))
			if variable == "" || err != nil {
				return otherwise
			}
			return n
		}
		id, err := strconv.Atoi(text)
		if err != nil {
			return 0, 0, fmt.Errorf("%s=%q is not a number", a.index, text)
		}
		index = (id - value(a.first, 0)) / max(1, value(a.step, 1))
		if of == 0 {
			of = value(a.count, 0)
		}
		if of == 0 {
			return 0, 0, fmt.Errorf("%s does not report the number of tasks; use auto/N", a.name)
		}
		if index < 0 || index >= of {
			return 0, 0, fmt.Errorf("task %d of %s is out of range: there are %d parts", index, a.name, of)
		}
		return index, of, nil
	}
	return 0, 0,
		errors.New("no scheduler reports a part number: none of SLURM_ARRAY_TASK_ID, AWS_BATCH_JOB_ARRAY_INDEX " +
			"and JOB_COMPLETION_INDEX is set")
}
