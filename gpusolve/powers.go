package gpusolve

import (
	"thermsim/gpusolve/snapshot"
	"thermsim/powermap"
)

// powers are those of the steps of a time stepper, from one supply.
type powers struct {
	supply powermap.Supply                 // nil in a steady state
	put    func(layers []powermap.Drawing) // makes the right side of them
	watts  float64                         // of the current step
	drawn  [2]float64                      // s, the time that was drawn last
}

// draw puts the mean power from t0 to t1 into the right side.
func (p *powers) draw(t0, t1 float64) error {
	layers, err := p.supply.Over(t0, t1)
	if err == nil {
		p.put(layers)
		p.drawn = [2]float64{t0, t1}
	}
	return err
}

// load draws the mean power from t0 to t1, and returns it in W.
func (p *powers) load(t0, t1 float64) (float64, error) {
	watts, err := p.supply.MeanWatts(t0, t1)
	if err == nil {
		err = p.draw(t0, t1)
	}
	if err != nil {
		return 0, err
	}
	p.watts = watts
	return watts, nil
}

// step draws the power of step n from t0 to t1, unless it equals that of the step of dt before it. That of the first is
// there already.
func (p *powers) step(n int, dt, t0, t1 float64) (changed bool, err error) {
	switch {
	case n == 0:
		p.watts, err = p.supply.MeanWatts(t0, t1)
		return false, err
	case !p.supply.Changed(t0-dt, t0, t0, t1):
		return false, nil
	}
	_, err = p.load(t0, t1)
	return true, err
}

// snapshot takes what the power was drawn for, and what was set to what, and draws it again.
func (p *powers) snapshot(c *snapshot.Coder) {
	c.Values(p.drawn[:])
	controls, set := p.supply.(*powermap.Controls)
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
		if err := p.draw(p.drawn[0], p.drawn[1]); err != nil {
			c.Fail(err)
		}
		if stale {
			controls.Touch()
		}
	}
	c.Float(&p.watts)
}
