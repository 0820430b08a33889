package keydoc

import (
	"encoding/json"
	"fmt"
	"strings"

	"thermsim/stack/internal/keys"
)

// object is a JSON object; encoding/json sorts its keys, so the output is stable.
type object = map[string]any

// Schema is the JSON Schema (draft 2020-12) of a format, indented. The file has such a name, and the page explains it.
func Schema(f *keys.Format, file, page string) ([]byte, error) {
	defs := object{}
	for _, name := range f.Order {
		defs[name] = tableSchema(f.Spec(name))
	}
	root := object{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       "thermsim " + file,
		"description": "The format of a " + file + "; " + page + " explains it. Generated, do not edit.",
		"$ref":        "#/$defs/" + f.Order[0],
		"$defs":       defs,
	}
	out, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(out, '\n'), nil
}

func tableSchema(s *keys.Spec) object {
	properties := object{}
	required := []string{}
	unless := map[string][]string{}
	for _, k := range s.Keys {
		p := valueSchema(k)
		p["description"] = k.Doc
		if d := standard(k); !k.Required && d != "none" {
			p["description"] = fmt.Sprintf("%s Default: %s.", k.Doc, d)
		}
		properties[k.Name] = p
		switch {
		case k.Unless != "":
			unless[k.Unless] = append(unless[k.Unless], k.Name)
		case k.Required:
			required = append(required, k.Name)
		}
	}
	table := object{"type": "object", "description": s.Header, "properties": properties, "required": required,
		"additionalProperties": false}
	for other, names := range unless { // one at most
		table["anyOf"] = []object{{"required": names}, {"required": []string{other}}}
	}
	return table
}

// valueSchema is the schema of one key. Units and dimensions are beyond JSON Schema; it knows strings from numbers and
// the limits of bare numbers.
func valueSchema(k keys.Key) object {
	text := object{"type": "string"}
	ref := object{"$ref": "#/$defs/" + k.Sub}
	row := object{"type": "array", "items": object{"type": "number"}, "minItems": 1}
	switch k.Type {
	case keys.Text:
		return text
	case keys.Name:
		return object{"type": "string", "minLength": 1, "maxLength": 100}
	case keys.Enum:
		return object{"enum": k.Enum}
	case keys.Method:
		return object{"type": "string", "pattern": "^(" + strings.Join(k.Enum, "|") + ")(:.*)?$"}
	case keys.TextList:
		return object{"type": "array", "items": text}
	case keys.Integer:
		// an expression of constants
		return object{"anyOf": []object{{"type": "integer", "minimum": k.Min, "maximum": k.Max}, text}}
	case keys.Bool:
		return object{"type": "boolean"}
	case keys.Scalar:
		return scalar(k)
	case keys.Pair:
		return vector(k, 2)
	case keys.Rect:
		return vector(k, 4)
	case keys.RectList:
		return object{"type": "array", "items": vector(k, 4), "minItems": 1}
	case keys.Points:
		return object{"type": "array", "items": vector(k, 2), "minItems": 3}
	case keys.CurveOrTriple:
		one := []object{scalar(k), ref}
		return object{
			"anyOf": append(one, object{"type": "array", "items": object{"anyOf": one}, "minItems": 3, "maxItems": 3})}
	case keys.CurveOrScalar:
		return object{"anyOf": []object{scalar(k), ref}}
	case keys.OwnScalar:
		return object{"type": []string{"number", "string"}}
	case keys.Row:
		return object{"anyOf": []object{{"type": "integer", "minimum": 1}, {"enum": []string{"mean", "max"}}}}
	case keys.Table:
		return ref
	case keys.Tables:
		return object{"type": "array", "items": ref}
	case keys.TableOrTables:
		return object{"anyOf": []object{ref, {"type": "array", "items": ref}}}
	case keys.NamedTables:
		return object{"type": "object", "additionalProperties": ref}
	case keys.TextOrTable:
		return object{"anyOf": []object{{"enum": k.Enum}, ref}}
	case keys.FileOrRows:
		return object{"anyOf": []object{text, {"type": "array", "items": row, "minItems": 1}}}
	case keys.FileOrTable:
		return object{"anyOf": []object{text, ref}}
	case keys.FileOrScalars:
		return object{"anyOf": []object{text, {"type": "object", "additionalProperties": scalar(k)}}}
	case keys.NumberRows:
		return object{"type": "array", "items": row, "minItems": 1}
	case keys.NumberList:
		return row
	case keys.Value:
		return object{"type": []string{"number", "string"}}
	case keys.Values:
		return object{"type": "array", "items": object{"type": []string{"number", "string", "boolean"}}, "minItems": 1}
	case keys.Constants:
		return object{"type": "object", "additionalProperties": object{"type": []string{"number", "string"}}}
	}
	return object{}
}

// scalar is a quantity: a bare number in SI units or a string with a unit.
func scalar(k keys.Key) object {
	number := object{"type": "number"}
	switch k.Range {
	case keys.Positive:
		number["exclusiveMinimum"] = 0
	case keys.NonNegative:
		number["minimum"] = 0
	}
	return object{"anyOf": []object{number, {"type": "string", "examples": []string{k.Quantity.Example}}}}
}

func vector(k keys.Key, n int) object {
	return object{"type": "array", "items": scalar(k), "minItems": n, "maxItems": n}
}
