package keydoc

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"thermsim/stack/internal/keys"
)

// types describes the values of every type of a key, in words and as a JSON Schema. Names in angle brackets are
// replaced for each key: an <example> of its quantity, its <words>, the <limit> of its range, the <low>, <high> and
// <span> of its whole numbers, and the schemas of its <scalar> and of its <table>. JSON Schema knows no units and
// dimensions; it distinguishes strings from numbers and has the limits of bare numbers.
var types = map[keys.Type]struct{ words, schema string }{
	"text":       {"string", text},
	"name":       {"string fit for a file name", `{"type": "string", "minLength": 1, "maxLength": 100}`},
	"word":       {"`<words>`", `{"enum": [<enum>]}`},
	"method":     {"`<words>`", `{"type": "string", "pattern": "^(<pattern>)(:.*)?$"}`},
	"texts":      {"array of strings", array(text, "")},
	"integer":    {"<span>", either(`{"type": "integer", "minimum": <low>, "maximum": <high>}`, text)}, // or an expression
	"boolean":    {"`true` or `false`", `{"type": "boolean"}`},
	"scalar":     {"<example><limit>", "<scalar>"},
	"pair":       {"[x, y]<limit>", vector("<scalar>", 2)},
	"rectangle":  {"[x, y, width, height]", vector("<scalar>", 4)},
	"rectangles": {"array of [x, y, width, height]", array(vector("<scalar>", 4), least(1))},
	"points":     {"array of [x, y], three or more", array(vector("<scalar>", 2), least(3))},
	"curve or triple": {"<example><limit>, or a table, or [x, y, z] of either",
		either("<scalar>", "<table>", vector(curve, 3))},
	"curve or scalar": {"<example><limit>, or a table", curve},
	"own scalar":      {"quantity<limit>", anyScalar},
	"row":             {"whole number from 1, `mean` or `max`", either(fromOne, `{"enum": ["mean", "max"]}`)},
	"table":           {"table", "<table>"},
	"tables":          {"array of tables", array("<table>", "")},
	"table or tables": {"table or array of tables", either("<table>", array("<table>", ""))},
	"named tables":    {"table of tables", table("<table>")},
	"word or table":   {"`\"<words>\"` or table", either(`{"enum": [<enum>]}`, "<table>")},
	"file or rows":    {"path, or array of rows of numbers", either(text, array(row, least(1)))},
	"files or rows": {"path, array of paths, or array of rows of numbers",
		either(text, array(text, least(2)), array(row, least(1)))},
	"scalars":         {"array of <example><limit>", array("<scalar>", "")},
	"file or table":   {"path or table", either(text, "<table>")},
	"file or scalars": {"path, or table of <example><limit>", either(text, table("<scalar>"))},
	"number rows":     {"array of rows of numbers", array(row, least(1))},
	"numbers":         {"array of numbers", row},
	"value":           {"number or string", anyScalar},
	"values":          {"array of numbers and strings", array(`{"type": ["number", "string", "boolean"]}`, least(1))},
	"constants":       {"table of numbers and quantities", table(anyScalar)},
}

// limits are those of ranges.
var limits = map[keys.Range]struct{ words, schema string }{
	keys.Positive:    {", above 0", `, "exclusiveMinimum": 0`},
	keys.NonNegative: {", not negative", `, "minimum": 0`},
	keys.Fraction:    {", 0 to 1", `, "minimum": 0, "maximum": 1`},
}

// Schemas that types are made of.
var (
	text      = `{"type": "string"}`
	anyScalar = `{"type": ["number", "string"]}`
	fromOne   = `{"type": "integer", "minimum": 1}`
	row       = array(`{"type": "number"}`, least(1))
	curve     = either("<scalar>", "<table>")
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
		"<example>", fmt.Sprintf("%s, `%q`", quantity, k.Quantity.Example),
		"<limit>", limits[k.Range].words,
		"<words>", strings.Join(k.Enum, "`, `"),
		"<span>", span,
	).Replace(types[k.Type].words)
}

// valueSchema is the schema of one key.
func valueSchema(k keys.Key) (schema object, err error) {
	example := fmt.Sprintf(`{"type": "string", "examples": [%q]}`, k.Quantity.Example)
	text := strings.NewReplacer(
		"<enum>", `"`+strings.Join(k.Enum, `", "`)+`"`,
		"<pattern>", strings.Join(k.Enum, "|"),
		"<low>", strconv.Itoa(k.Min), "<high>", strconv.Itoa(k.Max),
		"<scalar>", either(fmt.Sprintf(`{"type": "number"%s}`, limits[k.Range].schema), example), // bare in SI units, or with a unit
		"<table>", fmt.Sprintf(`{"$ref": "#/$defs/%s"}`, k.Sub),
	).Replace(types[k.Type].schema)
	err = json.Unmarshal([]byte(text), &schema)
	return schema, err
}
