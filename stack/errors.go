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
)
