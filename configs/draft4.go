package configs

import (
	"encoding/json"
	"strings"
)

// Draft4 is the JSON Schema of stack files in draft 4, the newest that Taplo (for editors) reads.
func Draft4() ([]byte, error) {
	var schema map[string]any
	if err := json.Unmarshal(stackSchema, &schema); err != nil {
		return nil, err
	}
	delete(schema, "$schema")
	older := draft4(schema).(map[string]any)
	older["$schema"] = "http://json-schema.org/draft-04/schema#"
	text, err := json.MarshalIndent(older, "", "  ")
	return append(text, '\n'), err
}

// draft4 converts a schema. In draft 4, limits that are excluded are marked by a boolean, lists of required keys are
// not empty, and a reference hides its siblings.
func draft4(schema any) any {
	in, ok := schema.(map[string]any)
	if !ok {
		return schema // additionalProperties = false
	}
	out := map[string]any{}
	for name, v := range in {
		switch name {
		case "$defs":
			out["definitions"] = each(v)
		case "properties":
			out[name] = each(v)
		case "anyOf":
			var list []any
			for _, s := range v.([]any) {
				list = append(list, draft4(s))
			}
			out[name] = list
		case "items", "additionalProperties":
			out[name] = draft4(v)
		case "exclusiveMinimum":
			out["minimum"], out[name] = v, true
		case "$ref":
			path := strings.Replace(v.(string), "#/$defs/", "#/definitions/", 1)
			out["allOf"] = []any{map[string]any{"$ref": path}}
		case "required":
			if len(v.([]any)) > 0 {
				out[name] = v
			}
		case "examples": // unknown to it
		default:
			out[name] = v
		}
	}
	return out
}

func each(schemas any) map[string]any {
	out := map[string]any{}
	for name, s := range schemas.(map[string]any) {
		out[name] = draft4(s)
	}
	return out
}
