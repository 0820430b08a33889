package compact

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"thermsim/internal/printable"
	"thermsim/study/reducedmodel"
)

// Open are the films that a network does not connect.
func (m *Models) Open(n *Network) (films []string) {
	for _, f := range m.Films {
		if !slices.ContainsFunc(n.Resistors, func(r Resistor) bool { return r.From == f || r.To == f }) {
			films = append(films, f)
		}
	}
	return films
}

// node is the name of a node in netlists and in Modelica.
func node(name string) string { return printable.Word(name, "") }

// WriteSPICE writes the networks as subcircuits: the junction, then the surfaces of the films. Connect each surface to
// the ambient by a resistor 1/(h A).
func (m *Models) WriteSPICE(w io.Writer, p *reducedmodel.Parametric) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "* thermsim: compact thermal models; 1 V = 1 K, 1 A = 1 W; junction: %s\n",
		strings.ReplaceAll(m.Junction, "\n", " "))
	for _, f := range p.Films {
		fmt.Fprintf(out, "* node %s: connect it to the ambient by 1/(h A) with A = %.6g m2\n", node(f.Name), f.Area)
	}
	for _, n := range m.Networks {
		fmt.Fprintf(out, ".subckt %s junction", node(n.Name))
		for _, f := range m.Films {
			fmt.Fprintf(out, " %s", node(f))
		}
		fmt.Fprintln(out)
		for k, r := range n.Resistors {
			fmt.Fprintf(out, "R%d %s %s %.10g\n", k+1, node(r.From), node(r.To), r.KPerW)
		}
		fmt.Fprintln(out, ".ends")
	}
	return out.Flush()
}

// WriteModelica writes the networks as a package of models with heat ports of the Modelica Standard Library.
func (m *Models) WriteModelica(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "package Compact \"compact thermal models\"")
	for _, n := range m.Networks {
		fmt.Fprintf(out, "  model %s\n", node(n.Name))
		for _, name := range append([]string{"junction"}, m.Films...) {
			fmt.Fprintf(out, "    Modelica.Thermal.HeatTransfer.Interfaces.HeatPort_a %s;\n", node(name))
		}
		for k, r := range n.Resistors {
			fmt.Fprintf(out, "    Modelica.Thermal.HeatTransfer.Components.ThermalResistor r%d(R = %.10g);\n", k+1,
				r.KPerW)
		}
		fmt.Fprintln(out, "  equation")
		for k, r := range n.Resistors {
			fmt.Fprintf(out, "    connect(%s, r%d.port_a);\n    connect(r%d.port_b, %s);\n", node(r.From), k+1, k+1,
				node(r.To))
		}
		fmt.Fprintf(out, "  end %s;\n", node(n.Name))
	}
	fmt.Fprintln(out, "end Compact;")
	return out.Flush()
}

// TwoResistor are the resistances of the two-resistor model; ok is false if there is none.
func (m *Models) TwoResistor() (toCase, toBoard float64, ok bool) {
	for _, n := range m.Networks {
		if n.Name != "two-resistor" {
			continue
		}
		for _, r := range n.Resistors {
			switch r.To {
			case "top":
				toCase = r.KPerW
			case "bottom":
				toBoard = r.KPerW
			}
		}
	}
	return toCase, toBoard, toCase > 0 && toBoard > 0
}
