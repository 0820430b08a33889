// Package keydoc writes the reference of the stack format and its JSON Schema from the table of keys.
package keydoc

import (
	"fmt"
	"strings"

	"thermsim/stack/internal/keys"
)

// Fill replaces what stands between the markers
//
//	<!-- keys: NAME -->
//	<!-- end -->
//
// of a Markdown page by the table of keys of that name. Every table of the format must have its place.
func Fill(page string, f *keys.Format) (string, error) {
	const end = "<!-- end -->"
	for _, name := range f.Order {
		marker := "<!-- keys: " + name + " -->\n"
		before, rest, ok := strings.Cut(page, marker)
		if !ok {
			return "", fmt.Errorf("the page has no marker %q", marker)
		}
		_, after, ok := strings.Cut(rest, end)
		if !ok {
			return "", fmt.Errorf("no %q after %q", end, marker)
		}
		page = before + marker + Table(f.Spec(name)) + end + after
	}
	return page, nil
}

// Table is the Markdown table of one table of the format.
func Table(s *keys.Spec) string {
	var b strings.Builder
	b.WriteString("| key | value | SI unit | default | meaning |\n|---|---|---|---|---|\n")
	for _, k := range s.Keys {
		unit := k.Quantity.Unit
		if unit == "" {
			unit = "-"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", k.Name, escape(value(k)), escape(unit), escape(standard(k)),
			escape(k.Doc))
	}
	return b.String()
}

func escape(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// standard is the default of a key in words.
func standard(k keys.Key) string {
	switch {
	case k.Unless != "":
		return "required, unless `" + k.Unless + "` is given"
	case k.Required:
		return "required"
	case k.DefDoc != "":
		return k.DefDoc
	case k.Default != "":
		return k.Default
	}
	return "none"
}

// value describes what a key takes.
func value(k keys.Key) string {
	example := fmt.Sprintf("%s, `%q`", strings.TrimPrefix(strings.TrimPrefix(k.Quantity.Name, "a "), "an "),
		k.Quantity.Example)
	limit := map[keys.Range]string{keys.Positive: ", above 0", keys.NonNegative: ", not negative"}[k.Range]
	switch k.Type {
	case keys.Text:
		return "string"
	case keys.Name:
		return "string fit for a file name"
	case keys.Enum, keys.Method:
		return "`" + strings.Join(k.Enum, "`, `") + "`"
	case keys.TextList:
		return "array of strings"
	case keys.Integer:
		if k.Min == k.Max {
			return fmt.Sprint(k.Min)
		}
		return fmt.Sprintf("whole number, %d to %d", k.Min, k.Max)
	case keys.Bool:
		return "`true` or `false`"
	case keys.Scalar:
		return example + limit
	case keys.Pair:
		return "[x, y]" + limit
	case keys.Rect:
		return "[x, y, width, height]"
	case keys.RectList:
		return "array of [x, y, width, height]"
	case keys.Points:
		return "array of [x, y], three or more"
	case keys.CurveOrTriple:
		return example + limit + ", or a table, or [x, y, z] of either"
	case keys.CurveOrScalar:
		return example + limit + ", or a table"
	case keys.OwnScalar:
		return "quantity" + limit
	case keys.Row:
		return "whole number from 1, `mean` or `max`"
	case keys.Table:
		return "table"
	case keys.Tables:
		return "array of tables"
	case keys.TableOrTables:
		return "table or array of tables"
	case keys.NamedTables:
		return "table of tables"
	case keys.TextOrTable:
		return fmt.Sprintf("`%q` or table", k.Enum[0])
	case keys.FileOrRows:
		return "path, or array of rows of numbers"
	case keys.FileOrTable:
		return "path or table"
	case keys.FileOrScalars:
		return "path, or table of " + example + limit
	case keys.NumberRows:
		return "array of rows of numbers"
	case keys.NumberList:
		return "array of numbers"
	case keys.Value:
		return "number or string"
	case keys.Values:
		return "array of numbers and strings"
	case keys.Constants:
		return "table of numbers and quantities"
	}
	return ""
}
