// Package policy throttles powers during a transient by a table of temperature limits. It is a simple model of the
// thermal management of a chip.
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
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// Controller applies policies to the powers of a run. If several policies throttle an input, the smallest factor
// applies.
type Controller struct {
	power    *powermap.Controls
	readings *statistics.Readings
	rules    []*rule
}

// rule is the state of a policy.
type rule struct {
	stackfile.Policy
	blocks, probes []int // watched outputs
	inputs         []int
	wanted         bool // requested by the temperature
	active         bool
	pending        []action

	seen      float64 // K, at the end of the last step
	peak      float64
	throttled float64 // s
	changes   int
	first     float64 // s, NaN before the first
}

// action is a delayed change.
type action struct {
	at       float64 // s
	throttle bool
}

// New creates a controller for the powers of a mesh. A policy with names that the stack lacks is a *[stack.Error].
func New(policies []stackfile.Policy, m *mesh.Mesh, power *powermap.Controls) (*Controller, error) {
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
			return nil, &stack.Error{Pos: p.Pos, Msg: fmt.Sprintf("policy %q: %v", p.Name, err), Err: err}
		}
		c.rules = append(c.rules, r)
	}
	return c, nil
}

// Look evaluates the field at the end of a step from t0 to t1 in s, and sets the factors of the next step.
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

// hottest is the watched temperature of the rule.
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

// decide schedules an action when a limit is passed.
func (r *rule) decide(now float64) {
	wanted := r.wanted && !(r.seen < r.Below) || !r.wanted && r.seen > r.Above
	if wanted != r.wanted {
		r.wanted = wanted
		r.pending = append(r.pending, action{now + r.Delay, wanted})
	}
}

// act performs the actions that are due at the beginning of the next step. An action that falls within a step waits for
// its end.
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

// Columns are the columns of trace.csv: the factor of each policy in the step that has ended.
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

// Summary reports the effect of the policies so far.
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

// probePrefix is the prefix of watched probes.
const probePrefix = "probe/"

// find looks up the names of a policy.
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

// nothing replaces the error if the stack has no items of a kind.
func nothing(names []string, kind string, err error) error {
	if len(names) == 0 {
		return fmt.Errorf("the stack has no %s", kind)
	}
	return err
}
