package keydoc

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"thermsim/stack/internal/keys"
)

// types says of every type of a key what its values look like, in words and as a JSON Schema. Capitals stand for what
// a key adds: an EXAMPLE of its quantity, its WORDS, the LIMIT of its range, its lowest and highest number (LOW, HIGH,
// SPAN), and the schemas of its SCALAR and of its TABLE. Units and dimensions are beyond JSON Schema; it knows strings
// from numbers and the limits of bare numbers.
var types = map[keys.Type]struct{ words, schema string }{
	"text":       {"string", text},
	"name":       {"string fit for a file name", `{"type": "string", "minLength": 1, "maxLength": 100}`},
	"word":       {"`WORDS`", `{"enum": [ENUM]}`},
	"method":     {"`WORDS`", `{"type": "string", "pattern": "^(PATTERN)(:.*)?$"}`},
	"texts":      {"array of strings", array(text, "")},
	"integer":    {"SPAN", either(`{"type": "integer", "minimum": LOW, "maximum": HIGH}`, text)}, // or an expression
	"boolean":    {"`true` or `false`", `{"type": "boolean"}`},
	"scalar":     {"EXAMPLELIMIT", "SCALAR"},
	"pair":       {"[x, y]LIMIT", vector("SCALAR", 2)},
	"rectangle":  {"[x, y, width, height]", vector("SCALAR", 4)},
	"rectangles": {"array of [x, y, width, height]", array(vector("SCALAR", 4), least(1))},
	"points":     {"array of [x, y], three or more", array(vector("SCALAR", 2), least(3))},
	"curve or triple": {"EXAMPLELIMIT, or a table, or [x, y, z] of either",
		either("SCALAR", "TABLE", vector(curve, 3))},
	"curve or scalar": {"EXAMPLELIMIT, or a table", curve},
	"own scalar":      {"quantityLIMIT", anyScalar},
	"row":             {"whole number from 1, `mean` or `max`", either(fromOne, `{"enum": ["mean", "max"]}`)},
	"table":           {"table", "TABLE"},
	"tables":          {"array of tables", array("TABLE", "")},
	"table or tables": {"table or array of tables", either("TABLE", array("TABLE", ""))},
	"named tables":    {"table of tables", table("TABLE")},
	"word or table":   {"`\"WORDS\"` or table", either(`{"enum": [ENUM]}`, "TABLE")},
	"file or rows":    {"path, or array of rows of numbers", either(text, array(row, least(1)))},
	"file or table":   {"path or table", either(text, "TABLE")},
	"file or scalars": {"path, or table of EXAMPLELIMIT", either(text, table("SCALAR"))},
	"number rows":     {"array of rows of numbers", array(row, least(1))},
	"numbers":         {"array of numbers", row},
	"value":           {"number or string", anyScalar},
	"values":          {"array of numbers and strings", array(`{"type": ["number", "string", "boolean"]}`, least(1))},
	"constants":       {"table of numbers and quantities", table(anyScalar)},
}

// Schemas that types are made of.
var (
	text      = `{"type": "string"}`
	anyScalar = `{"type": ["number", "string"]}`
	fromOne   = `{"type": "integer", "minimum": 1}`
	row       = array(`{"type": "number"}`, least(1))
	curve     = either("SCALAR", "TABLE")
)

func array(items, more string) string {
	return fmt.Sprintf(`{"type": "array", "items": %s%s}`, items, more)
}

func least(n int) string { return fmt.Sprintf(`, "minItems": %d`, n) }

func vector(items string, n int) string {
	return array(items, least(n)+fmt.Sprintf(`, "maxItems": %d`, n))
}

func table(values string) string {
	return fmt.Sprintf(`{"type": "object", "additionalProperties": %s}`, values)
}

func either(schemas ...string) string { return `{"anyOf": [` + strings.Join(schemas, ", ") + "]}" }

// value describes what a key takes.
func value(k keys.Key) string {
	_, quantity, _ := strings.Cut(k.Quantity.Name, " ")
	span := fmt.Sprint(k.Min)
	if k.Min != k.Max {
		span = fmt.Sprintf("whole number, %d to %d", k.Min, k.Max)
	}
	return strings.NewReplacer(
		"EXAMPLE", fmt.Sprintf("%s, `%q`", quantity, k.Quantity.Example),
		"LIMIT", map[keys.Range]string{keys.Positive: ", above 0", keys.NonNegative: ", not negative"}[k.Range],
		"WORDS", strings.Join(k.Enum, "`, `"),
		"SPAN", span,
	).Replace(types[k.Type].words)
}

// valueSchema is the schema of one key.
func valueSchema(k keys.Key) (schema object, err error) {
	limit := map[keys.Range]string{keys.Positive: `, "exclusiveMinimum": 0`, keys.NonNegative: `, "minimum": 0`}[k.Range]
	example := fmt.Sprintf(`{"type": "string", "examples": [%q]}`, k.Quantity.Example)
	text := strings.NewReplacer(
		"ENUM", `"`+strings.Join(k.Enum, `", "`)+`"`,
		"PATTERN", strings.Join(k.Enum, "|"),
		"LOW", strconv.Itoa(k.Min), "HIGH", strconv.Itoa(k.Max),
		"SCALAR", either(fmt.Sprintf(`{"type": "number"%s}`, limit), example), // bare in SI units, or with a unit
		"TABLE", fmt.Sprintf(`{"$ref": "#/$defs/%s"}`, k.Sub),
	).Replace(types[k.Type].schema)
	err = json.Unmarshal([]byte(text), &schema)
	return schema, err
}
