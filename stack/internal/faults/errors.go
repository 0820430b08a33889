// Package faults reports errors in inputs: each has a position and a remedy.
package faults

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"thermsim/internal/spelling"
)

// Pos is a position in an input file. The zero value means unknown.
type Pos struct {
	File      string
	Line, Col int // from 1
}

func (p Pos) String() string {
	switch {
	case p.File == "":
		return ""
	case p.Line == 0:
		return p.File
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Error is a fault in an input: where, what is wrong and what to do about it.
type Error struct {
	Pos    Pos
	Msg    string
	Remedy string
	Err    error // cause, may be nil

	rest bool // it counts faults that are not listed, and comes after those of its file
	// Cause of others: it is listed also at a doubtful position.
	Cause bool
}

func (e *Error) Error() string {
	var b strings.Builder
	if p := e.Pos.String(); p != "" {
		b.WriteString(p)
		b.WriteString(": ")
	}
	b.WriteString(e.Msg)
	if e.Remedy != "" {
		b.WriteString("; ")
		b.WriteString(e.Remedy)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// ErrorList is every fault found in one pass over the inputs, in file order.
type ErrorList []*Error

func (l ErrorList) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find the single faults.
func (l ErrorList) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}

// Most is how many faults are reported at once; more only bury the first.
const Most = 20

// List collects errors during reading.
type List struct {
	Found    []*Error
	Dropped  int
	doubtful map[Pos]bool
	// Doubts says that any error that is not a Cause may be a consequence of others.
	Doubts bool
}

// Doubt marks a position where errors may be consequences of others. They are not listed.
func (f *List) Doubt(pos Pos) {
	if f.doubtful == nil {
		f.doubtful = map[Pos]bool{}
	}
	f.doubtful[pos] = true
}

func (f *List) Add(e *Error) {
	if len(f.Found) >= 10*Most {
		f.Dropped++
		return
	}
	f.Found = append(f.Found, e)
}

// Err sorts the collected errors by position, the first file first, each once, and keeps Most of them. It is nil
// without errors.
func (f *List) Err(first string) error {
	f.Found = slices.DeleteFunc(f.Found, func(e *Error) bool { return !e.Cause && (f.Doubts || f.doubtful[e.Pos]) })
	if len(f.Found) == 0 {
		return nil
	}
	slices.SortStableFunc(f.Found, func(a, b *Error) int {
		return cmp.Or(
			cmp.Compare(fileRank(a.Pos.File, first), fileRank(b.Pos.File, first)),
			strings.Compare(a.Pos.File, b.Pos.File),
			cmp.Compare(restRank(a), restRank(b)),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	list := ErrorList(slices.CompactFunc(slices.Clone(f.Found), func(a, b *Error) bool {
		return a.Pos == b.Pos && a.Msg == b.Msg
	}))
	if more := len(list) + f.Dropped - Most; more > 0 {
		list = append(list[:Most],
			rest(Pos{File: list[0].Pos.File}, fmt.Sprintf("and %d more errors", more)))
	}
	return list
}

// rest is the error that counts faults that are not listed.
func rest(pos Pos, msg string) *Error {
	return &Error{Pos: pos, Msg: msg, Remedy: "fix these first", rest: true}
}

// AddRest adds a count of faults that are not listed; it comes after those of its file.
func (f *List) AddRest(pos Pos, msg string) { f.Add(rest(pos, msg)) }

func restRank(e *Error) int {
	if e.rest {
		return 1
	}
	return 0
}

func fileRank(file, first string) int {
	if file == first {
		return 0
	}
	return 1
}

// DidYouMean is a remedy that names the nearest candidate, or all where they are few.
func DidYouMean(name string, candidates []string) string {
	if n, ok := spelling.Nearest(name, candidates); ok {
		return fmt.Sprintf("did you mean %q?", n)
	}
	const few = 12
	if len(candidates) == 0 || len(candidates) > few {
		return ""
	}
	short := make([]string, len(candidates))
	for i, c := range candidates {
		short[i] = Shorten(c)
	}
	return "known: " + JoinWords(short)
}

// JoinWords writes a list with commas and a final "or".
func JoinWords(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// Shorten keeps messages readable when the input is not.
func Shorten(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "..."
	}
	return s
}
