package inputfile

import (
	"errors"
	"strconv"
	"testing"
)

func TestNumber(t *testing.T) {
	for text, want := range map[string]float64{"1": 1, "-.5": -0.5, "2.": 2, "+1E3": 1000, "1e-3": 0.001} {
		if got, err := Number(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0x1p4", "0X10", "1_0", "inf", "-Infinity", "NaN", "1,5", "1 2", "1e"} {
		if got, err := Number(text); !errors.Is(err, strconv.ErrSyntax) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if _, err := Number("1e999"); !errors.Is(err, strconv.ErrRange) {
		t.Errorf("1e999: %v", err)
	}
}
