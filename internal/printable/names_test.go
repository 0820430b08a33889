package printable

import (
	"slices"
	"testing"
)

func TestDistinct(t *testing.T) {
	taken := []string{"b"}
	for _, name := range []string{"a", "a", "a_2", "a", "b"} {
		taken = append(taken, Distinct(name, func(s string) bool { return slices.Contains(taken, s) }))
	}
	if want := []string{"b", "a", "a_2", "a_2_2", "a_3", "b_2"}; !slices.Equal(taken, want) {
		t.Errorf("got %q, want %q", taken, want)
	}
}

func TestWord(t *testing.T) {
	if got := Word("Die 0/é-x.y\n", ".-"); got != "Die_0__-x.y_" {
		t.Errorf("%q", got)
	}
}
