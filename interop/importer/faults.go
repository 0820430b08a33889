package importer

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"thermsim/stack"
)

// maxFaults is how many faults are reported at once; more only bury the first.
const maxFaults = 20

// Faults collects errors while reading goes on, so that a user sees all of them at once.
type Faults struct {
	list []*stack.Error
	more int
}

// Add notes a fault. An empty remedy is left out of the message.
func (f *Faults) Add(pos stack.Pos, remedy, format string, args ...any) {
	f.AddError(&stack.Error{Pos: pos, Msg: fmt.Sprintf(format, args...), Remedy: remedy})
}

// AddError notes an error, and all of them where it is a list.
func (f *Faults) AddError(err error) {
	var list stack.ErrorList
	var one *stack.Error
	switch {
	case errors.As(err, &list):
		for _, e := range list {
			f.AddError(e)
		}
	case len(f.list) >= 10*maxFaults:
		f.more++
	case errors.As(err, &one):
		f.list = append(f.list, one)
	default:
		f.list = append(f.list, &stack.Error{Msg: err.Error(), Err: err})
	}
}

// Len is the number of faults so far.
func (f *Faults) Len() int { return len(f.list) + f.more }

// Err is a stack.ErrorList in the order of files and lines, the file named first coming first; nil without faults.
func (f *Faults) Err(first string) error {
	if len(f.list) == 0 {
		return nil
	}
	rank := func(file string) int {
		if file == first {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(f.list, func(a, b *stack.Error) int {
		return cmp.Or(cmp.Compare(rank(a.Pos.File), rank(b.Pos.File)), strings.Compare(a.Pos.File, b.Pos.File),
			cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	list := stack.ErrorList(once(f.list))
	shown := min(len(list), maxFaults)
	if more := len(list) - shown + f.more; more > 0 {
		list = append(list[:shown],
			&stack.Error{Pos: stack.Pos{File: list[0].Pos.File}, Msg: fmt.Sprintf("and %d more errors", more),
				Remedy: "mend these first"})
	}
	return list
}

// once leaves out what was said before at the same line and column, as of a file that is read twice.
func once(sorted []*stack.Error) (list []*stack.Error) {
	for _, e := range sorted {
		again := false
		for i := len(list) - 1; e.Pos.Line > 0 && i >= 0 && !again && list[i].Pos == e.Pos; i-- {
			again = list[i].Msg == e.Msg && list[i].Remedy == e.Remedy
		}
		if !again {
			list = append(list, e)
		}
	}
	return list
}

// Reason is the cause of a failed read without the path, which messages name already.
func Reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// Shorten keeps messages readable when the input is not.
func Shorten(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "..."
	}
	return s
}
