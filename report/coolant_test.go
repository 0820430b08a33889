package report

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/report/printout"
	"thermsim/report/quantity"
	"thermsim/report/samples"
	"thermsim/report/summary"
	"thermsim/report/tables"
	"thermsim/report/webpage"
	"thermsim/stack/stackfile"
)

const cooled = `schema = 1
ambient = "27 degC"
size = ["10 mm", "6 mm"]
grid = { nx = 20, ny = 12 }
[[layer]]
name = "lower"
material = "silicon"
thickness = "50 um"
power = { uniform = "30 W" }
[[layer]]
name = "cavity"
material = "silicon"
thickness = "100 um"
coolant = { fluid = "water", inlet = "20 degC", direction = "DIRECTION", flow = "30 ml/min", model = "porous", channel_width = "50 um", wall_width = "50 um" }
[[layer]]
name = "upper"
material = "silicon"
thickness = "50 um"
power = { uniform = "10 W" }
`

// The coolant of a summary: what it carries, and that it warms up on its way, whatever its direction on a grid that is
// not square.
func TestCoolantSummary(t *testing.T) {
	for _, direction := range []string{"+x", "-x", "+y", "-y"} {
		st, err := stackfile.Parse("stack.toml", []byte(strings.Replace(cooled, "DIRECTION", direction, 1)), nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := mesh.Build(st)
		if err != nil {
			t.Fatal(err)
		}
		sol, err := gpusolve.Steady(t.Context(), m, gpusolve.Options{Device: "cpu"})
		if err != nil {
			t.Fatal(err)
		}
		defer sol.Close()
		s, err := Summarise(&Run{Command: "steady", Mesh: m, Solution: sol})
		if err != nil {
			t.Fatal(err)
		}
		c := s.Coolant[0]
		w := st.Layers[1].Coolant
		if want := 293.15 + 40/(w.Fluid.C*w.Flow); math.Abs(c.OutletK-want) > 1e-4 || math.Abs(c.HeatW-40) > 1e-3 ||
			math.Abs(s.Energy.CoolantW-40) > 1e-3 {
			t.Errorf("%s: %g K at the outlet, want %g; %g W", direction, c.OutletK, want, c.HeatW)
		}
		for i := 1; i < len(c.Along); i++ {
			if c.Along[i].MixedK <= c.Along[i-1].MixedK || c.Along[i].DistanceM <= c.Along[i-1].DistanceM {
				t.Errorf("%s: %+v after %+v", direction, c.Along[i], c.Along[i-1])
			}
		}
		var text, table bytes.Buffer
		if err := printout.Write(&text, s, printout.Style{Details: true}); err != nil ||
			!strings.Contains(text.String(), "cavity  "+direction) ||
			!strings.Contains(text.String(), "coolant    cavity 40.00") {
			t.Errorf("%s: %v\n%s", direction, err, text.String())
		}
		c.Biot, s.Coolant[0].Biot = 0.0625, 0.0625 // known of resolved channels alone
		row := coolantOnPage(m, s).Rows[0]
		for n, want := range map[int]float64{2: c.FlowM3PerS * 6e7, 3: c.VelocityMPerS, 4: c.Reynolds, 5: c.Biot,
			6: c.PressureDrop * 1e-3, 7: c.PumpingW * 1e3, 10: c.HeatW} {
			if got := row[n]; got.Text != quantity.Known(want, 1) || got.Sort != webpage.Number(want, "").Sort {
				t.Errorf("%s: column %d of the page says %s (%s), want %g", direction, n, got.Text, got.Sort, want)
			}
		}
		// Streams of their own velocities have rows below: L/min, m/s, kPa, mW of flow times pressure drop.
		streams := []summary.CoolantStream{
			{FromM: 0, ToM: 2e-3, FlowM3PerS: 5e-7, VelocityMPerS: 1.5, Reynolds: 200, PressureDrop: 4000, OutletK: 320,
				HeatW: 30},
			{FromM: 2e-3, ToM: 5e-3, FlowM3PerS: 2.5e-7, VelocityMPerS: 0.75, Reynolds: 100, PressureDrop: 6000,
				OutletK: 310, HeatW: 10},
		}
		whole := s.Coolant[0].Streams
		s.Coolant[0].Streams = streams
		rows := coolantOnPage(m, s).Rows[1:]
		s.Coolant[0].Streams = whole
		for j, wants := range []map[int]float64{{2: 30, 3: 1.5, 4: 200, 6: 4, 7: 2, 10: 30},
			{2: 15, 3: 0.75, 4: 100, 6: 6, 7: 1.5, 10: 10}} {
			for n, want := range wants {
				if got := rows[j][n].Text; got != quantity.Known(want, 1) {
					t.Errorf("%s: stream %d, column %d says %s, want %g", direction, j, n, got, want)
				}
			}
		}
		err = tables.AlongCoolant(s).CSV(&table, false)
		if err != nil || strings.Count(table.String(), "\n") != len(c.Along)+1 {
			t.Errorf("%s: %v, %s", direction, err, table.String())
		}
	}
}

// A cavity of 10 mm x 8 mm x 100 um in a liquid of 1000 kg/m3, 4 kJ/(kg K), 1 mPa s and 0.6 W/(m K), whose walls and
// pins conduct 100, 20 and 5 W/(m K); 24 ml/min take up 10 W. Every number by hand:
//
// 20 channels of 200 um, D = 2 w H/(w + H) = 133.3 um, v = 4e-7/(20 w H) = 1 m/s, Re = rho v D/mu = 133.3. At the
// aspect ratio 1:2, f Re = 62.19 and Nu = 4.123 (Shah and London 1978, table 42), so that the drop is
// f (L/D) rho v^2/2, the coefficient Nu k/D = 18.55 kW/(m2 K), and the wall of 100 um has Bi = h t/(2 k), k across the
// flow. Thermal entry length 0.05 Re Pr D with Pr = 6.667.
//
// Pins of 30 um in a pitch of 100 um: v over the empty section, Re of the gap = rho v/(1 - d/p) d/mu, drop mu v L/K
// (Darcy 1856).
func TestCoolantByHand(t *testing.T) {
	const (
		liquid   = `k = 0.6, c = 4e6, rho = 1000, viscosity = "1 mPa s", inlet = "20 degC", flow = "24 ml/min", `
		channels = `channel_width = "200 um", wall_width = "100 um", channel_count = 20`
		pins     = `pin_diameter = "30 um", pin_pitch = "100 um", permeability = "50 um^2", h_bottom = 4e4, h_top = 3e4`
		flow, d  = 4e-7, 2 * 200e-6 * 100e-6 / 300e-6
		none     = math.MaxFloat64
	)
	for _, c := range []struct {
		name, keys                                       string
		length, velocity, reynolds, biot, entry, drop, h float64
		streams                                          int
	}{
		{"channels along x", channels + `, direction = "+x"`, 10e-3, 1, 400. / 3, 4.123 * 0.6 / d * 100e-6 / (2 * 20),
			0.05 * 400 / 3 * 20 / 3 * d, 62.19 / (400. / 3) * 10e-3 / d * 500, 4.123 * 0.6 / d, 20},
		{"channels along -y", channels + `, direction = "-y"`, 8e-3, 1, 400. / 3, 4.123 * 0.6 / d * 100e-6 / (2 * 100),
			0.05 * 400 / 3 * 20 / 3 * d, 62.19 / (400. / 3) * 8e-3 / d * 500, 4.123 * 0.6 / d, 20},
		// The wall's Biot number is that of its largest film: floor 1e4, ceiling 2e4, side 3e4 W/(m2 K).
		{"given films", channels + `, direction = "+x", h_bottom = 1e4, h_top = 2e4, h_side = 3e4`, 10e-3, 1, 400. / 3,
			3e4 * 100e-6 / (2 * 20), 0.05 * 400 / 3 * 20 / 3 * d, 62.19 / (400. / 3) * 10e-3 / d * 500, 1e4, 20},
		{"pins along -x", pins + `, direction = "-x"`, 10e-3, 0.5, 1000 * 0.5 / 0.7 * 30e-6 / 1e-3, none, none,
			1e-3 * 0.5 * 10e-3 / 50e-12, 4e4, 1},
		{"pins along y", pins + `, direction = "+y"`, 8e-3, 0.4, 1000 * 0.4 / 0.7 * 30e-6 / 1e-3, none, none,
			1e-3 * 0.4 * 8e-3 / 50e-12, 4e4, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, after, _ := strings.Cut(cooled, "coolant = {")
			_, after, _ = strings.Cut(after, "}")
			text := strings.NewReplacer("30 W", "7 W", "10 W", "3 W", "6 mm", "8 mm",
				"cavity\"\nmaterial = \"silicon\"", "cavity\"\nmaterial = \"wall\"").Replace(
				before + "coolant = { " + liquid + c.keys + " }" + after +
					"[materials.wall]\nk = [100, 20, 5]\nc = 1e6\n")
			if strings.Contains(c.keys, "channel") {
				text = strings.Replace(text, "grid = { nx = 20, ny = 12 }\n", "", 1)
			}
			st, err := stackfile.Parse("stack.toml", []byte(text), nil)
			if err != nil {
				t.Fatal(err)
			}
			m := samples.Build(t, st)
			sol, err := gpusolve.Steady(t.Context(), m, gpusolve.Options{Device: "cpu", Tol: 1e-7})
			if err != nil {
				t.Fatal(err)
			}
			defer sol.Close()
			s := summarise(t, &Run{Command: "steady", Mesh: m, Solution: sol})
			got := &s.Coolant[0]
			outlet := 293.15 + 10/(4e6*flow)
			const exactly, ofTable = 1e-9, 1.5e-3
			columns := []struct {
				name              string
				got, want, within float64
			}{
				{"flow", got.FlowM3PerS, flow, exactly}, {"velocity", got.VelocityMPerS, c.velocity, exactly},
				{"Reynolds number", got.Reynolds, c.reynolds, exactly}, {"Biot number", got.Biot, c.biot, ofTable},
				{"entry length", got.EntryLengthM, c.entry, exactly}, {"drop", got.PressureDrop, c.drop, ofTable},
				{"pumping power", got.PumpingW, c.drop * flow, ofTable}, {"inlet", got.InletK, 293.15, exactly},
				{"outlet", got.OutletK, outlet, exactly}, {"heat", got.HeatW, 10, 1e-6},
				{"streams", float64(len(got.Streams)), float64(c.streams), exactly},
				{"h below", st.Layers[1].Coolant.HBottom, c.h, ofTable},
				{"distance of the last cell", got.Along[len(got.Along)-1].DistanceM,
					c.length * (1 - 0.5/float64(len(got.Along))), exactly},
			}
			heat, flows := 0.0, 0.0
			for n, x := range got.Streams {
				columns = append(columns, []struct {
					name              string
					got, want, within float64
				}{
					{"velocity of a stream", x.VelocityMPerS, c.velocity, exactly},
					{"Reynolds number of a stream", x.Reynolds, c.reynolds, exactly},
					{"drop of a stream", x.PressureDrop, c.drop, ofTable},
					{"outlet of a stream", x.OutletK, 293.15 + x.HeatW/(4e6*x.FlowM3PerS), exactly},
				}...)
				if c.streams > 1 {
					columns = append(columns, struct {
						name              string
						got, want, within float64
					}{"start of a channel", x.FromM, got.Streams[0].FromM + 300e-6*float64(n), exactly})
				}
				heat, flows = heat+x.HeatW, flows+x.FlowM3PerS
			}
			near(t, "heat of the streams", heat, 10, 1e-5)
			near(t, "flow of the streams", flows, flow, 1e-9*flow)
			for _, column := range columns {
				if column.want == none {
					if !math.IsNaN(column.got) {
						t.Errorf("%s is %g, want none", column.name, column.got)
					}
					continue
				}
				near(t, column.name, column.got, column.want, column.within*column.want)
			}
		})
	}
}

// Pins of 50 um in a pitch of 100 um, in water at 0.5 m/s over the empty section: the fit of Brunschwiler et al. (2009)
// gives 1/(2.527e-5 1.85^-0.64 + 1.533e-6) = 53.82 kW/(m2 K) in line and 87.31 staggered: exp(-0.64 ln 1.85) = 0.67454
// and exp(-1.52 ln 1.85) = 0.39255.
func TestFilmsOfPins(t *testing.T) {
	for arrangement, want := range map[string]float64{"inline": 1 / (2.527e-5*0.67454 + 1.533e-6),
		"staggered": 1 / (2.527e-5*0.39255 + 1.533e-6)} {
		_, porous, _ := strings.Cut(cooled, `flow = "30 ml/min", `)
		porous, _, _ = strings.Cut(porous, " }")
		text := strings.NewReplacer("DIRECTION", "-x", `flow = "30 ml/min"`, `flow = "18 ml/min"`, porous,
			`pin_diameter = "50 um", pin_pitch = "100 um", pin_arrangement = "`+arrangement+`"`).Replace(cooled)
		st, err := stackfile.Parse("stack.toml", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		c := st.Layers[1].Coolant
		near(t, arrangement+", floor", c.HBottom, want, 1e-4*want)
		near(t, arrangement+", ceiling", c.HTop, want, 1e-4*want)
	}
}
