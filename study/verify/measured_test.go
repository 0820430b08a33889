package verify

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"thermsim/stack/stackfile"
)

// measuredChip is a thermal test chip of a paper. Its file says which inputs are published, derived or assumed.
type measuredChip struct {
	file        string
	inputs      []spread
	measured    []measurement
	independent []independent
	morePower   string // by 2 %
}

// spread of a constant of the file: minus and plus one standard uncertainty.
type spread struct{ constant, low, high string }

// measurement of a rise in K: 0 is the inlet, 1 the outlet.
type measurement struct{ at, rise, uncertainty float64 }

// independent is a rise in K that was calculated without thermsim, for the file with the changes in set.
type independent struct {
	at, rise, tolerance float64
	set                 []string
}

var measuredChips = []measuredChip{
	{
		file: "kawano.toml",
		inputs: []spread{
			{"velocity", "1.298 m/s", "1.948 m/s"},        // properties of water at 20 or 30 degC
			{"k_water", "0.537 W/(m K)", "0.683 W/(m K)"}, // the correlation for h is within 12 %
			{"k_silicon", "141 W/(m K)", "155 W/(m K)"},
			{"channel", "55 um", "59 um"},
			{"height", "175 um", "185 um"},
			{"power", "0.882 W", "0.918 W"},
		},
		// 0.116 (0.080 to 0.152) and 0.222 (0.156 to 0.288) K cm2/W, at 90 W/cm2
		measured: []measurement{{0, 90 * 0.116, 90 * 0.036}, {1, 90 * 0.222, 90 * 0.066}},
		// finite volumes of water and silicon in three dimensions, using76/Iteration-CFD, finest grid
		independent: []independent{
			{at: 0, rise: 90 * 0.0929, tolerance: 0.04}, // mainly the correlation of developing flow, within 12 %
			{at: 1, rise: 90 * 0.2351, tolerance: 0.01},
		},
		morePower: "0.918 W",
	},
	{
		file: "tuckerman.toml",
		inputs: []spread{
			{"flow", "4.8 ml/min", "7.2 ml/min"}, // flow and pressure of the sources differ
			{"k_water", "0.541 W/(m K)", "0.689 W/(m K)"},
			{"k_silicon", "125 W/(m K)", "145 W/(m K)"},
			{"below", "100 um", "200 um"},
			{"channel", "48 um", "52 um"},
			{"height", "285 um", "315 um"},
			{"power", "7.82 W", "7.98 W"},
		},
		measured: []measurement{{1, 71, 1}},
		independent: []independent{
			{1, tuckermanByHand(), 0.015, []string{"layer.channels.coolant.entrance=developed"}},
		},
		morePower: "8.058 W",
	},
	{
		file: "imec.toml",
		inputs: []spread{
			{"jets", "25830 W/(m^2 K)", "47970 W/(m^2 K)"}, // the correlation is within 30 %
			{"thickness", "475 um", "1075 um"},
			{"k_silicon", "133 W/(m K)", "163 W/(m K)"},
			{"power", "275 W", "285 W"},
		},
		measured:    []measurement{{0.5, 17.5, 0.35}},
		independent: []independent{{at: 0.5, rise: imecByHand(), tolerance: 0.005}},
		morePower:   "285.6 W",
	},
}

// Measured rises agree within twice the combined uncertainty of inputs and measurement. That is more than 2 %, so the
// rises are also compared with independent calculations, which 2 % more power must not match.
func TestMeasuredChips(t *testing.T) {
	for _, c := range measuredChips {
		t.Run(c.file, func(t *testing.T) {
			for _, m := range c.measured {
				rise, inputs := c.rise(t, m.at), 0.0
				for _, s := range c.inputs {
					high := c.rise(t, m.at, "define."+s.constant+"="+s.high)
					d := (high - c.rise(t, m.at, "define."+s.constant+"="+s.low)) / 2
					t.Logf("  %-9s  %16s to %16s  %+6.2f K", s.constant, s.low, s.high, d)
					inputs = math.Hypot(inputs, d)
				}
				t.Logf("at %g: %.2f +- %.2f K, measured %.2f +- %.2f K", m.at, rise, inputs, m.rise, m.uncertainty)
				if !(math.Abs(rise-m.rise) <= 2*math.Hypot(inputs, m.uncertainty)) {
					t.Errorf("differs by more than twice the uncertainty")
				}
			}
			for _, i := range c.independent {
				rise := c.rise(t, i.at, i.set...)
				t.Logf("at %g: %.3f K, independently %.3f K %v", i.at, rise, i.rise, i.set)
				if !(math.Abs(rise/i.rise-1) <= i.tolerance) {
					t.Errorf("differs by more than %g", i.tolerance)
				}
				hotter := c.rise(t, i.at, append([]string{"define.power=" + c.morePower}, i.set...)...)
				if i.tolerance < 0.02 && math.Abs(hotter/i.rise-1) <= i.tolerance {
					t.Errorf("2 %% more power is within %g, too", i.tolerance)
				}
			}
		})
	}
}

// rise of the hottest plane above ambient, extrapolated to the inlet or outlet.
func (c measuredChip) rise(t *testing.T, at float64, set ...string) float64 {
	t.Helper()
	f := c.solve(t, set...)
	hottest := slices.Index(f.rise, f.max()) / (f.NX() * f.NY())
	mean := func(i int) float64 {
		sum := 0.0
		for j := range f.NY() {
			sum += f.at(i, j, hottest) * (f.Y[j+1] - f.Y[j])
		}
		return sum / f.Stack.Size[1]
	}
	x := at * float64(f.NX())
	i := min(int(x), f.NX()-2)
	return mean(i) + (x-float64(i)-0.5)*(mean(i+1)-mean(i))
}

func (c measuredChip) solve(t *testing.T, set ...string) *field {
	t.Helper()
	var overrides []stackfile.Override
	for _, s := range set {
		o, err := stackfile.ParseOverride(s)
		if err != nil {
			t.Fatal(err)
		}
		overrides = append(overrides, o)
	}
	st, err := stackfile.Load(filepath.Join("testdata", "measured", c.file), overrides...)
	if err != nil {
		t.Fatal(err)
	}
	f, err := solver{options: exact}.steady(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// tuckermanByHand is the sum of the rise of the water, of conduction to the channels, and of convection, with Nu of
// Shah and London. Walls are fins. Conduction along the flow (-0.9 K) and the constriction of heat into the walls
// (+0.7 K) are neglected.
func tuckermanByHand() float64 {
	const (
		width, wall, height = 50e-6, 25e-6, 300e-6 // half a wall
		flux, k             = 7.9e6, 135.0
		a                   = width / height
	)
	nu := 8.235 * (1 - 2.0421*a + 3.0853*a*a - 2.4765*a*a*a + 1.0578*a*a*a*a - 0.1861*a*a*a*a*a)
	h := nu * 0.615 * (width + height) / (2 * width * height)
	m := math.Sqrt(h / (k * wall))
	side := k * wall * m * math.Tanh(m*height)
	return 7.9/(4.161e6*1e-7) + flux*150.5e-6/k + flux*(width/2+wall)/(h*width/2+side)
}

// imecByHand is that of the slab, with h from the correlation for water of Pr = 7.56.
func imecByHand() float64 {
	const diameter, pitch, cavity, conductivity = 0.63e-3, 2e-3, 0.6e-3, 0.595
	velocity := 3.25e-3 / 60 / 121 / (math.Pi / 4 * diameter * diameter)
	re, a := velocity*diameter/1.09e-6, diameter/pitch
	nu := (5.64*a*a + 0.031*a - 0.000632) * math.Pow(cavity/pitch, -0.29) * math.Pow(re, 0.48*math.Pow(a, -0.16))
	return 280 / (23e-3 * 23e-3) * (diameter/(nu*conductivity) + 775e-6/148)
}
