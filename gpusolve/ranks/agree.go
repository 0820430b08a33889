package ranks

import "context"

// Agreeing gives a group whose ranks are interrupted together. Its context ends on all of them in the same Gather: the
// first one after the context of any rank has ended. Between two of them it does not change, so that what is decided by
// it is decided alike. Where ranks tell each other by other ways than Gather that one has Asked for an end, all of them
// End at the same place.
func Agreeing(ctx context.Context, g Group) (context.Context, Group) {
	agreed, end := context.WithCancelCause(context.WithoutCancel(ctx))
	return agreed, &agreeing{g, ctx, end}
}

type agreeing struct {
	Group
	own context.Context
	end context.CancelCauseFunc
}

// Gather sends a byte more: whether this rank's context has ended.
func (a *agreeing) Gather(mine []byte) ([][]byte, error) {
	said := make([]byte, len(mine)+1)
	copy(said[1:], mine)
	if a.own.Err() != nil {
		said[0] = 1
	}
	all, err := a.Group.Gather(said)
	if err != nil {
		return nil, err
	}
	ended := false
	for r := range all {
		ended = ended || all[r][0] != 0
		all[r] = all[r][1:]
	}
	if ended {
		a.end(context.Canceled)
	}
	return all, nil
}

// Asked says whether the context of this rank has ended. The others do not know yet.
func (a *agreeing) Asked() bool { return a.own.Err() != nil }

// End ends the agreed context of this rank.
func (a *agreeing) End() { a.end(context.Canceled) }

// Unwrap is the group itself.
func (a *agreeing) Unwrap() Group { return a.Group }
