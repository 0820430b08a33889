package stack

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Pos is a place in an input file. The zero value means unknown.
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

	rest bool // it counts faults that are not told, and comes after those of its file
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

// maxFaults is how many faults are reported at once; more only bury the first.
const maxFaults = 20

// faults collects errors while reading goes on.
type faults struct {
	list    []*Error
	dropped int
}

func (f *faults) add(e *Error) {
	if len(f.list) >= 10*maxFaults {
		f.dropped++
		return
	}
	f.list = append(f.list, e)
}

// err sorts what was collected by place, the first file first, and cuts it to maxFaults. It is nil without faults.
func (f *faults) err(first string) error {
	if len(f.list) == 0 {
		return nil
	}
	slices.SortStableFunc(f.list, func(a, b *Error) int {
		return cmp.Or(
			cmp.Compare(fileRank(a.Pos.File, first), fileRank(b.Pos.File, first)),
			strings.Compare(a.Pos.File, b.Pos.File),
			cmp.Compare(restRank(a), restRank(b)),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	list := ErrorList(slices.Clone(f.list))
	if more := len(list) + f.dropped - maxFaults; more > 0 {
		list = append(list[:maxFaults],
			&Error{Pos: Pos{File: list[0].Pos.File}, Msg: fmt.Sprintf("and %d more errors", more),
				Remedy: "mend these first", rest: true})
	}
	return list
}

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

// nearest returns the candidate with the smallest edit distance to name, if that is small enough to be a slip.
func nearest(name string, candidates []string) (string, bool) {
	best, at := len(name)/3+2, ""
	for _, c := range candidates {
		if d := editDistance(name, c, best); d < best {
			best, at = d, c
		}
	}
	return at, at != ""
}

// editDistance is Levenshtein's, by Wagner and Fischer's recurrence (J. ACM 21, 1974); it gives up at limit.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return min(row[len(b)], limit)
}

// didYouMean is a remedy that names the nearest candidate, or all where they are few.
func didYouMean(name string, candidates []string) string {
	if n, ok := nearest(name, candidates); ok {
		return fmt.Sprintf("did you mean %q?", n)
	}
	const few = 12
	if len(candidates) == 0 || len(candidates) > few {
		return ""
	}
	short := make([]string, len(candidates))
	for i, c := range candidates {
		short[i] = shorten(c)
	}
	return "known: " + joinWords(short)
}

// suggest is didYouMean for names that a file may have thousands of: only the faults that are told get one.
func (d *decoder) suggest(name string, candidates func() []string) string {
	if len(d.faults.list) >= maxFaults {
		return ""
	}
	return didYouMean(name, candidates())
}

// these are candidates that are at hand.
func these(names []string) func() []string { return func() []string { return names } }
