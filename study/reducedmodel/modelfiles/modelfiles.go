// Package modelfiles writes reduced models for other programs: NumPy, SPICE, and tables of networks.
package modelfiles

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"thermsim/internal/printable"
	"thermsim/internal/staging"
	"thermsim/report/fieldfile"
	"thermsim/study/reducedmodel"
)

// onePortPart is the tolerance of the network of a single input, as a fraction of the model's wanted error.
const onePortPart = 0.1

// Of returns the files of a model in all formats, with a SPICE run of steps dt in s at given powers, and the networks
// of the inputs that have them.
func Of(m *reducedmodel.Model, dt float64, watts [][]float64) (ports []*reducedmodel.OnePort, files []staging.File,
	err error) {
	for i := range m.Inputs {
		if _, ok := m.DrivingPoint(i); !ok {
			continue
		}
		p, err := m.OnePort(i, onePortPart*m.Error.WantedK)
		if err != nil {
			return nil, nil, err
		}
		ports = append(ports, p)
	}
	run := reducedmodel.Deck{Netlist: "model.cir", Table: "run.txt", Dt: dt, Watts: watts}
	return ports, []staging.File{
		{Name: "model.json", Write: m.WriteJSON},
		{Name: "model.npz", Write: func(w io.Writer) error { return writeModelNPZ(w, m) }},
		{Name: "model.cir", Write: m.WriteSPICE},
		{Name: "run.cir", Write: func(w io.Writer) error { return m.WriteDeck(w, run) }},
		{Name: "foster.csv", Write: func(w io.Writer) error { return writeFoster(w, ports) }},
		{Name: "cauer.csv", Write: func(w io.Writer) error { return writeCauer(w, ports) }},
	}, nil
}

// writeModelNPZ writes the state space dx/dt = A x + B P, T = rest_K + C x, as for SciPy, with D = 0.
func writeModelNPZ(w io.Writer, m *reducedmodel.Model) error {
	n, in, out := m.States(), len(m.Inputs), len(m.Outputs)
	a, b := make([]float64, n*n), make([]float64, n*in)
	for k, tau := range m.Tau {
		a[k*n+k] = -1 / tau
		for i, v := range m.B.Row(k) {
			b[k*in+i] = v / tau
		}
	}
	z := fieldfile.NewArrays(w)
	z.Doubles("A", a, n, n)
	z.Doubles("B", b, n, in)
	z.Doubles("C", m.L.Data, out, n)
	z.Doubles("D", make([]float64, out*in), out, in)
	z.Doubles("tau_s", m.Tau, n)
	start := make([]float64, n)
	copy(start, m.Start) // nil: the state without power
	z.Doubles("start", start, n)
	z.Doubles("steady_K_per_W", m.Transfer(0).Data, out, in)
	z.Doubles("ambient_K", []float64{m.Ambient})
	var inputs, outputs []string
	var watts, ranges, rest []float64
	for _, i := range m.Inputs {
		inputs, watts, ranges = append(inputs, i.Name), append(watts, i.Watts), append(ranges, i.Range)
	}
	for _, o := range m.Outputs {
		outputs, rest = append(outputs, o.Name), append(rest, o.Rest)
	}
	z.Texts("inputs", inputs)
	z.Texts("outputs", outputs)
	z.Doubles("watts_W", watts, in)
	z.Doubles("range_W", ranges, in)
	z.Doubles("rest_K", rest, out)
	return z.Close()
}

// writeFoster writes the Foster networks of the inputs, one section per line.
func writeFoster(w io.Writer, ports []*reducedmodel.OnePort) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "input,section,R_K_per_W,tau_s,C_J_per_K")
	for _, p := range ports {
		for k, r := range p.Foster.R {
			fmt.Fprintf(out, "%s,%d,%s,%s,%s\n", printable.Field(p.Input), k+1, digits10(r), digits10(p.Foster.Tau[k]),
				digits10(p.Foster.Tau[k]/r))
		}
	}
	return out.Flush()
}

// writeCauer writes the Cauer networks of the inputs, one section per line, beginning at the input.
func writeCauer(w io.Writer, ports []*reducedmodel.OnePort) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "input,section,C_J_per_K,R_K_per_W")
	for _, p := range ports {
		for k, r := range p.Cauer.R {
			fmt.Fprintf(out, "%s,%d,%s,%s\n", printable.Field(p.Input), k+1, digits10(p.Cauer.C[k]), digits10(r))
		}
	}
	return out.Flush()
}

func digits10(v float64) string { return strconv.FormatFloat(v, 'g', 10, 64) }
