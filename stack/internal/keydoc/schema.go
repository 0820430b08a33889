package keydoc

import (
	"encoding/json"
	"fmt"

	"thermsim/stack/internal/keys"
)

// object is a JSON object; encoding/json sorts its keys, so the output is stable.
type object = map[string]any

// Schema is the JSON Schema (draft 2020-12) of a format, indented. The file has such a name, and the page explains it.
func Schema(f *keys.Format, file, page string) ([]byte, error) {
	defs := object{}
	for _, name := range f.Order {
		def, err := tableSchema(f.Spec(name))
		if err != nil {
			return nil, err
		}
		defs[name] = def
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

func tableSchema(s *keys.Spec) (object, error) {
	properties := object{}
	required := []string{}
	unless := map[string][]string{}
	for _, k := range s.Keys {
		p, err := valueSchema(k)
		if err != nil {
			return nil, fmt.Errorf("key %s of %s: %w", k.Name, s.Name, err)
		}
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
	return table, nil
}
