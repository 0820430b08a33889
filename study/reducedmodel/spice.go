package reducedmodel

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"thermsim/internal/printable"
)

// Subcircuit is the name of the netlist's subcircuit.
const Subcircuit = "thermal"

// WriteSPICE writes the model as a subcircuit of linear elements that every SPICE supports. A volt represents a kelvin,
// an ampere a watt. The first pin is the ambient, to be set to its temperature in V. Then each input has a pin: the
// current into it is its power, and its voltage the mean temperature of the heated area. A pin for each of the other
// outputs follows.
//
// State m is the voltage of a node with tau_m farads and one ohm to ground, fed by currents B[m][i] times the power of
// input i. An output is the sum of L[o][m] z_m amperes in one ohm, copied between its pin and the ambient.
func (m *Model) WriteSPICE(w io.Writer) error {
	return m.writeSubcircuit(w, "", func(out io.Writer, k int) { fmt.Fprintf(out, "R%d z%d 0 1\n", k, k) })
}

// writeSubcircuit writes the subcircuit with parameters, and the conductances of each state.
func (m *Model) writeSubcircuit(w io.Writer, parameters string, conduct func(out io.Writer, k int)) error {
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
	if parameters != "" {
		fmt.Fprintf(out, "+ params: %s\n", parameters)
	}
	for k, tau := range m.Tau {
		fmt.Fprintf(out, "C%d z%d 0 %.17g ic=%.17g\n", k+1, k+1, tau, m.start()[k])
		conduct(out, k+1)
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

// Pins are the unique names of the subcircuit's pins after amb: letters, digits and underscores.
func (m *Model) Pins() []string {
	seen := map[string]bool{"amb": true, "0": true}
	pins := make([]string, len(m.Outputs))
	for n, o := range m.Outputs {
		pins[n] = printable.Distinct("n_"+identifier(o.Name), func(name string) bool { return seen[name] })
		seen[pins[n]] = true
	}
	return pins
}

// identifier replaces all characters except letters, in lower case, and digits by underscores.
func identifier(name string) string { return strings.ToLower(printable.Word(name, "")) }

// writePins writes names on continuation lines.
func writePins(w io.Writer, pins []string) {
	for from := 0; from < len(pins); from += 6 {
		fmt.Fprintf(w, "+ %s\n", strings.Join(pins[from:min(from+6, len(pins))], " "))
	}
}

// plain is a name without line breaks.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 127 {
			return ' '
		}
		return r
	}, name)
}

// Deck is a simulation of the subcircuit with powers that are constant over fixed time steps.
type Deck struct {
	Netlist string      // file of the subcircuit.
	Table   string      // output file of ngspice: time and the temperatures of all outputs.
	Dt      float64     // s
	Watts   [][]float64 // by step and input
}

// WriteDeck writes a deck for `ngspice -b`, with a piecewise linear (PWL) source for each input. Powers change within
// 1e-5 of a step. Gear's method damps states that are
// faster than the steps, which would oscillate with the trapezoidal rule.
func (m *Model) WriteDeck(w io.Writer, d Deck) error {
	out := bufio.NewWriterSize(w, 1<<16)
	pins := m.Pins()
	start := ""
	if m.Start != nil {
		start = " uic" // from the capacitances' own
	}
	end := d.Dt * float64(len(d.Watts))
	fmt.Fprintf(out, "* thermsim: %d steps of %.10g s of the powers of the stack; run with: ngspice -b "+
		"FILE\n.include %s\n", len(d.Watts), d.Dt, d.Netlist)
	fmt.Fprintf(out, "Vamb amb 0 %.10g\nXthermal amb\n", m.Ambient)
	writePins(out, pins)
	fmt.Fprintf(out, "+ %s\n", Subcircuit)
	for i := range m.Inputs {
		fmt.Fprintf(out, "I%d 0 %s PWL(0 0\n", i+1, pins[i])
		last := 0.0
		for n := range d.Watts {
			watts := d.Watts[n][i]
			if watts == last {
				continue
			}
			t := float64(n) * d.Dt
			if n > 0 {
				fmt.Fprintf(out, "+ %.12g %.12g\n", t, last)
			}
			fmt.Fprintf(out, "+ %.12g %.12g\n", t+d.Dt/1e5, watts)
			last = watts
		}
		fmt.Fprintf(out, "+ %.12g %.12g)\n", 2*end, last)
	}
	fmt.Fprintf(out, "* Corners have the simulator stop at the end of every step.\nVclock clock 0 PWL(0 0\n")
	for n := range d.Watts {
		fmt.Fprintf(out, "+ %.12g %d\n", float64(n+1)*d.Dt, (n+1)%2)
	}
	fmt.Fprintf(out, "+)\nRclock clock 0 1\n.options method=gear maxord=2 reltol=1e-7 vntol=1e-8 abstol=1e-10 "+
		"chgtol=1e-12 trtol=1\n")
	fmt.Fprintf(out, ".control\nset wr_singlescale\nset wr_vecnames\noption numdgt=9\ntran %.12g %.12g 0 "+
		"%.12g%s\nwrdata %s", d.Dt/10, end, d.Dt/10, start, d.Table)
	for _, p := range pins {
		fmt.Fprintf(out, " v(%s)", p)
	}
	fmt.Fprintf(out, "\nquit\n.endc\n.end\n")
	return out.Flush()
}
