package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var inline = regexp.MustCompile(`<!-- figure ([^\n]*?) -->([^\n]*?)<!-- end of figure -->`)

// renewInline updates the figures within lines: file; rows; template. The rows are as in the mark of a table, with at=
// and by= among them. Fields are those of the first row; conditions in brackets choose among all rows. In a table a bar
// is written \|, as in Markdown. The error begins with a line number.
func renewInline(dir, text string) (string, error) {
	var failed error
	var out strings.Builder
	at := 0
	for _, m := range inline.FindAllStringSubmatchIndex(text, -1) {
		mark := strings.ReplaceAll(text[m[2]:m[3]], `\|`, "|")
		shown, err := inlineText(dir, mark)
		if err != nil && failed == nil {
			failed = fmt.Errorf("%d: %s: %w", strings.Count(text[:m[0]], "\n")+1, mark, err)
		}
		out.WriteString(text[at:m[4]] + shown)
		at = m[5]
	}
	return out.String() + text[at:], failed
}

func inlineText(dir, mark string) (string, error) {
	parts := strings.SplitN(mark, ";", 3)
	if len(parts) != 3 {
		return "", fmt.Errorf("expected file; rows; template")
	}
	r := request{file: strings.TrimSpace(parts[0]), at: "rows"}
	var err error
	if r.rows, err = filters(strings.TrimSpace(parts[1]), " "); err != nil {
		return "", err
	}
	for key, to := range map[string]*string{"at": &r.at, "by": &r.by} {
		if i := slices.IndexFunc(r.rows, func(f filter) bool { return f.field == key }); i >= 0 {
			*to = strings.Join(r.rows[i].values, "|")
			r.rows = slices.Delete(r.rows, i, i+1)
		}
	}
	whole, err := read(filepath.Join(dir, filepath.FromSlash(r.file)))
	if err != nil {
		return "", err
	}
	lines, err := r.lines(whole)
	if err != nil {
		return "", err
	}
	var rows []any
	for _, l := range lines {
		rows = append(rows, l...)
	}
	return fill(strings.TrimSpace(parts[2]), scope{file: whole, rows: rows, choice: rows, lines: lines})
}
