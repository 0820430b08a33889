package sweep

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Shard is one of several parts of a sweep: the runs whose number leaves Index when divided by Of.
type Shard struct{ Index, Of int }

// Whole is a sweep in one part.
var Whole = Shard{0, 1}

// ParseShard reads "2/8", the third of eight, or "auto/8" and "auto", which ask the environment.
func ParseShard(text string) (Shard, error) {
	index, of, split := strings.Cut(text, "/")
	s := Shard{Of: 0}
	var err error
	if split {
		if s.Of, err = strconv.Atoi(of); err != nil || s.Of < 1 {
			return s, fmt.Errorf("write the number of a part from 0 and how many there are, such as 2/8, or auto")
		}
	}
	if index == "auto" {
		return fromEnvironment(s.Of, os.Getenv)
	}
	if s.Index, err = strconv.Atoi(index); err != nil || !split || s.Index < 0 || s.Index >= s.Of {
		return s, fmt.Errorf("write the number of a part from 0 and how many there are, such as 2/8, or auto")
	}
	return s, nil
}

// array is how a scheduler tells a task of an array which it is.
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

// fromEnvironment finds the part that a scheduler has given this process. of is 0 where the scheduler tells that too.
func fromEnvironment(of int, getenv func(string) string) (Shard, error) {
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
			return Shard{}, fmt.Errorf("%s=%q is no number", a.index, text)
		}
		s := Shard{(id - value(a.first, 0)) / max(1, value(a.step, 1)), of}
		if s.Of == 0 {
			s.Of = value(a.count, 0)
		}
		if s.Of == 0 {
			return s, fmt.Errorf("%s does not tell how many tasks there are; write auto/N", a.name)
		}
		if s.Index < 0 || s.Index >= s.Of {
			return s, fmt.Errorf("task %d of %s is beyond the %d parts", s.Index, a.name, s.Of)
		}
		return s, nil
	}
	return Shard{}, fmt.Errorf("no scheduler tells which part this is: none of SLURM_ARRAY_TASK_ID, AWS_BATCH_JOB_ARRAY_INDEX and JOB_COMPLETION_INDEX is set")
}

// Name of the part's files, without extension.
func (s Shard) Name() string {
	if s == Whole {
		return "sweep"
	}
	return fmt.Sprintf("sweep-%d-of-%d", s.Index, s.Of)
}

// Runs of the part, out of so many.
func (s Shard) Runs(count int) []int {
	var list []int
	for run := s.Index; run < count; run += s.Of {
		list = append(list, run)
	}
	return list
}
