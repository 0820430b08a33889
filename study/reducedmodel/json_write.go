package reducedmodel

import (
	"bytes"
	"encoding/json"
	"io"
)

// write puts a key on a line, and of lists of objects or rows one on a line, so that people can read what programs
// write.
func (j *modelJSON) write(w io.Writer) error {
	var o object
	o.value("format", j.Format)
	o.value("title", j.Title)
	o.value("equations", j.Equations)
	o.value("ambient_K", j.AmbientK)
	lines(&o, "inputs", j.Inputs)
	lines(&o, "outputs", j.Outputs)
	o.value("error", j.Error)
	o.value("origin", j.Origin)
	o.value("initial_K", j.Initial)
	o.value("tau_s", j.Tau)
	o.value("start_K", j.Start)
	lines(&o, "B_K_per_W", j.B)
	lines(&o, "L", j.L)
	if o.err != nil {
		return o.err
	}
	o.text.WriteString("\n}\n")
	_, err := w.Write(o.text.Bytes())
	return err
}

// object grows key by key, and keeps the first error.
type object struct {
	text bytes.Buffer
	err  error
}

func (o *object) key(name string) {
	sep := ",\n"
	if o.text.Len() == 0 {
		sep = "{\n"
	}
	o.text.WriteString(sep + "  \"" + name + "\": ")
}

func (o *object) value(name string, v any) {
	o.key(name)
	o.put(v)
}

func (o *object) put(v any) {
	b, err := json.Marshal(v)
	if err != nil && o.err == nil {
		o.err = err
	}
	o.text.Write(b)
}

func lines[T any](o *object, name string, list []T) {
	o.key(name)
	o.text.WriteString("[")
	for n, v := range list {
		if n > 0 {
			o.text.WriteString(",")
		}
		o.text.WriteString("\n    ")
		o.put(v)
	}
	o.text.WriteString("\n  ]")
}
