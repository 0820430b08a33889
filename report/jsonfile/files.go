// Package jsonfile writes structs as JSON, with null for numbers that are not finite.
package jsonfile

import (
	"bufio"
	"encoding/json"
	"io"
	"reflect"

	"thermsim/internal/printable"
)

// Write writes a struct as indented JSON, fields in the order of the type. Numbers that are not finite become null.
// Lists are written element by element: that of a million blocks, made as one text, takes ten times its size.
func Write(w io.Writer, v any) error {
	out := bufio.NewWriter(w)
	j := &jsonWriter{w: printable.Writer(out, false)}
	j.value(reflect.ValueOf(v), "\n")
	j.text("\n")
	if j.err != nil {
		return j.err
	}
	return out.Flush()
}

// jsonWriter writes texts until the first error.
type jsonWriter struct {
	w   io.Writer
	err error
}

func (j *jsonWriter) text(s string) {
	if j.err == nil {
		_, j.err = io.WriteString(j.w, s)
	}
}

var marshaler = reflect.TypeFor[json.Marshaler]()

// value writes a value; line is the end of a line and the indent of the next one.
func (j *jsonWriter) value(v reflect.Value, line string) {
	switch kind := v.Kind(); {
	case kind == reflect.Pointer && !v.IsNil():
		j.value(v.Elem(), line)
	case kind == reflect.Struct:
		j.members(v, line)
	case kind == reflect.Slice && v.Len() > 0 && v.Type().Elem().Kind() == reflect.Struct &&
		!v.Type().Implements(marshaler):
		j.list(v, line)
	default:
		j.whole(finite(v), line)
	}
}

// whole writes a value as encoding/json does.
func (j *jsonWriter) whole(v any, line string) {
	b, err := json.MarshalIndent(v, line[1:], "  ")
	if j.err == nil {
		j.err = err
	}
	j.text(string(b))
}

func (j *jsonWriter) list(v reflect.Value, line string) {
	sound := allFinite(v)
	j.text("[")
	for i := range v.Len() {
		if i > 0 {
			j.text(",")
		}
		j.text(line + "  ")
		if sound {
			j.whole(v.Index(i).Interface(), line+"  ")
		} else {
			j.whole(finite(v.Index(i)), line+"  ")
		}
	}
	j.text(line + "]")
}

func (j *jsonWriter) members(v reflect.Value, line string) {
	before := "{"
	for _, m := range jsonFields(v, nil) {
		name, err := json.Marshal(m.name)
		if j.err == nil {
			j.err = err
		}
		j.text(before + line + "  " + string(name) + ": ")
		j.value(m.value, line+"  ")
		before = ","
	}
	if before == "{" {
		j.text("{}")
		return
	}
	j.text(line + "}")
}
