package serve

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// MaxMessage is the maximum number of bytes of a request, its newline included.
const MaxMessage = 1 << 20

// MaxSteps is the maximum number of steps of one request.
const MaxSteps = 1_000_000

// Limits of numbers, within which arithmetic does not overflow.
const (
	leastDt, mostDt = 1e-15, 1e15 // s
	mostWatts       = 1e12
)

// maxID is the maximum number of bytes of an id.
const maxID = 128

// request is a request of a client, as in docs/guides/serve.md and configs/serve.schema.json.
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

// query is what to read.
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

// mapQuery is a request for a layer's temperatures.
type mapQuery struct {
	Layer string `json:"layer"`
	// Plane counts from the bottom of the layer, from 0; nil for the maximum over its planes, cell by cell.
	Plane *int `json:"plane,omitempty"`
	// Reduce joins squares of cells, this number along each side, into one by their maximum.
	Reduce int `json:"reduce,omitempty"`
}

// selection is all blocks, layers or probes, or those of some names.
type selection struct {
	all   bool
	names []string
}

func (s *selection) any() bool { return s.all || len(s.names) > 0 }

// UnmarshalJSON accepts true, false or a list of names.
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

// Codes of faults, described in docs/guides/serve.md.
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

// operation is an op with the keys that it takes in addition to id and op.
type operation struct {
	name string
	keys []string
}

var operations = []operation{
	{"hello", []string{"token"}}, {"describe", nil}, {"set", []string{"watts", "factors"}},
	{"step", []string{"n", "dt_s", "watts", "factors", "read"}},
	{"run", []string{"until_s", "dt_s", "watts", "factors", "read"}}, {"read", []string{"read"}},
	{"save", []string{"name", "file"}}, {"restore", []string{"name", "file"}}, {"drop", []string{"name"}},
	{"reset", nil}, {"quit", nil}, {"shutdown", nil},
}

func operationNames() string {
	var names []string
	for _, o := range operations {
		names = append(names, o.name)
	}
	return strings.Join(names, ", ")
}

// parse reads a request. With a fault it still has the id, if that is valid.
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
	n := slices.IndexFunc(operations, func(o operation) bool { return o.name == r.Op })
	switch {
	case r.Op == "":
		return r, faultf(BadRequest, `there is no "op"; it is one of %s`, operationNames())
	case n < 0:
		return r, faultf(BadRequest, "op %s is unknown; known: %s", shown(r.Op), operationNames())
	}
	for key := range keys {
		if allowed := operations[n].keys; key != "id" && key != "op" && !slices.Contains(allowed, key) {
			return r, faultf(BadRequest, "%s takes no key %s; it takes %s", r.Op, shown(key),
				cmp.Or(strings.Join(allowed, ", "), "none"))
		}
	}
	if fault := checkKeys(keys); fault != nil {
		return r, fault
	}
	return r, r.check()
}

// checkKeys refuses null, which encoding/json treats as a missing key and as 0 in maps, and keys inside "read" that
// differ from the known ones by case. Only single watts may be null: the input then has the power of the stack.
func checkKeys(keys map[string]json.RawMessage) *Fault {
	level := func(at string, keys map[string]json.RawMessage, known ...string) *Fault {
		for key, value := range keys {
			switch {
			case string(value) == "null" && at+key != "id":
				return faultf(BadValue, "%s is null; omit it", shown(at+key))
			case at != "" && !slices.Contains(known, key):
				return faultf(BadRequest, "unknown key %s; known: %s", shown(at+key), strings.Join(known, ", "))
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

// strict decodes one JSON value and nothing after it, without unknown keys.
func strict(line []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is text after the object")
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
		return faultf(BadJSON, "the JSON of the line is incomplete")
	case errors.As(err, &kind) && kind.Field == "":
		return faultf(BadJSON, "a request is one object: got %s", kind.Value)
	case errors.As(err, &kind):
		return faultf(BadRequest, "%s cannot be %s", kind.Field, jsonKind(kind.Value))
	}
	return faultf(BadRequest, "%s", clipped(strings.TrimPrefix(err.Error(), "json: ")))
}

// jsonKind is encoding/json's name of the type of an unsuitable value, with its article: "a string", "an array", or the
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

// checkID accepts numbers, strings and null, which are echoed.
func checkID(id json.RawMessage) *Fault {
	if len(id) > 0 && (id[0] == '{' || id[0] == '[' || id[0] == 't' || id[0] == 'f') {
		return faultf(BadRequest, "an id is a number or a string")
	}
	if len(id) > maxID {
		return faultf(BadRequest, "the id has %d bytes; at most %d are echoed", len(id), maxID)
	}
	return nil
}

// check checks the numbers, as far as they do not depend on the stack.
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
			return faultf(BadRequest, `read needs "read"`)
		}
	case "set":
		if len(r.Watts)+len(r.Factors) == 0 {
			return faultf(BadRequest, "set needs watts or factors")
		}
	case "save", "restore":
		if (r.Name == "") == (r.File == "") {
			return faultf(BadRequest, "%s needs either a name or a file", r.Op)
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
			return faultf(BadValue, "the power of %s is %g W; give at most %g W", shown(name), *w, mostWatts)
		}
	}
	return nil
}

// shown quotes a text of a client, shortened.
func shown(text string) string { return fmt.Sprintf("%q", clipped(text)) }

func clipped(text string) string {
	const most = 80
	if len(text) > most {
		return text[:most] + "..."
	}
	return text
}
