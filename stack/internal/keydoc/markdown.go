// Package keydoc writes the reference of the stack format and its JSON Schema from the table of keys.
package keydoc

import (
	"fmt"
	"strings"

	"thermsim/stack/internal/keys"
)

// Fill replaces the text between the markers
//
//	<!-- keys: NAME -->
//	<!-- end -->
//
// of a Markdown page by the table of keys of that name. Every table of the format must have markers.
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
