package main

import (
	"fmt"
	"reflect"
	"strings"
)

const (
	begin = "<!-- objects -->\n"
	end   = "<!-- end -->"
)

// Fill replaces the text between the markers of docs/reference/summary.md by a table of each object.
func Fill(page string, tables []Table) (string, error) {
	before, rest, ok := strings.Cut(page, begin)
	_, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		return "", fmt.Errorf("the page has no %q or no %q", begin, end)
	}
	var b strings.Builder
	for _, t := range tables {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| field | value | meaning |\n|---|---|---|\n", t.Name, t.Doc)
		for _, f := range t.Fields {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Name, f.value(), strings.ReplaceAll(f.Doc, "|", `\|`))
		}
	}
	return before + begin + b.String() + "\n" + end + after, nil
}

// value describes the values of a field.
func (f *Field) value() string {
	what, several := "string", "strings"
	switch kind := f.Type.Kind(); {
	case kind == reflect.Struct:
		n := name(f.Type)
		what = fmt.Sprintf("[%s](#%s)", n, n)
		several = what
	case kind == reflect.Float64:
		what, several = "number", "numbers"
	case kind == reflect.Bool:
		what, several = "true or false", "true or false"
	case kind != reflect.String:
		what, several = "integer", "integers"
	}
	if f.List {
		what = "list of " + several
	}
	if f.Optional {
		what += ", optional"
	}
	return what
}
