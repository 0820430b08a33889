package main

import (
	"io"

	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/methods"
	"thermsim/mesh"
	"thermsim/mesh/plausibility"
	"thermsim/report/jsonfile"
	"thermsim/report/summary"
	"thermsim/study/autogrid"
)

// checkJSON is what check --json prints, in SI units.
type checkJSON struct {
	Schema   int                    `json:"schema"` // 1
	Command  string                 `json:"command"`
	Version  string                 `json:"version"`
	Stack    string                 `json:"stack"`
	Title    string                 `json:"title"`
	Warnings []plausibility.Warning `json:"warnings"`
	Size     [3]float64             `json:"size_m"`
	Grid     summary.Grid           `json:"grid"`
	Chosen   *chosenGridJSON        `json:"chosen_grid,omitempty"` // where the grid was
	Power    summary.Power          `json:"power"`
	Grounded bool                   `json:"steady_state"` // some face leads heat to a temperature
	Method   string                 `json:"method"`       // fourier where the stack is solved directly
	Why      string                 `json:"not_direct,omitempty"`
	Layers   []checkLayerJSON       `json:"layers"` // bottom to top
	Memory   checkMemoryJSON        `json:"memory"`
	Pictures []string               `json:"pictures"`
}

type checkLayerJSON struct {
	Name       string     `json:"name"`
	Material   string     `json:"material"`
	K          [3]float64 `json:"k_W_per_mK"`
	ThicknessM float64    `json:"thickness_m"`
	Cells      int        `json:"cells"`
	Requested  float64    `json:"requested_W"`
	Mapped     float64    `json:"mapped_W"`
}

// chosenGridJSON is why a grid is as it is.
type chosenGridJSON struct {
	Uniform  bool     `json:"uniform"`
	WantedK  float64  `json:"wanted_error_K"`
	LateralK *float64 `json:"lateral_error_K"` // estimated; null without a steady state, as the next
	HeightK  *float64 `json:"height_error_K"`
	Needed   float64  `json:"cells_needed,omitempty"` // for the wanted error, where that is more than are allowed
	Growth   float64  `json:"growth"`                 // largest ratio of neighbouring cells along x and y
	Reasons  []string `json:"reasons"`
	Doubt    string   `json:"doubt,omitempty"`
}

func chosenGrid(c *autogrid.Choice) *chosenGridJSON {
	if c == nil {
		return nil
	}
	out := &chosenGridJSON{Uniform: c.Uniform, WantedK: c.Wanted, Needed: c.Needed, Growth: c.Growth,
		Reasons: c.Reasons(), Doubt: c.Doubt()}
	if c.Piloted {
		out.LateralK, out.HeightK = &c.Lateral, &c.Height
	}
	return out
}

// checkMemoryJSON is the need of a run on the processor.
type checkMemoryJSON struct {
	Steady    int64 `json:"steady_bytes"`
	Transient int64 `json:"transient_bytes"`
}

func writeCheckJSON(w io.Writer, m *mesh.Mesh, choice *autogrid.Choice, found []plausibility.Warning,
	pictures []string) error {
	s := m.Stack
	need := func(inTime bool) int64 {
		return int64(memory.OfSystem(m, s.Solver.Preconditioner, inTime, false).Peak())
	}
	out := checkJSON{
		Schema: 1, Command: "check", Version: versionText(), Stack: s.File, Title: s.Title,
		Warnings: append([]plausibility.Warning{}, found...),
		Size:     [3]float64{s.Size[0], s.Size[1], s.Height()},
		Chosen:   chosenGrid(choice),
		Grid:     summary.Grid{NX: m.NX(), NY: m.NY(), NZ: m.NZ(), Cells: m.Cells()},
		Power: summary.Power{RequestedW: m.Power.Requested, MappedW: m.Power.Mapped,
			LeakageW: m.Stack.LeakageAt(m.Stack.Ambient)},
		Grounded: m.Grounded(), Memory: checkMemoryJSON{need(false), need(true)}, Pictures: pictures,
	}
	out.Method, out.Why = methods.Choice(m, s.Solver.Preconditioner)
	for l := range s.Layers {
		layer, planes := &s.Layers[l], m.LayerPlanes[l]
		material := &s.Materials[layer.Material]
		out.Layers = append(out.Layers, checkLayerJSON{Name: layer.Name, Material: material.Name, K: material.K,
			ThicknessM: layer.Thickness, Cells: planes[1] - planes[0]})
	}
	coverage := m.Power.Coverage()
	for i := range coverage {
		row := &out.Layers[m.Power.Layers[i].Layer]
		row.Requested, row.Mapped = coverage[i].Requested, coverage[i].Mapped
	}
	return jsonfile.Write(w, out)
}
