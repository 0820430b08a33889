// Package findings reports errors and warnings about inputs to editors and CI: each with its range in a file, as text,
// JSON or in the Static Analysis Results Interchange Format (SARIF).
package findings

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"thermsim/cmd/thermsim/exit"
	"thermsim/internal/inputfile"
	"thermsim/mesh/plausibility"
	"thermsim/stack"
)

// Finding is an error or a warning. Lines and columns are counted from 1, columns in characters; 0 is unknown. The end
// is that of the key or value there: the column after its last character.
type Finding struct {
	Severity  string `json:"severity"` // error or warning
	Code      string `json:"code"`     // that of the warning; invalid-input or failed
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndColumn int    `json:"end_column"` // on the same line
	Message   string `json:"message"`
	Fix       string `json:"fix"` // may be ""
}

// Of lists the errors in err and the warnings. What has no file concerns that of the stack. With strict, warnings are
// errors.
func Of(err error, warnings []plausibility.Warning, file string, strict bool) []Finding {
	l := &list{stack: file, lines: map[string][]string{}}
	l.errors(err)
	severity := "warning"
	if strict {
		severity = "error"
	}
	for _, w := range warnings {
		l.add(Finding{Severity: severity, Code: w.Code, Message: w.Text, Fix: w.Remedy}, position(w.Place))
	}
	return l.found
}

type list struct {
	stack string
	found []Finding
	lines map[string][]string // of the files read
}

func (l *list) errors(err error) {
	var several stack.ErrorList
	var one *stack.Error
	f := Finding{Severity: "error", Code: "invalid-input"}
	switch {
	case err == nil:
	case errors.As(err, &several):
		for _, e := range several {
			l.errors(e)
		}
	case errors.As(err, &one):
		f.Message, f.Fix = one.Msg, one.Remedy
		l.add(f, one.Pos)
	default:
		if exit.Status(err) != exit.Input {
			f.Code = "failed"
		}
		f.Message = err.Error()
		l.add(f, stack.Pos{})
	}
}

// add completes a finding by its range. Columns of positions are counted in bytes.
func (l *list) add(f Finding, at stack.Pos) {
	f.File, f.Line = at.File, at.Line
	if f.File == "" {
		f.File = l.stack
	}
	if lines := l.read(f.File); at.Col > 0 && at.Line > 0 && at.Line <= len(lines) {
		if line := lines[at.Line-1]; at.Col <= len(line)+1 {
			f.Column = utf8.RuneCountInString(line[:at.Col-1]) + 1
			f.EndColumn = f.Column + max(1, utf8.RuneCountInString(token.FindString(line[at.Col-1:])))
		}
	}
	l.found = append(l.found, f)
}

// token is a key, a string, or any other value on one line.
var token = regexp.MustCompile(`^(\[\[?[^]]*\]\]?|"(\\.|[^"\\])*"|'[^']*'|[^\s,=\]}#]+)`)

func (l *list) read(file string) []string {
	lines, known := l.lines[file]
	if !known {
		text, _ := inputfile.Read(file) // without it, ranges are unknown
		lines = strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
		l.lines[file] = lines
	}
	return lines
}

var location = regexp.MustCompile(`^(.+?)(?::(\d+))?(?::(\d+))?$`)

// position reads a location as a warning has it.
func position(text string) stack.Pos {
	m := location.FindStringSubmatch(text)
	if m == nil {
		return stack.Pos{}
	}
	line, _ := strconv.Atoi(m[2]) // 0 where there is none
	column, _ := strconv.Atoi(m[3])
	return stack.Pos{File: m[1], Line: line, Col: column}
}
