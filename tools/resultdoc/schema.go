package main

import (
	"encoding/json"
	"reflect"
)

// object is a JSON object; encoding/json sorts its keys, so the output is stable.
type object = map[string]any

// Schema is the JSON Schema (draft 2020-12) of summary.json, indented.
func Schema(tables []Table) ([]byte, error) {
	defs := object{}
	for _, t := range tables {
		defs[t.Name] = t.schema()
	}
	ref := func(name string) object { return object{"$ref": "#/$defs/" + name} }
	root := object{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "thermsim summary.json",
		"description": "Results of a run or of thermsim solve; docs/reference/summary.md explains them. " +
			"Numbers that are " +
			"not finite are null. Generated, do not edit.",
		"if":    object{"properties": object{"command": object{"const": "solve"}}},
		"then":  ref(systemName),
		"else":  ref(runName),
		"$defs": defs,
	}
	out, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(out, '\n'), nil
}

func (t *Table) schema() object {
	properties, required := object{}, []string{}
	for _, f := range t.Fields {
		properties[f.Name] = f.schema()
		if !f.Optional {
			required = append(required, f.Name)
		}
	}
	return object{"type": "object", "description": t.Doc, "properties": properties, "required": required,
		"additionalProperties": false}
}

func (f *Field) schema() object {
	s := object{}
	switch kind := f.Type.Kind(); {
	case f.Values != nil:
		s["enum"] = f.Values
	case kind == reflect.Struct:
		s["$ref"] = "#/$defs/" + name(f.Type)
	case kind == reflect.Float64:
		s["type"] = []string{"number", "null"}
	case kind == reflect.Bool:
		s["type"] = "boolean"
	case kind == reflect.String:
		s["type"] = "string"
	default:
		s["type"], s["minimum"] = "integer", 0
	}
	if f.List {
		s = object{"type": "array", "items": s}
	}
	s["description"] = f.Doc
	return s
}
