package stackfile

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"thermsim/stack"
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

const medium = `fluid = "water", inlet = "27 degC", direction = "+x", porosity = 0.7, permeability = "200 um^2", h_bottom = 5e4, h_top = 5e4`

func parseTiers(text string) (*stack.Stack, error) {
	return Parse("stack.toml", []byte(text), files{}.open)
}

func loadTiers(t *testing.T, coolant string) *stack.Stack {
	t.Helper()
	s, err := parseTiers(strings.Replace(tiers, "COOLANT", coolant, 1))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Channels are counted, the walls beside the outermost are alike, and the grid follows: a cell for each channel and
// each wall.
func TestChannels(t *testing.T) {
	s := loadTiers(t, channels)
	c := s.Layers[1].Coolant
	if c.Channels.Count != 50 || math.Abs(c.Channels.FirstWall-50e-6) > 1e-12 || s.Grid.X.Cells != 101 ||
		s.Grid.Y.Cells != 128 {
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
	if v := 7e-7 / (50 * 1e-8); math.Abs(h.Velocity-v) > 1e-9 || math.Abs(h.Pumping-h.Drop*7e-7) > 1e-12 ||
		math.Abs(h.Reynolds-996.47*v*1e-4/8.511e-4) > 0.1 {
		t.Errorf("%+v", h)
	}
	p := loadTiers(t, strings.Replace(channels, `flow = "42 ml/min"`, `pressure_drop = "33 kPa"`, 1))
	if got := p.Hydraulics(&p.Layers[1]).Drop; math.Abs(got-33e3) > 1e-6 {
		t.Errorf("a drop of 33 kPa drives a flow of %g Pa", got)
	}
}

// Pressure drives a medium by Darcy's law, V = K A dp / (mu L), zone by zone; warmer liquid is thinner.
func TestDarcyFlow(t *testing.T) {
	s := loadTiers(t,
		medium+`, pressure_drop = "20 kPa", zone = [{ to = "2 mm", permeability = "400 um^2" }, { to = "8 mm" }]`)
	c := s.Layers[1].Coolant
	for n, want := range []float64{400e-12 * 2e-3, 200e-12 * 6e-3} {
		want *= 100e-6 * 20e3 / (c.Fluid.Viscosity * 10e-3)
		if got := c.Zones[n].Flow; math.Abs(got-want) > 1e-12*want {
			t.Errorf("zone %d: %g m3/s, want %g", n, got, want)
		}
	}
	h := s.Hydraulics(&s.Layers[1])
	if math.Abs(h.Drop-20e3) > 1e-6 || math.Abs(h.Pumping-c.Flow*20e3) > 1e-9 || len(h.Streams) != 2 ||
		math.Abs(c.Flow-c.Zones[0].Flow-c.Zones[1].Flow) > 1e-20 {
		t.Errorf("%+v", h)
	}
	want := 996.47 * 400e-12 * 20e3 / (c.Fluid.Viscosity * 10e-3) * math.Sqrt(400e-12) / c.Fluid.Viscosity
	if got := s.PoreReynolds(&s.Layers[1]); math.Abs(got-want) > 1e-3*want {
		t.Errorf("Reynolds number of the pores %g, want %g in the more permeable zone", got, want)
	}
	cold := loadTiers(t, medium+`, pressure_drop = "20 kPa"`).Layers[1].Coolant
	warm := loadTiers(t, medium+`, pressure_drop = "20 kPa", properties_at = "60 degC"`).Layers[1].Coolant
	// Viscosities of water at 27 and 60 degC: 0.8511 and 0.4664 mPa s.
	if ratio := warm.Flow / cold.Flow; math.Abs(ratio-0.8511/0.4664) > 5e-3*ratio {
		t.Errorf("water of 60 degC flows %g times as much", ratio)
	}
}

// Channels share the flow of the zone that their middles lie in.
func TestZonesOfChannels(t *testing.T) {
	s := loadTiers(t,
		strings.Replace(channels, `flow = "42 ml/min"`,
			`zone = [{ to = "3 mm", flow = "15 ml/min" }, { to = "10 mm", flow = "7 ml/min" }]`, 1))
	h := s.Hydraulics(&s.Layers[1])
	if len(h.Streams) != 50 {
		t.Fatalf("%d streams", len(h.Streams))
	}
	for n, x := range h.Streams {
		want := 1e-6 / 60
		if n >= 15 {
			want = 7e-6 / 60 / 35
		}
		if math.Abs(x.Flow-want) > 1e-12*want {
			t.Errorf("channel %d: %g m3/s, want %g", n, x.Flow, want)
		}
	}
	if got := h.Streams[14].Drop; math.Abs(h.Drop-got) > 1e-9*got || !(h.Streams[15].Drop < 0.5*got) {
		t.Errorf("%+v", h)
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
		channels + `, entrance = "developing"`,
		channels + `, entrance = "developing", model = "porous", h_bottom = 2e4, properties_at = "40 degC"`,
		strings.Replace(channels, `flow = "42 ml/min"`,
			`zone = [{ to = "3 mm", flow = "10 ml/min" }, { to = "10 mm", flow = "20 ml/min" }]`, 1),
		strings.Replace(channels, `flow = "42 ml/min"`,
			`model = "porous", zone = [{ to = "3 mm", flow = "10 ml/min" }, { to = "10 mm", flow = "20 ml/min" }]`, 1),
		medium + `, pressure_drop = "20 kPa"`,
		medium + `, pressure_drop = "20 kPa", zone = [{ to = "2 mm", permeability = "400 um^2" }, { to = "8 mm" }]`,
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
		a.Pos, b.Pos = stack.Pos{}, stack.Pos{}
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
	text := strings.Replace(leaking(strings.Replace(tiers, "COOLANT", channels, 1), ""), `material = "silicon"`,
		`material = "silicon_t"`, 1)
	s, err := parseTiers(text)
	if err != nil || !s.TemperatureDependent() || !s.Leaks() {
		t.Errorf("%v", err)
	}
}

func TestCoolantFaults(t *testing.T) {
	replace := func(from, to string) string { return strings.Replace(channels, from, to, 1) }
	for _, c := range []struct{ name, coolant, want string }{
		{"no flow", replace(`flow = "42 ml/min", `, ""), "11:11: a coolant needs exactly one of flow, velocity and " +
			"pressure_drop"},
		{"two flows", channels + `, velocity = 1`, "11:11: a coolant needs exactly one of flow, velocity and pressure_drop"},
		{"flow of nothing", replace("42 ml", "0 ml"), "flow must be positive"},
		{"a length for a flow", replace("42 ml/min", "42 mm"), "flow: expected a volume flow"},
		{"inlet above boiling", replace("27 degC", "101 degC"),
			"water boils at 373.1 K, but its inlet temperature is 374.1 K"},
		{"own boiling",
			`c = 4e6, boiling = "60 degC", inlet = "61 degC", direction = "+y", flow = 1e-7, channel_width = 1e-4, wall_width = 1e-4, h = 1e4`, "the coolant boils at 333.1 K"},
		{"ice", replace("27 degC", "-5 degC"), "properties of water are known from"},
		{"wider than the chip", replace(`channel_width = "100 um"`, `channel_width = "11 mm"`),
			"no channel of width 11 mm fits into a chip of width 10 mm"},
		{"too many", channels + `, channel_count = 60`, "60 channels of width 100 um with walls of 100 um do not fit into a chip of width 10 mm"},
		{"no walls", replace(`, wall_width = "100 um"`, ""), "channels need walls between them"},
		{"no cavity", `fluid = "water", direction = "+y", flow = 1e-7`, "a cavity needs exactly one of channels, " +
			"pins and porosity"},
		{"no liquid", replace(`fluid = "water", `, ""), "the coolant has no heat capacity"},
		{"two liquids", channels + `, k = 1`, "a coolant has either fluid or its own properties"},
		{"unknown liquid", replace("water", "beer"), `fluid cannot be "beer"`},
		{"unknown direction", replace("+y", "up"), `direction cannot be "up"`},
		{"thick pins", `fluid = "water", direction = "+y", flow = 1e-7, pin_diameter = 1e-4, pin_pitch = 1e-4`,
			"pins of diameter 100 um do not fit into a pitch of 100 um"},
		{"pins by correlation", `fluid = "water", direction = "+y", flow = 1e-7, pin_diameter = 4e-5, pin_pitch = 1e-4`,
			"the heat-transfer correlation of pins is valid only for diameter 50 um, pitch 100 um and water"},
		{"pins in another pitch",
			`fluid = "water", direction = "+y", flow = 1e-7, pin_diameter = 5e-5, pin_pitch = 1.2e-4`,
			"the heat-transfer correlation of pins is valid only for diameter 50 um, pitch 100 um and water"},
		{"pressure of pins",
			`fluid = "water", direction = "+y", pressure_drop = 1e4, pin_diameter = 5e-5, pin_pitch = 1e-4`,
			"there is no pressure-drop correlation for pins and porous media"},
		{"a zone too many", channels + `, zone = [{ to = "10 mm", flow = 1e-7 }]`, "11:74: the flow of the cavity is " +
			"already given by the sum of its zones"},
		{"a zone beyond", replace(`flow = "42 ml/min"`, `zone = [{ to = "11 mm", flow = 1e-7 }]`),
			"11:82: a zone ends at 11 mm, but the chip at 10 mm"},
		{"a gap", replace(`flow = "42 ml/min"`, `zone = [{ to = "9 mm", flow = 1e-7 }]`),
			"the last zone ends at 9 mm, but the chip at 10 mm"},
		{"zones out of order",
			replace(`flow = "42 ml/min"`, `zone = [{ to = "9 mm", flow = 1e-7 }, { to = "5 mm", flow = 1e-7 }]`),
			"a zone ends at 5 mm, but the previous one at 9 mm"},
		{"half the flows", replace(`flow = "42 ml/min"`, `zone = [{ to = "5 mm", flow = 1e-7 }, { to = "10 mm" }]`),
			"some zones have a flow, others do not"},
		{"a zone between channels",
			replace(`flow = "42 ml/min"`, `zone = [{ to = "60 um", flow = 1e-7 }, { to = "10 mm", flow = 1e-7 }]`),
			"no channel has its middle in zone 1"},
		{"zones without a share", channels + `, zone = [{ to = "10 mm" }]`, "the division of the flow among the " +
			"zones is not defined"},
		{"negative zone", replace(`flow = "42 ml/min"`, `zone = [{ to = "10 mm", flow = "-1 ml/min" }]`),
			"flow must be positive"},
		{"permeable channels", channels + `, permeability = 1e-10`, "the pressure drop of channels is computed from " +
			"their friction factor, not from a permeability"},
		{"negative permeability", medium + `, flow = 1e-7, permeability = -1`, "permeability"},
		{"medium of coolant alone", strings.Replace(medium, "porosity = 0.7", "porosity = 1", 1) + `, flow = 1e-7`,
			"the porosity must be below 1"},
		{"developing medium", medium + `, flow = 1e-7, entrance = "developing"`, "developing flow is supported for " +
			"channels only"},
		{"resolved medium", medium + `, flow = 1e-7, model = "channels"`, "model = \"channels\" does not apply to " +
			"pins and porous media"},
		{"heat transfer of a medium", `fluid = "water", direction = "+y", flow = 1e-7, porosity = 0.7`,
			"there is no heat-transfer correlation for porous media"},
		{"pressure of a medium", strings.Replace(medium, `permeability = "200 um^2", `, "", 1) +
			`, pressure_drop = 1e4`, "there is no pressure-drop correlation for pins and porous media"},
		{"properties too hot", channels + `, properties_at = "180 degC"`, "properties of water are known from"},
		{"properties of its own", strings.Replace(medium, `fluid = "water"`, `c = 4e6, properties_at = 300`, 1) +
			`, flow = 1e-7`, "properties_at applies only to the properties of fluid"},
		{"correlation of nothing", `c = 4e6, direction = "+y", flow = 1e-7, channel_width = 1e-4, wall_width = 1e-4`,
			"the heat transfer coefficient needs the coolant's conductivity, density and viscosity"},
	} {
		_, err := parseTiers(strings.Replace(tiers, "COOLANT", c.coolant, 1))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "stack.toml:11:") {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
	whole := strings.Replace(tiers, "COOLANT", channels, 1)
	for _, c := range []struct{ name, text, want string }{
		{"on the outside", whole[:strings.LastIndex(whole, "[[layer]]")],
			`stack.toml:11:11: layer "cavity": a cavity needs solid layers on both sides`},
		{"powered", strings.Replace(whole, "coolant =", "power = { uniform = 1 }\ncoolant =", 1),
			`layer "cavity": a cavity cannot have regions or power`},
		{"of many cells", strings.Replace(whole, "coolant =", "cells = 3\ncoolant =", 1),
			`layer "cavity": a cavity has exactly one cell over its height`},
		{"central beside leakage", leaking(whole, `, advection = "central"`),
			`layer "cavity": coolant: advection = "central" does not support leakage`},
	} {
		if _, err := parseTiers(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
}

// Faults elsewhere that leave a cavity without width or material are told, and nothing is worked out from what is not
// there.
func TestCoolantBesideOtherFaults(t *testing.T) {
	for _, model := range []string{"", `, model = "porous"`} {
		whole := strings.Replace(tiers, "COOLANT", channels+model, 1)
		for _, c := range []struct{ from, to, want string }{
			{`size = ["10 mm"`, `size = ["10 mo"`, `unknown unit "mo"`},
			{`material = "silicon"`, `material = "silicium"`, `unknown material "silicium"`},
		} {
			text := strings.ReplaceAll(whole, c.from, c.to)
			if text == whole {
				t.Fatalf("the stack has no %s", c.from)
			}
			if _, err := parseTiers(text); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s%s: %v, not %s", c.to, model, err, c.want)
			}
		}
	}
}

// A cavity built in Go is judged as one of a file: each faulty number is told with what it is, and rounding in the last
// digits is none.
func TestCoolantBuiltInGo(t *testing.T) {
	const zones = `zone = [{ to = "3 mm", flow = "15 ml/min" }, { to = "10 mm", flow = "27 ml/min" }]`
	for _, c := range []struct {
		change func(c *stack.Coolant)
		want   string // empty where it is allowed
	}{
		{func(c *stack.Coolant) { c.HTop = -1 }, "h_top must be positive"},
		{func(c *stack.Coolant) { c.HBottom = -1 }, "h_bottom must be positive"},
		{func(c *stack.Coolant) { c.HSide = -1 }, "h_side must be positive"},
		{func(c *stack.Coolant) { c.Flow = 0 }, "flow must be positive"},
		{func(c *stack.Coolant) { c.Fluid.C = 0 }, "volumetric heat capacity must be positive"},
		{func(c *stack.Coolant) { c.Fluid.K = -1 }, "thermal conductivity must be finite and not negative"},
		{func(c *stack.Coolant) { c.Inlet = 0 }, "inlet must be positive"},
		{func(c *stack.Coolant) { c.Zones[0].Flow = -1e-9 }, "flow of zone 1 must be positive"},
		{func(c *stack.Coolant) { c.Zones[1].To = 3e-3 }, "width of zone 2 must be positive"},
		{func(c *stack.Coolant) { c.Zones[1].To *= 1 - 1e-3 }, "the zones end at 9.99 mm, but the chip at 10 mm"},
		{func(c *stack.Coolant) { c.Zones[1].To *= 1 - 1e-6 }, "the zones end at"},
		{func(c *stack.Coolant) { c.Zones[1].To *= 1 + 1e-12 }, ""},
		{func(c *stack.Coolant) { c.Zones[1].Flow *= 1 + 1e-3 }, "but its zones total"},
		{func(c *stack.Coolant) { c.Zones[1].Flow *= 1 + 1e-8 }, "but its zones total"},
		{func(c *stack.Coolant) { c.Zones[1].Flow *= 1 - 1e-8 }, "but its zones total"},
		{func(c *stack.Coolant) { c.Zones[1].Flow *= 1 + 1e-13 }, ""},
	} {
		s := loadTiers(t, strings.Replace(channels, `flow = "42 ml/min"`, zones, 1))
		c.change(s.Layers[1].Coolant)
		err := stack.Validate(s)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v\nwant %q", err, c.want)
		}
	}
}

// The share of coolant follows from the geometry. Without a density there is no Reynolds number, but there is a
// pressure drop.
func TestShareOfCoolant(t *testing.T) {
	for want, c := range map[float64]stack.Coolant{
		0.7:                {Medium: &stack.Medium{Porosity: 0.7}},
		1 - math.Pi/4*0.25: {Pins: &stack.Pins{Diameter: 50e-6, Pitch: 100e-6}},
		0.25:               {Channels: &stack.Channels{Width: 50e-6, Wall: 150e-6}},
	} {
		if got := c.Porosity(); math.Abs(got-want) > 1e-15 {
			t.Errorf("%g is coolant, want %g", got, want)
		}
	}
	s := loadTiers(t, strings.Replace(medium, `fluid = "water"`, `c = 4e6, k = 0.6, viscosity = 1e-3`,
		1)+`, flow = "42 ml/min"`)
	// Darcy: viscosity times velocity by permeability, over 10 mm along x.
	h := s.Hydraulics(&s.Layers[1])
	if want := 1e-3 * 7e-7 / (8e-3 * 100e-6) / 200e-12 * 10e-3; math.Abs(h.Drop-want) > 1e-9*want ||
		!math.IsNaN(h.Reynolds) {
		t.Errorf("drop %g Pa, Reynolds %g; want %g and none", h.Drop, h.Reynolds, want)
	}
}
