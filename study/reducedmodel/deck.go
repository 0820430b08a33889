package reducedmodel

import (
	"bufio"
	"fmt"
	"io"
)

// Deck is a simulation of the subcircuit under powers that are constant over steps of one length.
type Deck struct {
	Netlist string      // file of the subcircuit
	Table   string      // file that ngspice writes: time and the temperatures of all outputs
	Dt      float64     // s
	Watts   [][]float64 // by step and input
}

// WriteDeck writes a deck for `ngspice -b`. Powers change within 1e-5 of a step. Gear's method damps the states that
// are faster than the steps, which the trapezoidal rule would let ring.
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
