package report

import (
	"encoding/json"
	"io"
	"reflect"

	"thermsim/printable"
)

// WriteJSON writes a struct as indented JSON, fields in the order of the type. Numbers that are not finite become null.
func WriteJSON(w io.Writer, v any) error {
	b, err := json.MarshalIndent(finite(reflect.ValueOf(v)), "", "  ")
	if err != nil {
		return err
	}
	_, err = printable.Writer(w, false).Write(append(b, '\n'))
	return err
}
