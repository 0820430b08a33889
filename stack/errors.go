package stack

import "thermsim/stack/internal/faults"

// What is wrong with an input, and where.
type (
	// Pos is a place in an input file. The zero value means unknown.
	Pos = faults.Pos
	// Error is a fault in an input: where, what is wrong and what to do about it.
	Error = faults.Error
	// ErrorList is every fault found in one pass over the inputs, in file order.
	ErrorList = faults.ErrorList
	// FaultList collects faults while inputs are read.
	FaultList = faults.List
)

// DidYouMean is a remedy that names the nearest candidate, or all if they are few.
func DidYouMean(name string, candidates []string) string { return faults.DidYouMean(name, candidates) }

// Shorten shortens a long text of an input for a message.
func Shorten(s string) string { return faults.Shorten(s) }
