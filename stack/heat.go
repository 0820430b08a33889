package stack

import (
	"fmt"
	"iter"
	"math"
)

// HeatedPart says where over the height of a layer its power arises. Empty means the whole height.
type HeatedPart string

// The heated parts of a layer: all of it, or a slice of PowerDepth at one of its surfaces, where transistors are.
const (
	HeatedVolume HeatedPart = "volume"
	HeatedBottom HeatedPart = "bottom"
	HeatedTop    HeatedPart = "top"
)

// DefaultPowerDepth is the height in m of the slice that is heated at a surface: transistors and the wires next to
// them.
const DefaultPowerDepth = 5e-6

// Sliced says whether the heated part has a separate plane of cells.
func (y *Layer) Sliced() bool { return y.AtSurface() && y.PowerDepth < y.Thickness }

// AtSurface says whether the power arises in a slice at a surface.
func (y *Layer) AtSurface() bool { return y.PowerAt == HeatedBottom || y.PowerAt == HeatedTop }

// HeatedDepth is the height in m over which the power is spread.
func (y *Layer) HeatedDepth() float64 {
	if y.Sliced() {
		return y.PowerDepth
	}
	return y.Thickness
}

// porous says whether the layer has a plane for the walls and one for the coolant, each half as thick as the cavity.
// Both represent the whole cavity.
func (y *Layer) porous() bool { return y.Coolant != nil && y.Coolant.Model == PorousCavity }

// Planes is the number of planes of cells: Cells, and one more for a heated slice, or for the coolant of a porous
// cavity in addition to the walls.
func (y *Layer) Planes() int {
	if y.Sliced() || y.porous() {
		return y.Cells + 1
	}
	return y.Cells
}

// PlaneThickness is that of plane p, from the bottom of the layer, in m.
func (y *Layer) PlaneThickness(p int) float64 {
	switch {
	case y.porous():
		return y.Thickness / 2
	case !y.Sliced():
		return y.Thickness / float64(y.Cells)
	case p == y.heatedPlane():
		return y.PowerDepth
	}
	return (y.Thickness - y.PowerDepth) / float64(y.Cells)
}

// PlaneTop is the height in m of the upper face of plane p above the bottom of the layer.
func (y *Layer) PlaneTop(p int) float64 {
	switch {
	case p+1 == y.Planes():
		return y.Thickness
	case y.porous():
		return y.Thickness / 2
	case !y.Sliced():
		return y.Thickness * (float64(p+1) / float64(y.Cells))
	case y.PowerAt == HeatedTop:
		return (y.Thickness - y.PowerDepth) * (float64(p+1) / float64(y.Cells))
	}
	return y.PowerDepth + (y.Thickness-y.PowerDepth)*(float64(p)/float64(y.Cells))
}

// heatedPlane is the plane of a heated slice.
func (y *Layer) heatedPlane() int {
	if y.PowerAt == HeatedTop {
		return y.Cells
	}
	return 0
}

// HeatedPlanes are those that the power is spread over, as a half-open range from the bottom of the layer.
func (y *Layer) HeatedPlanes() (from, to int) {
	if y.Sliced() {
		p := y.heatedPlane()
		return p, p + 1
	}
	return 0, y.Cells
}

// Watts of all sources in a steady state.
func (s *Stack) Watts() float64 { return Watts(s.Layers) }

func Watts(layers []Layer) float64 {
	w := 0.0
	for p := range Sources(layers) {
		w += p.Watts()
	}
	return w
}

// Sources visits the powers of layers.
func Sources(layers []Layer) iter.Seq[*Power] {
	return func(visit func(*Power) bool) {
		for i := range layers {
			for p := range layers[i].Powers {
				if !visit(&layers[i].Powers[p]) {
					return
				}
			}
		}
	}
}

// ScalePower scales all sources of a steady state so that their total is the given power in W. Traces and leakage are
// not changed, except that of temperature-dependent maps, whose planes are scaled alike.
func (s *Stack) ScalePower(watts float64) {
	now := s.Watts()
	if !(now > 0) {
		return
	}
	factor := watts / now
	for power := range Sources(s.Layers) {
		power.Uniform *= factor
		for b := range power.Blocks {
			power.Blocks[b].Watts *= factor
		}
		if power.Map != nil {
			power.Map = power.Map.Times(factor)
		}
	}
}

// Leakage is temperature-dependent power: Watts times the value of Factor at the temperature of each cell. There is
// none if Factor is nil.
type Leakage struct {
	Watts  float64
	Factor *Curve
}

// leaks says whether there is any.
func (l *Leakage) leaks() bool { return l.Factor != nil && l.Watts > 0 }

// Leaks says whether any power of the stack is temperature-dependent, which makes the equations nonlinear.
func (s *Stack) Leaks() bool {
	_, _, any := s.leakageRange()
	return any
}

// leakageRange is the range of temperatures in K for which all laws of leakage are valid; any is false without leakage.
func (s *Stack) leakageRange() (from, to float64, any bool) {
	to = math.Inf(1)
	s.eachLeakage(func(l *Leakage) {
		from, to, any = math.Max(from, l.Factor.Range[0]), math.Min(to, l.Factor.Range[1]), true
	})
	return from, to, any
}

// LeakageAt is the leakage in W at a uniform temperature in K.
func (s *Stack) LeakageAt(kelvin float64) (watts float64) {
	s.eachLeakage(func(l *Leakage) { watts += l.Watts * l.Factor.Of(kelvin) })
	return watts
}

// eachLeakage visits the leakage of all powers, blocks and maps that have any.
func (s *Stack) eachLeakage(visit func(*Leakage)) {
	take := func(l *Leakage) {
		if l.leaks() {
			visit(l)
		}
	}
	for power := range Sources(s.Layers) {
		take(&power.Leakage)
		if power.Map != nil {
			for n, law := range power.Map.Leakage() {
				visit(&Leakage{Watts: total(power.Map.Hotter[n]) - power.Map.Watts(), Factor: law})
			}
		}
		for b := range power.Blocks {
			take(&power.Blocks[b].Leakage)
		}
	}
}

// Nonlinear says whether the equations are nonlinear: a material, a face or a power is temperature-dependent.
func (s *Stack) Nonlinear() bool { return s.TemperatureDependent() || s.Leaks() }

// LeakageFault is Fault for a law of leakage.
func (c *Curve) LeakageFault() (fault, remedy string) {
	switch {
	case c.Law == PowerLaw:
		return "cannot be a power law", "take beta, a polynomial or a table"
	case c.Law == ExponentialLaw && c.Value != 1:
		return fmt.Sprintf("exponential law is %g at %g K, but must be 1 there", c.Value, c.At), ""
	}
	if fault, remedy = c.Fault(); fault != "" {
		return fault, remedy
	}
	for _, kelvin := range c.Range {
		if v := c.Of(kelvin); !(v <= maxLeakage) {
			return fmt.Sprintf("law is %.3g at %g K, but must not exceed %.0e", v, kelvin, maxLeakage),
				"narrow the range, or correct the numbers"
		}
	}
	return "", ""
}

// maxLeakage is far above practical values, and far below the largest number in FP32.
const maxLeakage = 1e20

// Mean power of a block over one pass through the trace, weighted by time.
func (t *Trace) Mean(b int) float64 {
	total := 0.0
	for i, row := range t.Watts {
		until := t.End
		if i+1 < len(t.Times) {
			until = t.Times[i+1]
		}
		total += row[b] * ((until - t.Times[i]) / t.End)
	}
	return total
}

// TraceSpan is the duration in s of the rows of all power traces, 0 if durations differ, and the end of the longest
// trace. Both are 0 if no trace has a second row.
func (s *Stack) TraceSpan() (interval, end float64) {
	const rounding = 1e-6 // of an interval: files have times of few digits
	even := true
	for p := range Sources(s.Layers) {
		t := p.Trace
		if t == nil || len(t.Times) < 2 {
			continue
		}
		if interval == 0 {
			interval = t.Times[1]
		}
		end = math.Max(end, t.End)
		for i, until := range append(t.Times[1:len(t.Times):len(t.Times)], t.End) {
			even = even && math.Abs(until-float64(i+1)*interval) <= rounding*interval
		}
	}
	if !even || end == 0 {
		return 0, end
	}
	return interval, interval * math.Round(end/interval)
}
