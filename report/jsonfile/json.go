package jsonfile

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"reflect"
	"strings"

	"thermsim/internal/printable"
)

// object is a JSON object that keeps the order of its members.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// allFinite reports whether encoding/json takes a value as it is.
func allFinite(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Float64:
		f := v.Float()
		return f-f == 0
	case reflect.Pointer:
		return v.IsNil() || allFinite(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if !allFinite(v.Field(i)) {
				return false
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if !allFinite(v.Index(i)) {
				return false
			}
		}
	}
	return true
}

// finite mirrors a value with null for NaN and infinities, which encoding/json refuses. A list without them stays as it
// is: that of a transient's steps is long, and its mirror ten times as large.
func finite(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil
		}
	case reflect.Pointer:
		if !v.IsNil() {
			return finite(v.Elem())
		}
	case reflect.Struct:
		return members(v, nil)
	case reflect.Slice, reflect.Array:
		if v.Len() > 0 && allFinite(v) {
			break
		}
		list := make([]any, v.Len())
		for i := range list {
			list[i] = finite(v.Index(i))
		}
		return list
	}
	return v.Interface()
}

// jsonField is a member that is not written yet.
type jsonField struct {
	name  string
	value reflect.Value
}

// jsonFields appends those of a struct; embedded structs give theirs to the outer one, as in encoding/json.
func jsonFields(v reflect.Value, all []jsonField) []jsonField {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			all = jsonFields(v.Field(i), all)
			continue
		}
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		if (option == "omitempty" || option == "omitzero") && v.Field(i).IsZero() {
			continue
		}
		all = append(all, jsonField{name, v.Field(i)})
	}
	return all
}

// members appends the fields of a struct with what stands for their values.
func members(v reflect.Value, o object) object {
	for _, f := range jsonFields(v, nil) {
		o = append(o, member{f.name, finite(f.value)})
	}
	return o
}

// WriteLine writes an object on one line, its first member event. Numbers that are not finite become null.
func WriteLine(w io.Writer, event string, v any) error {
	line, err := json.Marshal(members(reflect.ValueOf(v), object{{"event", event}}))
	if err != nil {
		return err
	}
	_, err = printable.Writer(w, false).Write(append(line, '\n'))
	return err
}
