package ranks_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"thermsim/gpusolve/ranks"
)

// facts of a run, of which one is changed or added.
func facts(name, value string) []ranks.Fact {
	list := []ranks.Fact{{Name: "the version", Value: "v1.2.3"}, {Name: "the grid", Value: "8 x 8 x 3 cells"},
		{Name: "chip.toml", Value: strings.Repeat("ab", 32)}}
	for i := range list {
		if list[i].Name == name {
			list[i].Value = value
			return list
		}
	}
	return append(list, ranks.Fact{Name: name, Value: value})
}

// broke is an error with an exit status of its own.
type broke struct{}

func (broke) Error() string   { return "cannot read the stack file" }
func (broke) ExitStatus() int { return 7 }

// Ranks that do not fit are refused, with one message for all that names the rank and what differs.
func TestMeet(t *testing.T) {
	same := facts("the grid", "8 x 8 x 3 cells")
	for _, tt := range []struct {
		rank    int // with other facts or a problem
		facts   []ranks.Fact
		problem error
		status  int
		want    string // "" where they meet
	}{
		{2, same, nil, 0, ""},
		{2, facts("the version", "v1.2.4"), nil, 2,
			"rank 2 on node2 was refused: the version is v1.2.4 there and v1.2.3 on rank 0"},
		{1, facts("the grid", ""), nil, 2,
			"rank 1 on node1 was refused: the grid is not given there and 8 x 8 x 3 cells on rank 0"},
		{2, facts("chip.toml", strings.Repeat("cd", 32)), nil, 2,
			"rank 2 on node2 was refused: chip.toml differs from that of rank 0"},
		{2, facts("powers.csv", "x"), nil, 2,
			"rank 2 on node2 was refused: powers.csv is known there and not on rank 0"},
		{2, same[:2], nil, 2, "rank 2 on node2 was refused: chip.toml is not known there"},
		{2, nil, broke{}, 7, "rank 2 on node2 failed: cannot read the stack file"},
		{0, nil, broke{}, 7, "rank 0 on node0 failed: cannot read the stack file"},
	} {
		var all sync.WaitGroup
		for rank, g := range ranks.Local(3) {
			all.Go(func() {
				mine, problem := same, error(nil)
				if rank == tt.rank {
					mine, problem = tt.facts, tt.problem
				}
				err := ranks.Meet(g, fmt.Sprintf("node%d", rank), mine, problem)
				var f *ranks.Failure
				if tt.want == "" && err == nil {
					return
				}
				if !errors.As(err, &f) || f.Rank != tt.rank || f.Error() != tt.want || f.Status != tt.status {
					t.Errorf("rank %d: %v; want %q", rank, err, tt.want)
				}
			})
		}
		all.Wait()
	}
}
