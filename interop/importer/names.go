package importer

import (
	"strings"

	"thermsim/internal/printable"
	"thermsim/stack"
)

// Names are those of layers and dies so far, in lower case. They are distinct and part of file names.
type Names map[string]bool

// Distinct makes a further name from that of an object, or from another if that is not possible.
func (n Names) Distinct(name, otherwise string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r < ' ' {
			return '_'
		}
		return r
	}, name)
	name = strings.Trim(name, ". ")
	if name == "all" || len(name) > 80 {
		name = ""
	}
	name = Label(name, otherwise)
	unique := printable.Distinct(name, func(s string) bool { return n[strings.ToLower(s)] })
	n[strings.ToLower(unique)] = true
	return unique
}

// Label is a name that tables can show, or else another.
func Label(name, otherwise string) string {
	if name == "" || stack.TitleFault(name) != "" {
		return otherwise
	}
	return name
}
