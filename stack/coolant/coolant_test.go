package coolant

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance*math.Abs(want) {
		t.Errorf("%s: %.6g, want %.6g within %g", what, got, want, tolerance)
	}
}

// Water against table A.6 of F. P. Incropera et al., Fundamentals of Heat and Mass Transfer, 6th ed., 2007.
func TestWater(t *testing.T) {
	for _, row := range []struct{ kelvin, volume, cp, viscosity, k float64 }{
		{280, 1.000e-3, 4198, 1422e-6, 0.582}, {300, 1.003e-3, 4179, 855e-6, 0.613},
		{320, 1.011e-3, 4180, 577e-6, 0.640}, {350, 1.027e-3, 4195, 365e-6, 0.668},
	} {
		w, err := Find("water").At(row.kelvin)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "density", w.Density, 1/row.volume, 2e-3)
		near(t, "cp", w.Cp, row.cp, 2e-3)
		near(t, "viscosity", w.Viscosity, row.viscosity, 1.5e-2)
		near(t, "k", w.K, row.k, 7e-3)
	}
}

// Glycol against published tables: density by mass fraction at 20, 40 and 60 degC, viscosity about 4.2 mPa s, k about
// 0.41 and cp about 3.3 kJ/(kg K) at 20 degC.
func TestGlycol(t *testing.T) {
	for _, row := range [][2]float64{{20, 1079}, {40, 1067}, {60, 1055}, {80, 1042}} {
		g, err := Find("glycol50").At(celsius + row[0])
		if err != nil {
			t.Fatal(err)
		}
		near(t, "density", g.Density, row[1], 2e-3)
	}
	g, _ := Find("glycol50").At(celsius + 20)
	near(t, "viscosity", g.Viscosity, 4.2e-3, 0.03)
	near(t, "k", g.K, 0.41, 0.03)
	near(t, "cp", g.Cp, 3300, 0.02)
}

// A square duct and parallel plates have known numbers: Shah and London, tables 42 and 26.
func TestLaminar(t *testing.T) {
	square, slot := Channel{Width: 1e-4, Height: 1e-4, Length: 1e-2}, Channel{Width: 1e-7, Height: 1e-1, Length: 1e-2}
	near(t, "square f Re", square.Friction(100)*100, 4*14.227, 1e-3)
	near(t, "square Nu", square.Nusselt(100, 6), 3.608, 2e-3)
	near(t, "plates f Re", slot.Friction(100)*100, 96, 1e-5)
	near(t, "plates Nu", slot.Nusselt(100, 6), 8.235, 1e-5)
	half := Channel{Width: 2e-4, Height: 1e-4, Length: 1e-2}
	near(t, "1:2 f Re", half.Friction(50)*50, 4*15.548, 1e-3)
	near(t, "1:2 Nu", half.Nusselt(50, 6), 4.123, 2e-3)
}

// The velocity of a pressure takes that pressure, in every regime; between plates it is that of Poiseuille, D^2 dp /
// (48 mu L).
func TestPressure(t *testing.T) {
	w, _ := Find("water").At(300)
	for _, v := range []float64{0.01, 1, 12, 25, 100} {
		c := Channel{Width: 2e-4, Height: 3e-4, Length: 1e-2}
		near(t, "velocity", c.Velocity(w, c.Drop(w, v)), v, 1e-9)
	}
	slot := Channel{Width: 50e-6, Height: 1, Length: 1e-2}
	d := slot.Diameter()
	near(t, "Poiseuille", slot.Velocity(w, 1e4), d*d*1e4/(48*w.Viscosity*1e-2), 1e-3)
	if a, b := (Channel{Width: 1e-4, Height: 1e-4, Length: 1}).Friction(LeastTurbulent),
		(Channel{Width: 1e-4, Height: 1e-4, Length: 1}).Friction(LeastTurbulent+1e-6); math.Abs(a-b) > 1e-8 {
		t.Errorf("friction jumps from %g to %g", a, b)
	}
}

// Walls that conduct well are fins of efficiency one, thin and bad ones none.
func TestOnPlan(t *testing.T) {
	near(t, "good walls", OnPlan(1e4, 100e-6, 50e-6, 200e-6, 1e9), 1e4*300/150, 1e-6)
	near(t, "bad walls", OnPlan(1e4, 100e-6, 50e-6, 200e-6, 1e-9), 1e4*100/150, 1e-3)
}

// A wall that conducts from its middle takes up the heat of a fin: exactly if both ends are equally warm, and within a
// few percent if one end is adiabatic.
func TestWallsFromTheMiddle(t *testing.T) {
	const k, wall, height = 130.0, 50e-6, 300e-6
	for _, mh := range []float64{0.01, 0.5, 1, 1.5, 2} {
		m := mh / height
		side := 1 / (2 * AtMiddle(m*m*k*wall/2, wall, height, k) * height)
		half := height / (2 * k * wall)
		near(t, "both ends", 1/(half/2+side), 2*k*wall*m*math.Tanh(mh/2), 1e-9)
		near(t, "one end", 1/(half+side), k*wall*m*math.Tanh(mh), 0.026*mh*mh)
	}
}
