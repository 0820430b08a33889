package policy

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"thermsim/internal/inputfile"
	"thermsim/mesh"
	"thermsim/powermap"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// table is the file: [[policy]] tables with the keys of row.
type table struct {
	Policy []row `toml:"policy"`
}

type row struct {
	Name     string   `toml:"name"`
	Watch    []string `toml:"watch"`
	Quantity string   `toml:"quantity"`
	Above    string   `toml:"above"`
	Below    string   `toml:"below"`
	Throttle []string `toml:"throttle"`
	Factor   *float64 `toml:"factor"`
	Delay    string   `toml:"delay"`
}

// mostPolicies and mostBytes are far above practical files. Decoding takes some hundred times mostBytes of memory.
const mostPolicies, mostBytes = 1000, 2 << 20

// Load reads a table of policies.
func Load(path string) ([]Policy, error) {
	data, err := inputfile.Read(path)
	if err != nil {
		return nil, &stack.Error{Pos: stack.Pos{File: path}, Msg: "cannot read the policies: " + err.Error(),
			Remedy: "give the path of a file with [[policy]] tables", Err: err}
	}
	return Parse(path, data)
}

// Parse reads a table of policies from the text of a file. Errors are of type *stack.Error, with the line.
func Parse(path string, data []byte) ([]Policy, error) {
	refuse := func(remedy, format string, args ...any) ([]Policy, error) {
		return nil, &stack.Error{Pos: stack.Pos{File: path}, Msg: fmt.Sprintf(format, args...), Remedy: remedy}
	}
	const combine = "combine policies that watch or throttle several blocks"
	if len(data) > mostBytes {
		return refuse(combine, "the file has %d bytes; the limit for policies is %d", len(data), mostBytes)
	}
	var t table
	d := toml.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return nil, decodeFault(path, err)
	}
	switch n := len(t.Policy); {
	case n == 0:
		return refuse("add a [[policy]] table", "the file has no policies")
	case n > mostPolicies:
		return refuse(combine, "the file has %d policies; the limit is %d", n, mostPolicies)
	}
	positions := positionsOf(data)
	taken := map[string]bool{}
	var all []Policy
	for n := range t.Policy {
		p, key, err := t.Policy[n].policy(n)
		if err == nil && taken[p.Name] {
			key, err = "name", fmt.Errorf("another policy is called %q", p.Name)
		}
		if err != nil {
			return nil, &stack.Error{Pos: positions.of(path, n, key),
				Msg: fmt.Sprintf("policy %d: %s: %v", n+1, key, err)}
		}
		taken[p.Name] = true
		p.Line = positions.of(path, n, "").Line
		all = append(all, p)
	}
	return all, nil
}

// decodeFault locates errors of TOML and of its keys.
func decodeFault(path string, err error) error {
	var strict *toml.StrictMissingError
	var one *toml.DecodeError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		one = &strict.Errors[0]
		line, column := one.Position()
		return &stack.Error{Pos: stack.Pos{File: path, Line: line, Col: column},
			Msg:    fmt.Sprintf("unknown key %q", strings.Join(one.Key(), ".")),
			Remedy: "a [[policy]] has name, watch, quantity, above, below, throttle, factor and delay"}
	}
	if errors.As(err, &one) {
		line, column := one.Position()
		fault := &stack.Error{Pos: stack.Pos{File: path, Line: line, Col: column},
			Msg: strings.TrimPrefix(one.Error(), "toml: ")}
		if strings.HasPrefix(fault.Msg, "cannot decode") && len(one.Key()) > 0 {
			fault.Msg, fault.Remedy = fmt.Sprintf("%s has a value of the wrong type", one.Key()[len(one.Key())-1]),
				`temperatures and times are strings, "85 degC" and "2 ms", factor is a number, the others are lists`
		}
		return fault
	}
	return &stack.Error{Pos: stack.Pos{File: path}, Msg: err.Error()}
}

// policy checks a row. On an error it returns the key concerned.
func (r *row) policy(n int) (p Policy, key string, err error) {
	p = Policy{Name: r.Name, Watch: r.Watch, Throttle: r.Throttle}
	if p.Name == "" {
		p.Name = fmt.Sprint(n + 1)
	}
	if strings.ContainsAny(p.Name, ",\"\n\r") || len(p.Name) > 100 {
		return p, "name", errors.New("it is a column heading of trace.csv: expected up to 100 characters without " +
			"commas, quotes and line breaks")
	}
	if len(r.Watch) == 0 {
		return p, "watch", errors.New(`missing; name blocks, or probes as "probe/NAME"`)
	}
	switch r.Quantity {
	case "", "max":
	case "mean":
		p.Mean = true
	default:
		return p, "quantity", fmt.Errorf("got %q; expected max or mean", r.Quantity)
	}
	if p.Above, err = temperature(r.Above); err != nil {
		return p, "above", err
	}
	p.Below = p.Above
	if r.Below != "" {
		if p.Below, err = temperature(r.Below); err != nil {
			return p, "below", err
		}
	}
	if p.Below > p.Above {
		return p, "below", fmt.Errorf("got %s; expected a temperature of at most %s (above), at which "+
			"throttling ends", r.Below, r.Above)
	}
	if len(r.Throttle) == 0 {
		return p, "throttle", errors.New("missing; name blocks, uniform powers or maps")
	}
	if r.Factor == nil || !(*r.Factor >= 0) || *r.Factor > 1 {
		return p, "factor", errors.New("expected the remaining fraction of the power, from 0 to 1")
	}
	p.Factor = *r.Factor
	if r.Delay != "" {
		if p.Delay, err = stackfile.ParseTime(r.Delay); err != nil {
			return p, "delay", err
		}
		if !(p.Delay >= 0) {
			return p, "delay", fmt.Errorf("got %s; expected a time of at least 0", r.Delay)
		}
	}
	return p, "", nil
}

func temperature(text string) (float64, error) {
	if text == "" {
		return 0, errors.New(`missing; give a temperature such as "85 degC"`)
	}
	return stackfile.ParseTemperature(text)
}

// positions are the lines of the tables and their keys.
type positions []map[string]int

var (
	headLine = regexp.MustCompile(`^\s*\[\[\s*"?policy"?\s*\]\]`)
	keyLine  = regexp.MustCompile(`^\s*"?(\w+)"?\s*=`)
)

func positionsOf(data []byte) positions {
	var all positions
	for n, line := range strings.Split(string(data), "\n") {
		if headLine.MatchString(line) {
			all = append(all, map[string]int{"": n + 1})
			continue
		}
		if m := keyLine.FindStringSubmatch(line); m != nil && len(all) > 0 {
			all[len(all)-1][m[1]] = n + 1
		}
	}
	return all
}

// of is the position of a key, or of its table.
func (p positions) of(path string, n int, key string) stack.Pos {
	pos := stack.Pos{File: path}
	if n < len(p) {
		if pos.Line = p[n][key]; pos.Line == 0 {
			pos.Line = p[n][""]
		}
		pos.Col = 1
	}
	return pos
}

// Start creates a controller for the policies of a file. Names that the stack lacks are errors of the file.
func Start(path string, policies []Policy, m *mesh.Mesh, power *powermap.Controls) (*Controller, error) {
	c, err := New(policies, m, power)
	var name *nameError
	if errors.As(err, &name) {
		return nil, &stack.Error{Pos: stack.Pos{File: path, Line: name.policy.Line, Col: 1},
			Msg: fmt.Sprintf("policy %q: %v", name.policy.Name, name.error)}
	}
	return c, err
}
