package exit

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"thermsim/gpusolve"
	"thermsim/stack"
)

func TestExitStatus(t *testing.T) {
	one := &stack.Error{Pos: stack.Pos{File: "s.toml", Line: 3, Col: 1}, Msg: "wrong"}
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("disk on fire"), 1},
		{Usagef("--what"), 2},
		{one, 2},
		{stack.ErrorList{one, one}, 2},
		{fmt.Errorf("reading: %w", one), 2},
		{fmt.Errorf("%w: 3", gpusolve.ErrOption), 2},
		{gpusolve.ErrSingular, 2},
		{With(NotConverged, errors.New("not yet")), 3},
		{fmt.Errorf("%w: lost", gpusolve.ErrDevice), 4},
		{With(TooHot, errors.New("hot")), 5},
		{context.Canceled, 130},
		{With(Internal, one), 1}, // an own status beats what the kind stands for
	} {
		if got := Status(c.err); got != c.want {
			t.Errorf("%v: exit status %d, want %d", c.err, got, c.want)
		}
	}
}
