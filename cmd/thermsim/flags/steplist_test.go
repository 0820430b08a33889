package flags

import (
	"testing"

	"thermsim/cmd/thermsim/exit"
)

// Lists of steps are ranges, however long.
func TestStepRanges(t *testing.T) {
	for text, want := range map[string][]int{"all": {1, 2, 3, 4, 5, 6, 7, 8, 9}, "2,5": {2, 5}, "3:6": {3, 4, 5, 6},
		"1:9:4,2": {1, 2, 5, 9}} {
		var s stepList
		if err := s.Set(text); err != nil {
			t.Fatal(err)
		}
		list, err := s.ranges(9)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for n := range 12 {
			for _, r := range list {
				if r.Has(n) {
					got = append(got, n)
				}
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: steps %v, want %v", text, got, want)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: steps %v, want %v", text, got, want)
			}
		}
	}
	long := stepList{}
	if err := long.Set("1:2000000000:3"); err != nil {
		t.Fatal(err)
	}
	if list, err := long.ranges(2_000_000_000); err != nil || len(list) != 1 || !list[0].Has(1_999_999_999) ||
		list[0].Has(2_000_000_000) {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := long.ranges(9); exit.Status(err) != exit.Input {
		t.Errorf("beyond the run: %v", err)
	}
}
