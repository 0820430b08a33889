package reducedmodel

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
)

// equations explain the numbers of a model file.
const equations = "tau_s dz/dt = -z + B P; T = rest_K + L z; z = start_K at time 0; P in W, T and z in K; inputs in " +
	"the order of the columns of B, outputs in that of the rows of L"

// Format identifies model files and their version.
const Format = "thermsim reduced model 1"

// modelFile is the content of a model file.
type modelFile struct {
	Format    string      `json:"format"`
	Title     string      `json:"title"`
	Equations string      `json:"equations"`
	Ambient   float64     `json:"ambient_K"`
	Inputs    []Input     `json:"inputs"`
	Outputs   []namedOf   `json:"outputs"`
	Error     Accuracy    `json:"error"`
	Origin    Origin      `json:"origin"`
	Initial   float64     `json:"initial_K"`
	Tau       []float64   `json:"tau_s"`
	Start     []float64   `json:"start_K"`
	B         [][]float64 `json:"B_K_per_W"`
	L         [][]float64 `json:"L"`
}

// namedOf is an output with the name of its input in place of the number.
type namedOf struct {
	Output
	Input string `json:"input,omitempty"`
}

// WriteJSON writes a model. Numbers are read back bit for bit.
func (m *Model) WriteJSON(w io.Writer) error {
	f := modelFile{Format, m.Title, equations, m.Ambient, m.Inputs, named(m.Inputs, m.Outputs), m.Error, m.Origin,
		m.Initial, m.Tau, m.start(), rows(m.B), rows(m.L)}
	return writeLines(w, f)
}

// writeLines writes a struct with one key, or one item of a list of objects or rows, per line.
func writeLines(w io.Writer, f any) error {
	var text bytes.Buffer
	var failed error
	put := func(before string, v any) {
		b, err := json.Marshal(v)
		failed = cmp.Or(failed, err)
		text.WriteString(before + string(b))
	}
	fields := reflect.ValueOf(f)
	for n, field := range reflect.VisibleFields(fields.Type()) {
		key, v := field.Tag.Get("json"), fields.FieldByIndex(field.Index)
		if key == "" || key == "-" {
			continue
		}
		begin := ",\n  \"" + key + "\": "
		if n == 0 {
			begin = "{" + begin[1:]
		}
		if v.Kind() != reflect.Slice || v.Type().Elem().Kind() == reflect.Float64 {
			put(begin, v.Interface())
			continue
		}
		text.WriteString(begin)
		begin = "["
		for i := range v.Len() {
			put(begin+"\n    ", v.Index(i).Interface())
			begin = ","
		}
		text.WriteString("\n  ]")
	}
	if failed != nil {
		return failed
	}
	text.WriteString("\n}\n")
	_, err := w.Write(text.Bytes())
	return err
}

func rows(m Matrix) [][]float64 {
	all := make([][]float64, m.Rows)
	for i := range all {
		all[i] = m.Row(i)
	}
	return all
}

// BytesPerTable is the minimum size of an input or an output in a file.
const BytesPerTable = 24

// named are outputs with the names of their inputs.
func named(inputs []Input, outputs []Output) (all []namedOf) {
	for _, o := range outputs {
		out := namedOf{Output: o}
		if o.Of >= 0 {
			out.Input = inputs[o.Of].Name
		}
		all = append(all, out)
	}
	return all
}

// ReadJSON reads the output of WriteJSON, and checks it.
func ReadJSON(data []byte) (*Model, error) {
	var j modelFile
	if err := decode(data, &j); err != nil {
		return nil, err
	}
	if j.Format != Format {
		return nil, fmt.Errorf("%w: got format %.60q; expected %q", ErrModel, j.Format, Format)
	}
	m := &Model{Title: j.Title, Ambient: j.Ambient, Inputs: j.Inputs, Tau: j.Tau, Initial: j.Initial, Start: j.Start,
		Origin: j.Origin, Error: j.Error}
	var err error
	if m.Outputs, err = outputsOf(j.Inputs, j.Outputs); err != nil {
		return nil, err
	}
	if m.B, err = matrixOf("B_K_per_W", j.B, len(m.Inputs)); err != nil {
		return nil, err
	}
	if m.L, err = matrixOf("L", j.L, len(m.Tau)); err != nil {
		return nil, err
	}
	return m, m.Check()
}

// decode reads JSON with known keys only.
func decode(data []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return fmt.Errorf("%w: %w%s", ErrModel, err, lineOf(data, err))
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("%w: unexpected data after the end", ErrModel)
	}
	return nil
}

// outputsOf are outputs with the indices of their inputs.
func outputsOf(inputs []Input, outputs []namedOf) (all []Output, err error) {
	index := map[string]int{}
	for n, in := range inputs {
		if _, twice := index[in.Name]; twice {
			return nil, fmt.Errorf("%w: two inputs have the name %.60q", ErrModel, in.Name)
		}
		index[in.Name] = n
	}
	for _, out := range outputs {
		out.Of = -1
		if out.Input != "" {
			n, known := index[out.Input]
			if !known {
				return nil, fmt.Errorf("%w: output %.60q refers to %.60q, which is not an input", ErrModel, out.Name,
					out.Input)
			}
			out.Of = n
		}
		all = append(all, out.Output)
	}
	return all, nil
}

// matrixOf combines rows of equal length.
func matrixOf(name string, rows [][]float64, cols int) (Matrix, error) {
	m := Matrix{Rows: len(rows), Cols: cols}
	for i, r := range rows {
		if len(r) != cols {
			return m, fmt.Errorf("%w: row %d of %s: got %d values; expected %d", ErrModel, i+1, name, len(r), cols)
		}
		m.Data = append(m.Data, r...)
	}
	return m, nil
}

// lineOf returns the line of an error in JSON.
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
