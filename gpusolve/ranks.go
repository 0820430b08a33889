package gpusolve

import (
	"context"
	"errors"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/ranks/team"
)

// errTeamCheckpoints refuses them.
var errTeamCheckpoints = methods.Refused(errors.New("several ranks keep no checkpoints"))

// onRanks runs a solve, on all ranks where there are several. Rank 0 has the solution, whose field asks the others for
// what it is asked; they are back when it is closed.
func onRanks(ctx context.Context, o Options, run func(ctx context.Context, o driver.Job) (*Solution, error)) (*Solution,
	error) {
	all := o.Ranks
	if all == nil {
		return run(ctx, driver.Job{Options: o})
	}
	ctx, group := ranks.Agreeing(ctx, all)
	t := team.New(group)
	s, err := run(ctx, driver.Job{Options: o, Team: t})
	if s == nil {
		all.Fail(err)
		return nil, err
	}
	if own, ok := s.Field.(team.Shared); ok && !t.Lead() {
		err = errors.Join(err, t.Serve(own))
		s.Close()
	}
	return s, err
}
