package ranks

import "encoding/json"

// introduction is what a rank sends to the others first.
type introduction struct {
	Host    string
	Facts   []Fact
	Problem string // why the rank cannot take part
	Status  int    // of the problem
}

// refused is the exit status of ranks whose facts differ.
const refused = 2

// Meet compares what the ranks of a group must have in common. problem is why this one cannot take part. Where a rank
// has a problem or other facts than rank 0, all get the same Failure.
func Meet(g Group, host string, facts []Fact, problem error) error {
	mine := introduction{Host: host, Facts: facts}
	if problem != nil {
		mine.Problem = problem.Error()
		if s, ok := problem.(interface{ ExitStatus() int }); ok {
			mine.Status = s.ExitStatus()
		}
	}
	text, err := json.Marshal(mine)
	if err != nil {
		return err
	}
	all, err := g.Gather(text)
	if err != nil {
		return err
	}
	var first introduction
	for rank, text := range all {
		var of introduction
		if err := json.Unmarshal(text, &of); err != nil {
			return err
		}
		if rank == 0 {
			first = of
		}
		if of.Problem != "" {
			return &Failure{Rank: rank, Host: of.Host, Reason: "failed: " + of.Problem, Status: of.Status}
		}
		if d := Difference(first.Facts, of.Facts); d != "" {
			return &Failure{Rank: rank, Host: of.Host, Reason: "was refused: " + d, Status: refused}
		}
	}
	return nil
}
