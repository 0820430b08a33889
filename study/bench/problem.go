package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"thermsim/examples"
	"thermsim/gpusolve"
	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/sparse/graphs"
	"thermsim/gpusolve/sparse/matrixmarket"
	"thermsim/gpusolve/testing/cases"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

const (
	timeSteps = 50
	stopW     = 1e-6 // ||b - A x||2, the paper's rule
)

// set is a family of systems: one stack in several sizes.
type set struct {
	name     string
	about    string
	file     string  // stack file of package examples; "" for the layers of package cases
	layers   int     // cells along z
	cells    []int   // the same, of each layer of the file
	bulkUM   float64 // of both dies; 0: 10 and 200
	widthMM  float64
	h        float64 // W/(m2 K) on the top face
	powerW   float64
	timeStep float64 // s
	names    []string
	sides    []int // cells along x and y
}

// cuth are the systems whose unknowns, nonzeros and iterations are closest to those of the paper;
// docs/explanation/papers/cuth.md describes how they were found.
var cuth = set{
	name: "CUTh", about: "matched to the paper's unknowns, nonzeros and iterations",
	layers: 8, bulkUM: 100, widthMM: 25, h: 1e5, powerW: 40, timeStep: 0.01,
	names: []string{"CUTh1", "CUTh2", "CUTh3", "CUTh4", "CUTh5", "CUTh6", "CUTh7"},
	sides: []int{798, 1023, 1323, 1500, 1732, 1871, 2086},
}

// mol10 are the paper's ten layers, all with cells, at its numbers of unknowns. Die and powers are those of package
// cases, and h is that of the paper's first floorplan. The step is about 1/50 of the slowest time constant, 5.4 s,
// which is thermsim's default.
var mol10 = set{
	name: "MoL10", about: "all ten layers of the paper with cells",
	layers: 10, widthMM: 10, h: 1000, powerW: 4, timeStep: 0.1,
	names: []string{"MoL10-5M", "MoL10-8M", "MoL10-14M", "MoL10-18M", "MoL10-24M", "MoL10-28M", "MoL10-35M"},
	sides: []int{714, 917, 1183, 1342, 1549, 1673, 1871},
}

// tsv has lateral contrast, which the direct solver cannot take. The step is about 1/50 of the slowest time constant,
// 13 ms.
var tsv = set{
	name: "TSV", about: "examples/tsv-array/resolved.toml: 64 copper vias in oxide liners through silicon, 0.4 W; " +
		"h = 20,000 W/(m2 K) on top and 500 W/(m2 K) at the bottom; 1, 5, 1 and 5 cells in four layers; " +
		"steps of 0.25 ms",
	file: "tsv-array/resolved.toml", layers: 12, cells: []int{1, 5, 1, 5},
	widthMM: 1, h: 2e4, powerW: 0.4, timeStep: 0.25e-3,
	names: []string{"TSV-5M", "TSV-14M"},
	sides: []int{650, 1080},
}

// SystemSets are the names of the families, as for Options.Systems.
func SystemSets() (names []string) {
	for _, t := range sets() {
		names = append(names, t.name)
	}
	return names
}

func sets() []*set { return []*set{&cuth, &mol10, &tsv} }

// system is one matrix of the benchmark.
type system struct {
	name   string
	nx, ny int
	set    *set
	own    *mesh.Mesh // of Options.Mesh; nil for families
}

func (s system) cells() int   { return s.nx * s.ny * s.set.layers }
func (s system) grid() string { return fmt.Sprintf("%dx%dx%d", s.nx, s.ny, s.set.layers) }

// systems lists all systems.
func systems() []system {
	var all []system
	for _, t := range sets() {
		for i, name := range t.names {
			all = append(all, system{name: name, nx: t.sides[i], ny: t.sides[i], set: t})
		}
	}
	return all
}

// chooseSystems finds systems by name or family, or builds those of the given grids in each family.
func (b *Bench) chooseSystems() ([]system, error) {
	known := func(name string) func(system) bool {
		return func(s system) bool { return strings.EqualFold(s.name, name) || strings.EqualFold(s.set.name, name) }
	}
	all := systems()
	for _, name := range b.Systems {
		if !slices.ContainsFunc(all, known(name)) {
			var have []string
			for _, s := range all {
				have = append(have, s.name)
			}
			return nil, fmt.Errorf("%w: unknown system %q; expected one of %s, or a family: %s", gpusolve.ErrOption,
				name, strings.Join(have, ", "), strings.Join(SystemSets(), ", "))
		}
	}
	wanted := func(s system) bool {
		return len(b.Systems) == 0 || slices.ContainsFunc(b.Systems, func(name string) bool { return known(name)(s) })
	}
	if len(b.Grids) > 0 {
		return gridSystems(b.Grids, slices.DeleteFunc(all, func(s system) bool { return !wanted(s) })), nil
	}
	limit := b.limit()
	return slices.DeleteFunc(all, func(s system) bool {
		return !wanted(s) || s.cells() > limit || s.cells() < b.MinCells
	}), nil
}

// gridSystems are systems on the given grids.
func gridSystems(grids [][2]int, of []system) []system {
	chosen := []system{}
	for _, t := range sets() {
		if !slices.ContainsFunc(of, func(s system) bool { return s.set == t }) {
			continue
		}
		for _, g := range grids {
			name := fmt.Sprintf("%s-%dx%d", t.name, g[0], g[1])
			chosen = append(chosen, system{name: name, nx: g[0], ny: g[1], set: t})
		}
	}
	return chosen
}

// stack of the system.
func (s system) stack() (*stack.Stack, error) {
	if s.set.file != "" {
		on, err := loadExample(s.set.file, [2]int{s.nx, s.ny})
		if err != nil {
			return nil, err
		}
		for l, cells := range s.set.cells {
			on.Layers[l].Cells = cells
		}
		return on, nil
	}
	return cases.Stack10(cases.Options{NX: s.nx, NY: s.ny, H: s.set.h, Width: s.set.widthMM * 1e-3,
		Bulk: s.set.bulkUM * 1e-6, Layers: s.set.layers, Power: s.set.powerW}), nil
}

// loadExample reads an embedded stack file, on another grid.
func loadExample(path string, grid [2]int) (*stack.Stack, error) {
	text, err := examples.Open(path)
	if err != nil {
		return nil, err
	}
	s, err := stackfile.Parse(path, text, examples.Open)
	if err == nil {
		s.Grid = stack.Grid{X: stack.Axis{Cells: grid[0]}, Y: stack.Axis{Cells: grid[1]}}
	}
	return s, err
}

func (s system) mesh() (*mesh.Mesh, error) {
	if s.own != nil {
		return s.own, nil
	}
	on, err := s.stack()
	if err != nil {
		return nil, err
	}
	return built(on)
}

// built meshes the stack of a system. Errors are caused by the given grid.
func built(s *stack.Stack) (*mesh.Mesh, error) {
	m, err := mesh.Build(s)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", gpusolve.ErrOption, err)
	}
	return m, nil
}

// problem describes the stack of a family for a result.
func (t *set) problem() Problem {
	p := Problem{Name: t.name, About: t.about, DieMM: t.widthMM, HWm2K: t.h, PowerW: t.powerW, StepS: t.timeStep,
		Steps: timeSteps, StopW: stopW}
	s, err := system{nx: 2, ny: 2, set: t}.stack()
	if t.file != "" || err != nil {
		return p
	}
	for i := range s.Layers {
		l := &s.Layers[i]
		p.LayersUM = append(p.LayersUM, l.Thickness*1e6)
		p.ConductWmK = append(p.ConductWmK, s.Materials[l.Material].K[0])
		p.CapacityJm3K = append(p.CapacityJm3K, s.Materials[l.Material].C)
	}
	return p
}

// problems describes the measured families, or all if none is measured.
func (b *Bench) problems() []Problem {
	if b.Own != nil {
		return []Problem{b.Own.problem()}
	}
	var all []Problem
	for _, t := range sets() {
		if len(b.systems) == 0 || slices.ContainsFunc(b.systems, func(s system) bool { return s.set == t }) {
			all = append(all, t.problem())
		}
	}
	return all
}

// ExportedSystem is a system of a table for export to other programs.
type ExportedSystem struct {
	Table, Case, Grid string
	Name              string // prefix of its file names
	Rule              string // stopping criterion of the table
	Build             func() (a *matrix.Matrix, b []float64, err error)
}

// Files are the matrix and the right-hand side in the Matrix Market format.
func (s *ExportedSystem) Files() ([]staging.File, error) {
	m, b, err := s.Build()
	if err != nil {
		return nil, err
	}
	a := m.Rows
	if a == nil {
		a = m.Diagonals.CSR()
	}
	note := strings.TrimSpace(fmt.Sprintf("thermsim bench, table %s, %s %s", s.Table, s.Case, s.Grid)) +
		"\nsolve A x = b from x = 0 to " + s.Rule
	return []staging.File{
		{Name: s.Name + "-A.mtx", Write: func(w io.Writer) error { return matrixmarket.WriteMatrix(w, a, true, note) }},
		{Name: s.Name + "-b.mtx", Write: func(w io.Writer) error { return matrixmarket.WriteVector(w, b, note) }},
	}, nil
}

// Systems lists the systems of the tables steady and graphs that the options select. A device name with the prefix gpu
// selects the sizes for GPUs; the device is not opened.
func Systems(o Options) ([]ExportedSystem, error) {
	tables, err := chooseTables(o.Tables)
	if err != nil {
		return nil, err
	}
	b := &Bench{Options: o, kind: "cpu"}
	if strings.HasPrefix(o.Device, "gpu") {
		b.kind = "gpu"
	}
	if b.systems, err = b.chooseSystems(); err != nil {
		return nil, err
	}
	wanted := func(name string) bool {
		return slices.ContainsFunc(tables, func(t Table) bool { return t.Name == name })
	}
	var all []ExportedSystem
	if wanted("steady") {
		for _, s := range b.systems {
			all = append(all, ExportedSystem{"steady", s.name, s.grid(), "steady-" + s.grid(),
				fmt.Sprintf("||b - A x||2 <= %g W", stopW), func() (*matrix.Matrix, []float64, error) {
					m, err := s.mesh()
					if err != nil {
						return nil, nil, err
					}
					d, source, err := gpusolve.Export(m)
					if err != nil {
						return nil, nil, err
					}
					return &matrix.Matrix{Diagonals: d, Symmetric: true, Dominant: true}, source, nil
				}})
		}
	}
	if wanted("graphs") {
		for _, n := range b.networks() {
			rule := fmt.Sprintf("||b - A x||2 <= %g ||b||2", networkRTol)
			all = append(all, ExportedSystem{"graphs", n.name, "", "graphs-" + fileName(n.name), rule,
				func() (*matrix.Matrix, []float64, error) {
					a, err := n.build()
					if err != nil {
						return nil, nil, err
					}
					return a, graphs.Source(a.N(), networkSeed), nil
				}})
		}
	}
	return all, nil
}

// fileName replaces all characters except letters and digits.
func fileName(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r == '\'':
			return -1
		}
		return '-'
	}, strings.ToLower(name)), "-")
}
