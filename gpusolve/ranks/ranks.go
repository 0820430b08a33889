// Package ranks joins the parts of one run over several devices, processes or machines. Every rank holds a slab of the
// grid's rows (y) and runs the same solver; what the slabs owe each other goes through a Group.
package ranks

import (
	"context"
	"fmt"
)

// Group is one rank's view of all ranks. Its methods are collective unless they say otherwise: every rank calls the
// same ones in the same order. A Group belongs to one goroutine at a time, except Fail.
type Group interface {
	Rank() int
	Size() int
	// Gather gives every rank the bytes of all ranks in the order of their numbers. What is summed in that order has
	// the same bits on all of them.
	Gather(mine []byte) ([][]byte, error)
	// Exchange sends to the ranks below (Rank()-1) and above (Rank()+1) and receives what they send, whose lengths both
	// sides know. At the ends of the group the two slices of the missing neighbour are not looked at.
	Exchange(toBelow, toAbove, fromBelow, fromAbove []byte) error
	// Send and Receive move bytes between two ranks, in order. Only these two take part.
	Send(to int, data []byte) error
	Receive(from int) ([]byte, error)
	// Fail ends the group: later calls return the reason. In one process, so do calls of all other ranks, and those
	// that wait; processes are ended by their launcher. It may be called from any goroutine, and more than once: the
	// first reason stands.
	Fail(reason error)
	// Close leaves the group when the work is done.
	Close() error
}

// Agreeing gives a group whose ranks are interrupted together. Its context ends on all of them in the same Gather: the
// first one after the context of any rank has ended. Between two of them it does not change, so that what is decided by
// it is decided alike. Where ranks learn by other means than Gather that one has Asked for an end, all of them End at
// the same place.
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

// Failure ends a group: every rank gets the same.
type Failure struct {
	Rank   int    // whose fault it is
	Host   string // where that rank runs; "" where all run in one process
	Reason string // continues "rank 2 on node7", as in "failed: out of memory"
	Status int    // the exit status of the reason; 0 where it has none
}

func (f *Failure) Error() string {
	if f.Host == "" {
		return fmt.Sprintf("rank %d %s", f.Rank, f.Reason)
	}
	return fmt.Sprintf("rank %d on %s %s", f.Rank, f.Host, f.Reason)
}

// ExitStatus is Status, for those that know no failures of groups.
func (f *Failure) ExitStatus() int { return f.Status }

// Fact is something that all ranks of a run must have in common, such as the hash of an input.
type Fact struct {
	Name  string `json:"name"` // as in "the grid"
	Value string `json:"value"`
}

// longestShown is the length of values that a message shows: hashes are of no use in one.
const longestShown = 60

// Difference says what theirs have that ours have not, in the order of ours; "" where there is none.
func Difference(ours, theirs []Fact) string {
	others := map[string]string{}
	for _, f := range theirs {
		others[f.Name] = f.Value
	}
	for _, f := range ours {
		value, known := others[f.Name]
		switch {
		case !known:
			return fmt.Sprintf("%s is not known there", f.Name)
		case value != f.Value && len(value) <= longestShown && len(f.Value) <= longestShown:
			return fmt.Sprintf("%s is %s there and %s on rank 0", f.Name, named(value), named(f.Value))
		case value != f.Value:
			return fmt.Sprintf("%s differs from that of rank 0", f.Name)
		}
		delete(others, f.Name)
	}
	for _, f := range theirs {
		if _, left := others[f.Name]; left {
			return fmt.Sprintf("%s is known there and not on rank 0", f.Name)
		}
	}
	return ""
}

func named(value string) string {
	if value == "" {
		return "not given"
	}
	return value
}
