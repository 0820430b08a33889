package eda

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestParseFloat compares with the standard library on numbers of all lengths.
func TestParseFloat(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 200000 {
		v := (rnd.Float64() - 0.5) * math.Pow(10, float64(rnd.IntN(60)-30))
		text := strconv.FormatFloat(v, "efg"[rnd.IntN(3)], rnd.IntN(20)-1, 64)
		want, err := strconv.ParseFloat(text, 64)
		got, ok := parseFloat([]byte(text))
		if err != nil || !ok || math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%q: got %v (%v), want %v (%v)", text, got, ok, want, err)
		}
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
