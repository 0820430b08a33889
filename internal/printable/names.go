package printable

import (
	"fmt"
	"strings"
)

// Word replaces all characters except letters and digits of ASCII and the given others by underscores.
func Word(name, others string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(others, r) {
			return r
		}
		return '_'
	}, name)
}

// Distinct is the name, with _2, _3 and so on at its end if it is taken.
func Distinct(name string, taken func(string) bool) string {
	distinct := name
	for n := 2; taken(distinct); n++ {
		distinct = fmt.Sprintf("%s_%d", name, n)
	}
	return distinct
}
