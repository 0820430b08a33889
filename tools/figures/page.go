package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Marks around a table.
const (
	markBegin = "<!-- figures "
	markEnd   = "<!-- end of figures -->"
)

// request is the content of a mark.
type request struct {
	file, at, by, above string
	rows                []filter
	columns             []column
}

// column of a table.
type column struct{ head, template string }

// renew updates the tables of a page. Paths of files are relative to dir. The error begins with a line number.
func renew(dir, text string) (string, error) {
	var out strings.Builder
	line := 1
	for {
		before, rest, found := strings.Cut(text, "\n"+markBegin)
		if !found {
			if strings.Contains(text, markEnd) {
				return "", fmt.Errorf("%d: an end mark has no beginning", line)
			}
			out.WriteString(text)
			return out.String(), nil
		}
		line += strings.Count(before, "\n") + 1
		mark, rest, closed := strings.Cut(rest, "\n-->\n")
		_, after, ended := strings.Cut(rest, markEnd)
		if !closed || !ended {
			return "", fmt.Errorf("%d: the mark has no line %q, or no %q follows", line, "-->", markEnd)
		}
		r, err := parse(mark)
		if err != nil {
			return "", fmt.Errorf("%d: %w", line, err)
		}
		table, err := r.table(dir)
		if err != nil {
			return "", fmt.Errorf("%d: %s: %w", line, r.file, err)
		}
		out.WriteString(before + "\n" + markBegin + mark + "\n-->\n" + table + markEnd)
		line += strings.Count(mark+rest, "\n") - strings.Count(after, "\n") + 1
		text = after
	}
}

// parse reads a mark.
func parse(mark string) (*request, error) {
	file, rest, _ := strings.Cut(mark, "\n")
	r := &request{file: strings.TrimSpace(file), at: "rows"}
	columns := ""
	for text := range strings.SplitSeq(rest, "\n") {
		text = strings.TrimSpace(text)
		if strings.HasPrefix(text, "|") {
			columns += " " + text
			continue
		}
		key, value, found := strings.Cut(text, ":")
		value = strings.TrimSpace(value)
		var err error
		switch {
		case !found:
			return nil, fmt.Errorf("got %q; expected KEY: VALUE", text)
		case key == "at":
			r.at = value
		case key == "by":
			r.by = value
		case key == "above":
			r.above = value
		case key == "rows":
			r.rows, err = filters(value, " ")
		case key == "columns":
			columns = value
		default:
			err = fmt.Errorf("got %q; expected at, by, above, rows or columns", key)
		}
		if err != nil {
			return nil, err
		}
	}
	for text := range strings.SplitSeq(columns, " | ") {
		head, template, found := strings.Cut(text, " = ")
		if !found {
			return nil, fmt.Errorf("column: got %q; expected heading = template", text)
		}
		r.columns = append(r.columns, column{strings.TrimSpace(head), strings.TrimSpace(template)})
	}
	return r, nil
}

// table generates the lines between the marks.
func (r *request) table(dir string) (string, error) {
	whole, err := read(filepath.Join(dir, filepath.FromSlash(r.file)))
	if err != nil {
		return "", err
	}
	lines, err := r.lines(whole)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("\n")
	if r.above != "" {
		text, err := fill(r.above, scope{file: whole, rows: []any{whole}})
		if err != nil {
			return "", err
		}
		b.WriteString(text + "\n\n")
	}
	b.WriteString("|")
	for _, c := range r.columns {
		b.WriteString(" " + c.head + " |")
	}
	b.WriteString("\n|" + strings.Repeat("---|", len(r.columns)) + "\n")
	for _, rows := range lines {
		b.WriteString("|")
		choice := rows
		if r.by == "" {
			choice = slices.Concat(lines...)
		}
		for _, c := range r.columns {
			cell, err := fill(c.template, scope{file: whole, rows: rows, choice: choice})
			if err != nil {
				return "", fmt.Errorf("column %q: %w", c.head, err)
			}
			b.WriteString(" " + strings.ReplaceAll(cell, "|", `\|`) + " |")
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	return b.String(), nil
}

// lines are the selected rows, those of one line together.
func (r *request) lines(whole any) ([][]any, error) {
	all, err := walk(whole, r.at)
	if err != nil {
		return nil, err
	}
	var lines [][]any
	lineOf := map[string]int{}
	for _, row := range all {
		if !matches(row, r.rows) {
			continue
		}
		if r.by != "" {
			key := textOf(row, r.by)
			if at, known := lineOf[key]; known {
				lines[at] = append(lines[at], row)
				continue
			}
			lineOf[key] = len(lines)
		}
		lines = append(lines, []any{row})
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("no row matches")
	}
	return lines, nil
}
