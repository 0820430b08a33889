package main

import (
	"os"
	"runtime"

	"thermsim/gpusolve/ranks"
	"thermsim/internal/machine"
)

// shareCores divides the cores of a machine among the ranks on it, where nobody else has: launchers mostly bind each
// process to its own.
func (t *team) shareCores() error {
	mine := ""
	if t.devices[0] == "cpu" && os.Getenv("GOMAXPROCS") == "" && runtime.GOMAXPROCS(0) == runtime.NumCPU() {
		mine = machine.Cores(os.ReadFile)
	}
	same, err := sharers(t.groups[0], mine)
	if err != nil || same < 2 {
		return err
	}
	runtime.GOMAXPROCS(max(1, runtime.NumCPU()/same))
	t.g.Detail("%d ranks share the %d cores of this machine; GOMAXPROCS says otherwise", same, runtime.NumCPU())
	return nil
}

// sharers is how many ranks say the same; 0 for those that say nothing.
func sharers(group ranks.Group, mine string) (int, error) {
	all, err := group.Gather([]byte(mine))
	if err != nil || mine == "" {
		return 0, err
	}
	same := 0
	for _, other := range all {
		if string(other) == mine {
			same++
		}
	}
	return same, nil
}
