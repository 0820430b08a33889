package mixed

import (
	"math"
	"math/big"
	"testing"
)

// allHalves lists all finite positive numbers of IEEE binary16 from the definition of the format.
func allHalves() []float64 {
	var all []float64
	for exponent := range 31 {
		for fraction := range 1024 {
			v := math.Ldexp(float64(fraction), -24)
			if exponent > 0 {
				v = math.Ldexp(1+float64(fraction)/1024, exponent-15)
			}
			all = append(all, v)
		}
	}
	return all
}

// Every half stays itself; between two neighbours the half-way point goes to the even one, and what lies beside it to
// the nearer.
func TestRoundHalf(t *testing.T) {
	all := allHalves()
	check := func(v, want float64) {
		for _, sign := range []float64{1, -1} {
			got := roundHalf(sign * v)
			if float64(got) != sign*want || math.Signbit(float64(got)) != math.Signbit(sign*want) {
				t.Fatalf("%g is rounded to %g, want %g", sign*v, got, sign*want)
			}
		}
	}
	for i, v := range all {
		check(v, v)
		next := 65536.0
		if i+1 < len(all) {
			next = all[i+1]
		}
		middle, even := (v+next)/2, v
		if i%2 == 1 {
			even = next
		}
		if next == 65536 {
			even, next = math.Inf(1), math.Inf(1)
		}
		check(middle, even)
		check(math.Nextafter(middle, 0), v)
		check(math.Nextafter(middle, 1e9), next)
	}
	check(math.Inf(1), math.Inf(1))
	if v := roundHalf(math.NaN()); v == v {
		t.Errorf("NaN is rounded to %g", v)
	}
}

// big.Float rounds to 11 bits, which is a half where it is normal.
func TestRoundHalfAgainstBigNumbers(t *testing.T) {
	for e := -14; e < 15; e++ {
		for i := range 200 {
			v := math.Ldexp(1+float64(i)/200*0.99993, e)
			want, _ := new(big.Float).SetPrec(11).SetFloat64(v).Float64()
			if got := float64(roundHalf(v)); got != want {
				t.Fatalf("%g is rounded to %g, want %g", v, got, want)
			}
		}
	}
}
