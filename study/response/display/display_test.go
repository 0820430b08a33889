package display

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/testing/cases"
	"thermsim/report/picture"
	"thermsim/stack"
	"thermsim/study/response"
)

func small() *stack.Stack {
	s := cases.Stack10(cases.Options{NX: 8, NY: 7})
	s.Layers[1].Name = "=1+2"
	s.Probes = []stack.Probe{{Name: "lid", X: 2e-3, Y: 3e-3, Z: s.Height()}}
	return s
}

func rowsOf(t *testing.T, write func(b *bytes.Buffer) error) [][]string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Tables and JSON hold the matrix, and names that a spreadsheet would run as formulas are texts.
func TestMatrixInFiles(t *testing.T) {
	x, err := response.Resistances(t.Context(), small(), response.Options{Solver: gpusolve.Options{Device: "cpu"}},
		true)
	if err != nil {
		t.Fatal(err)
	}
	rows := rowsOf(t, func(b *bytes.Buffer) error { return Resistances(b, x) })
	n := len(x.Inputs)
	if len(rows) != 1+2*n+1 || len(rows[0]) != 2+n {
		t.Fatalf("%d x %d cells for %d inputs", len(rows), len(rows[0]), n)
	}
	if rows[1][0] != "'"+x.Outputs[0].Name || rows[0][2] != rows[1][0] {
		t.Errorf("%q is no text", rows[1][0])
	}
	for o, row := range rows[1:] {
		for i, cell := range row[2:] {
			if v, err := strconv.ParseFloat(cell, 64); err != nil || math.Abs(v/x.R[o][i]-1) > 1e-11 {
				t.Errorf("row %d, column %d: %s, want %g", o, i, cell, x.R[o][i])
			}
		}
	}
	var b bytes.Buffer
	if err := ResistancesJSON(&b, x); err != nil {
		t.Fatal(err)
	}
	var back struct {
		R      [][]float64 `json:"K_per_W"`
		Rises  []float64   `json:"rise_K"`
		Inputs []struct {
			Watts float64 `json:"power_W"`
		} `json:"inputs"`
	}
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, in := range back.Inputs {
		sum += in.Watts * back.R[0][i]
	}
	if math.Abs(sum/back.Rises[0]-1) > 1e-12 {
		t.Errorf("a rise of %g K, the sum is %g", back.Rises[0], sum)
	}
	m := MatrixPicture("<title>", x)
	if len(m.Rows) != n+1 || len(m.Columns) != n || m.Values[1] != x.R[0][1] {
		t.Errorf("%d rows and %d columns", len(m.Rows), len(m.Columns))
	}
	page := Page{Title: "<title>"}
	if err := page.AddPicture("matrix", m); err != nil {
		t.Fatal(err)
	}
	page.AddTable("inputs", []string{"name", ">K/W"}, [][]string{{"<b>", "1"}})
	b.Reset()
	if err := page.Write(&b); err != nil {
		t.Fatal(err)
	}
	html := b.String()
	for _, want := range []string{"&lt;title&gt;", "<td>&lt;b&gt;</td><td class=\"n\">1</td>",
		"<th class=\"n\">K/W</th>", "src=\"data:image/png;base64,"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// The files of step responses hold every time of every curve, and networks whose steps are the curves.
func TestStepsInFiles(t *testing.T) {
	x, err := response.StepResponses(t.Context(), small(), response.Options{Solver: gpusolve.Options{Device: "cpu"}},
		response.Request{From: []int{0, 2}, Probes: true})
	if err != nil {
		t.Fatal(err)
	}
	networks, err := Networks(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Curves) != 6 || len(networks) != 2 {
		t.Fatalf("%d curves, %d networks", len(x.Curves), len(networks))
	}
	if rows := rowsOf(t, func(b *bytes.Buffer) error { return Steps(b, x) }); len(rows) != 1+6*len(x.Times) {
		t.Errorf("%d rows", len(rows))
	}
	for _, n := range networks {
		for _, c := range x.Curves {
			if !c.Own() || c.From != n.Of {
				continue
			}
			for k, at := range x.Times {
				if got := n.Foster.Step(at); math.Abs(got-c.Z[k]) > max(5e-3*c.Z[k], 1e-4*c.Steady) {
					t.Errorf("%s at %.3g s: the network has %g K/W, the response is %g", x.Inputs[n.Of].Name, at, got,
						c.Z[k])
				}
			}
			if s := 1 / x.Times[100]; math.Abs(n.Cauer.At(s)/n.Foster.At(s)-1) > 1e-3 {
				t.Errorf("the ladder has %g K/W at %g 1/s, the sum %g", n.Cauer.At(s), s, n.Foster.At(s))
			}
		}
	}
	if rows := rowsOf(t, func(b *bytes.Buffer) error {
		return Spectra(b, x, networks)
	}); len(rows) != 1+len(networks[0].Foster.R)+len(networks[1].Foster.R) {
		t.Errorf("%d rows of spectra", len(rows))
	}
	if rows := rowsOf(t, func(b *bytes.Buffer) error {
		return Structures(b, x, networks)
	}); len(rows) != 1+len(networks[0].Cauer.R)+len(networks[1].Cauer.R) {
		t.Errorf("%d rows of structures", len(rows))
	}
	var b bytes.Buffer
	if err := StepsJSON(&b, x, networks); err != nil || !json.Valid(b.Bytes()) {
		t.Error(err)
	}
	for _, c := range []*picture.Chart{StepPicture("t", x), SpectrumPicture("t", x, networks),
		CumulativePicture("t", x, networks), DifferentialPicture("t", x, networks)} {
		if err := c.Write(&b, picture.SVG); err != nil || len(c.Curves) != 2 {
			t.Errorf("%s: %v, %d curves", c.Subtitle, err, len(c.Curves))
		}
	}
}
