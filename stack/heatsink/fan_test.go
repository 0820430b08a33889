package heatsink

import "testing"

// Without fins in the way worth mentioning, a fan of the line p = 100 (1 - Q/0.02) and a system of 50 Pa at 0.01 m3/s
// meet where 5e5 Q^2 = 100 - 5000 Q: at Q = 0.01 m3/s.
func TestFanAgainstASystem(t *testing.T) {
	air, err := AirAt(300)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "density", air.Density(), 1.1614, 2e-3) // Incropera, table A.4
	wide := &Fins{Count: 2, Thickness: 1e-6, Height: 10, Length: 1e-6, Width: 10}
	fan := &Fan{Curve: []FanPoint{{0, 100}, {0.005, 75}, {0.02, 0}}, System: FanPoint{0.01, 50}, Bypass: 0.2}
	at, velocity := fan.Operate(air, wide)
	near(t, "flow", at.Flow, 0.01, 1e-6)
	near(t, "pressure", at.Pressure, 50, 1e-6)
	near(t, "velocity", velocity, 0.8*0.01/100, 1e-6)
}

// The drop of long fins is that of developed laminar flow between plates, 12 mu L v / s^2; that of short ones the loss
// of section at inlet and outlet.
func TestDropOfFins(t *testing.T) {
	air, err := AirAt(300)
	if err != nil {
		t.Fatal(err)
	}
	mu := air.Nu * air.Density()
	long := &Fins{Count: 101, Thickness: 1e-6, Height: 10, Length: 5, Width: 0.1}
	near(t, "long fins", long.Drop(air, 0.1), 12*mu*5*0.1/(long.Gap()*long.Gap()), 2e-3)
	short := &Fins{Count: 101, Thickness: 0.5e-3, Height: 10, Length: 1e-12, Width: 0.1}
	open := 100 * short.Gap() / 0.1
	closed := 1 - open*open
	near(t, "short fins", short.Drop(air, 100), (0.42*closed+closed*closed)*air.Density()*1e4/2, 1e-3)
}

// With fins, the drop that they take at the operating point is the pressure of the fan.
func TestFanAgainstFins(t *testing.T) {
	air, err := AirAt(300)
	if err != nil {
		t.Fatal(err)
	}
	fins := &Fins{Count: 30, Thickness: 0.8e-3, Height: 25e-3, Length: 80e-3, Width: 80e-3}
	fan := &Fan{Curve: []FanPoint{{0, 60}, {0.02, 0}}}
	at, velocity := fan.Operate(air, fins)
	near(t, "pressure", fins.Drop(air, velocity), at.Pressure, 1e-9)
	near(t, "flow", velocity*29*fins.Gap()*25e-3, at.Flow, 1e-12)
	if at.Flow < 0.005 || at.Flow > 0.019 {
		t.Errorf("flow %g m3/s", at.Flow)
	}
}
