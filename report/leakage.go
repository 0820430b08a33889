package report

import (
	"fmt"
	"math"
	"strings"

	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/stack"
)

// LeakageSummary tells what powers that follow the temperature do; in a transient at its end.
type LeakageSummary struct {
	PowerW float64 `json:"power_W"` // all that leaks
	// By how much a small rise comes back, see docs/guides/leakage.md; null where it is not known.
	LoopGain float64 `json:"loop_gain"`
	At       Place   `json:"at"`               // the leaking cell where that rise is largest
	Runaway  bool    `json:"runaway"`          // the verdict, exit status 6
	TimeS    float64 `json:"time_s,omitempty"` // of a transient's runaway; absent otherwise
	// The largest factor on all powers with which there is a steady state; absent where there is one with the powers as
	// they are.
	LargestFactor float64 `json:"largest_factor,omitempty"`
	// Leaking cells outside the range of their law; absent without any.
	OutOfRange int64   `json:"out_of_range,omitempty"`
	FromK      float64 `json:"from_K"` // lower end of that range
	ToK        float64 `json:"to_K"`   // upper end of that range
}

func summariseLeakage(m *mesh.Mesh, l *solution.Leakage) *LeakageSummary {
	if l == nil {
		return nil
	}
	s := &LeakageSummary{PowerW: l.Watts, LoopGain: l.Gain, At: placeOf(m, l.I, l.J, l.K), Runaway: l.Runaway,
		TimeS: l.Time, LargestFactor: l.Factor,
		OutOfRange: l.Outside, FromK: l.From, ToK: l.To}
	if !(l.Gain > 0) {
		s.LoopGain = math.NaN()
	}
	return s
}

// String is the state of the loop in a line.
func (l *LeakageSummary) String() string {
	text := "leakage " + significant(l.PowerW, 4) + " W, "
	if math.IsNaN(l.LoopGain) {
		return text + "no loop gain"
	}
	text += "loop gain " + significant(l.LoopGain, 3)
	if l.At.Layer != "" {
		text += ", largest" + placeWords(l.At)
	}
	return text
}

// Verdict tells where and how power runs away; empty where it does not.
func (l *LeakageSummary) Verdict() string {
	if l == nil || !l.Runaway {
		return ""
	}
	text := strings.TrimSpace(placeWords(l.At)) + ", loop gain " + significant(l.LoopGain, 3)
	switch {
	case l.LargestFactor > 0:
		text += fmt.Sprintf("; the largest power with a steady state is %s times that of the stack, and the field "+
			"is that state", significant(l.LargestFactor, 4))
	case l.OutOfRange > 0:
		text += fmt.Sprintf("; at %s the temperatures left the range of the leakage, up to %.4g K", seconds(l.TimeS),
			l.ToK)
	case l.TimeS > 0:
		text += fmt.Sprintf("; at %s the leakage grows faster than the time step can follow", seconds(l.TimeS))
	}
	return text
}

// leaks is the leakage of the blocks of each power, or of a power itself, in W.
type leaks map[*stack.Power][]float64

// leaksOf reads the planes that leak.
func leaksOf(m *mesh.Mesh, sol *solution.Solution) (leaks, error) {
	if m.Leakage == nil {
		return nil, nil
	}
	scale := 1.0
	if n := sol.Status.Nonlinear; n != nil && n.Leakage != nil && n.Leakage.Factor > 0 {
		scale = n.Leakage.Factor
	}
	all := leaks{}
	for _, layer := range m.Power.Leakage() {
		r := m.PowerPlanes(layer.Layer)
		var planes [][]float64
		for k := r[0]; k < r[1]; k++ {
			plane := make([]float64, m.NX()*m.NY())
			if err := sol.Field.Plane(k, plane); err != nil {
				return nil, err
			}
			planes = append(planes, plane)
		}
		for p := range m.Stack.Layers[layer.Layer].Powers {
			power := &m.Stack.Layers[layer.Layer].Powers[p]
			watts := m.Power.LeakageWatts(power, planes, m.Leakage.Of)
			if len(watts) == 0 { // it does not leak, beside one of the layer that does
				continue
			}
			for i := range watts {
				watts[i] *= scale
			}
			all[power] = watts
		}
	}
	return all, nil
}

// block is the leakage of a block.
func (l leaks) block(b *block) float64 {
	if w := l[b.power]; w != nil {
		return w[b.index]
	}
	return 0
}

// layer is the leakage of all powers of a layer.
func (l leaks) layer(y *stack.Layer) float64 {
	sum := 0.0
	for p := range y.Powers {
		for _, w := range l[&y.Powers[p]] {
			sum += w
		}
	}
	return sum
}

// part is that of sources over a part, by their share of area.
func (l leaks) part(m *mesh.Mesh, p *part) float64 {
	sum := 0.0
	y := &m.Stack.Layers[p.layer]
	for n := range y.Powers {
		power := &y.Powers[n]
		watts := l[power]
		if watts == nil || p.power != nil && p.power != power {
			continue
		}
		if len(power.Blocks) == 0 {
			source := newSource(powerArea(m.Stack, power), watts[0], power)
			sum += source.over(m, p)
			continue
		}
		for i := range power.Blocks {
			source := newSource(blockArea(&power.Blocks[i]), watts[i], nil)
			sum += source.over(m, p)
		}
	}
	return sum
}
