package launcher

import (
	"errors"
	"fmt"
	"strconv"
)

// array is how a scheduler tells a task of an array, whose tasks know nothing of each other, which it is.
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

// Part finds which of so many parts of some work a scheduler has given this process, from 0. of is 0 where the
// scheduler tells that too.
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
			return 0, 0, fmt.Errorf("%s=%q is no number", a.index, text)
		}
		index = (id - value(a.first, 0)) / max(1, value(a.step, 1))
		if of == 0 {
			of = value(a.count, 0)
		}
		if of == 0 {
			return 0, 0, fmt.Errorf("%s does not tell how many tasks there are; write auto/N", a.name)
		}
		if index < 0 || index >= of {
			return 0, 0, fmt.Errorf("task %d of %s is beyond the %d parts", index, a.name, of)
		}
		return index, of, nil
	}
	return 0, 0,
		errors.New("no scheduler tells which part this is: none of SLURM_ARRAY_TASK_ID, AWS_BATCH_JOB_ARRAY_INDEX " +
			"and JOB_COMPLETION_INDEX is set")
}
