package driver

import (
	"thermsim/gpusolve/snapshot"
	"thermsim/powermap"
)

// Powers are those of the steps of a time stepper, from one supply.
type Powers struct {
	Supply powermap.Supply                 // nil in a steady state
	Put    func(layers []powermap.Drawing) // makes the right side of them
	Watts  float64                         // of the current step
	Drawn  [2]float64                      // s, the time that was drawn last
}

// Draw puts the mean power from t0 to t1 into the right side.
func (p *Powers) Draw(t0, t1 float64) error {
	layers, err := p.Supply.Over(t0, t1)
	if err == nil {
		p.Put(layers)
		p.Drawn = [2]float64{t0, t1}
	}
	return err
}

// Load draws the mean power from t0 to t1, and returns it in W.
func (p *Powers) Load(t0, t1 float64) (float64, error) {
	watts, err := p.Supply.MeanWatts(t0, t1)
	if err == nil {
		err = p.Draw(t0, t1)
	}
	if err != nil {
		return 0, err
	}
	p.Watts = watts
	return watts, nil
}

// Step draws the power of step n from t0 to t1, unless it equals that of the step of dt before it. That of the first is
// there already.
func (p *Powers) Step(n int, dt, t0, t1 float64) (changed bool, err error) {
	switch {
	case n == 0:
		p.Watts, err = p.Supply.MeanWatts(t0, t1)
		return false, err
	case !p.Supply.Changed(t0-dt, t0, t0, t1):
		return false, nil
	}
	_, err = p.Load(t0, t1)
	return true, err
}

// Snapshot takes what the power was drawn for, and what was set to what, and draws it again.
func (p *Powers) Snapshot(c *snapshot.Coder) {
	c.Values(p.Drawn[:])
	controls, set := p.Supply.(*powermap.Controls)
	stale := false
	if set {
		settings := controls.Settings()
		for n := range settings {
			c.Float(&settings[n].Watts, &settings[n].Factor)
		}
		stale = controls.Stale()
		c.Bool(&stale)
		if c.Err() == nil && c.Reading() {
			controls.SetAll(settings)
		}
	}
	if c.Err() == nil && c.Reading() {
		if err := p.Draw(p.Drawn[0], p.Drawn[1]); err != nil {
			c.Fail(err)
		}
		if stale {
			controls.Touch()
		}
	}
	c.Float(&p.Watts)
}
