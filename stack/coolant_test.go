package stack

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"
)

// tiers has a cavity between two dies; COOLANT stands for what it holds.
const tiers = `schema = 1
size = ["10 mm", "8 mm"]
[[layer]]
name = "lower"
material = "silicon"
thickness = "50 um"
[[layer]]
name = "cavity"
material = "silicon"
thickness = "100 um"
coolant = { COOLANT }
[[layer]]
name = "upper"
material = "silicon"
thickness = "50 um"
`

const channels = `fluid = "water", inlet = "27 degC", direction = "+y", flow = "42 ml/min", channel_width = "100 um", wall_width = "100 um"`

func parseTiers(text string) (*Stack, error) {
	return Parse("stack.toml", []byte(text), files{}.open)
}

func loadTiers(t *testing.T, coolant string) *Stack {
	t.Helper()
	s, err := parseTiers(strings.Replace(tiers, "COOLANT", coolant, 1))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Channels are counted, the walls beside the outermost are alike, and the grid follows: a cell for each channel and each wall.
func TestChannels(t *testing.T) {
	s := loadTiers(t, channels)
	c := s.Layers[1].Coolant
	if c.Channels.Count != 50 || math.Abs(c.Channels.FirstWall-50e-6) > 1e-12 || s.Grid.X.Cells != 101 || s.Grid.Y.Cells != 128 {
		t.Errorf("%+v on %d x %d cells", c.Channels, s.Grid.X.Cells, s.Grid.Y.Cells)
	}
	if math.Abs(c.Flow-7e-7) > 1e-15 {
		t.Errorf("flow %g", c.Flow)
	}
	// Nu = 3.608 of a square duct.
	if want := 3.608 * c.Fluid.K / 100e-6; math.Abs(c.HSide-want) > 2e-3*want || c.HSide != c.HTop {
		t.Errorf("h = %g, %g and %g, want %g", c.HSide, c.HBottom, c.HTop, want)
	}
	h := s.Hydraulics(&s.Layers[1])
	if v := 7e-7 / (50 * 1e-8); math.Abs(h.Velocity-v) > 1e-9 || math.Abs(h.Pumping-h.Drop*7e-7) > 1e-12 || math.Abs(h.Reynolds-996.47*v*1e-4/8.511e-4) > 0.1 {
		t.Errorf("%+v", h)
	}
	p := loadTiers(t, strings.Replace(channels, `flow = "42 ml/min"`, `pressure_drop = "33 kPa"`, 1))
	if got := p.Hydraulics(&p.Layers[1]).Drop; math.Abs(got-33e3) > 1e-6 {
		t.Errorf("a drop of 33 kPa drives a flow of %g Pa", got)
	}
}

// What is printed reads back as the same.
func TestCoolantIsPrinted(t *testing.T) {
	for _, coolant := range []string{
		channels,
		channels + `, model = "porous"`,
		channels + `, first_wall = "130 um", channel_count = 7, h = 3e4, h_top = 2e4, advection = "central"`,
		`c = 4e6, k = 0.5, boiling = "90 degC", inlet = "27 degC", direction = "-x", velocity = "1 m/s", pin_diameter = "60 um", pin_pitch = "100 um", pin_arrangement = "staggered", h_bottom = 1e5, h_top = 2e5`,
		`fluid = "water", inlet = "27 degC", direction = "+x", velocity = "1.1 m/s", pin_diameter = "50 um", pin_pitch = "100 um"`,
		strings.Replace(channels, "water", "hfe-7100", 1),
	} {
		s := loadTiers(t, coolant)
		var text bytes.Buffer
		if err := Print(&text, s); err != nil {
			t.Fatal(err)
		}
		again, err := parseTiers(text.String())
		if err != nil {
			t.Fatalf("%v in\n%s", err, text.String())
		}
		a, b := *s.Layers[1].Coolant, *again.Layers[1].Coolant
		a.Pos, b.Pos = Pos{}, Pos{}
		if !reflect.DeepEqual(a, b) || len(again.Grid.X.Segments) != len(s.Grid.X.Segments) {
			t.Errorf("%s:\n%+v %+v\n%+v %+v", coolant, a, a.Channels, b, b.Channels)
		}
	}
}

// leaking gives the upper die leakage, and the coolant more keys.
func leaking(tiers, more string) string {
	tiers = strings.Replace(tiers, channels, channels+more, 1)
	return tiers + `power = { uniform = 1, leakage = { power = 1, at = 350, beta = 0.01, range = [250, 500] } }` + "\n"
}

// Materials, films and powers may follow the temperature beside coolant.
func TestCoolantBesideLaws(t *testing.T) {
	text := strings.Replace(leaking(strings.Replace(tiers, "COOLANT", channels, 1), ""), `material = "silicon"`, `material = "silicon_t"`, 1)
	s, err := parseTiers(text)
	if err != nil || !s.TemperatureDependent() || !s.Leaks() {
		t.Errorf("%v", err)
	}
}

func TestCoolantFaults(t *testing.T) {
	replace := func(from, to string) string { return strings.Replace(channels, from, to, 1) }
	for _, c := range []struct{ name, coolant, want string }{
		{"no flow", replace(`flow = "42 ml/min", `, ""), "11:11: a coolant needs flow, velocity or pressure_drop, and one of them alone"},
		{"two flows", channels + `, velocity = 1`, "11:11: a coolant needs flow, velocity or pressure_drop"},
		{"flow of nothing", replace("42 ml", "0 ml"), "flow must be positive"},
		{"a length for a flow", replace("42 ml/min", "42 mm"), "flow: expected a volume flow"},
		{"inlet above boiling", replace("27 degC", "101 degC"), "water boils at 373.1 K and would enter at 374.1 K"},
		{"own boiling", `c = 4e6, boiling = "60 degC", inlet = "61 degC", direction = "+y", flow = 1e-7, channel_width = 1e-4, wall_width = 1e-4, h = 1e4`, "the coolant boils at 333.1 K"},
		{"ice", replace("27 degC", "-5 degC"), "properties of water are known from"},
		{"wider than the chip", replace(`channel_width = "100 um"`, `channel_width = "11 mm"`), "no channel of 11 mm fits into a chip of 10 mm"},
		{"too many", channels + `, channel_count = 60`, "60 channels of 100 um with walls of 100 um do not fit into a chip of 10 mm"},
		{"no walls", replace(`, wall_width = "100 um"`, ""), "channels need walls between them"},
		{"no cavity", `fluid = "water", direction = "+y", flow = 1e-7`, "a cavity needs channels or pins, and not both"},
		{"no liquid", replace(`fluid = "water", `, ""), "the coolant has no heat capacity"},
		{"two liquids", channels + `, k = 1`, "a coolant has the properties of a liquid or its own, and not both"},
		{"unknown liquid", replace("water", "beer"), `fluid cannot be "beer"`},
		{"unknown direction", replace("+y", "up"), `direction cannot be "up"`},
		{"thick pins", `fluid = "water", direction = "+y", flow = 1e-7, pin_diameter = 1e-4, pin_pitch = 1e-4`, "pins of 100 um do not fit into a pitch of 100 um"},
		{"pins by correlation", `fluid = "water", direction = "+y", flow = 1e-7, pin_diameter = 4e-5, pin_pitch = 1e-4`, "the correlation of pins is for pins of 50 um in a pitch of 100 um in water"},
		{"pressure of pins", `fluid = "water", direction = "+y", pressure_drop = 1e4, pin_diameter = 5e-5, pin_pitch = 1e-4`, "no correlation for the pressure drop of pins"},
		{"correlation of nothing", `c = 4e6, direction = "+y", flow = 1e-7, channel_width = 1e-4, wall_width = 1e-4`, "the heat transfer coefficient needs the coolant's conductivity, density and viscosity"},
	} {
		_, err := parseTiers(strings.Replace(tiers, "COOLANT", c.coolant, 1))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "stack.toml:11:") {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
	whole := strings.Replace(tiers, "COOLANT", channels, 1)
	for _, c := range []struct{ name, text, want string }{
		{"on the outside", whole[:strings.LastIndex(whole, "[[layer]]")], `stack.toml:11:11: layer "cavity": coolant has no solid on both sides`},
		{"powered", strings.Replace(whole, "coolant =", "power = { uniform = 1 }\ncoolant =", 1), `layer "cavity": a cavity has no regions and makes no heat`},
		{"of many cells", strings.Replace(whole, "coolant =", "cells = 3\ncoolant =", 1), `layer "cavity": a cavity has one cell over its height`},
		{"central beside leakage", leaking(whole, `, advection = "central"`), `layer "cavity": coolant: advection = "central" cannot be solved for beside leakage`},
	} {
		if _, err := parseTiers(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
}
