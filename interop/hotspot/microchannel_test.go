package hotspot

import (
	"math"
	"strings"
	"testing"

	"thermsim/stack"
)

// channelLcf has a layer of microchannels between two dies.
const channelLcf = "0\nY\nN\n1.75e6\n0.01\n1.5e-4\nf.flp\n1\nY\nN\n1.75e6\n0.01\n2e-4\nm.csv\n" +
	"2\nY\nY\n1.75e6\n0.01\n1.5e-4\nf.flp\n"

// horizontal has channels towards the west in every other row but the outermost.
func horizontal() string {
	wall, channel := strings.Repeat("0, ", 7)+"0\n", "3, "+strings.Repeat("1, ", 6)+"2\n"
	return strings.Repeat(wall+channel, 3) + wall + wall
}

func TestMicrochannels(t *testing.T) {
	r, err :=
		importProject(project{"c.config": goodConfig + "-pumping_pressure 100\n-pump_internal_res 1e9\n-htc 20000\n",
			"l.lcf": channelLcf, "m.csv": horizontal()}, false)
	if err != nil {
		t.Fatal(err)
	}
	s := r.Stack
	w := s.Layers[1].Coolant
	if w == nil || w.Direction != stack.TowardsWest || w.Model != stack.ResolvedChannels || w.HSide != 20000 ||
		w.HTop != 20000 || w.Inlet != 300 {
		t.Fatalf("%+v", w)
	}
	// Rows count from the north: channels in rows 1, 3 and 5 of 8 are the third, fifth and seventh from the south.
	if c := w.Channels; c.Count != 3 || math.Abs(c.FirstWall-4e-3) > 1e-12 || math.Abs(c.Wall-2e-3) > 1e-12 ||
		math.Abs(c.Width-2e-3) > 1e-12 {
		t.Errorf("%+v", c)
	}
	// 7 cells of 2 mm between the middles of inlet and outlet, and the pump for each: Poiseuille's flow in a flat
	// channel but for its sides.
	each := 100 / (1e9 + 7*12*8.89e-4*2e-3/((1-0.63*0.1)*math.Pow(2e-4, 3)*2e-3))
	if math.Abs(w.Flow-3*each) > 1e-9*w.Flow {
		t.Errorf("flow %g m3/s, want %g", w.Flow, 3*each)
	}
	if s.Size != [2]float64{16e-3, 16e-3} || s.Grid.X.Cells != 8 || len(s.Layers) != 5 {
		t.Errorf("%v, %d layers", s.Size, len(s.Layers))
	}
	all := ""
	for _, n := range r.Notes {
		all += n.String() + "\n"
	}
	for _, want := range []string{"without -use_microchannels 1", "spreading outside the die is omitted"} {
		if !strings.Contains(all, want) {
			t.Errorf("notes lack %q:\n%s", want, all)
		}
	}
}

func TestMicrochannelFaults(t *testing.T) {
	lines := strings.SplitAfter(horizontal(), "\n")
	with := func(row int, text string) string {
		l := append([]string(nil), lines...)
		l[row] = text + "\n"
		return strings.Join(l, "")
	}
	for name, c := range map[string]struct {
		csv, lcf string
		want     []string
	}{
		"no cell": {with(1, "3, 1, 1, 4, 1, 1, 1, 2"), channelLcf, []string{"m.csv:2:10", `"4" is not a cell`}},
		"short row": {with(1, "3, 1, 1, 1, 1, 2"), channelLcf,
			[]string{"m.csv:2:1", "6 cells in a row, and grid_cols is 8"}},
		"few rows": {strings.Join(lines[:6], ""), channelLcf,
			[]string{"m.csv:1:1", "6 rows of cells, and grid_rows is 8"}},
		"no inlet": {strings.ReplaceAll(horizontal(), "2", "1"), channelLcf, []string{"m.csv:1:1", "no inlet"}},
		"blocked":  {with(1, "3, 1, 1, 0, 1, 1, 1, 2"), channelLcf, []string{"m.csv:2:10", "a cell of kind 0"}},
		"bend": {with(2, "0, 0, 0, 1, 0, 0, 0, 0"), channelLcf,
			[]string{"m.csv:3:10", "no straight channel reaches"}},
		"both ways": {with(3, "2, 1, 1, 1, 1, 1, 1, 3"), channelLcf,
			[]string{"m.csv:4:1", "this channel flows +x, the first -x"}},
		"side by side": {with(2, "3, 1, 1, 1, 1, 1, 1, 2"), channelLcf, []string{"two adjacent channels"}},
		"uneven":       {with(1, strings.Repeat("0 ", 8)) + "", channelLcf, nil},
		"at the edge":  {with(7, "3, 1, 1, 1, 1, 1, 1, 2"), channelLcf, []string{"no outer walls"}},
		"powered": {horizontal(), strings.Replace(channelLcf, "1\nY\nN", "1\nY\nY", 1),
			[]string{"l.lcf:14:1", "microchannels has power"}},
		"missing": {"", strings.Replace(channelLcf, "m.csv", "n.csv", 1),
			[]string{"l.lcf:14:1", "cannot read n.csv"}},
		"gap in numbers": {horizontal(), channelLcf[strings.Index(channelLcf, "1\nY\nN"):],
			[]string{"l.lcf:8:1", "layer 2 among 2"}},
		"lowest": {horizontal(),
			strings.Replace(strings.Replace(channelLcf[strings.Index(channelLcf, "1\nY\nN"):], "1\nY\nN", "0\nY\nN", 1),
				"2\nY\nY", "1\nY\nY", 1), []string{"m.csv:6:1", "needs solid layers on both sides"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := importProject(project{"l.lcf": c.lcf, "m.csv": c.csv}, false)
			if c.want == nil {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil {
				t.Fatal("taken")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nlacks %q", err, want)
				}
			}
		})
	}
	for _, parameter := range []string{"htc 0", "coolant_visc -1", "pumping_pressure much"} {
		name, _, _ := strings.Cut(parameter, " ")
		if _, err := importProject(project{"c.config": goodConfig + "-" + parameter + "\n", "l.lcf": channelLcf,
			"m.csv": horizontal()}, false); err == nil || !strings.Contains(err.Error(), "c.config:8:") ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", parameter, err)
		}
	}
	// Columns of channels towards the south, one of them with its neighbours too near.
	column := strings.Repeat("0 2 0 2 2 0 0 0\n", 1) + strings.Repeat("0 1 0 1 1 0 0 0\n", 6) + "0 3 0 3 3 0 0 0\n"
	if _, err := importProject(project{"l.lcf": channelLcf, "m.csv": column}, false); err == nil ||
		!strings.Contains(err.Error(), "m.csv:8:9") {
		t.Errorf("%v", err)
	}
}
