package electrothermal

import (
	"fmt"
	"math"
	"regexp"
	"slices"

	"thermsim/mesh/plausibility"
)

// Resistivities in ohm m between which those of the metals of wires lie.
const (
	leastResistivity = 1e-9
	mostResistivity  = 1e-5
)

// mostMisnamed is the share of the Joule heat that resistors between misnamed nodes may have.
const mostMisnamed = 0.01

// Warnings are about netlists that are valid, but probably not intended, with the currents of the last solution.
func (g *Grid) Warnings() (found []plausibility.Warning) {
	warn := func(remedy, format string, args ...any) {
		found = append(found, plausibility.Warning{Code: plausibility.PowerGrid, Place: g.of.Pos.String(),
			Text: fmt.Sprintf(format, args...), Remedy: remedy})
	}
	if g.net.Tran != nil {
		warn("'thermsim solve' computes voltages over time", "the command .tran of %s is ignored: sources have their "+
			"values at t = 0", g.net.File)
	}
	if r := g.resistivity(); r < leastResistivity || r > mostResistivity {
		warn("check unit, width and thickness, and the resistances", "the wires have a median resistivity R width "+
			"thickness/length of %.2g ohm m; expected about that of copper, 1.7e-8 ohm m", r)
	}
	if n, watts, share, example := g.misnamed(); share > mostMisnamed {
		warn("the names of both nodes must end in coordinates, as in n1_20_30", "%d "+
			"of %d resistors lie outside the stack, such as that between %s: their Joule heat of %.3g W (%.1f %% of "+
			"all) heats nothing", n, len(g.ohms), example, watts, 100*share)
	}
	for _, n := range g.last.system.Nets(g.last.volts) {
		if supply := math.Abs(n.Nominal); supply > 0 && n.Worst > supply {
			warn("check loads and resistances, and their units", "the IR drop of %.4g V at node %s exceeds the supply "+
				"of %.4g V", n.Worst, n.Node, supply)
		}
	}
	return found
}

// resistivity is the median of those that the wires must have for their resistances, in ohm m; NaN without wires.
func (g *Grid) resistivity() float64 {
	var all []float64
	for n := range g.segments {
		s := &g.segments[n]
		if s.length > 0 {
			all = append(all, g.ohms[s.resistor].Ohms*s.metal.Width*s.metal.Thickness/s.length)
		}
	}
	if len(all) == 0 {
		return math.NaN()
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// misnamed are the resistors outside the stack with a node whose name has coordinates, but not at its end: their
// number, heat, its share in that of all, and the nodes of the one with the most heat. Those of a package have names
// without coordinates.
func (g *Grid) misnamed() (count int, watts, share float64, example string) {
	inside := g.inStack()
	coordinates := regexp.MustCompile(`[^0-9A-Za-z][0-9]+[^0-9A-Za-z]+[0-9]`)
	suspect := func(n int32) bool {
		name := g.net.Names[n]
		return g.nodeOf(name).name == "" && coordinates.MatchString(name)
	}
	total, most := 0.0, -1.0
	for n, amperes := range g.last.currents {
		r := &g.ohms[n]
		heat := amperes * amperes * r.Ohms
		total += heat
		if inside[n] || !suspect(r.A) && !suspect(r.B) {
			continue
		}
		count++
		watts += heat
		if heat > most {
			most, example = heat, fmt.Sprintf("%s and %s", g.net.Names[r.A], g.net.Names[r.B])
		}
	}
	return count, watts, watts / total, example
}

// inStack reports for each resistor whether it is a segment.
func (g *Grid) inStack() []bool {
	inside := make([]bool, len(g.ohms))
	for n := range g.segments {
		inside[g.segments[n].resistor] = true
	}
	return inside
}

// String counts the elements of the power grid.
func (g *Grid) String() string {
	c := g.net.Counts()
	text := fmt.Sprintf("power grid %s: nodes %d, voltage sources %d, loads %d, resistors outside the stack %d, "+
		"segments %d in", g.net.File, c.Nodes, c.VoltageSources, c.CurrentSources, len(g.ohms)-len(g.segments),
		len(g.segments))
	for n, l := range g.layers {
		if n > 0 {
			text += ","
		}
		text += " " + g.stack.Layers[l.layer].Name
	}
	return text
}
