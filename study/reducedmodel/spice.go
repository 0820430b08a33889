package reducedmodel

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Subcircuit is the name of the netlist's subcircuit.
const Subcircuit = "thermal"

// WriteSPICE writes the model as a subcircuit of linear elements that every SPICE knows. A volt stands for a kelvin, an
// ampere for a watt. The first pin is the ambient, to be held at its temperature in V. Then each input has a pin: the
// current into it is its power, and its voltage the mean temperature of what it heats. A pin for each of the other
// outputs follows.
//
// State m is the voltage of a node with tau_m farads and one ohm to ground, which currents B[m][i] times the power of
// input i feed. An output is the sum of L[o][m] z_m amperes in one ohm, copied between its pin and the ambient.
func (m *Model) WriteSPICE(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	pins := m.Pins()
	fmt.Fprintf(out, "* thermsim: reduced thermal model, %d states, %d inputs, %d outputs\n", m.States(), len(m.Inputs),
		len(m.Outputs))
	fmt.Fprintf(out, "* 1 V = 1 K, 1 A = 1 W, 1 F = 1 J/K. Pin amb: hold it at the ambient, %.10g V.\n", m.Ambient)
	fmt.Fprintf(out, "* Pins of inputs: current into them is power, their voltage the mean temperature of what "+
		"they heat.\n")
	for n, in := range m.Inputs {
		fmt.Fprintf(out, "*   %-12s %s\n", pins[n], plain(in.Name))
	}
	for n := len(m.Inputs); n < len(m.Outputs); n++ {
		fmt.Fprintf(out, "*   %-12s %s, temperature only\n", pins[n], plain(m.Outputs[n].Name))
	}
	fmt.Fprintf(out, ".subckt %s amb\n", Subcircuit)
	writePins(out, pins)
	for k, tau := range m.Tau {
		fmt.Fprintf(out, "C%d z%d 0 %.17g ic=%.17g\nR%d z%d 0 1\n", k+1, k+1, tau, m.start()[k], k+1, k+1)
		for i, b := range m.B.Row(k) {
			if b != 0 {
				fmt.Fprintf(out, "F%d_%d 0 z%d Vp%d %.17g\n", k+1, i+1, k+1, i+1, b)
			}
		}
	}
	for o, t := range m.Outputs {
		fmt.Fprintf(out, "Rt%d t%d 0 1\n", o+1, o+1)
		if rest := t.Rest - m.Ambient; rest != 0 {
			fmt.Fprintf(out, "It%d 0 t%d %.17g\n", o+1, o+1, rest)
		}
		for k, l := range m.L.Row(o) {
			if l != 0 {
				fmt.Fprintf(out, "G%d_%d 0 t%d z%d 0 %.17g\n", o+1, k+1, o+1, k+1, l)
			}
		}
		if o < len(m.Inputs) {
			fmt.Fprintf(out, "Vp%d %s s%d 0\nEp%d s%d amb t%d 0 1\n", o+1, pins[o], o+1, o+1, o+1, o+1)
		} else {
			fmt.Fprintf(out, "Ep%d %s amb t%d 0 1\n", o+1, pins[o], o+1)
		}
	}
	fmt.Fprintf(out, ".ends\n")
	return out.Flush()
}

// Pins are the names of the subcircuit's pins behind amb: letters, digits and underscores, each once.
func (m *Model) Pins() []string {
	seen := map[string]bool{"amb": true, "0": true}
	pins := make([]string, len(m.Outputs))
	for n, o := range m.Outputs {
		name := strings.Map(func(r rune) rune {
			switch {
			case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
				return r
			case r >= 'A' && r <= 'Z':
				return r - 'A' + 'a'
			}
			return '_'
		}, o.Name)
		unique := "n_" + name
		for k := 2; seen[unique]; k++ {
			unique = fmt.Sprintf("n_%s_%d", name, k)
		}
		seen[unique] = true
		pins[n] = unique
	}
	return pins
}

// writePins writes names on lines that continue the one before.
func writePins(w io.Writer, pins []string) {
	for from := 0; from < len(pins); from += 6 {
		fmt.Fprintf(w, "+ %s\n", strings.Join(pins[from:min(from+6, len(pins))], " "))
	}
}

// plain is a name that stays on its line.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 127 {
			return ' '
		}
		return r
	}, name)
}
