package importer

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"thermsim/stack"
)

// Faults collects errors while reading continues, so that a user sees all of them at once.
type Faults struct{ stack.FaultList }

// Add records a fault. An empty remedy is omitted from the message.
func (f *Faults) Add(pos stack.Pos, remedy, format string, args ...any) {
	f.AddError(&stack.Error{Pos: pos, Msg: fmt.Sprintf(format, args...), Remedy: remedy})
}

// AddError records an error, and all of them if it is a list. A file that is read twice has each of its faults once.
func (f *Faults) AddError(err error) {
	var list stack.ErrorList
	var one *stack.Error
	if errors.As(err, &list) {
		for _, e := range list {
			f.AddError(e)
		}
		return
	}
	if !errors.As(err, &one) {
		one = &stack.Error{Msg: err.Error(), Err: err}
	}
	known := func(e *stack.Error) bool { return e.Pos == one.Pos && e.Msg == one.Msg && e.Remedy == one.Remedy }
	if one.Pos.Line == 0 || !slices.ContainsFunc(f.Found, known) {
		f.FaultList.Add(one)
	}
}

// Len is the number of faults so far.
func (f *Faults) Len() int { return len(f.Found) + f.Dropped }

// Reason is the cause of a failed read without the path, which messages name already.
func Reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
