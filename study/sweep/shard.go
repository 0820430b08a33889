package sweep

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"thermsim/internal/launcher"
)

// Shard is a part of a sweep: the runs whose number modulo Of is Index.
type Shard struct{ Index, Of int }

// Whole is a sweep in one part.
var Whole = Shard{0, 1}

// ParseShard reads "2/8", the third of eight, or "auto/8" and "auto", which use the environment.
func ParseShard(text string) (Shard, error) {
	index, of, split := strings.Cut(text, "/")
	s := Shard{Of: 0}
	var err error
	if split {
		if s.Of, err = strconv.Atoi(of); err != nil || s.Of < 1 {
			return s, fmt.Errorf("expected the number of a part, from 0, and the number of parts, such as 2/8, or auto")
		}
	}
	if index == "auto" {
		return fromEnvironment(s.Of, os.Getenv)
	}
	if s.Index, err = strconv.Atoi(index); err != nil || !split || s.Index < 0 || s.Index >= s.Of {
		return s, fmt.Errorf("expected the number of a part, from 0, and the number of parts, such as 2/8, or auto")
	}
	return s, nil
}

// fromEnvironment is the part that a scheduler assigned to this process. of is 0 if the scheduler reports it.
func fromEnvironment(of int, getenv func(string) string) (s Shard, err error) {
	s.Index, s.Of, err = launcher.Part(of, getenv)
	return s, err
}

// Name of the part's files, without extension.
func (s Shard) Name() string {
	if s == Whole {
		return "sweep"
	}
	return fmt.Sprintf("sweep-%d-of-%d", s.Index, s.Of)
}

// Runs are the runs of the part, out of count.
func (s Shard) Runs(count int) []int {
	var list []int
	for run := s.Index; run < count; run += s.Of {
		list = append(list, run)
	}
	return list
}
