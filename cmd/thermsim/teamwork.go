package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/capacity"
	"thermsim/cmd/thermsim/exit"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/ranks"
	"thermsim/stack"
)

func rankName(rank int) string { return fmt.Sprintf("rank %d: ", rank) }

// place chooses the devices of the ranks in this process, and refuses what ranks do not support.
func (t *team) place(s *stack.Stack, o *simulateOptions) error {
	if t.alone() {
		if o.device.Several() { // of which there is but one
			gpus, err := o.device.GPUs(device.List)
			if err != nil {
				return err
			}
			s.Solver.Device = fmt.Sprintf("gpu:%d", gpus[0])
		}
		return nil
	}
	if o.project.network() != nil {
		return exit.Usagef("--compat: this project is solved as a network of nodes, which does not run on several " +
			"ranks. Fix: " +
			"omit --compat, or use --ranks 1")
	}
	var err error
	t.requested = s.Solver.Device
	if t.devices, err = rankDevices(t.plan, t.requested, &o.device, device.List); err != nil {
		return err
	}
	s.Solver.Device = t.devices[0]
	return nil
}

// resources are where a rank's part of a run has to fit.
func (t *team) resources() capacity.Resources {
	m := capacity.ThisMachine()
	m.Ranks = t.plan.Ranks
	m.Together = t.plan.Together()
	return m
}

// facts are what all ranks of a run must have in common. s is nil where the input cannot be read.
func (o *simulateOptions) facts(command string, t *team, s *stack.Stack) []ranks.Fact {
	if t.alone() || s == nil || len(t.devices) == 0 {
		return nil
	}
	facts := t.identity(command)
	seen := map[string]int{}
	for i, in := range s.Inputs {
		name := filepath.Base(in.Path)
		if i == 0 {
			name = "the stack file"
		}
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, seen[name])
		}
		facts = append(facts, ranks.Fact{Name: name, Value: in.SHA256})
	}
	v := &s.Solver
	facts = append(facts,
		ranks.Fact{Name: "the grid", Value: fmt.Sprintf("%d x %d x %d cells", s.Grid.X.Cells, s.Grid.Y.Cells,
			capacity.Planes(s))},
		ranks.Fact{Name: "--set", Value: strings.Join(s.Set, ", ")},
		ranks.Fact{Name: "--precond", Value: v.Preconditioner},
		ranks.Fact{Name: "the rule to stop by",
			Value: fmt.Sprintf("tol %g K, rtol %g, atol %g W, %d iterations at most", v.Tol, v.RTol, v.ATol,
				v.MaxIter)})
	return append(facts, o.ranks.Facts...)
}

// refuseOverRanks finds flags that several ranks do not support.
func (o *transientOptions) refuseOverRanks(t *team) error {
	switch {
	case t.alone():
		return nil
	case o.checkpoints.needed():
		return exit.Usagef("--checkpoint and --resume: checkpoints are not supported on several ranks. Fix: omit " +
			"them, or use " +
			"--ranks 1")
	case o.policy != "":
		return exit.Usagef("--policy: policies are not supported on several ranks. Fix: omit it, " +
			"or use --ranks 1")
	}
	return nil
}

// timeFacts are those of a transient.
func timeFacts(f *pflag.FlagSet) (facts []ranks.Fact) {
	for _, name := range []string{"steps", "dt", "initial", "until", "dt-tol", "to-steady", "every", "at", "periodic"} {
		facts = append(facts, ranks.Fact{Name: "--" + name, Value: f.Lookup(name).Value.String()})
	}
	return facts
}

// sameStep gives all ranks the time step that rank 0 has: processors of other makes may find another one in the last
// bits.
func (t *team) sameStep(dt float64) (float64, error) {
	if t.alone() || t.plan.Together() {
		return dt, nil
	}
	all, err := t.groups[0].Gather(binary.LittleEndian.AppendUint64(nil, math.Float64bits(dt)))
	if err != nil {
		return 0, err
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(all[0])), nil
}
