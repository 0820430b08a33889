package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// MaxMessage is how many bytes a request may have, its newline included.
const MaxMessage = 1 << 20

// MaxSteps is how many steps one request may ask for.
const MaxSteps = 1_000_000

// Bounds of numbers, within which arithmetic does not overflow.
const (
	leastDt, mostDt = 1e-15, 1e15 // s
	mostWatts       = 1e12
)

// maxID is how many bytes an id may have.
const maxID = 128

// request is what a client asks for. docs/guides/serve.md and configs/serve.schema.json describe it for people and
// programs.
type request struct {
	ID      json.RawMessage     `json:"id,omitempty"`
	Op      string              `json:"op"`
	Token   string              `json:"token,omitempty"`
	Watts   map[string]*float64 `json:"watts,omitempty"`
	Factors map[string]*float64 `json:"factors,omitempty"`
	N       *int                `json:"n,omitempty"`
	DtS     *float64            `json:"dt_s,omitempty"`
	UntilS  *float64            `json:"until_s,omitempty"`
	Read    *query              `json:"read,omitempty"`
	Name    string              `json:"name,omitempty"`
	File    string              `json:"file,omitempty"`
}

// query says what to read.
type query struct {
	Max    bool      `json:"max,omitempty"`
	Blocks selection `json:"blocks,omitempty"`
	Layers selection `json:"layers,omitempty"`
	Probes selection `json:"probes,omitempty"`
	Powers bool      `json:"powers,omitempty"`
	Energy bool      `json:"energy,omitempty"`
	Status bool      `json:"status,omitempty"`
	Map    *mapQuery `json:"map,omitempty"`
}

// mapQuery asks for a layer's temperatures.
type mapQuery struct {
	Layer string `json:"layer"`
	// Plane counts from the bottom of the layer, from 0; nil stands for the hottest of its planes, cell by cell.
	Plane *int `json:"plane,omitempty"`
	// Reduce joins so many cells by so many into one by their maximum.
	Reduce int `json:"reduce,omitempty"`
}

// selection is all of a kind, or those of some names.
type selection struct {
	all   bool
	names []string
}

func (s *selection) any() bool { return s.all || len(s.names) > 0 }

// UnmarshalJSON takes true, false or a list of names.
func (s *selection) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &s.all) == nil {
		return nil
	}
	s.all = false
	if err := json.Unmarshal(text, &s.names); err != nil {
		return errors.New("what to read is true for all, or a list of names")
	}
	return nil
}

// Fault is why a request was refused or failed.
type Fault struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

func (f *Fault) Error() string { return f.Text }

// Codes of faults. docs/guides/serve.md says what each of them means.
const (
	BadJSON      = "bad-json"
	BadRequest   = "bad-request"
	BadValue     = "bad-value"
	UnknownName  = "unknown-name"
	TooLarge     = "too-large"
	Truncated    = "truncated"
	Slow         = "slow"
	Busy         = "busy"
	Denied       = "denied"
	NotConverged = "not-converged"
	Runaway      = "runaway"
	Interrupted  = "interrupted"
	DeviceFault  = "device"
	FileFault    = "file"
)

func faultf(code, format string, args ...any) *Fault {
	return &Fault{code, fmt.Sprintf(format, args...)}
}

// operations by name, with the keys that each takes beside id and op.
var operations = map[string][]string{
	"hello": {"token"}, "describe": nil, "reset": nil, "quit": nil, "shutdown": nil,
	"set":     {"watts", "factors"},
	"step":    {"n", "dt_s", "read"},
	"run":     {"until_s", "dt_s", "read"},
	"read":    {"read"},
	"save":    {"name", "file"},
	"restore": {"name", "file"},
	"drop":    {"name"},
}

// parse reads a request. With a fault it still has the id, where that can be told.
func parse(line []byte) (*request, *Fault) {
	r := &request{}
	var keys map[string]json.RawMessage
	if err := strict(line, &keys); err != nil {
		return r, jsonFault(err)
	}
	if fault := checkID(keys["id"]); fault != nil {
		return r, fault
	}
	r.ID = keys["id"]
	if err := strict(line, r); err != nil {
		return r, jsonFault(err)
	}
	allowed, known := operations[r.Op]
	switch {
	case r.Op == "":
		return r, faultf(BadRequest, `there is no "op"; it is one of %s`, operationNames())
	case !known:
		return r, faultf(BadRequest, "op %s is unknown; there are %s", shown(r.Op), operationNames())
	}
	for key := range keys {
		if key != "id" && key != "op" && !contains(allowed, key) {
			return r, faultf(BadRequest, "%s takes no key %s; it takes %s", r.Op, shown(key), orNone(allowed))
		}
	}
	if fault := checkKeys(keys); fault != nil {
		return r, fault
	}
	return r, r.check()
}

// checkKeys refuses null, which encoding/json takes for a key that is not there and for 0 in maps, and keys inside
// "read" that differ from the known ones by capitals. Only watts may be null, one by one: it gives an input back to the
// stack.
func checkKeys(keys map[string]json.RawMessage) *Fault {
	level := func(at string, keys map[string]json.RawMessage, known ...string) *Fault {
		for key, value := range keys {
			switch {
			case string(value) == "null" && at+key != "id":
				return faultf(BadValue, "%s is null; leave it out", shown(at+key))
			case at != "" && !contains(known, key):
				return faultf(BadRequest, "there is no key %s; there are %s", shown(at+key), strings.Join(known, ", "))
			}
		}
		return nil
	}
	if fault := level("", keys); fault != nil || keys["read"] == nil {
		return fault
	}
	var read, layer map[string]json.RawMessage
	if json.Unmarshal(keys["read"], &read) != nil || read["map"] != nil && json.Unmarshal(read["map"], &layer) != nil {
		return nil // strict has decoded both
	}
	if fault := level("read.", read, "max", "blocks", "layers", "probes", "powers", "energy", "status",
		"map"); fault != nil {
		return fault
	}
	return level("read.map.", layer, "layer", "plane", "reduce")
}

// strict decodes one JSON value and nothing behind it, without unknown keys.
func strict(line []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something stands behind the object")
	}
	return nil
}

func jsonFault(err error) *Fault {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return faultf(BadJSON, "not JSON at byte %d: %v", syntax.Offset, err)
	case errors.Is(err, io.EOF):
		return faultf(BadJSON, "the line is empty; a request is one object")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return faultf(BadJSON, "the JSON of the line ends too soon")
	case errors.As(err, &kind) && kind.Field == "":
		return faultf(BadJSON, "a request is one object, and no %s", kind.Value)
	case errors.As(err, &kind):
		return faultf(BadRequest, "%s cannot be %s", kind.Field, jsonKind(kind.Value))
	}
	return faultf(BadRequest, "%s", clipped(strings.TrimPrefix(err.Error(), "json: ")))
}

// jsonKind is what encoding/json calls a value that does not fit, with its article: "a string", "an array", or the
// number itself.
func jsonKind(value string) string {
	if number, is := strings.CutPrefix(value, "number "); is {
		return number
	}
	if value == "array" || value == "object" {
		return "an " + value
	}
	return "a " + value
}

// checkID accepts what can be echoed without a thought: numbers, strings and null.
func checkID(id json.RawMessage) *Fault {
	if len(id) > 0 && (id[0] == '{' || id[0] == '[' || id[0] == 't' || id[0] == 'f') {
		return faultf(BadRequest, "an id is a number or a string")
	}
	if len(id) > maxID {
		return faultf(BadRequest, "the id has %d bytes; at most %d are echoed", len(id), maxID)
	}
	return nil
}

// check looks at the numbers, as far as the request alone tells.
func (r *request) check() *Fault {
	if r.DtS != nil && !(*r.DtS >= leastDt && *r.DtS <= mostDt) {
		return faultf(BadValue, "dt_s is %g; a time step has %g to %g s", *r.DtS, leastDt, mostDt)
	}
	switch r.Op {
	case "step":
		if r.N != nil && (*r.N < 1 || *r.N > MaxSteps) {
			return faultf(BadValue, "n is %d; a request takes 1 to %d steps", *r.N, MaxSteps)
		}
	case "run":
		if r.UntilS == nil {
			return faultf(BadRequest, "run needs until_s")
		}
	case "read":
		if r.Read == nil {
			return faultf(BadRequest, `read needs "read", what to read`)
		}
	case "set":
		if len(r.Watts)+len(r.Factors) == 0 {
			return faultf(BadRequest, "set needs watts or factors")
		}
	case "save", "restore":
		if (r.Name == "") == (r.File == "") {
			return faultf(BadRequest, "%s needs a name or a file, and not both", r.Op)
		}
	case "drop":
		if r.Name == "" {
			return faultf(BadRequest, "drop needs a name")
		}
	}
	for name, f := range r.Factors {
		if f == nil {
			return faultf(BadValue, "the factor on %s is null; give one from 0 to %g, 1 for the power as it is",
				shown(name), float64(mostWatts))
		}
		if !(*f >= 0 && *f <= mostWatts) {
			return faultf(BadValue, "the factor on %s is %g; give one from 0 to %g", shown(name), *f,
				float64(mostWatts))
		}
	}
	for name, w := range r.Watts {
		if w != nil && !(math.Abs(*w) <= mostWatts) {
			return faultf(BadValue, "%s gets %g W; at most %g W are served", shown(name), *w, mostWatts)
		}
	}
	return nil
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func operationNames() string {
	return "hello, describe, set, step, run, read, save, restore, drop, reset, quit, shutdown"
}

func orNone(keys []string) string {
	if len(keys) == 0 {
		return "none"
	}
	return strings.Join(keys, ", ")
}

// shown quotes a text of a client, cut to what a message can bear.
func shown(text string) string { return fmt.Sprintf("%q", clipped(text)) }

func clipped(text string) string {
	const most = 80
	if len(text) > most {
		return text[:most] + "..."
	}
	return text
}
