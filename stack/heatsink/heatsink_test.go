package heatsink

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want, rel float64) {
	t.Helper()
	if !(math.Abs(got-want) <= rel*math.Abs(want)) {
		t.Errorf("%s is %.10g, want %.10g", what, got, want)
	}
}

// The differential equation of a fin, A k T” = h P T with T = 1 at the base and no heat through the end, by 4000 finite
// volumes.
func TestEfficiencyOfADiscreteFin(t *testing.T) {
	for _, h := range []float64{5, 50, 500, 5000} {
		f := Fins{Count: 1, Thickness: 1e-3, Height: 30e-3, Length: 40e-3, Width: 1, K: 180, H: h}
		const n = 4000
		dx := (f.Height + f.Thickness/2) / n
		along := f.K * f.Thickness * f.Length / dx
		across := h * 2 * (f.Thickness + f.Length) * dx
		// From the end towards the base: conductance of all that lies beyond, to the surroundings.
		g := 0.0
		for range n {
			g += across / 2
			g = 1 / (1/g + 1/along)
			g += across / 2
		}
		near(t, "efficiency", f.Efficiency(), g/(across*n), 1e-6)
	}
}

// Limits by hand: fins that conduct perfectly, and none of any height.
func TestOnBaseLimits(t *testing.T) {
	f := Fins{Count: 10, Thickness: 1e-3, Height: 20e-3, Length: 50e-3, Width: 40e-3, K: 1e12, H: 30}
	fin := 2 * (1e-3 + 50e-3) * (20e-3 + 0.5e-3)
	near(t, "h on the base", f.OnBase(), 30*(50e-3*30e-3+10*fin)/(50e-3*40e-3), 1e-9)
	near(t, "gap", f.Gap(), 30e-3/9, 1e-12)
}

// The two limits of the channel: long ones, of which the air leaves at the walls' temperature, and short ones, flat
// plates in laminar flow.
func TestChannelLimits(t *testing.T) {
	air, err := AirAt(300)
	if err != nil {
		t.Fatal(err)
	}
	const gap, length = 2e-3, 50e-3
	slow := 0.1 * air.Nu * length / (gap * gap)
	h, re := Channel(air, slow, gap, length)
	near(t, "Reynolds number", re, 0.1, 1e-12)
	// What the air carries away: rho c U s = k Pr / nu U s, over both walls.
	near(t, "long channel", h, air.K*air.Pr/air.Nu*slow*gap/(2*length), 0.01)
	h, _ = Channel(air, 1e9*slow, gap, length)
	near(t, "short channel", h, 0.664*air.K/length*math.Sqrt(1e9*slow*length/air.Nu)*math.Cbrt(air.Pr), 1e-3)
	if _, err := AirAt(601); err == nil {
		t.Error("air at 601 K")
	}
}
