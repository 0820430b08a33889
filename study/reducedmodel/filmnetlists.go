package reducedmodel

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Parameter is the name of a film in netlists and in Modelica.
func (f *Film) Parameter() string { return "h_" + identifier(f.Name) }

// conductance is the expression of an entry of G + sum of h_f F_f.
func (p *Parametric) conductance(r, c int) string {
	text := fmt.Sprintf("%.17g", p.G.At(r, c))
	for f := range p.Films {
		if v := p.F[f].At(r, c); v != 0 {
			text += fmt.Sprintf("+%s*(%.17g)", p.Films[f].Parameter(), v)
		}
	}
	return text
}

// WriteSPICE writes the model as a subcircuit whose parameters are the films. State m is the voltage of a node with a
// capacitance to ground. Controlled sources with the entries of G + sum of h_f F_f connect the states.
func (p *Parametric) WriteSPICE(w io.Writer) error {
	m := &Model{Ambient: p.Ambient, Inputs: p.Inputs, Outputs: p.Outputs, B: p.B, L: p.L}
	for k := range p.States() {
		m.Tau = append(m.Tau, p.C.At(k, k))
	}
	var parameters []string
	for f := range p.Films {
		parameters = append(parameters, fmt.Sprintf("%s=%.17g", p.Films[f].Parameter(), p.Films[f].H))
	}
	return m.writeSubcircuit(w, strings.Join(parameters, " "), func(out io.Writer, k int) {
		for c := range p.States() {
			fmt.Fprintf(out, "Gz%d_%d z%d 0 z%d 0 {%s}\n", k, c+1, k, c+1, p.conductance(k-1, c))
		}
	})
}

// WriteModelica writes the model as a Modelica class without dependencies: powers P in W, temperatures T in K, films as
// parameters.
func (p *Parametric) WriteModelica(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(out, "model Thermal %q\n", plain(p.Title))
	for f := range p.Films {
		fmt.Fprintf(out, "  parameter Real %s(unit = \"W/(m2.K)\", min = 0) = %.17g %q;\n", p.Films[f].Parameter(),
			p.Films[f].H, "heat-transfer coefficient, "+plain(p.Films[f].Name))
	}
	fmt.Fprintf(out, "  parameter Real T_ambient(unit = \"K\") = %.17g;\n", p.Ambient)
	for n, in := range p.Inputs {
		fmt.Fprintf(out, "  // P[%d]: %s\n", n+1, plain(in.Name))
	}
	fmt.Fprintf(out, "  input Real P[%d](each unit = \"W\");\n", len(p.Inputs))
	for n, o := range p.Outputs {
		fmt.Fprintf(out, "  // T[%d]: %s\n", n+1, plain(o.Name))
	}
	fmt.Fprintf(out, "  output Real T[%d](each unit = \"K\");\nprotected\n", len(p.Outputs))
	n := p.States()
	writeModelicaMatrix(out, "G", p.G)
	for f := range p.Films {
		writeModelicaMatrix(out, "F"+p.Films[f].Parameter()[1:], p.F[f])
	}
	writeModelicaMatrix(out, "B", p.B)
	writeModelicaMatrix(out, "L", p.L)
	fmt.Fprintf(out, "  constant Real C[%d] = {", n)
	for k := range n {
		fmt.Fprintf(out, "%s%.17g", [2]string{"", ", "}[min(k, 1)], p.C.At(k, k))
	}
	fmt.Fprintf(out, "};\n  Real z[%d](each start = 0, each fixed = true);\nequation\n  C .* der(z) = B * P - (G", n)
	for f := range p.Films {
		fmt.Fprintf(out, " + %s * F%s", p.Films[f].Parameter(), p.Films[f].Parameter()[1:])
	}
	fmt.Fprintf(out, ") * z;\n  T = fill(T_ambient, %d) + L * z;\nend Thermal;\n", len(p.Outputs))
	return out.Flush()
}

func writeModelicaMatrix(w io.Writer, name string, m Matrix) {
	fmt.Fprintf(w, "  constant Real %s[%d, %d] = {", name, m.Rows, m.Cols)
	for r := range m.Rows {
		fmt.Fprintf(w, "%s{", [2]string{"", ",\n    "}[min(r, 1)])
		for c, v := range m.Row(r) {
			fmt.Fprintf(w, "%s%.17g", [2]string{"", ", "}[min(c, 1)], v)
		}
		fmt.Fprint(w, "}")
	}
	fmt.Fprintln(w, "};")
}
