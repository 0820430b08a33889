// Package display writes thermal resistances and step responses as tables, JSON, pictures and a page.
package display

import (
	"io"
	"strconv"

	"thermsim/report/tables"
	"thermsim/study/response"
)

// number has 12 significant digits: superposition needs more digits than a temperature.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 12, 64) }

// Resistances writes the matrix in K/W: a row for each output, a column for each input.
func Resistances(w io.Writer, x *response.Matrix) error {
	rows := [][]string{{"output", "kind"}}
	for _, in := range x.Inputs {
		rows[0] = append(rows[0], in.Name)
	}
	for o, row := range x.R {
		cells := []string{x.Outputs[o].Name, string(x.Outputs[o].Kind)}
		for _, k := range row {
			cells = append(cells, number(k))
		}
		rows = append(rows, cells)
	}
	return tables.WriteRows(w, rows)
}

// Steps writes a row for each time of each curve.
func Steps(w io.Writer, x *response.Steps) error {
	rows := [][]string{{"heated", "output", "kind", "time_s", "Zth_K_per_W"}}
	for _, c := range x.Curves {
		for n, z := range c.Z {
			rows = append(rows, []string{x.Inputs[c.From].Name, c.To.Name, string(c.To.Kind), number(x.Times[n]),
				number(z)})
		}
	}
	return tables.WriteRows(w, rows)
}

// Spectra writes the Foster network of every driving point.
func Spectra(w io.Writer, x *response.Steps, networks []Network) error {
	rows := [][]string{{"heated", "tau_s", "R_K_per_W", "C_J_per_K"}}
	for _, n := range networks {
		for k, r := range n.Foster.R {
			tau := n.Foster.Tau[k]
			rows = append(rows, []string{x.Inputs[n.Of].Name, number(tau), number(r), number(tau / r)})
		}
	}
	return tables.WriteRows(w, rows)
}

// Structures writes the Cauer network of every driving point, and the structure function with it.
func Structures(w io.Writer, x *response.Steps, networks []Network) error {
	rows := [][]string{{"heated", "R_K_per_W", "C_J_per_K", "R_sum_K_per_W", "C_sum_J_per_K", "K_W2s_per_K2"}}
	for _, n := range networks {
		for k := range n.Cauer.R {
			s := n.Structure
			rows = append(rows, []string{x.Inputs[n.Of].Name, number(n.Cauer.R[k]), number(n.Cauer.C[k]),
				number(s.R[k]), number(s.C[k]), number(s.K[k])})
		}
	}
	return tables.WriteRows(w, rows)
}
