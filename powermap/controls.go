package powermap

import (
	"fmt"
	"math"
	"slices"
)

// Supply is the power of time steps, with times in s.
type Supply interface {
	// Over describes the mean power over the time step (t0, t1].
	Over(t0, t1 float64) ([]Drawing, error)
	// MeanWatts is its sum in W.
	MeanWatts(t0, t1 float64) (float64, error)
	// Changed reports whether the power over (u0, u1] differs anywhere from the result of the last call of Over, for
	// (t0, t1].
	Changed(t0, t1, u0, u1 float64) bool
}

var (
	_ Supply = (*Sequence)(nil)
	_ Supply = (*Controls)(nil)
)

// Controls are powers that a client sets during a run. An input follows its trace and schedule until its power is set,
// and then keeps that power. A factor scales either. Controls are for one goroutine at a time.
type Controls struct {
	power    *Map
	outlines []*Outline // of the map's layers
	settings []Setting
	stale    bool // a setting changed since the last call of Over
	strength []float64
}

// Setting is the state of an input.
type Setting struct {
	Watts  float64 // W; NaN if the input follows its trace and schedule
	Factor float64 // of the power
}

// unset is the initial setting.
var unset = Setting{math.NaN(), 1}

// Controls prepares powers that can be set. It rasterizes power maps once.
func (m *Map) Controls() *Controls {
	outlines := m.outlines(func(*source) float64 { return 1 }) // the steady factor of maps
	return &Controls{power: m, outlines: outlines, settings: slices.Repeat([]Setting{unset}, m.inputs)}
}

// Count is the number of inputs: blocks, uniform powers and power maps, layer by layer, power by power, block by block,
// as package ports lists them.
func (c *Controls) Count() int { return len(c.settings) }

// Set fixes the power of an input in W, instead of its trace and schedule. NaN returns it to these.
func (c *Controls) Set(input int, watts float64) error {
	if math.IsInf(watts, 0) {
		return fmt.Errorf("%g W is no power", watts)
	}
	c.put(input, Setting{watts, c.settings[input].Factor})
	return nil
}

// Scale sets the factor on an input.
func (c *Controls) Scale(input int, factor float64) error {
	if !(factor >= 0) || math.IsInf(factor, 0) {
		return fmt.Errorf("a factor of %g on a power; give 0 or more", factor)
	}
	c.put(input, Setting{c.settings[input].Watts, factor})
	return nil
}

func (c *Controls) put(input int, to Setting) {
	was := c.settings[input]
	if was.Factor == to.Factor && (was.Watts == to.Watts || math.IsNaN(was.Watts) && math.IsNaN(to.Watts)) {
		return
	}
	c.settings[input], c.stale = to, true
}

// Settings is a copy of the settings of all inputs.
func (c *Controls) Settings() []Setting { return slices.Clone(c.settings) }

// SetAll restores the result of Settings.
func (c *Controls) SetAll(to []Setting) {
	for n := range c.settings {
		c.put(n, to[n])
	}
}

// Reset returns all inputs to their traces and schedules.
func (c *Controls) Reset() { c.SetAll(slices.Repeat([]Setting{unset}, len(c.settings))) }

// Stale reports whether a setting changed since the last call of Over.
func (c *Controls) Stale() bool { return c.stale }

// Touch marks the powers as changed.
func (c *Controls) Touch() { c.stale = true }

// Changed implements Supply.
func (c *Controls) Changed(t0, t1, u0, u1 float64) bool {
	return c.stale || c.power.Changed(t0, t1, u0, u1)
}

// MeanWatts implements Supply.
func (c *Controls) MeanWatts(t0, t1 float64) (float64, error) {
	if err := checkStep(t0, t1); err != nil {
		return 0, err
	}
	var total Sum
	for s := range c.power.sources() {
		total.Add(s.total(c.mean(s, t0, t1)))
	}
	return total.Value(), nil
}

// Watts are the mean powers of the inputs over the time step (t0, t1], in W.
func (c *Controls) Watts(t0, t1 float64) ([]float64, error) {
	if err := checkStep(t0, t1); err != nil {
		return nil, err
	}
	return c.power.inputWatts(func(s *source) []float64 { return c.mean(s, t0, t1) }), nil
}

// mean is the strength of a source over a time step. It is valid until the next call.
func (c *Controls) mean(s *source, t0, t1 float64) []float64 {
	c.strength = append(c.strength[:0], s.mean(t0, t1)...)
	for b, set := range c.settings[s.first:][:len(c.strength)] {
		if !math.IsNaN(set.Watts) {
			c.strength[b] = s.strengthOf(set.Watts)
		}
		c.strength[b] *= set.Factor
	}
	return c.strength
}

// strengthOf is the strength at which a value of the source is a given power in W.
func (s *source) strengthOf(watts float64) float64 {
	switch {
	case s.power.Map == nil:
		return watts
	case s.tiles == 0:
		return 0
	}
	return watts / s.tiles
}

// Over implements Supply. The drawings are in the order of the map's layers.
func (c *Controls) Over(t0, t1 float64) ([]Drawing, error) {
	if err := checkStep(t0, t1); err != nil {
		return nil, err
	}
	c.stale = false
	return c.power.drawings(c.outlines, func(s *source) []float64 { return c.mean(s, t0, t1) }), nil
}
