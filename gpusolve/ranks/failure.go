package ranks

import "fmt"

// Failure ends a group: every rank gets the same.
type Failure struct {
	Rank   int    // whose fault it is
	Host   string // where that rank runs; "" where all run in one process
	Reason string // continues "rank 2 on node7", as in "failed: out of memory"
	Status int    // the exit status that the reason stands for; 0 where it has none
	Lost   bool   // others noticed it: the rank itself may be unable to tell
}

func (f *Failure) Error() string {
	if f.Host == "" {
		return fmt.Sprintf("rank %d %s", f.Rank, f.Reason)
	}
	return fmt.Sprintf("rank %d on %s %s", f.Rank, f.Host, f.Reason)
}

// ExitStatus is Status, for those that know no failures of groups.
func (f *Failure) ExitStatus() int { return f.Status }
