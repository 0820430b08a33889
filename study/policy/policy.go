// Package policy throttles powers by a table of limits while a stack is stepped: what the thermal management of a chip
// does, for those who have no simulator of it.
package policy

import (
	"fmt"
	"math"
	"strings"

	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/powermap"
	"thermsim/report"
	"thermsim/report/statistics"
	"thermsim/report/summary"
)

// Policy is a row of the table: above a limit some inputs get a part of their power, until the temperature has fallen
// below another limit.
type Policy struct {
	Name     string
	Watch    []string // blocks, or "probe/NAME"; the hottest of them counts
	Mean     bool     // the mean of a block, not its hottest cell
	Above    float64  // K, throttles
	Below    float64  // K, releases
	Throttle []string // blocks, uniform powers or maps
	Factor   float64  // of their power while throttled
	Delay    float64  // s from the end of the step that shows the temperature to the action
	Line     int      // in its file
}

// Controller applies policies to the powers of a run. Of several policies that throttle an input the smallest factor
// holds.
type Controller struct {
	power    *powermap.Controls
	readings *statistics.Readings
	rules    []*rule
}

// rule is a policy at work.
type rule struct {
	Policy
	blocks, probes []int // what is watched
	inputs         []int
	wanted         bool // what the temperature asks for
	active         bool
	pending        []action

	seen      float64 // K, at the end of the last step
	peak      float64
	throttled float64 // s
	changes   int
	first     float64 // s, NaN before the first
}

// action is a change that waits for its time.
type action struct {
	at       float64 // s
	throttle bool
}

// New makes a controller of the powers of a mesh. The error names the policy whose names do not fit the stack.
func New(policies []Policy, m *mesh.Mesh, power *powermap.Controls) (*Controller, error) {
	readings, err := statistics.NewReadings(m)
	if err != nil {
		return nil, err
	}
	c := &Controller{power: power, readings: readings}
	var inputs []string
	for _, in := range ports.InputsOf(m.Stack) {
		inputs = append(inputs, in.Name)
	}
	for _, p := range policies {
		r := &rule{Policy: p, seen: math.NaN(), peak: math.Inf(-1), first: math.NaN()}
		if err := r.find(readings, inputs); err != nil {
			return nil, &nameError{p, err}
		}
		c.rules = append(c.rules, r)
	}
	return c, nil
}

// Look takes the field at the end of a step from t0 to t1 in s, and sets the factors of the next one.
func (c *Controller) Look(t0, t1 float64, f solution.Field) error {
	blocks, err := c.readings.Blocks(f)
	if err != nil {
		return err
	}
	probes, err := c.readings.Probes(f)
	if err != nil {
		return err
	}
	for _, r := range c.rules {
		if r.active {
			r.throttled += t1 - t0
		}
		r.seen = r.hottest(blocks, probes)
		r.peak = math.Max(r.peak, r.seen)
		r.decide(t1)
		r.act(t1, t1-t0)
	}
	return c.apply()
}

// hottest is what the rule watches.
func (r *rule) hottest(blocks []statistics.Extremes, probes []float64) float64 {
	top := math.Inf(-1)
	for _, b := range r.blocks {
		if r.Mean {
			top = math.Max(top, blocks[b].MeanK)
			continue
		}
		top = math.Max(top, blocks[b].MaxK)
	}
	for _, p := range r.probes {
		top = math.Max(top, probes[p])
	}
	return top
}

// decide asks for an action where a limit was passed.
func (r *rule) decide(now float64) {
	wanted := r.wanted && !(r.seen < r.Below) || !r.wanted && r.seen > r.Above
	if wanted != r.wanted {
		r.wanted = wanted
		r.pending = append(r.pending, action{now + r.Delay, wanted})
	}
}

// act takes the actions whose time has come by the beginning of a step that begins now: one that falls into a step
// waits for its end.
func (r *rule) act(now, dt float64) {
	for len(r.pending) > 0 && r.pending[0].at <= now+1e-6*dt {
		if throttle := r.pending[0].throttle; throttle != r.active {
			r.active = throttle
			r.changes++
			if math.IsNaN(r.first) {
				r.first = now
			}
		}
		r.pending = r.pending[1:]
	}
}

// apply sets the factors.
func (c *Controller) apply() error {
	factors := map[int]float64{}
	for _, r := range c.rules {
		for _, in := range r.inputs {
			if _, known := factors[in]; !known {
				factors[in] = 1
			}
			if r.active {
				factors[in] = math.Min(factors[in], r.Factor)
			}
		}
	}
	for in, f := range factors {
		if err := c.power.Scale(in, f); err != nil {
			return err
		}
	}
	return nil
}

// Columns are those of trace.csv: the factor of each policy in the step that has ended.
func (c *Controller) Columns() []report.TraceColumn {
	var all []report.TraceColumn
	for _, r := range c.rules {
		all = append(all, report.TraceColumn{Name: "policy:" + r.Name + "_factor", Value: func() float64 {
			if r.active {
				return r.Factor
			}
			return 1
		}})
	}
	return all
}

// Summary tells what the policies did until now.
func (c *Controller) Summary() []summary.Policy {
	all := []summary.Policy{}
	for _, r := range c.rules {
		s := summary.Policy{Name: r.Name, AboveK: r.Above, BelowK: r.Below, Factor: r.Factor, PeakK: r.peak,
			ThrottledS: r.throttled, Changes: r.changes, Throttled: r.active}
		if !math.IsNaN(r.first) {
			s.FirstS = &r.first
		}
		if math.IsInf(s.PeakK, 0) {
			s.PeakK = math.NaN()
		}
		all = append(all, s)
	}
	return all
}

// probePrefix begins the names of probes in what is watched.
const probePrefix = "probe/"

// find looks the names of a policy up.
func (r *rule) find(readings *statistics.Readings, inputs []string) error {
	for _, name := range r.Watch {
		if probe, ok := strings.CutPrefix(name, probePrefix); ok {
			n, err := ports.Find(readings.ProbeNames, probe)
			if err != nil {
				return fmt.Errorf("watch: %w", nothing(readings.ProbeNames, "probes", err))
			}
			r.probes = append(r.probes, n)
			continue
		}
		n, err := ports.Find(readings.BlockNames, name)
		if err != nil {
			return fmt.Errorf("watch: %w", nothing(readings.BlockNames, "blocks", err))
		}
		r.blocks = append(r.blocks, n)
	}
	for _, name := range r.Throttle {
		n, err := ports.Find(inputs, name)
		if err != nil {
			return fmt.Errorf("throttle: %w", nothing(inputs, "powers", err))
		}
		r.inputs = append(r.inputs, n)
	}
	return nil
}

// nothing says that a stack has none of a kind, where that is why a name was not found.
func nothing(names []string, kind string, err error) error {
	if len(names) == 0 {
		return fmt.Errorf("the stack has no %s", kind)
	}
	return err
}

// nameError is a name that a stack does not have.
type nameError struct {
	policy Policy
	error
}

func (e *nameError) Unwrap() error { return e.error }
