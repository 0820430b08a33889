package policy

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// lump is a single cell with a block that is throttled and a power that is not. Its time constant and resistance are
// those of theory.
func lump(t *testing.T) (m *mesh.Mesh, tau, resistance float64) {
	t.Helper()
	const c, k, h, thickness = 2e6, 100.0, 1e4, 1e-3
	s := &stack.Stack{
		Schema: 1, Ambient: 300, Size: [2]float64{2e-3, 3e-3},
		Grid:      stack.Grid{X: stack.Axis{Cells: 1}, Y: stack.Axis{Cells: 1}},
		Materials: []stack.Material{{Name: "m", K: [3]float64{k, k, k}, C: c}},
		Probes:    []stack.Probe{{Name: "cell", X: 1e-3, Y: 1.5e-3, Z: thickness / 2}},
	}
	s.Layers = []stack.Layer{{Name: "die", Thickness: thickness, Cells: 1, Powers: []stack.Power{
		{Blocks: []stack.Block{{Name: "core", Watts: 8, Rects: []stack.Rect{s.Domain()}}}, Area: s.Domain()},
		{Name: "rest", Uniform: 2, Area: s.Domain()}}}}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: h, Temperature: 300}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	area := s.Size[0] * s.Size[1]
	g := area / (1/h + thickness/(2*k))
	return m, c * area * thickness / g, 1 / g
}

// A cell under two policies goes the way that theory takes with the same rules, written down here a second time:
// hysteresis, delay, and the smallest factor where both throttle.
func TestThrottledCell(t *testing.T) {
	m, tau, r := lump(t)
	dt := tau / 20
	full := 10 * r // K above ambient with all powers
	rules := []stackfile.Policy{
		{Name: "slow", Watch: []string{"die/core"}, Above: 300 + 0.6*full, Below: 300 + 0.5*full,
			Throttle: []string{"core"}, Factor: 0.25, Delay: 3 * dt},
		{Name: "stop", Watch: []string{"probe/cell"}, Above: 300 + 0.68*full, Below: 300 + 0.62*full,
			Throttle: []string{"core", "rest"}, Factor: 0.1},
	}
	const steps = 400
	for _, factor := range []float64{0.25, 0.8} {
		rules[0].Factor = factor
		power := m.Power.Controls()
		c, err := New(rules, m, power)
		if err != nil {
			t.Fatal(err)
		}
		w := &cell{rise: 0, full: full, rules: rules, dt: dt, tau: tau}
		sol, err := gpusolve.Transient(context.Background(), m, gpusolve.Options{Device: "cpu", Power: power},
			gpusolve.TransientOptions{Steps: steps, Dt: dt,
				OnStep: func(step solution.Step, f solution.Field) error {
					w.step()
					if math.Abs(step.MaxK-300-w.rise) > 1e-5 || math.Abs(step.PowerW-w.watts) > 1e-9 {
						t.Fatalf("factor %g, step %d: %.6f K under %g W, want %.6f under %g", factor, w.n,
							step.MaxK-300,
							step.PowerW, w.rise, w.watts)
					}
					if err := c.Look(step.Time-dt, step.Time, f); err != nil {
						return err
					}
					w.decide()
					return nil
				}})
		if err != nil {
			t.Fatal(err)
		}
		sol.Close()
		for n, s := range c.Summary() {
			if s.Changes != w.changes[n] || math.Abs(s.ThrottledS-float64(w.throttled[n])*dt) > 1e-6*dt ||
				math.Abs(s.PeakK-300-w.peak) > 1e-5 {
				t.Errorf("factor %g: %+v, want %d changes, %d steps throttled, peak %.6f", factor, s, w.changes[n],
					w.throttled[n], w.peak)
			}
		}
		if w.changes[0] < 3 && w.changes[1] < 3 {
			t.Errorf("factor %g: the policies changed %v times: nothing to compare", factor, w.changes)
		}
	}
}

// cell is the same in steps of counts.
type cell struct {
	rise, full, peak, watts, dt, tau float64
	rules                            []stackfile.Policy
	n                                int
	wanted, active                   [2]bool
	due                              [2][]int // steps after which a change acts, alternately
	changes, throttled               [2]int
}

func (c *cell) step() {
	core, rest := 1.0, 1.0
	if c.active[0] {
		core = c.rules[0].Factor
	}
	if c.active[1] {
		core, rest = math.Min(core, 0.1), 0.1
	}
	c.watts = 8*core + 2*rest
	c.rise = (c.rise + c.dt/c.tau*c.full*c.watts/10) / (1 + c.dt/c.tau)
	c.peak = math.Max(c.peak, c.rise)
	c.n++
	for i := range c.active {
		if c.active[i] {
			c.throttled[i]++
		}
	}
}

func (c *cell) decide() {
	for i, late := range []int{3, 0} {
		p := &c.rules[i]
		if !c.wanted[i] && c.rise > p.Above-300 || c.wanted[i] && c.rise < p.Below-300 {
			c.wanted[i] = !c.wanted[i]
			c.due[i] = append(c.due[i], c.n+late)
		}
		for len(c.due[i]) > 0 && c.due[i][0] <= c.n {
			c.active[i] = !c.active[i]
			c.changes[i]++
			c.due[i] = c.due[i][1:]
		}
	}
}

func TestFaults(t *testing.T) {
	row := func(lines string) string { return "[[policy]]\n" + lines + "\n" }
	good := "watch = [\"core\"]\nabove = \"85 degC\"\nthrottle = [\"core\"]\nfactor = 0.5"
	for text, want := range map[string]string{
		"":                      `p.toml:1:1: a policy file needs the key "policy"; add a [[policy]] table`,
		"policy = []":           "p.toml:1:10: policy is empty; add a [[policy]] table",
		"[[policy":              ":1:",
		row("watch = 5"):        ":2:9: watch must be an array, got 5",
		row("watch = []"):       `:2:9: watch is empty; add watch = ["..."]`,
		row(good + "\nwat = 1"): `:6:1: unknown key "wat" in a policy; did you mean "watch"?`,
		row("above = \"85 degC\""): `p.toml:1:3: a policy needs the key "watch"; add watch = ["..."]` + "\n" +
			`p.toml:1:3: a policy needs the key "throttle"; add throttle = ["..."]` + "\n" +
			`p.toml:1:3: a policy needs the key "factor"; add factor = 0.1`,
		row(good + "\nbelow = \"90 degC\""):         `:6:9: below must not exceed above, got "90 degC"; throttling ends`,
		row(good + "\nquantity = \"median\""):       `:6:12: quantity cannot be "median"; did you mean "mean"?`,
		row(good + "\ndelay = \"-1 ms\""):           `:6:9: delay must not be negative, got "-1 ms"`,
		row(good + "\ndelay = 2e-20"):               ":6:9: delay: a time must be at least 1e-18 s",
		row(good + "\nname = \"a,b\""):              `:6:8: a policy cannot be called "a,b"; it is a column heading`,
		row(strings.Replace(good, "0.5", "-1", 1)):  ":5:10: factor must lie between 0 and 1, got -1",
		row(strings.Replace(good, "0.5", "nan", 1)): ":5:10: factor must be a finite number, got nan",
		row(strings.Replace(good, "0.5", "2", 1)):   ":5:10: factor must lie between 0 and 1, got 2",
		strings.Repeat(row(good), 1001): ":5001:3: policy has 1000 entries at most, this one 1001; combine policies " +
			"that watch or throttle several blocks",
		row(strings.Replace(good, "85 degC", "85 W", 1)):        ":3:9: above: expected a temperature",
		row(good+"\nname = \"a\"") + row(good+"\nname = \"a\""): `:12:8: two policies are called "a"; rename one`,
	} {
		_, err := stackfile.ParsePolicies("p.toml", []byte(text))
		var fault *stack.Error
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	m, _, _ := lump(t)
	for lines, want := range map[string]string{
		strings.Replace(good, "[\"core\"]", "[\"x\"]",
			1): `p.toml:1:3: policy "1": watch: there is no "x"`,
		strings.Replace(good, "[\"core\"]", "[\"probe/x\"]", 1):                 "watch: there is no",
		strings.Replace(good, "throttle = [\"core\"]", "throttle = [\"x\"]", 1): "throttle: there is no",
	} {
		all, err := stackfile.ParsePolicies("p.toml", []byte(row(lines)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(all, m, m.Power.Controls()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", lines, err, want)
		}
	}
}

func TestExample(t *testing.T) {
	all, err := stackfile.LoadPolicies(filepath.Join("..", "..", "examples", "throttling", "policy.toml"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := stackfile.Load(filepath.Join("..", "..", "examples", "throttling", "stack.toml"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(all, m, m.Power.Controls()); err != nil {
		t.Error(err)
	}
}

// FuzzParse holds any text against the reader: it is a table of sound policies, or refused.
func FuzzParse(f *testing.F) {
	example, err := os.ReadFile(filepath.Join("..", "..", "examples", "throttling", "policy.toml"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(example)
	f.Add([]byte("policy = [{watch = ['a'], above = 300, throttle = ['b'], factor = 1e400}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := stackfile.ParsePolicies("p.toml", data)
		if err != nil {
			return
		}
		for _, p := range all {
			if len(p.Watch) == 0 || len(p.Throttle) == 0 || !(p.Factor >= 0) || !(p.Above > 0) ||
				!(p.Below <= p.Above) || !(p.Delay >= 0) {
				t.Errorf("%q gives %+v", data, p)
			}
		}
	})
}
