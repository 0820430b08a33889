package inputfile

import (
	"fmt"
	"strings"
)

// Error is a fault in a file: where, what is wrong and what to do about it.
type Error struct {
	File   string
	Line   int // from 1; 0 where the whole file is meant
	Column int // in characters from 1; 0 where the whole line is meant
	Msg    string
	Remedy string
	Err    error // cause, may be nil
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	if e.Column > 0 {
		fmt.Fprintf(&b, ":%d", e.Column)
	}
	fmt.Fprintf(&b, ": %s", e.Msg)
	if e.Remedy != "" {
		fmt.Fprintf(&b, "; %s", e.Remedy)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }
