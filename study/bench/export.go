package bench

import (
	"fmt"
	"slices"
	"strings"

	"thermsim/gpusolve"
	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/sparse/graphs"
)

// ExportedSystem is a system of a table, for other programs to solve.
type ExportedSystem struct {
	Table, Case, Grid string
	Name              string // of its files, without what follows for matrix and right side
	Rule              string // where the table's solves stop
	Build             func() (a *matrix.Matrix, b []float64, err error)
}

// Systems lists those of the tables steady and graphs as the options choose them. A device whose name begins with gpu
// stands for the sizes that GPUs are measured with; it is not opened.
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

// fileName keeps letters and digits.
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
