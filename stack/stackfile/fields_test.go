package stackfile

import (
	"reflect"
	"testing"

	"thermsim/stack"
	"thermsim/stack/geometry"
	"thermsim/stack/heatsink"
	"thermsim/stack/internal/keys"
	"thermsim/stack/packaging"
)

// Every tag names a key of the table that the struct is read from or printed to, of a type that the field can hold.
func TestTagsNameKeys(t *testing.T) {
	for table, structs := range map[string][]any{
		"stack": {&stack.Stack{}}, "grid": {&stack.AutoGrid{}}, "segment": {&stack.Segment{}},
		"material": {&stack.Material{}},
		"layer":    {&stack.Layer{}}, "region": {&stack.Rect{}, &stack.Region{}},
		"block":  {&stack.Rect{}, &stack.Block{}},
		"power":  {&stack.Power{}},
		"circle": {&geometry.Circle{}},
		"face":   {&stack.Film{}},
		"scale":  {&stack.ScalePoint{}}, "probe": {&stack.Probe{}}, "jedec": {&stack.Jedec{}},
		"transient": {&stack.Transient{}},
		"solver":    {&stack.Solver{}}, "output": {&stack.Output{}}, "coolant_zone": {&stack.Zone{}},
		"fins":    {&heatsink.Fins{}},
		"coolant": {&stack.Coolant{}, &stack.Fluid{}, &stack.Channels{}, &stack.Pins{}, &stack.Medium{}},
		"joints":  {&packaging.Joints{}},
		"sheet":   {&packaging.Sheet{}}, "lid": {&packaging.Lid{}, &packaging.Sheet{}},
		"interposer": {&packaging.Sheet{}}, "wiring": {&packaging.Wiring{}}, "board": {&packaging.Wiring{}},
		"die": {&packaging.Die{}}, "package": {&packaging.Package{}},
	} {
		for _, s := range structs {
			eachField(reflect.ValueOf(s).Elem(), func(key, option string, f reflect.Value) {
				k, ok := keys.Stack().Spec(table).Key(key)
				switch {
				case option == "inline":
				case !ok:
					t.Errorf("%T has a tag for %q, which is no key of %s", s, key, table)
				case f.Kind() == reflect.Bool && k.Type != keys.Bool && len(k.Enum) != 2:
					t.Errorf("%s of %s is no choice of two", key, table)
				case (f.Kind() == reflect.Float64) != (k.Type == keys.Scalar),
					(f.Kind() == reflect.Int) != (k.Type == keys.Integer):
					t.Errorf("%s of %s is of type %v in %T", key, table, f.Kind(), s)
				}
			})
		}
	}
}
