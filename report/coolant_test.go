package report

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/report/webpage"
	"thermsim/stack"
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
		st, err := stack.Parse("stack.toml", []byte(strings.Replace(cooled, "DIRECTION", direction, 1)), nil)
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
		if err := s.WriteText(&text, Style{}); err != nil || !strings.Contains(text.String(), "cavity  "+direction) ||
			!strings.Contains(text.String(), "coolant    cavity 40.00") {
			t.Errorf("%s: %v\n%s", direction, err, text.String())
		}
		c.Biot, s.Coolant[0].Biot = 0.0625, 0.0625 // known of resolved channels alone
		row := (&pageBuilder{mesh: m, s: s}).coolant().Rows[0]
		for n, want := range map[int]float64{2: c.FlowM3PerS * 6e7, 3: c.VelocityMPerS, 4: c.Reynolds, 5: c.Biot,
			6: c.PressureDrop * 1e-3, 7: c.PumpingW * 1e3, 10: c.HeatW} {
			if got := row[n]; got.Text != known(want, 1) || got.Sort != webpage.Number(want, "").Sort {
				t.Errorf("%s: column %d of the page says %s (%s), want %g", direction, n, got.Text, got.Sort, want)
			}
		}
		// Streams of their own velocities have rows below: L/min, m/s, kPa, mW of flow times pressure drop.
		streams := []CoolantStream{
			{FromM: 0, ToM: 2e-3, FlowM3PerS: 5e-7, VelocityMPerS: 1.5, Reynolds: 200, PressureDrop: 4000, OutletK: 320,
				HeatW: 30},
			{FromM: 2e-3, ToM: 5e-3, FlowM3PerS: 2.5e-7, VelocityMPerS: 0.75, Reynolds: 100, PressureDrop: 6000,
				OutletK: 310, HeatW: 10},
		}
		whole := s.Coolant[0].Streams
		s.Coolant[0].Streams = streams
		rows := (&pageBuilder{mesh: m, s: s}).coolant().Rows[1:]
		s.Coolant[0].Streams = whole
		for j, wants := range []map[int]float64{{2: 30, 3: 1.5, 4: 200, 6: 4, 7: 2, 10: 30},
			{2: 15, 3: 0.75, 4: 100, 6: 6, 7: 1.5, 10: 10}} {
			for n, want := range wants {
				if got := rows[j][n].Text; got != known(want, 1) {
					t.Errorf("%s: stream %d, column %d says %s, want %g", direction, j, n, got, want)
				}
			}
		}
		if err := writeCoolantCSV(&table, s); err != nil || strings.Count(table.String(), "\n") != len(c.Along)+1 {
			t.Errorf("%s: %v, %s", direction, err, table.String())
		}
	}
}
