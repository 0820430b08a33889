package report

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"thermsim/report/fieldfile"
	"thermsim/report/jsonfile"
	"thermsim/report/picture"
	"thermsim/report/printout"
	"thermsim/report/quantity"
	"thermsim/report/samples"
	"thermsim/report/summary"
	"thermsim/stack"
)

// Watts per cell of an even density give that density on any grid.
func TestDensitiesOnAGradedGrid(t *testing.T) {
	s := samples.Stack(4, 4)
	s.Grid.X = stack.Axis{Cells: 4, Segments: []stack.Segment{{To: 10e-3, Cells: 4, Ratio: 3}}}
	m := samples.Build(t, s)
	watts := make([]float64, 16)
	for n := range watts {
		watts[n] = 5e5 * m.DX(n%4) * m.DY(n/4)
	}
	for _, d := range densities(m, watts) {
		near(t, "W/cm2", d, 50, 1e-9)
	}
}

// A temperature-dependent coefficient is described by its terms.
func TestBoundariesInWords(t *testing.T) {
	for want, b := range map[string]stack.Boundary{
		"h = 10 W/(m² K) to 25 °C": {Kind: stack.Convective, H: 10, Temperature: 298.15},
		"held at 25 °C":            {Kind: stack.FixedTemperature, Temperature: 298.15},
		"heat flux 3 W/cm² in":     {Kind: stack.HeatFlux, Flux: 3e4},
		"2 K/W to 25 °C":           {Kind: stack.LumpedResistance, Resistance: 2, Temperature: 298.15},
		"adiabatic":                {},
	} {
		if got := boundaryText(&b, nil); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	b := stack.Boundary{Kind: stack.Convective, Temperature: 298.15, Film: stack.Film{Emissivity: 0.9}}
	if got := boundaryText(&b, nil); got != "radiation to 25 °C" {
		t.Errorf("a face that radiates: %q", got)
	}
}

// Members that may be left out are where they are zero, and numbers that are none are null.
func TestMembersLeftOut(t *testing.T) {
	var b bytes.Buffer
	v := struct {
		A float64         `json:"a"`
		B int             `json:"b,omitempty"`
		C struct{ X int } `json:"c,omitzero"`
		D float64         `json:"d"`
	}{D: math.NaN()}
	if err := jsonfile.WriteLine(&b, "e", v); err != nil || b.String() != `{"event":"e","a":0,"d":null}`+"\n" {
		t.Errorf("%v, %s", err, b.String())
	}
}

// A die of two regions with a limit each has two limits, and none of its own.
func TestLimitsOfRegionsThatShareNone(t *testing.T) {
	st := dieStack()
	st.Layers[0].Regions = nil
	st.Layers[1].Regions = st.Layers[1].Regions[:2] // west with 380 K and its pad with 360 K
	got := map[string]bool{}
	for _, l := range summarise(t, linearRun(t, st)).Limits {
		got[l.Label()] = true
	}
	if len(got) != 2 || !got["region west of layer feol"] || !got["region pad of layer feol"] {
		t.Errorf("limits of %v", got)
	}
}

// noRoom takes a line and no more.
type noRoom struct {
	error
	taken bool
}

func (f *noRoom) Write(p []byte) (int, error) {
	if f.taken {
		return 0, f.error
	}
	f.taken = true
	return len(p), nil
}

// A matrix that cannot be written is told.
func TestMatrixOnAFullDisk(t *testing.T) {
	full := &noRoom{error: errors.New("full")}
	if err := fieldfile.WriteMatrix(full, []float64{0, 1}, []float64{0, 1, 2, 3},
		make([]float64, 3)); !errors.Is(err, full.error) {
		t.Errorf("%v", err)
	}
}

// The IR drop of a net is told in mV.
func TestDropOfANet(t *testing.T) {
	s :=
		summary.System{
			Netlist: &summary.Netlist{Nets: []summary.Net{{Nodes: 5, NominalV: 1.8, WorstV: 0.0125, WorstNode: "n7"}}}}
	var b bytes.Buffer
	if err := printout.WriteSystem(&b, &s, printout.Style{Details: true}); err != nil ||
		!strings.Contains(b.String(), "net of 5 nodes at 1.8 V: at most 12.5 mV off, at node n7") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// The colour scale beside a map runs from the highest colour to the lowest, whatever its height.
func TestScaleBesideAMap(t *testing.T) {
	for _, rows := range []int{1, 2, 7, 20} {
		m := &terminalMap{depth: TrueColor, rows: rows, hi: 1, colors: picture.Inferno(),
			unit: (*quantity.Scale)(nil).Or("degC")}
		if top := m.scale(0); !strings.Contains(top, m.code(38, m.colors.At(1))) {
			t.Errorf("%d rows: the scale begins with %q", rows, top)
		}
		if last := m.scale(rows - 1); !strings.Contains(last, m.code(48, m.colors.At(0))) {
			t.Errorf("%d rows: the scale ends with %q", rows, last)
		}
	}
}

// Cells without a temperature stand before all figures.
func TestTextShoutsWhenCellsAreBroken(t *testing.T) {
	r := sampleRun(t, 12, 10)
	r.Solution.Field = samples.Field{Mesh: r.Mesh, Of: func(x, _, _ float64) float64 {
		if x < 1e-3 {
			return math.NaN()
		}
		return 350
	}}
	s := summarise(t, r)
	got := text(t, s, printout.Style{Details: true})
	if at, peak := strings.Index(got,
		"BROKEN FIELD: "+quantity.Count(s.Temperature.NonFiniteCells)+" cells have no finite temperature"),
		strings.Index(got, "Peak"); at < 0 || peak < at {
		t.Errorf("the broken cells at %d, the peak at %d of\n%s", at, peak, got)
	}
}

// A table that cannot be written ends a recording with an error, as a picture does.
func TestTableThatCannotBeWritten(t *testing.T) {
	for _, name := range []string{"layers.csv", "blocks.csv", "summary.json"} {
		r := sampleRun(t, 10, 8)
		full := errors.New("full")
		files := begin(t, t.TempDir(), func(op, file string) error {
			if op == "create" && strings.HasSuffix(file, name) {
				return full
			}
			return nil
		})
		out, err := NewRecording(files, r, 0, Options{}, OutputOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if s, err := out.Finish(t.Context(), nil); !errors.Is(err, full) {
			t.Errorf("%s: %v, %v", name, s != nil, err)
		}
	}
}
