package testtier_test

import (
	"testing"

	"thermsim/internal/testtier"
)

func TestPick(t *testing.T) {
	for value, want := range map[string]int{"": 3, "quick": 3, "extended": 300} {
		t.Setenv(testtier.Variable, value)
		if got := testtier.Pick(3, 300); got != want {
			t.Errorf("%s=%q: %d, want %d", testtier.Variable, value, got, want)
		}
	}
}
