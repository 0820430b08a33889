// Package modelfiles writes reduced models for other programs: NumPy, SPICE, and tables of networks.
package modelfiles

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strconv"

	"thermsim/internal/printable"
	"thermsim/internal/staging"
	"thermsim/interop/ecxml"
	"thermsim/report/fieldfile"
	"thermsim/report/jsonfile"
	"thermsim/study/reducedmodel"
	"thermsim/study/reducedmodel/compact"
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

// OfFilms returns the files of a model with films, and its compact models, if it has any. size is that of the stack in
// m, for ECXML.
func OfFilms(p *reducedmodel.Parametric, size [3]float64) (models *compact.Models,
	files []staging.File, err error) {
	files = []staging.File{
		{Name: "model.json", Write: p.WriteJSON},
		{Name: "model.npz", Write: func(w io.Writer) error { return writeFilmsNPZ(w, p) }},
		{Name: "model.cir", Write: p.WriteSPICE},
		{Name: "model.mo", Write: p.WriteModelica},
	}
	models, ok, err := compact.Of(p)
	if err != nil || !ok {
		return nil, files, err
	}
	files = append(files,
		staging.File{Name: "compact.json", Write: func(w io.Writer) error { return jsonfile.Write(w, models) }},
		staging.File{Name: "compact.cir", Write: func(w io.Writer) error { return models.WriteSPICE(w, p) }},
		staging.File{Name: "compact.mo", Write: models.WriteModelica})
	if toCase, toBoard, ok := models.TwoResistor(); ok {
		two := ecxml.TwoResistor{Name: cmp.Or(p.Title, "package"), Size: size, Ambient: p.Ambient, ToCase: toCase,
			ToBoard: toBoard}
		for _, in := range p.Inputs {
			two.Watts += in.Watts
		}
		files = append(files, staging.File{Name: "two-resistor.ecxml", Write: two.Write})
	}
	return models, files, nil
}

// writeFilmsNPZ writes the matrices of (G + sum of h_f F_f) z + C dz/dt = B P, T = rest_K + L z.
func writeFilmsNPZ(w io.Writer, p *reducedmodel.Parametric) error {
	n, films := p.States(), len(p.Films)
	z := fieldfile.NewArrays(w)
	z.Doubles("G", p.G.Data, n, n)
	var all, area, h, from, to []float64
	var names []string
	for f, film := range p.Films {
		all = append(all, p.F[f].Data...)
		names, area, h = append(names, film.Name), append(area, film.Area), append(h, film.H)
		from, to = append(from, film.From), append(to, film.To)
	}
	z.Doubles("F", all, films, n, n)
	z.Doubles("C", p.C.Data, n, n)
	z.Doubles("B", p.B.Data, n, len(p.Inputs))
	z.Doubles("L", p.L.Data, len(p.Outputs), n)
	z.Doubles("surfaces", p.Surfaces.Data, films, n)
	z.Texts("films", names)
	z.Doubles("area_m2", area, films)
	z.Doubles("h_W_per_m2K", h, films)
	z.Doubles("from_W_per_m2K", from, films)
	z.Doubles("to_W_per_m2K", to, films)
	writePorts(z, p.Ambient, p.Inputs, p.Outputs)
	return z.Close()
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
	writePorts(z, m.Ambient, m.Inputs, m.Outputs)
	return z.Close()
}

// writePorts writes the inputs and outputs.
func writePorts(z *fieldfile.Arrays, ambient float64, in []reducedmodel.Input, out []reducedmodel.Output) {
	z.Doubles("ambient_K", []float64{ambient})
	var inputs, outputs []string
	var watts, ranges, rest []float64
	for _, i := range in {
		inputs, watts, ranges = append(inputs, i.Name), append(watts, i.Watts), append(ranges, i.Range)
	}
	for _, o := range out {
		outputs, rest = append(outputs, o.Name), append(rest, o.Rest)
	}
	z.Texts("inputs", inputs)
	z.Texts("outputs", outputs)
	z.Doubles("watts_W", watts, len(in))
	z.Doubles("range_W", ranges, len(in))
	z.Doubles("rest_K", rest, len(out))
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
