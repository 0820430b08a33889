package hotspot

import (
	"fmt"
	"io/fs"
	"math"
	"strings"
	"testing"
	"time"

	"thermsim/internal/timeline/cputime"
	"thermsim/interop/importer"
)

const (
	goodConfig = "-model_type grid\n-grid_rows 8\n-grid_cols 8\n-grid_map_mode avg\n-ambient 318.15\n-init_temp " +
		"318.15\n-sampling_intvl 0.01\n"
	goodFlp   = "# a comment\ncore 8e-3 16e-3 0 0\ncache 8e-3 16e-3 8e-3 0\n"
	goodTrace = "core cache\n5 2.5\n6 2.\n"
	goodLcf   = "0\nY\nY\n1.75e6\n0.01\n1.5e-4\nf.flp\n1\nY\nN\n4e6\n0.25\n2e-5\nf.flp\n"
)

// project is files by name.
type project map[string]string

func (p project) open(path string) ([]byte, error) {
	if text, ok := p[path]; ok {
		return []byte(text), nil
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
}

// importProject imports a single die, or the stack of l.lcf where that is there.
func importProject(p project, compat bool) (*importer.Result, error) {
	base := project{"c.config": goodConfig, "f.flp": goodFlp, "p.ptrace": goodTrace}
	for name, text := range p {
		base[name] = text
	}
	named := map[string]string{"ptrace": "p.ptrace", "flp": "f.flp"}
	if _, ok := base["l.lcf"]; ok {
		named["grid_layer_file"] = "l.lcf"
	}
	if _, ok := base["m.materials"]; ok {
		named["materials_file"] = "m.materials"
	}
	if _, ok := base["t.init"]; ok {
		named["init_file"] = "t.init"
	}
	return Format.Import(importer.Request{Files: []string{"c.config"}, Named: named, Compat: compat, Direct: true,
		Open: base.open})
}

// What cannot be meant gets an error with file, line and column; so does what thermsim cannot model.
// many are n parameters that HotSpot does not have.
func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "-x%d 1\n", i)
	}
	return b.String()
}

func TestMalformed(t *testing.T) {
	for name, c := range map[string]struct {
		files project
		want  []string
	}{
		"no dash": {project{"c.config": "model_type grid\n"},
			[]string{"c.config:1:1", `"model_type" is not a parameter`}},
		"no configuration": {project{"c.config": many(1500)},
			[]string{"c.config:1001:1: 1001 parameters are unknown or given twice: this is not a configuration"}},
		"no value": {project{"c.config": goodConfig + "-t_chip\n"},
			[]string{"c.config:8:1", "parameter t_chip has no value"}},
		"two values": {project{"c.config": goodConfig + "-t_chip 1e-4 2e-4\n"},
			[]string{"c.config:8:14", "follows the value"}},
		"text for a number": {project{"c.config": goodConfig + "-t_chip thin\n"},
			[]string{"c.config:8:9", "must be a number"}},
		"negative thickness": {project{"c.config": goodConfig + "-t_chip -1e-4\n"},
			[]string{"c.config:8:9", "must be positive"}},
		"zero conductivity": {project{"c.config": goodConfig + "-k_chip 0\n"},
			[]string{"c.config:8:9", "must be positive"}},
		"huge number": {project{"c.config": goodConfig + "-k_chip 1e999\n"},
			[]string{"c.config:8:9", "must be a number"}},
		"not a number": {project{"c.config": goodConfig + "-k_chip nan\n"},
			[]string{"c.config:8:9", "must be a number"}},
		"half a row": {project{"c.config": "-grid_rows 8.5\n"}, []string{"c.config:1:12", "whole number"}},
		"model type": {project{"c.config": "-model_type cube\n"},
			[]string{"c.config:1:13", "grid or block"}},
		"map mode": {project{"c.config": "-grid_map_mode mean\n"},
			[]string{"c.config:1:16", "avg, min, max or center"}},
		"detailed": {project{"c.config": goodConfig + "-detailed_3D yes\n"},
			[]string{"c.config:8:14", "on or off"}},
		"small substrate": {project{"c.config": goodConfig + "-model_secondary 1\n-s_sub 0.01\n"},
			[]string{"c.config:9:8", "the substrate of 10 mm is smaller than the die of 16 x 16 mm"}},
		"small board": {project{"c.config": goodConfig + "-model_secondary 1\n-s_pcb 0.02\n"},
			[]string{"c.config:9:8", "the board of 20 mm is smaller than the solder of 21 mm"}},
		"thin board": {project{"c.config": goodConfig + "-t_pcb 0\n"}, []string{"c.config:8:8", "must be positive"}},
		"leakage model": {project{"c.config": goodConfig + "-leakage_used 1\n-leakage_mode 1\n"},
			[]string{"c.config:9:15", "leakage_mode 1: got a model that HotSpot names, but does not contain"}},
		"package model": {project{"c.config": goodConfig + "-package_model_used 1\n"},
			[]string{"does not support a model of the air flow"}},
		"small spreader": {project{"c.config": goodConfig + "-s_spreader 0.01\n"},
			[]string{"c.config:8:13", "smaller than the die"}},
		"small sink": {project{"c.config": goodConfig + "-s_sink 0.02\n"},
			[]string{"c.config:8:9", "smaller than the spreader"}},
		"binary": {project{"c.config": "-t_chip 1\x00\n"}, []string{"c.config:1:10", "not a text file"}},
		"escape": {project{"f.flp": "co\x1bre 8e-3 16e-3 0 0\n"},
			[]string{"f.flp:1:3", "not a text file", "U+001B"}},
		"trace with NUL": {project{"p.ptrace": "core cache\n5 2\x00\n"},
			[]string{"p.ptrace:2:4", "not a text file", "U+0000"}},
		"material unknown": {project{"c.config": goodConfig + "-material_chip gold\n"},
			[]string{"c.config:8:16", `material "gold" is unknown`}},
		"floorplan missing": {project{"c.config": goodConfig + "-materials_file none\n"},
			[]string{"c.config:8:17", "cannot read none", "next to the configuration"}},
		"floorplan truncated": {project{"f.flp": "core 8e-3 16e-3 0 0\ncache 8e-3 16e"}, []string{"f.flp:2:"}},
		"floorplan words":     {project{"f.flp": "core 8e-3 16e-3 0\n"}, []string{"f.flp:1:1", "4 words"}},
		"floorplan negative": {project{"f.flp": "core 8e-3 -16e-3 0 0\n"},
			[]string{"f.flp:1:11", "must be positive"}},
		"floorplan twice": {project{"f.flp": goodFlp + "core 1e-3 1e-3 0 0\n"},
			[]string{"f.flp:4:1", "given twice, first in line 2"}},
		"floorplan empty":     {project{"f.flp": "# nothing\n\n"}, []string{"f.flp:1:1", "no blocks"}},
		"floorplan six words": {project{"f.flp": "core 8e-3 16e-3 0 0 1e6\n"}, []string{"f.flp:1:1", "6 words"}},
		"trace row short":     {project{"p.ptrace": "core cache\n5\n"}, []string{"p.ptrace:2:1", "1 powers"}},
		"trace without block": {project{"p.ptrace": "core\n5\n"},
			[]string{"f.flp:3:1", `block "cache"`, "no column"}},
		"trace of another": {project{"p.ptrace": "core cache l3\n5 2 1\n"},
			[]string{"p.ptrace:1:12", `no layer with power has a block "l3"`}},
		"trace without rows": {project{"p.ptrace": "core cache\n"}, []string{"p.ptrace:1:1", "no powers"}},
		"trace text":         {project{"p.ptrace": "core cache\n5 much\n"}, []string{"p.ptrace:2:3"}},
		"trace negative": {project{"p.ptrace": "core cache\n-1 2\n"},
			[]string{"p.ptrace:2:1", "must not be negative"}},
		"layers truncated": {project{"l.lcf": goodLcf[:len(goodLcf)-6]},
			[]string{"l.lcf", "the file ends where the floorplan of layer 1 is due"}},
		"layers Y or N": {project{"l.lcf": strings.Replace(goodLcf, "Y", "yes", 1)},
			[]string{"l.lcf:2:1", "must be Y or N"}},
		"layers numbered twice": {project{"l.lcf": strings.Replace(goodLcf, "\n1\n", "\n0\n", 1)},
			[]string{"l.lcf:8:1", "layer 0 is given twice"}},
		"layers with gap": {project{"l.lcf": strings.Replace(goodLcf, "\n1\n", "\n2\n", 1)},
			[]string{"l.lcf:8:1", "layer 2 among 2"}},
		"layers half a number": {project{"l.lcf": strings.Replace(goodLcf, "0\n", "0.5\n", 1)},
			[]string{"l.lcf:1:1", "whole number from 0"}},
		"layers without end": {project{"l.lcf": strings.Repeat("5\nY\nN\n1.75e6\n0.01\n1e-4\nf.flp\n", 1002)},
			[]string{"l.lcf:7008:1", "more than 1001 layers"}},
		"layers on one line": {project{"l.lcf": "0 Y Y 1e6 0.01 1e-4 f.flp\n"},
			[]string{"l.lcf:1:3", "one value per line"}},
		"layers material": {project{"l.lcf": strings.Replace(goodLcf, "1.75e6\n0.01", "gold", 1)},
			[]string{"l.lcf:4:1", "neither a heat capacity nor a known material"}},
		"layers of other size": {project{"l.lcf": strings.Replace(goodLcf, "2e-5\nf.flp", "2e-5\ng.flp", 1),
			"g.flp": "all 1e-3 1e-3 0 0\n"}, []string{"g.flp:1:1", "same size", "1 x 1 mm"}},
		"layers with channels": {project{"l.lcf": strings.Replace(goodLcf, "2e-5\nf.flp", "2e-5\nc.csv", 1)},
			[]string{"--grid_layer_file", "HotSpot's numerics of microchannels are not emulated"}},
		"layers empty": {project{"l.lcf": "# none\n"}, []string{"l.lcf:1:1", "empty"}},
		"materials truncated": {project{"m.materials": "gold\nsolid\n300\n"},
			[]string{"m.materials:1:1", "ends within"}},
		"materials neither": {project{"m.materials": "gold\nshiny\n300\n2.5e6\n"},
			[]string{"m.materials:2:1", "solid or fluid"}},
		"materials twice": {project{"m.materials": "gold\nsolid\n300\n2.5e6\ngold\nsolid\n300\n2.5e6\n"},
			[]string{"m.materials:5:1", "given twice"}},
		"initial incomplete": {project{"t.init": "core 320\ncache 320\n"},
			[]string{"t.init", "iface_core is missing"}},
		"initial below zero": {project{"t.init": "core -3\n"}, []string{"t.init:1:6", "must be positive"}},
		"initial words":      {project{"t.init": "core\n"}, []string{"t.init:1:1", "1 words"}},
		"block smaller than cell": {project{"f.flp": "core 16e-3 16e-3 0 0\ncache 1e-12 1e-12 1e-12 1e-12\n"},
			[]string{"f.flp:2:1", "covers no cell"}},
	} {
		t.Run(name, func(t *testing.T) {
			start := cputime.Used()
			_, err := importProject(c.files, true)
			if err == nil {
				t.Fatal("taken")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nlacks %q", err, want)
				}
			}
			if d := cputime.Used() - start; d > time.Second {
				t.Errorf("took %v of a processor", d)
			}
		})
	}
}

// What HotSpot takes must be taken, with a warning where it can hardly be meant.
func TestTaken(t *testing.T) {
	for name, c := range map[string]struct {
		files project
		want  string // a note; "" for none
	}{
		"as it is": {project{}, ""},
		"Windows line ends": {project{"c.config": strings.ReplaceAll(goodConfig, "\n", "\r\n"),
			"f.flp":    strings.ReplaceAll(goodFlp, "\n", "\r\n"),
			"p.ptrace": strings.ReplaceAll(goodTrace, "\n", "\r\n")}, ""},
		"tabs": {project{"c.config": strings.ReplaceAll(goodConfig, " ", "\t\t"),
			"f.flp": strings.ReplaceAll(goodFlp, " ", "\t")}, ""},
		"byte order mark": {project{"c.config": "\ufeff" + goodConfig}, ""},
		"Latin-1": {project{"f.flp": strings.ReplaceAll(goodFlp, "core", "k\xe9rn"),
			"p.ptrace": strings.ReplaceAll(goodTrace, "core", "k\xe9rn")}, ""},
		"1. and .5":         {project{"p.ptrace": "core cache\n1. .5\n"}, ""},
		"no end of line":    {project{"p.ptrace": "core cache\n1 2"}, ""},
		"unknown parameter": {project{"c.config": goodConfig + "-r_convecc 5\n"}, `did you mean "r_convec"?`},
		"twice": {project{"c.config": goodConfig + "-k_chip 100\n-k_chip 120\n"},
			"k_chip is given twice; the first value applies"},
		"overlap":     {project{"f.flp": "core 9e-3 16e-3 0 0\ncache 8e-3 16e-3 8e-3 0\n"}, "overlaps"},
		"gap":         {project{"f.flp": "core 7e-3 16e-3 0 0\ncache 8e-3 16e-3 8e-3 0\n"}, "has no block"},
		"block model": {project{"c.config": "-model_type block\n"}, "block model"},
		"wires":       {project{"f.flp": goodFlp + "core cache 5\n"}, "connectivity"},
		"figures of blocks": {project{"f.flp": "core 8e-3 16e-3 0 0 1.75e6 0.01\ncache 8e-3 16e-3 8e-3 0\n"},
			"with detailed_3D only"},
		"secondary figures": {project{"c.config": goodConfig + "-t_pcb 2e-3\n"}, "belongs to a model that is off"},
		"no lateral flow":   {project{"l.lcf": strings.Replace(goodLcf, "1\nY", "1\nN", 1)}, "no lateral heat flow"},
		"materials": {project{"m.materials": "copper\nsolid\n400\n3.55e6\nwater\nfluid\n0.6\n4.1e6\n8.9e-4\n",
			"l.lcf": strings.Replace(goodLcf, "1.75e6\n0.01", "copper", 1)}, "fluid water"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, compat := range []bool{false, true} {
				r, err := importProject(c.files, compat)
				if err != nil {
					t.Fatal(err)
				}
				var notes []string
				for _, n := range r.Notes {
					notes = append(notes, n.String())
				}
				all := strings.Join(notes, "\n")
				if n := strings.Count(all, c.want); c.want != "" && n > 1 && name == "gap" {
					t.Errorf("a note is given %d times: %q", n, all)
				}
				if c.want == "" && len(notes) > 0 || !strings.Contains(all, c.want) {
					t.Errorf("notes are %q, want %q", all, c.want)
				}
			}
		})
	}
}

// The stack must hold what the project says: heights, conductivities, heat transfer and watts.
func TestCarriedOver(t *testing.T) {
	r, err := importProject(project{"c.config": goodConfig + "-r_convec 0.2\n-s_sink 0.05\n-k_chip 130\n",
		"p.ptrace": "cache core\n1 3\n2 5\n"}, false)
	if err != nil {
		t.Fatal(err)
	}
	s := r.Stack
	if len(s.Layers) != 4 || s.Layers[0].Name != "silicon" || s.Layers[3].Thickness != 6.9e-3 {
		t.Fatalf("layers %+v", s.Layers)
	}
	if h := s.Boundary[1].H; math.Abs(h-2000) > 1e-9 || s.Boundary[1].Temperature != 318.15 {
		t.Errorf("h is %g W/(m2 K)", h)
	}
	p := s.Layers[0].Powers[0]
	if p.Blocks[0].Name != "core" || p.Blocks[0].Watts != 4 || p.Blocks[1].Watts != 1.5 {
		t.Errorf("blocks %+v; a steady state takes the means, 4 and 1.5 W", p.Blocks)
	}
	if s.Transient.Steps != 2 || s.Transient.Dt != 0.01 || s.Transient.Initial != 318.15 {
		t.Errorf("transient %+v", s.Transient)
	}
	// The die lies in the middle of the sink, in air.
	if s.Size[0] != 0.05 || p.Blocks[0].Rects[0].X != 0.017 || len(s.Layers[0].Regions) != 1 ||
		len(s.Layers[3].Regions) != 0 {
		t.Errorf("size %v, block at %v", s.Size, p.Blocks[0].Rects[0])
	}
	names := map[string]bool{}
	for _, d := range r.Deviations {
		names[d.Name] = true
	}
	for _, want := range []string{"rim-nodes", "face-node", "third-of-capacity", "cell-average"} {
		if !names[want] {
			t.Errorf("deviation %s is missing", want)
		}
	}
}

// A fault of a floorplan that several layers have is told once.
func TestSharedFloorplanFault(t *testing.T) {
	_, err := importProject(project{"f.flp": "core 8e-3 16e-3 0 0\nca\x00che 8e-3 16e-3 8e-3 0\n", "l.lcf": goodLcf},
		true)
	if err == nil || strings.Count(err.Error(), "f.flp:2:3") != 1 || strings.Count(err.Error(), "\n") > 0 {
		t.Errorf("%v", err)
	}
}
