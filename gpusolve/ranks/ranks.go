// Package ranks joins the parts of one run over several devices, processes or machines. Every rank holds a slab of the
// grid's rows (y) and runs the same solver; what the slabs owe each other goes through a Group.
package ranks

// Group is one rank's view of all ranks. Its methods are collective unless they say otherwise: every rank calls the
// same ones in the same order. A Group belongs to one goroutine at a time, but for Fail.
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
	// Fail ends the group for all: ranks that wait, and later calls, get an error that names this rank and the reason.
	// It may be called from any goroutine, and more than once: the first reason stands.
	Fail(reason error)
	// Close leaves the group when the work is done. A rank that goes without it counts as lost.
	Close() error
}
