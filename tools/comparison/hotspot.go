package main

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"thermsim/interop/hotspot"
	"thermsim/interop/importer"
)

// hotSpot has one folder per case with the inputs, and what HotSpot wrote with nine decimals in out_hp.
type hotSpot struct{}

func (hotSpot) title() string           { return "HotSpot 7.0" }
func (hotSpot) folder() string          { return "hotspot" }
func (hotSpot) format() importer.Format { return hotspot.Format{} }

// hotSpotRun is one run of a case.
type hotSpotRun struct {
	dir, suffix, config string
	what                string
	options             []string // pairs of name and value
	transient           bool
	result              string // in out_hp
}

func hotSpotRuns() []hotSpotRun {
	cells := func(n string, more ...string) []string {
		return append([]string{"grid_rows", n, "grid_cols", n}, more...)
	}
	eqstack := []string{"ptrace", "power.ptrace", "detailed_3D", "on"}
	ev6 := []string{"ptrace", "gcc_avg.ptrace", "flp", "ev6.flp"}
	dies := []string{"ptrace", "power.ptrace", "grid_layer_file", "stack.lcf", "detailed_3D", "off"}
	vias := []string{"ptrace", "power.ptrace", "grid_layer_file", "stack.lcf", "detailed_3D", "on"}
	return []hotSpotRun{ // dir, suffix, configuration, what it is, options, transient, result
		{"eqstack_hom_fv", "64", "stack.config", "Five homogeneous layers under a lid, 31.5 W in two of them; " +
			"spreader and sink are films as large as the die. The case is made so that HotSpot's extra half of the " +
			"convection resistance gives the right answer; thermsim's own way, which takes r_convec at its word, " +
			"then has a better sink.", cells("64", eqstack...), false, "grid_64.grid.steady"},
		{"eqstack_hom_fv", "128", "stack.config", "The same on the finer grid.", cells("128", eqstack...), false,
			"grid_128.grid.steady"},
		{"eqstack_hom_fv", "transient", "stack.config", "The same in time: 20 steps of 1 ms from 300 K, every cell " +
			"at every step.", cells("64", "ptrace", "step20.ptrace", "detailed_3D", "on"), true,
			"step_64.grid.ttrace.gz"},
		{"ev6_2d_default", "64", "ev6.config", "The Alpha EV6 floorplan, 40.2 W, on the package of HotSpot's " +
			"first example.", cells("64", ev6...), false, "grid_64.grid.steady"},
		{"ev6_2d_default", "128", "ev6.config", "The same on the finer grid.", cells("128", ev6...), false,
			"grid_128.grid.steady"},
		{"ev6_2d_default", "transient", "ev6.config", "The same through a trace of 100 steps of 10 ms; block " +
			"temperatures at every step.", cells("64", "ptrace", "gcc.ptrace", "flp", "ev6.flp"), true,
			"grid_64_BE.ttrace"},
		{"ev6_3d_lcf_off", "64", "ev6_3d.config", "Two active dies over each other after HotSpot's third example, " +
			"109 W, without detailed_3D.", cells("64", dies...), false, "grid_64.grid.steady"},
		{"ev6_3d_lcf_off", "128", "ev6_3d.config", "The same on the finer grid.", cells("128", dies...), false,
			"grid_128.grid.steady"},
		{"ev6_3d_tsv", "64", "ev6_3d.config", "HotSpot's fourth example: three dies with vias in the bonds between " +
			"them, 146 W, with detailed_3D. Its floorplans leave narrow gaps.", cells("64", vias...), false,
			"grid_64.grid.steady"},
		{"ev6_3d_tsv", "128", "ev6_3d.config", "The same on the finer grid.", cells("128", vias...), false,
			"grid_128.grid.steady"},
	}
}

func (hotSpot) studies(folder string) (studies []study, err error) {
	for _, r := range hotSpotRuns() {
		dir := filepath.Join(folder, r.dir)
		if !isFolder(dir) {
			continue
		}
		command := "steady"
		if r.transient {
			command = "transient"
		}
		main := filepath.Join(dir, r.config)
		s := study{
			name: r.dir + "_" + r.suffix, what: r.what,
			request:  importer.Request{Files: []string{main}, Named: map[string]string{}},
			args:     []string{command, main, "--format", "hotspot", "--decimals", "9", "--device", "cpu"},
			own:      filepath.Join(dir, "out_hp"),
			measured: readCost(filepath.Join(dir, "time_"+r.suffix+".txt")),
		}
		for i := 0; i < len(r.options); i += 2 {
			name, value := r.options[i], r.options[i+1]
			if path := filepath.Join(dir, value); fileExists(path) {
				value = path
			}
			s.request.Named[name] = value
			s.args = append(s.args, "--"+name, value)
		}
		// thermsim names files after the configuration.
		ours := strings.TrimSuffix(r.config, ".config") + kindOf(r.result)
		s.maps = func(folder string) ([]peerMap, error) {
			path := filepath.Join(folder, r.result)
			if !fileExists(path) {
				path = filepath.Join(folder, ours)
			}
			return hotSpotMaps(path)
		}
		studies = append(studies, s)
	}
	return studies, nil
}

// kindOf is what a result's name ends with: .grid.steady, .grid.ttrace or .ttrace.
func kindOf(name string) string {
	name = strings.TrimSuffix(name, ".gz")
	for _, kind := range []string{".grid.steady", ".grid.ttrace", ".ttrace"} {
		if strings.HasSuffix(name, kind) {
			return kind
		}
	}
	return filepath.Ext(name)
}

func fileExists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// hotSpotMaps reads the temperatures of cells, layer by layer and instant by instant, or those of blocks.
func hotSpotMaps(path string) ([]peerMap, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, err
		}
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	if kindOf(path) == ".ttrace" {
		return hotSpotBlocks(lines)
	}
	var maps []peerMap
	layer, values := -1, []float64(nil)
	flush := func() {
		if layer < 0 || values == nil {
			return
		}
		for len(maps) <= layer {
			maps = append(maps, peerMap{name: fmt.Sprintf("layer %d", len(maps))})
		}
		side := 1
		for side*side < len(values) {
			side++
		}
		m := &maps[layer]
		m.nx, m.ny = side, side
		m.instants = append(m.instants, southFirst(values, side))
		values = nil
	}
	for lines.Scan() {
		text := lines.Text()
		if name, ok := strings.CutPrefix(text, "Layer "); ok {
			flush()
			if layer, err = strconv.Atoi(strings.TrimSuffix(name, ":")); err != nil {
				return nil, err
			}
			values = []float64{}
			continue
		}
		if _, value, ok := strings.Cut(text, "\t"); ok {
			v, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
	}
	flush()
	return maps, lines.Err()
}

// southFirst turns HotSpot's rows, which begin in the north.
func southFirst(values []float64, nx int) []float64 {
	turned := make([]float64, 0, len(values))
	for row := len(values)/nx - 1; row >= 0; row-- {
		turned = append(turned, values[row*nx:(row+1)*nx]...)
	}
	return turned
}

// hotSpotBlocks reads a table of blocks, a line an instant.
func hotSpotBlocks(lines *bufio.Scanner) ([]peerMap, error) {
	m := peerMap{name: "blocks", ny: 1}
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if m.nx == 0 {
			m.nx = len(fields)
			continue
		}
		values := make([]float64, len(fields))
		for i, f := range fields {
			var err error
			if values[i], err = strconv.ParseFloat(f, 64); err != nil {
				return nil, err
			}
		}
		m.instants = append(m.instants, values)
	}
	return []peerMap{m}, lines.Err()
}
