package ranks_test

import (
	"context"
	"errors"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
)

// Ranks of several processes sum on the GPUs' streams, and agree there on an interrupt of any of them: both end after
// the same iteration, the one after that in which it came.
func TestRanksOfProcessesEndTogetherOnGPUs(t *testing.T) {
	t.Parallel()
	m := solves.Build(t, cases.Stack10(cases.Options{NX: 10, NY: 36}))
	for interrupted := range 2 {
		one := devices.Machine(interpreter.Options{NoRaces: true})
		var iterations [2]int
		var errs [2]error
		_ = solves.Together(t, 2, func(rank int, g ranks.Group) error {
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			o := gpusolve.Options{Preconditioner: "multigrid", RTol: 1e-11, Device: "gpu", Driver: one}
			o.Ranks = struct{ ranks.Group }{g} // does not tell that they are in one process
			o.Progress = func(p gpusolve.Progress) {
				if p.Iteration == 4 && rank == interrupted {
					stop()
				}
			}
			s, err := gpusolve.Steady(ctx, m, o)
			if errs[rank] = err; s == nil {
				t.Errorf("rank %d has no solution: %v", rank, err)
				return err
			}
			defer s.Close()
			iterations[rank] = s.Status.IterationsTotal
			return nil
		})
		if iterations[0] != iterations[1] || iterations[0] < 5 || iterations[0] > 6 {
			t.Errorf("rank %d interrupted: iterations %v", interrupted, iterations)
		}
		for rank, err := range errs {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("rank %d interrupted: rank %d ended with %v", interrupted, rank, err)
			}
		}
	}
}
