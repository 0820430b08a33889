package stackfile

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"thermsim/stack/internal/keys"
	"thermsim/stack/internal/units"
)

// eachField visits the fields of a struct that hold keys of a table, in order. The tag toml of a field names its key;
// the table of keys has its quantity, range and default. The tag can have one of these options.
//
//	inline  The keys of this struct, or of the one pointed to, are in the same table.
//	zero    The key is also written if the value is zero, which otherwise means that it is not given.
//	own     The key is not read by into, because it depends on others.
func eachField(v reflect.Value, visit func(key, option string, f reflect.Value)) {
	for i := range v.NumField() {
		if tag, ok := v.Type().Field(i).Tag.Lookup("toml"); ok {
			key, option, _ := strings.Cut(tag, ",")
			visit(key, option, v.Field(i))
		}
	}
}

// into reads the keys of a table into the fields of the struct that v points to. A field whose key is missing and has
// no default stays as it is.
func (t *table) into(v any) {
	eachField(reflect.ValueOf(v).Elem(), func(key, option string, f reflect.Value) {
		switch {
		case option == "own":
			return
		case option == "inline":
			if f.Kind() == reflect.Struct {
				t.into(f.Addr().Interface())
			}
			return
		}
		n, k := t.get(key)
		switch {
		case n == nil && k.Default == "":
		case f.Kind() == reflect.Struct:
			if sub := t.sub(key); sub != nil {
				sub.into(f.Addr().Interface())
			}
		case k.Type == keys.Pair:
			p, _ := t.pair(key)
			f.Set(reflect.ValueOf(p))
		case k.Type == keys.Texts:
			words, _ := t.texts(key)
			f.Set(reflect.ValueOf(words))
		case k.Type == keys.NumberList:
			xs, _ := t.numbers(n, key)
			f.Set(reflect.ValueOf(xs))
		case k.Type == keys.Bool:
			f.SetBool(t.boolean(key))
		case f.Kind() == reflect.Bool: // the second of two words
			f.SetBool(t.text(key) == k.Enum[1])
		case f.Kind() == reflect.String:
			f.SetString(t.text(key))
		case f.Kind() == reflect.Int:
			f.SetInt(int64(t.integer(key)))
		default:
			f.SetFloat(t.scalar(key))
		}
	})
}

// entries writes the fields of the struct that v points to as keys of a table, each as KEY = VALUE.
func entries(table string, v any) (list []string) {
	spec := keys.Stack().Spec(table)
	eachField(reflect.ValueOf(v).Elem(), func(key, option string, f reflect.Value) {
		switch {
		case option == "inline" && f.Kind() != reflect.Pointer:
			list = append(list, entries(table, f.Addr().Interface())...)
		case option == "inline" && f.IsNil():
		case option == "inline":
			list = append(list, entries(table, f.Interface())...)
		case option == "zero", !absent(f):
			k, _ := spec.Key(key)
			list = append(list, key+" = "+literal(k, f))
		}
	})
	return list
}

// absent says whether a value means that the key is not given.
func absent(f reflect.Value) bool {
	switch f.Kind() {
	case reflect.Float64:
		return f.Float() == 0 // -0 too
	case reflect.Slice:
		return f.Len() == 0
	}
	return f.IsZero()
}

// inline writes the fields of a struct as a table on one line.
func inline(table string, v any) string { return "{ " + strings.Join(entries(table, v), ", ") + " }" }

// literal writes the value of a key.
func literal(k *keys.Key, f reflect.Value) string {
	switch f.Kind() {
	case reflect.Float64:
		return quantity(k.Quantity, f.Float())
	case reflect.Int:
		return strconv.FormatInt(f.Int(), 10)
	case reflect.String:
		return quote(f.String())
	case reflect.Bool:
		if k.Type == keys.Bool {
			return "true"
		}
		return quote(k.Enum[1])
	case reflect.Struct:
		return inline(k.Sub, f.Addr().Interface())
	}
	words := make([]string, f.Len())
	for i := range words {
		words[i] = literal(k, f.Index(i))
	}
	return array(words)
}

func array(words []string) string { return "[" + strings.Join(words, ", ") + "]" }

// quantity writes a value with its unit as a TOML string, and as a number where it has none.
func quantity(q units.Quantity, x float64) string {
	if q.Unit == "" {
		return number(x)
	}
	return `"` + q.Format(x) + `"`
}

func numberList(xs []float64) string { return array(each(xs, number)) }

func lengthList(xs ...float64) string { return array(each(xs, metric)) }

// metric writes a length.
func metric(x float64) string { return quantity(units.Length, x) }

// each applies a function to the elements of a list.
func each[T, U any](list []T, of func(T) U) []U {
	made := make([]U, len(list))
	for i, x := range list {
		made[i] = of(x)
	}
	return made
}

// number writes the shortest decimal that reads back as the same bits.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// quote writes a TOML basic string.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
