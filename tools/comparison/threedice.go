package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"thermsim/interop/importer"
	"thermsim/interop/threedice"
)

// threeDICE has one folder per case with case.stk, the maps it wrote and, where they exist, the same maps with nine
// decimals in hp.
type threeDICE struct{}

func (threeDICE) title() string           { return "3D-ICE 4.0" }
func (threeDICE) folder() string          { return "3dice" }
func (threeDICE) format() importer.Format { return threedice.Format{} }

func (threeDICE) studies(folder string) (studies []study, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*", "case.stk"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	for _, f := range files {
		dir := filepath.Dir(f)
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		command := "steady"
		if strings.Contains(string(text), "transient step") {
			command = "transient"
		}
		s := study{
			name: filepath.Base(dir), what: threeDICEWhat(filepath.Base(dir)),
			request: importer.Request{Files: []string{f}},
			args:    []string{command, f, "--format", "3dice", "--decimals", "9", "--device", "cpu"},
			maps:    thermalMaps, own: dir, measured: readCost(filepath.Join(dir, "time.txt")),
		}
		if hp := filepath.Join(dir, "hp"); isFolder(hp) {
			s.own = hp
		}
		studies = append(studies, s)
	}
	return studies, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// thermalMaps reads every file of a folder that calls itself a thermal map: rows from the south, an empty line behind
// each instant.
func thermalMaps(folder string) (maps []peerMap, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		heading, rest, _ := strings.Cut(string(text), "\n")
		if !strings.HasPrefix(heading, "% Thermal map") {
			continue
		}
		m := peerMap{name: strings.TrimPrefix(strings.TrimSuffix(filepath.Base(f), ".txt"), "Tmap_")}
		if err := m.read(rest); err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		maps = append(maps, m)
	}
	return maps, nil
}

func (m *peerMap) read(text string) error {
	var values []float64
	rows := 0
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			if rows > 0 {
				m.ny = rows
				m.instants = append(m.instants, values)
			}
			values, rows = nil, 0
			continue
		}
		m.nx = len(fields)
		rows++
		for _, f := range fields {
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				return err
			}
			values = append(values, v)
		}
	}
	return nil
}

// threeDICEWhat says what a case is about.
func threeDICEWhat(name string) string {
	return map[string]string{
		"hb10_steady_64_h10000":       "Memory on logic, hybrid bonded: ten layers, a top sink of 10,000 W/(m2 K).",
		"hb10_aniso_steady_64_h10000": "The same stack with three of its materials anisotropic.",
		"hb10_transient_64_h10000": "The same stack through 50 steps of 1 ms, the power changing every ten; the " +
			"maps of the source layers at every step.",
		"layout_steady_64": "The same stack with a material layout in its hybrid bond.",
		"nonuniform_material_steady": "3D-ICE's example of its non-uniform mode: every floorplan element has cells " +
			"and a material of its own.",
		"mc2rm_steady":         "Liquid cooling through microchannels, the two-resistor model.",
		"mc4rm_steady":         "Liquid cooling through microchannels, the four-resistor model.",
		"pinfin_inline_steady": "Liquid cooling through pin fins in line.",
	}[name]
}
