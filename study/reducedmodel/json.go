package reducedmodel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// Format names files of models, and their version.
const Format = "thermsim reduced model 1"

// MaxBytes is the largest file of a model that is read.
const MaxBytes = 256 << 20

const equations = "tau_s dz/dt = -z + B P; T = rest_K + L z; z = start_K at time 0; P in W, T and z in K; inputs in " +
	"the order of the columns of B, outputs in that of the rows of L"

type modelJSON struct {
	Format    string       `json:"format"`
	Title     string       `json:"title"`
	Equations string       `json:"equations"`
	AmbientK  float64      `json:"ambient_K"`
	Inputs    []inputJSON  `json:"inputs"`
	Outputs   []outputJSON `json:"outputs"`
	Error     errorJSON    `json:"error"`
	Origin    originJSON   `json:"origin"`
	Tau       []float64    `json:"tau_s"`
	B         [][]float64  `json:"B_K_per_W"`
	L         [][]float64  `json:"L"`
	Initial   float64      `json:"initial_K"`
	Start     []float64    `json:"start_K"`
}

type inputJSON struct {
	Name  string  `json:"name"`
	Kind  string  `json:"kind"`
	Watts float64 `json:"watts_W"`
	Range float64 `json:"range_W"`
}

type outputJSON struct {
	Name  string  `json:"name"`
	Kind  string  `json:"kind"`
	Rest  float64 `json:"rest_K"`
	Input string  `json:"input,omitempty"`
}

type errorJSON struct {
	WantedK     float64   `json:"wanted_K"`
	EstimateK   float64   `json:"estimate_K"`
	FrequencyK  float64   `json:"held_out_K"`
	HeldOut     []float64 `json:"held_out_per_s"`
	Shifts      []float64 `json:"shifts_per_s"`
	BasisK      float64   `json:"basis_K"`
	ProjectionK float64   `json:"projection_K"`
	StepK       float64   `json:"order_step_K"`
	OrderK      float64   `json:"order_any_power_K"`
	BasisStates int       `json:"basis_states"`
	Solves      int       `json:"full_solves"`
}

type originJSON struct {
	StackSHA256 string `json:"stack_sha256"`
	Grid        [3]int `json:"grid"`
	Version     string `json:"thermsim_version"`
}

// WriteJSON writes a model. Numbers are read back as the same bits.
func (m *Model) WriteJSON(w io.Writer) error {
	e := &m.Error
	j := modelJSON{
		Format: Format, Title: m.Title, Equations: equations, AmbientK: m.Ambient, Tau: m.Tau, B: rows(m.B),
		L: rows(m.L), Initial: m.Initial, Start: m.start(), Inputs: []inputJSON{}, Outputs: []outputJSON{},
		Error: errorJSON{e.WantedK, e.EstimateK, e.FrequencyK, slices.Clone(e.HeldOut), slices.Clone(e.Shifts),
			e.BasisK, e.ProjectionK, e.StepK, e.OrderK, e.BasisStates, e.Solves},
		Origin: originJSON{m.Origin.StackSHA256, m.Origin.Grid, m.Origin.Version},
	}
	for _, in := range m.Inputs {
		j.Inputs = append(j.Inputs, inputJSON(in))
	}
	for _, o := range m.Outputs {
		out := outputJSON{Name: o.Name, Kind: o.Kind, Rest: o.Rest}
		if o.Of >= 0 {
			out.Input = m.Inputs[o.Of].Name
		}
		j.Outputs = append(j.Outputs, out)
	}
	return j.write(w)
}

func rows(m Matrix) [][]float64 {
	all := make([][]float64, m.Rows)
	for i := range all {
		all[i] = m.Row(i)
	}
	return all
}

// BytesPerTable is the least that an input or an output takes as it is written.
const BytesPerTable = 24

// ReadJSON reads what WriteJSON wrote, and checks it.
func ReadJSON(data []byte) (*Model, error) {
	var j modelJSON
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&j); err != nil {
		return nil, fmt.Errorf("%w: %w%s", ErrModel, err, lineOf(data, err))
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%w: something follows its end", ErrModel)
	}
	if j.Format != Format {
		return nil, fmt.Errorf("%w: its format is %.60q, not %q", ErrModel, j.Format, Format)
	}
	e := &j.Error
	m := &Model{
		Title: j.Title, Ambient: j.AmbientK, Tau: j.Tau, Initial: j.Initial, Start: j.Start,
		Origin: Origin{j.Origin.StackSHA256, j.Origin.Grid, j.Origin.Version},
		Error: Accuracy{WantedK: e.WantedK, EstimateK: e.EstimateK, FrequencyK: e.FrequencyK, HeldOut: e.HeldOut,
			Shifts: e.Shifts, BasisK: e.BasisK, ProjectionK: e.ProjectionK, StepK: e.StepK,
			OrderK: e.OrderK, BasisStates: e.BasisStates, Solves: e.Solves},
	}
	index := map[string]int{}
	for n, in := range j.Inputs {
		if _, twice := index[in.Name]; twice {
			return nil, fmt.Errorf("%w: two inputs are called %.60q", ErrModel, in.Name)
		}
		index[in.Name] = n
		m.Inputs = append(m.Inputs, Input(in))
	}
	for _, out := range j.Outputs {
		of := -1
		if out.Input != "" {
			n, known := index[out.Input]
			if !known {
				return nil, fmt.Errorf("%w: output %.60q is of %.60q, which is no input", ErrModel, out.Name, out.Input)
			}
			of = n
		}
		m.Outputs = append(m.Outputs, Output{out.Name, out.Kind, out.Rest, of})
	}
	var err error
	if m.B, err = matrixOf("B_K_per_W", j.B, len(m.Inputs)); err != nil {
		return nil, err
	}
	if m.L, err = matrixOf("L", j.L, len(m.Tau)); err != nil {
		return nil, err
	}
	return m, m.Check()
}

// matrixOf puts rows of one length together.
func matrixOf(name string, rows [][]float64, cols int) (Matrix, error) {
	m := Matrix{Rows: len(rows), Cols: cols}
	for i, r := range rows {
		if len(r) != cols {
			return m, fmt.Errorf("%w: row %d of %s has %d values in place of %d", ErrModel, i+1, name, len(r), cols)
		}
		m.Data = append(m.Data, r...)
	}
	return m, nil
}

// lineOf tells the line of an error in JSON.
func lineOf(data []byte, err error) string {
	offset := int64(-1)
	switch e := err.(type) {
	case *json.SyntaxError:
		offset = e.Offset
	case *json.UnmarshalTypeError:
		offset = e.Offset
	}
	if offset < 0 || offset > int64(len(data)) {
		return ""
	}
	return fmt.Sprintf(" (line %d)", 1+bytes.Count(data[:offset], []byte("\n")))
}
