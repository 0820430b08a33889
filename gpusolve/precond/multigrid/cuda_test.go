package multigrid

import (
	"slices"
	"testing"
)

func TestLineClass(t *testing.T) {
	classes := LinesClasses()
	if !slices.IsSorted(classes) || classes[0] != anyLength {
		t.Fatalf("classes %v: want %d, then ascending lengths", classes, anyLength)
	}
	for nz, want := range map[int]int{1: 4, 4: 4, 5: 10, 10: 10, 11: 16, 17: 24, 24: 24, 25: 32, 32: 32, 33: anyLength,
		5000: anyLength} {
		if got := lineClass(nz); got != want {
			t.Errorf("class of nz %d: %d, want %d", nz, got, want)
		}
	}
}
