package hotspot_test

import (
	"bufio"
	"compress/gzip"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/interop/hotspot"
	"thermsim/interop/importer"
	"thermsim/interop/network/netsolve"
	"thermsim/mesh"
	"thermsim/stack"
)

// pactFiles is a project of PACT in memory: the files of testdata/pact, some of them replaced.
type pactFiles map[string]string

func (p pactFiles) open(path string) ([]byte, error) {
	if text, ok := p[path]; ok {
		return []byte(text), nil
	}
	if data, err := os.ReadFile(filepath.Join("testdata", "pact", path)); err == nil {
		return data, nil
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
}

func (p pactFiles) importWith(compat bool, files ...string) (*importer.Result, error) {
	return hotspot.PACT.Import(importer.Request{Files: append([]string{"duo_lcf.csv"}, files...), Compat: compat,
		Direct: true, Open: p.open})
}

// With --compat a project gives the temperatures of PACT itself (8d78eb8 with SuperLU, printing nine decimals): two
// layers of two materials, a cell that both share, and powers that are a mean of two columns.
func TestPACTPeer(t *testing.T) {
	r, err := pactFiles{}.importWith(true, "duo.config", "duo_modelParams.config")
	if err != nil {
		t.Fatal(err)
	}
	m, err := mesh.Build(r.Stack)
	if err != nil {
		t.Fatal(err)
	}
	sol, err := netsolve.Steady(t.Context(), r.Network, m, gpusolve.Options{Device: "cpu", Tol: 1e-10})
	if err != nil {
		t.Fatal(err)
	}
	ours, err := m.ReadField(sol.Field)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open("testdata/pact/peer.steady.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	nx, ny, n := m.NX(), m.NY(), 0
	for lines := bufio.NewScanner(z); lines.Scan(); n++ {
		theirs, err := strconv.ParseFloat(lines.Text(), 64)
		if err != nil {
			t.Fatal(err)
		}
		plane, row, col := n/(nx*ny), n/nx%ny, n%nx // rows from the north
		if got := ours[(plane*ny+ny-1-row)*nx+col]; math.Abs(got-theirs) > 3e-9 {
			t.Fatalf("plane %d, row %d, column %d: %.9f K, PACT has %.9f", plane, row, col, got, theirs)
		}
	}
	if n != len(ours) {
		t.Errorf("%d cells, PACT has %d", len(ours), n)
	}
}

const uniformPlan = "UnitName,X,Y,Length (m),Width (m),ConfigFile,Label\ndie,0,0,4e-3,3e-3,,Si\n"

// uniform is a project that conducts along z alone.
var uniform = pactFiles{
	"duo_lcf.csv": "Layer,FloorplanFile,Thickness (m),PtraceFile,LateralHeatFlow\n0,die.csv,2e-4,p.csv,True\n",
	"die.csv":     uniformPlan, "p.csv": "UnitName,Power\ndie,6\n",
}

// Uniform power gives a closed form in either arithmetic: q/h plus half of the die and the package, and with PACT's
// nodes the whole die without the package.
func TestPACTClosedForm(t *testing.T) {
	const flux = 6 / 12e-6
	for compat, rise := range map[bool]float64{
		false: flux * (1/2e4 + 1e-4*0.0077 + 2e-4*0.0025), true: flux * (1/2e4 + 2e-4*0.0077)} {
		r, err := uniform.importWith(compat)
		if err != nil {
			t.Fatal(err)
		}
		m, err := mesh.Build(r.Stack)
		if err != nil {
			t.Fatal(err)
		}
		run := gpusolve.Options{Device: "cpu", Tol: 1e-9}
		sol, err := gpusolve.Steady(t.Context(), m, run)
		if compat {
			sol, err = netsolve.Steady(t.Context(), r.Network, m, run)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := sol.PeakK - 318.15; math.Abs(got-rise) > 1e-5 {
			t.Errorf("compat %v: rise %.9f K; want %.9f", compat, got, rise)
		}
		sol.Close()
	}
}

// Spreader and sink of PACT are HotSpot's, and a transient has PACT's steps.
func TestPACTHeatSink(t *testing.T) {
	read := func(name string) string {
		data, err := pactFiles{}.open(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	config := read("duo.config") + `
[HeatSink]
convection_cap (j/k) = 140.4
convection_r (k/w) = 0.2
heatsink_side (m) = 0.04
heatsink_thickness (m) = 0.002
heatsink_thermalconductivity (w/(m-k)) = 400.0
heatsink_specificheatcapacity (j/m^3k) = 3.55e6
heatspreader_side (m) = 0.02
heatspreader_thickness (m) = 0.001
heatspreader_thermalconductivity (w/(m-k)) = 380
heatspreader_specificheatcapacity (j/m^3k) = 3.55e6
`
	model := strings.NewReplacer("[NoPackage]", "[HeatSink]", "SuperLU", "SPICE_transient").
		Replace(read("duo_modelParams.config"))
	files := pactFiles{"duo.config": config, "duo_modelParams.config": model}
	r, err := files.importWith(false)
	if err != nil {
		t.Fatal(err)
	}
	s := r.Stack
	spreader, sink := &s.Layers[2], &s.Layers[3]
	if s.Size != [2]float64{0.04, 0.04} || spreader.Regions[0].Rect.Width != 0.02 ||
		s.Materials[spreader.Regions[0].Material].K[0] != 380 || sink.Thickness != 0.002 ||
		math.Abs(s.Boundary[stack.Top].H-1/(0.2*0.04*0.04)) > 1e-9 {
		t.Errorf("spreader %+v, sink %+v, top %+v", spreader, sink, s.Boundary[stack.Top])
	}
	power := s.Layers[1].Powers[0]
	if !r.Transient || s.Transient.Initial != 318.15 || math.Abs(s.Transient.Dt-50e-6) > 1e-12 ||
		s.Transient.Steps != 40 || power.Trace.Watts[1][1] != 0.7 || power.Trace.End != 2e-3 {
		t.Errorf("transient %+v, trace %+v", s.Transient, power.Trace)
	}
	if _, err := files.importWith(true); err == nil || !strings.Contains(err.Error(), "HeatSink are not emulated") {
		t.Errorf("with --compat: %v", err)
	}
}

// What cannot be meant has an error with its place.
func TestPACTMalformed(t *testing.T) {
	lcf := uniform["duo_lcf.csv"]
	for name, c := range map[string]struct {
		files pactFiles
		want  string
	}{
		"no column": {pactFiles{"duo_lcf.csv": "Layer,FloorplanFile\n0,die.csv\n"},
			`duo_lcf.csv:1:1: got no column "Thickness (m)"`},
		"empty": {pactFiles{"duo_lcf.csv": ""},
			"duo_lcf.csv:1:1: the file is empty"},
		"no layers": {pactFiles{"duo_lcf.csv": lcf[:strings.Index(lcf, "\n")+1]},
			"got 0 layers"},
		"short row": {pactFiles{"duo_lcf.csv": lcf + "1,die.csv\n"},
			"duo_lcf.csv:3:1: row has 2 values"},
		"twice": {pactFiles{"duo_lcf.csv": lcf + "0,die.csv,1e-4,,True\n"},
			"duo_lcf.csv:3:1: layer 0 among 2"},
		"quote": {pactFiles{"duo_lcf.csv": lcf + "\"0,die.csv\n"},
			"duo_lcf.csv:"},
		"no plan": {pactFiles{"duo_lcf.csv": strings.Replace(lcf, "die", "none", 1)},
			"cannot read none.csv"},
		"negative": {pactFiles{"die.csv": strings.Replace(uniformPlan, "4e-3", "-4e-3", 1)},
			"die.csv:2:9: the length of block die must be positive"},
		"names": {pactFiles{"die.csv": uniformPlan + "die,0,0,1,1,,Si\n"},
			"die.csv:3:1: block \"die\" is given twice"},
		"label": {pactFiles{"die.csv": strings.Replace(uniformPlan, "Si", "Liq", 1)},
			`die.csv:2:20: label "Liq"`},
		"other blocks": {pactFiles{"p.csv": "UnitName,Power\ncore,6\n"},
			"p.csv does not have the blocks of the floorplan"},
		"watts": {pactFiles{"p.csv": "UnitName,Power\ndie,much\n"},
			"p.csv:2:5: the power of block die must be a number"},
		"negative watt": {pactFiles{"p.csv": "UnitName,Power\ndie,-1\n"},
			"p.csv:2:5: the power of block die must not be negative"},
		"entry": {pactFiles{"duo.config": "[Init\nx\n"},
			"duo.config:1:1"},
		"no ambient": {pactFiles{"duo.config": "[Init]\ntemperature = 300 K\n"},
			`section Init has no entry "ambient"`},
		"ambient": {pactFiles{"duo.config": "[Init]\nambient = 300\ntemperature = 300 K\n"},
			"duo.config:2:1: ambient: got \"300\""},
		"models": {pactFiles{"duo_modelParams.config": "[Init]\n"},
			"expected a configuration without section Grid"},
		"grid": {pactFiles{"duo_modelParams.config": "[Grid]\nrows = 2.5\ncols = 4\n"},
			"rows must be a whole number"},
	} {
		files := pactFiles{}
		for _, p := range []pactFiles{uniform, c.files} {
			for path, text := range p {
				files[path] = text
			}
		}
		if _, err := files.importWith(false); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", name, err, c.want)
		}
	}
}

// Whole projects of any content end in a result or in errors with places.
func FuzzPACT(f *testing.F) {
	f.Add(uniform["duo_lcf.csv"], uniformPlan, uniform["p.csv"], "[Init]\nambient = 45 C\n")
	f.Add("Layer,FloorplanFile,Thickness (m),PtraceFile\n0,die.csv,1,\n", "", "UnitName\n\n", "[Grid]\nrows : 4\n")
	f.Fuzz(func(t *testing.T, lcf, plan, power, config string) {
		if len(lcf)+len(plan)+len(power)+len(config) > 4096 {
			return
		}
		files := pactFiles{"duo_lcf.csv": lcf, "die.csv": plan, "p.csv": power}
		for _, settings := range []string{"duo.config", "duo_modelParams.config", ""} {
			some := pactFiles{settings: config}
			for path, text := range files {
				some[path] = text
			}
			for _, compat := range []bool{false, true} {
				if r, err := some.importWith(compat); err == nil && r.Stack == nil {
					t.Error("neither stack nor error")
				}
			}
		}
	})
}
