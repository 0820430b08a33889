package analytic

import (
	"math"
	"testing"
)

func TestSlabRise(t *testing.T) {
	sheets := []Sheet{
		{Thickness: 1e-3, K: isotropic(100), Contact: 2e-5},
		{Thickness: 2e-3, K: isotropic(10)},
	}
	// 1/h 1e-4, second sheet 2e-4, contact 2e-5, first sheet 1e-5 m2K/W.
	near(t, "heated face", SlabRise(sheets, 1e4, 1e5, 0), 33, 1e-14)
	near(t, "middle of the first", SlabRise(sheets, 1e4, 1e5, 0.5e-3), 32.5, 1e-14)
	near(t, "middle of the second", SlabRise(sheets, 1e4, 1e5, 2e-3), 20, 1e-14)
	near(t, "cooled face", SlabRise(sheets, 1e4, 1e5, 3e-3), 10, 1e-14)
	near(t, "cooled face, fixed", SlabRise(sheets, math.Inf(1), 1e5, 2e-3), 10, 1e-14)
}

// Incropera et al., 7th ed., table 5.1 gives b0 = 0.8603 and C1 = 1.1191 at Bi = 1.
func TestCoolingAgainstTable(t *testing.T) {
	s := Cooling{L: 1e-3, K: 10, C: 2e6, H: 1e4}
	if b := s.Eigenvalue(0); math.Abs(b-0.8603) > 5e-5 {
		t.Errorf("first eigenvalue %.6f, table 0.8603", b)
	}
	// Where one term is left, the rise at z = 0 is C1 exp(-t/tau).
	tau := s.TimeConstant()
	if c1 := s.Rise(0, 3*tau) * math.Exp(3); math.Abs(c1-1.1191) > 5e-5 {
		t.Errorf("first coefficient %.6f, table 1.1191", c1)
	}
}

// The series must meet the initial condition, the boundary conditions and the energy balance.
func TestCoolingIsASolution(t *testing.T) {
	s := Cooling{L: 1e-3, K: 10, C: 2e6, H: 4e4}
	near(t, "initial rise", s.Rise(0.3e-3, 1e-6), 1, 1e-9)
	const time, d = 0.05, 1e-7
	slope := (s.Rise(s.L, time) - s.Rise(s.L-d, time)) / d
	near(t, "flux at the cooled face", -s.K*slope, s.H*s.Rise(s.L, time), 1e-3)
	// d/dt of the mean = - H rise(L) / (C L)
	mean := func(time float64) float64 {
		sum := 0.0
		const n = 400
		for i := range n {
			sum += s.Rise((float64(i)+0.5)/n*s.L, time)
		}
		return sum / n
	}
	const dt = 1e-5
	rate := (mean(time+dt) - mean(time-dt)) / (2 * dt)
	near(t, "energy", rate, -s.H*s.Rise(s.L, time)/(s.C*s.L), 1e-5)
}

func TestLumpedRise(t *testing.T) {
	near(t, "one time constant", LumpedRise(2, 5, 0.1, 0.5), 10*(1-1/math.E), 1e-14)
	near(t, "for ever", LumpedRise(2, 5, 0.1, 50), 10, 1e-14)
}
