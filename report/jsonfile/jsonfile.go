// Package jsonfile writes structs as JSON, with null for numbers that are not finite, which encoding/json refuses.
package jsonfile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strings"

	"thermsim/internal/printable"
)

// Write writes a struct as indented JSON, fields in the order of the type. Numbers that are not finite become null.
// Lists are written element by element: that of a million blocks, made as one text, takes ten times its size.
func Write(w io.Writer, v any) error {
	out := bufio.NewWriter(w)
	j := &writer{w: printable.Writer(out, false)}
	j.value(reflect.ValueOf(v), "\n")
	j.text("\n")
	if j.err != nil {
		return j.err
	}
	return out.Flush()
}

// WriteLine writes an object on one line, its first member event. Numbers that are not finite become null.
func WriteLine(w io.Writer, event string, v any) error {
	var line bytes.Buffer
	j := &writer{w: &line, compact: true}
	j.text(`{"event":`)
	j.whole(event, "")
	j.members(reflect.ValueOf(v), "", ",")
	j.text("}\n")
	if j.err != nil {
		return j.err
	}
	_, err := printable.Writer(w, false).Write(line.Bytes())
	return err
}

// writer writes texts until the first error.
type writer struct {
	w       io.Writer
	compact bool // on one line
	err     error
}

func (j *writer) text(s string) {
	if j.err == nil {
		_, j.err = io.WriteString(j.w, s)
	}
}

var marshaler = reflect.TypeFor[json.Marshaler]()

// value writes a value; line is the end of a line and the indent of the next one.
func (j *writer) value(v reflect.Value, line string) {
	kind := v.Kind()
	list := kind == reflect.Slice || kind == reflect.Array
	switch {
	case kind == reflect.Pointer && !v.IsNil():
		j.value(v.Elem(), line)
	case kind == reflect.Struct:
		j.text("{")
		if j.members(v, line, "") {
			j.text(line)
		}
		j.text("}")
	case list && v.Len() == 0:
		j.text("[]")
	case list && (v.Type().Elem().Kind() == reflect.Struct && !v.Type().Implements(marshaler) || !finite(v)):
		j.list(v, line)
	case kind == reflect.Float64 && !finite(v):
		j.text("null")
	default:
		j.whole(v.Interface(), line)
	}
}

// whole writes a value as encoding/json does.
func (j *writer) whole(v any, line string) {
	marshal := json.Marshal
	if !j.compact {
		marshal = func(v any) ([]byte, error) { return json.MarshalIndent(v, line[1:], "  ") }
	}
	b, err := marshal(v)
	if j.err == nil {
		j.err = err
	}
	j.text(string(b))
}

func (j *writer) inner(line string) string {
	if j.compact {
		return ""
	}
	return line + "  "
}

func (j *writer) list(v reflect.Value, line string) {
	sound := finite(v)
	between := "["
	for i := range v.Len() {
		j.text(between + j.inner(line))
		if sound {
			j.whole(v.Index(i).Interface(), j.inner(line))
		} else {
			j.value(v.Index(i), j.inner(line))
		}
		between = ","
	}
	j.text(line + "]")
}

// members writes those of a struct, each after what stands between it and the one before, and says whether there were
// any. Embedded structs give theirs to the outer one, as in encoding/json.
func (j *writer) members(v reflect.Value, line, between string) bool {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			if j.members(v.Field(i), line, between) {
				between = ","
			}
			continue
		}
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || (option == "omitempty" || option == "omitzero") && v.Field(i).IsZero() {
			continue
		}
		j.text(between + j.inner(line))
		j.whole(name, "\n")
		if j.text(":"); !j.compact {
			j.text(" ")
		}
		j.value(v.Field(i), j.inner(line))
		between = ","
	}
	return between == ","
}

// finite says whether encoding/json takes a value as it is.
func finite(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Float64:
		f := v.Float()
		return f-f == 0
	case reflect.Pointer:
		return v.IsNil() || finite(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if !finite(v.Field(i)) {
				return false
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if !finite(v.Index(i)) {
				return false
			}
		}
	}
	return true
}
