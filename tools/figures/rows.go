package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// filter requires a field to have one of several values.
type filter struct {
	field  string
	values []string
}

// filters reads NAME=VALUE|VALUE, separated by spaces or commas. Quotation marks enclose a text with separators.
func filters(text, separator string) ([]filter, error) {
	var parts []string
	quoted, part := false, ""
	for _, r := range text + separator {
		switch {
		case r == '"':
			quoted = !quoted
		case !quoted && strings.ContainsRune(separator, r):
			if part != "" {
				parts = append(parts, part)
			}
			part = ""
		default:
			part += string(r)
		}
	}
	if quoted {
		return nil, fmt.Errorf("%q: a quotation mark is not closed", text)
	}
	var all []filter
	for _, p := range parts {
		field, values, found := strings.Cut(p, "=")
		if !found {
			return nil, fmt.Errorf("got %q; expected NAME=VALUE", p)
		}
		all = append(all, filter{field, strings.Split(values, "|")})
	}
	return all, nil
}

// matches reports whether a row has the values; a missing field is empty.
func matches(row any, wanted []filter) bool {
	return !slices.ContainsFunc(wanted, func(f filter) bool { return !slices.Contains(f.values, textOf(row, f.field)) })
}

// read decodes a file of measurements and keeps the text of numbers.
func read(path string) (any, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var whole any
	return whole, d.Decode(&whole)
}

// walk follows a path of names, each with a filter in brackets that one element has to match, to an array.
func walk(whole any, path string) ([]any, error) {
	at := whole
	if path != "." {
		for step := range strings.SplitSeq(path, ".") {
			name, condition, _ := strings.Cut(strings.TrimSuffix(step, "]"), "[")
			m, _ := at.(map[string]any)
			at = m[name]
			if condition == "" {
				continue
			}
			wanted, err := filters(condition, ",")
			if err != nil {
				return nil, err
			}
			list, _ := at.([]any)
			i := slices.IndexFunc(list, func(e any) bool { return matches(e, wanted) })
			if i < 0 {
				return nil, fmt.Errorf("no element matches %s", step)
			}
			at = list[i]
		}
	}
	list, ok := at.([]any)
	if !ok {
		return nil, fmt.Errorf("there is no array at %s", path)
	}
	return list, nil
}

// field of a row, with dots between the names of nested fields; nil if it is missing or null.
func field(row any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		m, _ := row.(map[string]any)
		row = m[name]
	}
	return row
}

// textOf is a field as in the file, empty if it is missing.
func textOf(row any, path string) string {
	if v := field(row, path); v != nil {
		return fmt.Sprint(v)
	}
	return ""
}
