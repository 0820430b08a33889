package main

import (
	"os"
	"slices"
	"strings"

	"thermsim/cmd/thermsim/flags"
	"thermsim/gpusolve/device"
	"thermsim/internal/machine"
	"thermsim/stack"
)

// spread gives the processes of a machine GPUs of their own where no launcher has told them their places there: each
// finds its own among the ranks that say so. All processes of the run take part.
func (t *team) spread(s *stack.Stack, several *flags.Devices, list func() ([]device.GPU, error)) error {
	if t.alone() || t.plan.Together() {
		return nil
	}
	mine := ""
	one := strings.HasPrefix(t.wish, "gpu:") && !several.Several()
	if t.plan.Local < 0 && !one && strings.HasPrefix(t.devices[0], "gpu") {
		mine = machine.Name(os.ReadFile)
	}
	all, err := t.groups[0].Gather([]byte(mine))
	if err != nil || mine == "" {
		return err
	}
	p := t.plan
	if p.Local = placeOf(all, p.Rank); p.Local == 0 {
		return nil // as it was chosen
	}
	if t.devices, err = rankDevices(p, t.wish, several, list); err != nil {
		return err
	}
	s.Solver.Device = t.devices[0]
	t.g.Detail("takes %s, as place %d, from 0, among the ranks of this machine", t.devices[0], p.Local)
	return nil
}

// placeOf is how many ranks before this one say the same.
func placeOf(all [][]byte, rank int) int {
	place := 0
	for _, other := range all[:rank] {
		if slices.Equal(other, all[rank]) {
			place++
		}
	}
	return place
}
