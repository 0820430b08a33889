// Package launcher reads the environment that cluster launchers give to their processes: Slurm, the launchers of MPI,
// Kubernetes, and Batch of Amazon Web Services.
package launcher

import (
	"errors"
	"fmt"
	"strconv"
)

// task is the position of this process among those that a launcher started together.
type task struct {
	launcher    string
	rank, count int
	local       int // number among those on the same machine; -1 if unknown.
}

// variables are the names of a launcher's environment variables.
type variables struct{ launcher, rank, count, local string }

// launchers, in order of precedence: mpirun within a Slurm job starts its own helpers as that job's tasks, so MPI comes
// first.
var launchers = []variables{
	{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
	{"MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK"},
	{"mpiexec", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
	// Only within a step does Slurm set SLURM_STEP_NUM_TASKS. In the script of a job it sets SLURM_PROCID and
	// SLURM_NTASKS too, although there is only one process.
	{"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"},
}

// findTask finds the position of this process; nil if it was started alone.
func findTask(getenv func(string) string) (*task, error) {
	for _, v := range launchers {
		if getenv(v.rank) == "" || getenv(v.count) == "" {
			continue
		}
		t := &task{launcher: v.launcher, local: -1}
		var err error
		for _, n := range []struct {
			variable string
			into     *int
		}{{v.rank, &t.rank}, {v.count, &t.count}, {v.local, &t.local}} {
			text := getenv(n.variable)
			if text == "" {
				continue
			}
			if *n.into, err = strconv.Atoi(text); err != nil || *n.into < 0 {
				return nil, fmt.Errorf("%s=%q of %s is not a task number", n.variable, text, v.launcher)
			}
		}
		if t.rank >= t.count {
			return nil, fmt.Errorf("%s reports rank %d of only %d", v.launcher, t.rank, t.count)
		}
		return t, nil
	}
	return nil, nil
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
