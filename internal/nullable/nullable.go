// Package nullable encodes numbers that may be unknown: NaN and infinities, which JSON cannot represent, become null,
// and null is read as NaN.
package nullable

import (
	"encoding/json"
	"math"
	"reflect"
)

// Number is a float64 that may be unknown.
type Number float64

// Known reports whether the number is finite.
func (n Number) Known() bool { return !math.IsNaN(float64(n)) && !math.IsInf(float64(n), 0) }

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.Known() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *Number) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(data, (*float64)(n))
}

// Marshal encodes a struct without tags and embedded fields, its fields of type float64 as Numbers.
func Marshal(v any) ([]byte, error) {
	s := reflect.ValueOf(v)
	all := make(map[string]any, s.NumField())
	for i := range s.NumField() {
		all[s.Type().Field(i).Name] = s.Field(i).Interface()
		if f, ok := s.Field(i).Interface().(float64); ok {
			all[s.Type().Field(i).Name] = Number(f)
		}
	}
	return json.Marshal(all)
}

// Unmarshal decodes what Marshal encodes into the struct that v points to. Fields that data lacks stay as they are.
func Unmarshal(data []byte, v any) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	s := reflect.ValueOf(v).Elem()
	for i := range s.NumField() {
		text, found := all[s.Type().Field(i).Name]
		if !found {
			continue
		}
		target := s.Field(i).Addr().Interface()
		if f, ok := target.(*float64); ok {
			target = (*Number)(f)
		}
		if err := json.Unmarshal(text, target); err != nil {
			return err
		}
	}
	return nil
}
