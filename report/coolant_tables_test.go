package report

import (
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"thermsim/mesh"
	"thermsim/report/printout"
	"thermsim/report/samples"
	"thermsim/report/summary"
	"thermsim/report/tables"
	"thermsim/report/webpage"
	"thermsim/stack/stackfile"
)

func coolantOnPage(m *mesh.Mesh, s *summary.Summary) webpage.Table {
	b := &pageBuilder{mesh: m, s: s}
	return tables.Coolant(s, b.inCoolant).Page(2, b.place)
}

// sameTable compares a table with its head: texts, and numbers within a part of them.
func sameTable(t *testing.T, what string, got [][]string, within float64, head string, want ...[]any) {
	t.Helper()
	if len(got) != len(want)+1 || !slices.Equal(got[0], strings.Split(head, ",")) {
		t.Fatalf("%s: %q, want %d rows of %q", what, got, len(want), head)
	}
	for n, row := range want {
		for c, value := range row {
			cell := got[n+1][c]
			if number, ok := value.(float64); ok {
				near(t, what+", "+got[0][c], parse(t, cell), number, within*math.Abs(number))
			} else if cell != value {
				t.Errorf("%s, %s: %q, want %q", what, got[0][c], cell, value)
			}
		}
	}
}

// printedTable reads a table of the report by its title.
func printedTable(report, title string) (rows [][]string) {
	_, after, _ := strings.Cut(report, "\n"+title+"  ")
	for _, line := range strings.Split(after, "\n")[1:] {
		if !strings.HasPrefix(line, "  ") {
			break
		}
		rows = append(rows, regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(line), -1))
	}
	return rows
}

// All tables of coolant that flows south in two zones, whose border parts a line of cells, in a linear field: the
// outlet is mixed by what each line carries. Velocities and Reynolds numbers are those of channels of 50 um x 100 um,
// of which there are 42.5 and 57.5.
func TestCoolantTables(t *testing.T) {
	const from, to, flow1, flow2 = 4.25e-3, 10e-3, 20e-6 / 60, 10e-6 / 60 // m, m3/s
	document := strings.Replace(strings.Replace(cooled, "DIRECTION", "-y", 1), `flow = "30 ml/min"`,
		`zone = [{ to = "4.25 mm", flow = "20 ml/min" }, { to = "10 mm", flow = "10 ml/min" }]`, 1)
	st, err := stackfile.Parse("stack.toml", []byte(document), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := runOf(t, st, samples.Linear)
	r.Solution.Energy.Coolant = []float64{12.5}
	s := summarise(t, r)
	dir := t.TempDir()
	if _, err := writeRun(t.Context(), dir, r, s, Options{}); err != nil {
		t.Fatal(err)
	}

	water := &st.Layers[1].Coolant.Fluid
	inlet := 293.15
	z := (r.Mesh.Z[r.Mesh.Cavities[0].Fluid] + r.Mesh.Z[r.Mesh.Cavities[0].Fluid+1]) / 2
	// mean over a zone of a row of cells of 0.5 mm, the one on the border by its share.
	mean := func(a, b, y float64) (sum float64) {
		for i := range 20 {
			x := 0.5e-3 * float64(i)
			sum += max(0, min(b, x+0.5e-3)-max(a, x)) / (b - a) * samples.Linear(x+0.25e-3, y, z)
		}
		return sum
	}
	mixed := func(y float64) float64 { return (flow1*mean(0, from, y) + flow2*mean(from, to, y)) / (flow1 + flow2) }
	const section = 50e-6 * 100e-6
	v1, v2 := flow1/(42.5*section), flow2/(57.5*section)
	v := (flow1 + flow2) / (100 * section)
	reynolds := func(v float64) float64 { return water.Density * v * (2 * 50e-6 * 100e-6 / 150e-6) / water.Viscosity }
	hydraulics := st.Hydraulics(&st.Layers[1])
	drop1, drop2 := hydraulics.Streams[0].Drop, hydraulics.Streams[1].Drop
	if !(drop1 > drop2 && drop2 > 0) {
		t.Fatalf("pressure drops of %g and %g Pa", drop1, drop2)
	}
	pumping := flow1*drop1 + flow2*drop2
	const south = 0.25e-3
	out1, out2 := mean(0, from, south), mean(from, to, south)
	heat1, heat2 := water.C*flow1*(out1-inlet), water.C*flow2*(out2-inlet)

	var along [][]any
	for j := range 12 {
		y := 6e-3 - 0.5e-3*(float64(j)+0.5)
		along = append(along, []any{"cavity", 6e-3 - y, mixed(y), samples.Linear(0.25e-3, y, z),
			samples.Linear(9.75e-3, y, z)})
	}
	sameTable(t, "coolant.csv", readCSV(t, filepath.Join(dir, "coolant.csv")), 1e-9,
		"layer,distance_m,mixed_K,min_K,max_K", along...)
	sameTable(t, "streams.csv", readCSV(t, filepath.Join(dir, "streams.csv")), 1e-9,
		"layer,from_m,to_m,flow_m3_per_s,velocity_m_per_s,reynolds,pressure_drop_Pa,outlet_K,heat_W",
		[]any{"cavity", 0.0, from, flow1, v1, reynolds(v1), drop1, out1, heat1},
		[]any{"cavity", from, to, flow2, v2, reynolds(v2), drop2, out2, heat2})

	printed := text(t, s, printout.Style{Details: true})
	const digits = 6e-4 // of four
	sameTable(t, "Coolant", printedTable(printed, "Coolant"), digits,
		"layer,flow,ml/min,m/s,Re,wall Bi,kPa,pumping mW,in degC,out mixed,out max,heat W",
		[]any{"cavity", "-y", 30.0, v, reynolds(v1), "-", drop1 / 1e3, pumping * 1e3, inlet - 273.15,
			mixed(south) - 273.15, samples.Linear(9.75e-3, south, z) - 273.15, 12.5})
	sameTable(t, "streams", printedTable(printed, "Coolant by channel or zone"), digits,
		"layer,from mm,to mm,ml/min,m/s,Re,kPa,out degC,heat W",
		[]any{"cavity", 0.0, 4.25, 20.0, v1, reynolds(v1), drop1 / 1e3, out1 - 273.15, heat1},
		[]any{"cavity", 4.25, 10.0, 10.0, v2, reynolds(v2), drop2 / 1e3, out2 - 273.15, heat2})

	page := coolantOnPage(r.Mesh, s)
	rows := [][]string{nil}
	for _, c := range page.Columns {
		rows[0] = append(rows[0], c.Name)
	}
	for _, cells := range page.Rows {
		var row []string
		for _, c := range cells {
			switch {
			case c.Numeric:
				row = append(row, c.Sort)
			case c.Shows:
				row = append(row, c.Text+" at "+c.X+" "+c.Y)
			default:
				row = append(row, c.Text)
			}
		}
		rows = append(rows, row)
	}
	sameTable(t, "page", rows, 1e-9, "cavity,flow,ml/min,m/s,Re,wall Bi,kPa,pumping mW,in,out,heat W",
		[]any{"cavity at 0.005 0.003", "-y", 30.0, v, reynolds(v1), "NaN", drop1 / 1e3, pumping * 1e3, inlet,
			mixed(south), 12.5},
		[]any{"cavity, 0.000 to 4.250 mm at 0.002125 0.003", "-y", 20.0, v1, reynolds(v1), "NaN", drop1 / 1e3,
			flow1 * drop1 * 1e3, inlet, out1, heat1},
		[]any{"cavity, 4.250 to 10.000 mm at 0.007125 0.003", "-y", 10.0, v2, reynolds(v2), "NaN", drop2 / 1e3,
			flow2 * drop2 * 1e3, inlet, out2, heat2})
}
