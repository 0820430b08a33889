package eda

import "testing"

// Numbers are decimal and finite, and reading them allocates nothing.
func TestParseFloat(t *testing.T) {
	number := []byte("-1.234567890123456e-12")
	if n := testing.AllocsPerRun(10, func() { parseFloat(number) }); n > 0 {
		t.Errorf("%g allocations", n)
	}
	for text, want := range map[string]float64{".5": 0.5, "1.": 1, "+2": 2, "-.25e2": -25, "0": 0, "1e22": 1e22,
		"123456789012345678": 123456789012345678, "1e-300": 1e-300} {
		if got, ok := parseFloat([]byte(text)); !ok || got != want {
			t.Errorf("%q: got %v (%v), want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", ".", "+", "-", "e5", "1e", "1e+", "1.2.3", "0x1p3", "inf", "nan", "1_000",
		"1e999", "1,5", "1e99999999999", "--1", "1 "} {
		if got, ok := parseFloat([]byte(text)); ok {
			t.Errorf("%q: taken as %v", text, got)
		}
	}
}
