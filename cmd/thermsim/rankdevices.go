package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/ranks"
	"thermsim/internal/launcher"
	"thermsim/internal/machine"
	"thermsim/stack"
)

// rankDevices are the devices of the ranks in this process. want is the device of the stack or the flag; list returns
// the GPUs of the machine.
func rankDevices(p launcher.Plan, want string, several *flags.Devices, list func() ([]device.GPU, error)) ([]string,
	error) {
	here := 1
	if p.Together() {
		here = p.Ranks
	}
	var gpus []int
	var err error
	switch {
	case want == "cpu":
		return slices.Repeat([]string{"cpu"}, here), nil
	case strings.HasPrefix(want, "gpu:") && !several.Several():
		if here > 1 {
			return nil, exit.Usagef("--device %s is one GPU for %d ranks; name one for each, as in gpu:0,1, or take "+
				"gpu:all", want, here)
		}
		return []string{want}, nil
	case several.Several():
		gpus, err = several.GPUs(list)
	default:
		gpus, err = flags.UsableGPUs(list)
	}
	auto := want == "" || want == "auto"
	if auto && (err != nil || len(gpus) < here) {
		return slices.Repeat([]string{"cpu"}, here), nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s was asked for: %w", gpusolve.ErrDevice, want, err)
	}
	return assign(p, want, gpus, here)
}

// assign gives GPUs to the ranks in this process: one each, or that of its local rank.
func assign(p launcher.Plan, want string, gpus []int, here int) ([]string, error) {
	if !p.Together() {
		return []string{fmt.Sprintf("gpu:%d", gpus[max(0, p.Local)%len(gpus)])}, nil
	}
	if len(gpus) < here || want != "gpu" && want != "auto" && want != "" && want != flags.SeveralDevices &&
		len(gpus) > here {
		return nil, exit.Usagef("--device %s: %d GPUs for %d ranks; each rank of a process needs its own GPU", want,
			len(gpus), here)
	}
	names := make([]string, here)
	for i := range names {
		names[i] = fmt.Sprintf("gpu:%d", gpus[i])
	}
	return names, nil
}

// spread gives the processes of a machine one GPU each if no launcher set their local ranks: each counts the ranks
// before it on the same machine. All processes of the run take part.
func (t *team) spread(s *stack.Stack, several *flags.Devices, list func() ([]device.GPU, error)) error {
	if t.alone() || t.plan.Together() {
		return nil
	}
	mine := ""
	one := strings.HasPrefix(t.requested, "gpu:") && !several.Several()
	if t.plan.Local < 0 && !one && strings.HasPrefix(t.devices[0], "gpu") {
		mine = machine.Name(os.ReadFile)
	}
	all, err := t.groups[0].Gather([]byte(mine))
	if err != nil || mine == "" {
		return err
	}
	p := t.plan
	if p.Local = localRank(all, p.Rank); p.Local == 0 {
		return nil // as it was chosen
	}
	if t.devices, err = rankDevices(p, t.requested, several, list); err != nil {
		return err
	}
	s.Solver.Device = t.devices[0]
	t.g.Detail("uses %s, as local rank %d of this machine", t.devices[0], p.Local)
	return nil
}

// localRank is how many ranks before this one have the same identifier.
func localRank(all [][]byte, rank int) int {
	place := 0
	for _, other := range all[:rank] {
		if slices.Equal(other, all[rank]) {
			place++
		}
	}
	return place
}

// shareCores divides the cores of a machine among its ranks, unless a launcher has bound each process to some.
func (t *team) shareCores() error {
	mine := ""
	if t.devices[0] == "cpu" && os.Getenv("GOMAXPROCS") == "" && runtime.GOMAXPROCS(0) == runtime.NumCPU() {
		mine = machine.Cores(os.ReadFile)
	}
	same, err := sameOnRanks(t.groups[0], mine)
	if err != nil || same < 2 {
		return err
	}
	runtime.GOMAXPROCS(max(1, runtime.NumCPU()/same))
	t.g.Detail("%d ranks share the %d cores of this machine; GOMAXPROCS says otherwise", same, runtime.NumCPU())
	return nil
}

// sameOnRanks is how many ranks share the identifier mine; 0 if it is empty.
func sameOnRanks(group ranks.Group, mine string) (int, error) {
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
