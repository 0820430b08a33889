package export

import (
	"bufio"
	"compress/gzip"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/interop/hotspot"
	"thermsim/interop/importer"
	"thermsim/interop/network/netsolve"
	"thermsim/mesh"
	"thermsim/stack"
)

// hotSpotCase is a project of HotSpot's with what HotSpot wrote for it.
type hotSpotCase struct {
	dir, config string
	named       map[string]string
	transient   bool
	files       map[string]string // ours: theirs
}

func hotSpotCases() map[string]hotSpotCase {
	steady := func(name string) map[string]string {
		return map[string]string{name + ".steady": "peer.steady.gz", name + ".grid.steady": "peer.grid.steady.gz"}
	}
	return map[string]hotSpotCase{
		"eqstack": {"eqstack", "stack.config",
			map[string]string{"ptrace": "power.ptrace", "detailed_3D": "on"}, false, steady("stack")},
		"eqstack transient": {"eqstack", "stack.config",
			map[string]string{"ptrace": "step20.ptrace", "detailed_3D": "on"}, true,
			map[string]string{"stack.ttrace": "peer.ttrace.gz"}},
		"ev6": {"ev6_2d", "ev6.config", map[string]string{"ptrace": "gcc_avg.ptrace", "flp": "ev6.flp"},
			false, steady("ev6")},
		"ev6 mean of trace": {"ev6_2d", "ev6.config", map[string]string{"ptrace": "gcc.ptrace", "flp": "ev6.flp"},
			false, steady("ev6")},
		"ev6 transient": {"ev6_2d", "ev6.config", map[string]string{"ptrace": "gcc.ptrace", "flp": "ev6.flp"},
			true, map[string]string{"ev6.ttrace": "peer.ttrace.gz"}},
		"top blocks": {"topblocks", "c.config",
			map[string]string{"ptrace": "p.ptrace", "grid_layer_file": "s.lcf", "detailed_3D": "on"}, false,
			steady("c")},
		"detailed in config": {"topblocks", "cd.config",
			map[string]string{"ptrace": "p.ptrace", "grid_layer_file": "s.lcf"}, false,
			map[string]string{"cd.steady": "peer_config.steady.gz"}},
		"ev6 3D with vias": {"ev6_3d_tsv", "ev6_3d.config",
			map[string]string{"ptrace": "power.ptrace", "grid_layer_file": "stack.lcf", "detailed_3D": "on",
				"grid_rows": "16", "grid_cols": "16"}, false, steady("ev6_3d")},
		"leakage and board": {"ev6_2d", "secondary.config",
			map[string]string{"ptrace": "gcc_avg.ptrace", "flp": "ev6.flp"}, false,
			map[string]string{"secondary.steady": "secondary.steady.gz"}},
		"leakage and board 3D": {"ev6_3d_tsv", "secondary.config",
			map[string]string{"ptrace": "power.ptrace", "grid_layer_file": "stack.lcf", "detailed_3D": "on"}, false,
			map[string]string{"secondary.steady": "secondary.steady.gz"}},
		"ev6 3D": {"ev6_3d", "ev6_3d.config",
			map[string]string{"ptrace": "power.ptrace", "grid_layer_file": "stack.lcf", "detailed_3D": "off"}, false,
			steady("ev6_3d")},
	}
}

// randomCases are projects of newRandomProject in the tests of package hotspot: blocks with materials of their own,
// names that layers share, columns in any order, initial temperatures by block, detailed_3D where HotSpot does not look
// for it.
func randomCases() map[string]hotSpotCase {
	all := map[string]hotSpotCase{}
	for dir, named := range map[string]map[string]string{
		"detailed":  {"detailed_3D": "on", "init_file": "chip.init"},
		"samenames": {"materials_file": "chip.materials"},
		"inconfig":  {"init_file": "chip.init"},
	} {
		named["ptrace"], named["grid_layer_file"] = "chip.ptrace", "chip.lcf"
		all[dir] = hotSpotCase{dir, "chip.config", named, false,
			map[string]string{"chip.steady": "peer.steady.gz", "chip.grid.steady": "peer.grid.steady.gz"}}
		all[dir+" transient"] = hotSpotCase{dir, "chip.config", named, true,
			map[string]string{"chip.ttrace": "peer.ttrace.gz", "chip.grid.ttrace": "peer.grid.ttrace.gz"}}
	}
	return all
}

// mostSteps keeps the test short.
const mostSteps = 6

// With --compat a project gives HotSpot's own numbers, in files that can be compared with HotSpot's number by number.
func TestHotSpotFiles(t *testing.T) {
	cases := hotSpotCases()
	maps.Copy(cases, randomCases())
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("..", "hotspot", "testdata", c.dir)
			r, err := hotspot.Format.Import(importer.Request{Files: []string{filepath.Join(dir, c.config)},
				Named: c.named, Compat: true, Direct: true})
			if err != nil {
				t.Fatal(err)
			}
			m, err := mesh.Build(r.Stack)
			if err != nil {
				t.Fatal(err)
			}
			out := t.TempDir()
			o := Options{Files: begin(t, out), Decimals: 9}
			if c.transient {
				o.Steps = min(mostSteps, r.Stack.Transient.Steps)
			}
			w, err := New(r, m, o)
			if err != nil {
				t.Fatal(err)
			}
			run := gpusolve.Options{Device: "cpu", Tol: 1e-9}
			if c.transient {
				plan := gpusolve.TransientOptions{Steps: o.Steps, Dt: r.Stack.Transient.Dt,
					OnStep: func(s solution.Step, f solution.Field) error { return w.Step(s.Time, f) }}
				_, err = netsolve.Transient(t.Context(), r.Network, m, run, plan)
			} else {
				var s *solution.Solution
				if s, err = netsolve.Steady(t.Context(), r.Network, m, run); err == nil {
					err = w.Step(0, s.Field)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			commit(t, w, o.Files)
			for ours, theirs := range c.files {
				tolerance := 3e-9
				if c.dir == "eqstack" {
					// layers a tenth of a nanometre thick leave HotSpot's direct solver with some 1e-7 K
					tolerance = 1e-6
				}
				sameNumbers(t, filepath.Join(out, ours), filepath.Join(dir, theirs), tolerance)
			}
		})
	}
}

// sameNumbers compares two files word by word: numbers within a tolerance, anything else to the letter.
func sameNumbers(t *testing.T, ours, theirs string, tolerance float64) {
	t.Helper()
	a, b := words(t, ours), words(t, theirs)
	if strings.HasSuffix(ours, ".ttrace") && len(a) < len(b) {
		b = b[:len(a)] // the first steps only
	}
	if len(a) != len(b) {
		t.Fatalf("%s has %d words, HotSpot's file %d", filepath.Base(ours), len(a), len(b))
	}
	largest := 0.0
	for i := range a {
		x, errA := strconv.ParseFloat(a[i], 64)
		y, errB := strconv.ParseFloat(b[i], 64)
		if errA != nil || errB != nil {
			if a[i] != b[i] {
				t.Fatalf("%s: word %d is %q, in HotSpot's file %q", filepath.Base(ours), i, a[i], b[i])
			}
			continue
		}
		if d := math.Abs(x - y); !(d <= largest) {
			largest = d
		}
	}
	t.Logf("%s: largest difference %.1e K", filepath.Base(ours), largest)
	if !(largest <= tolerance) {
		t.Errorf("%s differs by %g K from HotSpot's file, more than %g", filepath.Base(ours), largest, tolerance)
	}
}

func words(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	s := bufio.NewScanner(r)
	s.Split(bufio.ScanWords)
	var all []string
	for s.Scan() {
		all = append(all, s.Text())
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// A project whose plates all end with the die conducts along z alone: thermsim's own numerics give the resistances in
// series and parallel, with the leakage at the temperature of the die, where HotSpot 7 divides by zero.
func TestHotSpotSecondaryPath(t *testing.T) {
	const side, watts = 16e-3, 60
	files := map[string]string{
		"c.config": "-model_type grid\n-grid_rows 4\n-grid_cols 4\n-ambient 318.15\n-s_spreader 0.016\n" +
			"-s_sink 0.016\n-r_convec 0.9\n-model_secondary 1\n-s_sub 0.016\n-s_solder 0.016\n-s_pcb 0.016\n" +
			"-r_convec_sec 6\n-leakage_used 1\n-f f.flp\n-p p.ptrace\n",
		"f.flp": "core 16e-3 16e-3 0 0\n", "p.ptrace": "core\n60\n"}
	r, err := hotspot.Format.Import(importer.Request{Files: []string{"c.config"}, Direct: true,
		Open: func(path string) ([]byte, error) { return []byte(files[path]), nil }})
	if err != nil {
		t.Fatal(err)
	}
	m, err := mesh.Build(r.Stack)
	if err != nil {
		t.Fatal(err)
	}
	sol, err := gpusolve.Steady(t.Context(), m, gpusolve.Options{Device: "cpu", Tol: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	defer sol.Close()
	const area = side * side
	half := 1.5e-4 / 2 / 100
	up := 0.9 + (half+2e-5/4+1e-3/400+6.9e-3/400)/area
	down := 6 + (half+1e-5*0.0025+1e-4*0.8+1e-3*0.5+9.4e-4*0.06+2e-3*0.333)/area
	die, leaking := 318.15, 0.0
	for range 200 {
		leaking = 1.5e4 * area * math.Exp(0.036*(die-383.15))
		die = 318.15 + (watts+leaking)/(1/up+1/down)
	}
	if math.Abs(sol.PeakK-die) > 1e-6 || leaking < 1 {
		t.Errorf("die at %.7f K, leakage %.3f W; want %.7f K", sol.PeakK, leaking, die)
	}
	if got, want := sol.Energy.ByFace[stack.Bottom], (die-318.15)/down; math.Abs(got-want) > 1e-6 {
		t.Errorf("%.7f W through the board; want %.7f", got, want)
	}
}
