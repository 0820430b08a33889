package stackfile

import (
	"fmt"
	"strings"

	"thermsim/stack"
	"thermsim/stack/internal/faults"
	"thermsim/stack/internal/keys"
)

// Policy is a table of a policy file: above a limit, some powers are reduced to a fraction, until the temperature falls
// below another limit.
type Policy struct {
	Name     string    `toml:"name"`
	Watch    []string  `toml:"watch"`    // blocks, or "probe/NAME"; the hottest of them counts
	Mean     bool      `toml:"quantity"` // use the mean of a block, not its hottest cell
	Above    float64   `toml:"above"`    // K, start of throttling
	Below    float64   `toml:"below"`    // K, end of throttling
	Throttle []string  `toml:"throttle"` // blocks, uniform powers or maps
	Factor   float64   `toml:"factor"`   // remaining fraction of the power while throttled
	Delay    float64   `toml:"delay"`    // s from the end of the step that passes a limit to the action
	Pos      stack.Pos // in its file
}

// LoadPolicies reads a policy file. The error is an [stack.ErrorList] or an *[stack.Error], as of [Load].
func LoadPolicies(path string) ([]Policy, error) {
	data, err := readAsked(path, "policy file", " with [[policy]] tables")
	if err != nil {
		return nil, err
	}
	return ParsePolicies(path, data)
}

// ParsePolicies reads a policy file from its text.
func ParsePolicies(path string, data []byte) (list []Policy, err error) {
	err = parse(path, data, keys.Policies(), "policies", func(t *table) {
		taken := map[string]bool{}
		for i, pt := range t.tables("policy") {
			p := pt.policy(i)
			if taken[p.Name] {
				t.fail(pt.pos("name"), "rename one of them", "two policies are called %q", faults.Shorten(p.Name))
			}
			taken[p.Name] = true
			list = append(list, p)
		}
	})
	return list, err
}

// policy reads policy i.
func (t *table) policy(i int) Policy {
	p := Policy{Name: fmt.Sprint(i + 1), Pos: t.node.Pos}
	t.into(&p)
	if strings.ContainsAny(p.Name, ",\"\n\r") || len(p.Name) > 100 {
		t.fail(t.pos("name"), "it is a column heading of trace.csv: use up to 100 characters without commas, quotes "+
			"and line breaks", "a policy cannot be called %q", faults.Shorten(p.Name))
	}
	if !t.has("below") {
		p.Below = p.Above
	}
	if p.Below > p.Above && p.Above > 0 {
		t.fail(t.pos("below"), "throttling ends there", "below must not exceed above, got %s", t.node.Find("below").
			Value.Describe())
	}
	return p
}
