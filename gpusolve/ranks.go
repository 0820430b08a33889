package gpusolve

import (
	"context"
	"errors"
	"thermsim/gpusolve/ranks"
)

// errTeamCheckpoints refuses them.
var errTeamCheckpoints = refused(errors.New("several ranks keep no checkpoints"))

// onRanks runs a solve, on all ranks where there are several. Rank 0 has the solution, whose field asks the others for
// what it is asked; they are back when it is closed.
func onRanks(ctx context.Context, o Options, run func(ctx context.Context, o job) (*Solution, error)) (*Solution, error) {
	all := o.Ranks
	if all == nil {
		return run(ctx, job{Options: o})
	}
	ctx, group := ranks.Agreeing(ctx, all)
	t := newTeam(group)
	s, err := run(ctx, job{Options: o, team: t})
	if s == nil {
		all.Fail(err)
		return nil, err
	}
	if own, ok := s.Field.(sharedField); ok && !t.lead() {
		err = errors.Join(err, t.serve(own))
		s.Close()
	}
	return s, err
}
