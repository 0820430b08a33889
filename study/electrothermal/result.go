package electrothermal

import (
	"cmp"
	"math"
	"slices"

	"thermsim/report/summary"
	"thermsim/stack"
)

// boltzmann is Boltzmann's constant in J/K.
const boltzmann = 1.380649e-23

// lifetime is the median time to failure in s by electromigration (J. R. Black, IEEE Trans. Electron Devices 16 (1969)
// 338), for a current density in A/m2; NaN if none is known.
func lifetime(em *stack.Electromigration, density, kelvin float64) float64 {
	if em == nil || density == 0 {
		return math.NaN()
	}
	return em.Lifetime * math.Pow(density/em.Density, -em.Exponent) *
		math.Exp(em.Energy/boltzmann*(1/kelvin-1/em.At))
}

// mostWorst is the number of segments in summaries.
const mostWorst = 10

// Summary describes the currents and the segments at the temperatures of the last solution. Powers with a factor have
// its square root as that of all currents and drops.
func (g *Grid) Summary(o Outcome) *summary.PowerGrid {
	sum := &summary.PowerGrid{File: g.of.File, Segments: len(g.segments), Iterations: o.Iterations,
		ChangeK: o.ChangeK, OutOfRange: g.outOfRange()}
	root := math.Sqrt(o.Factor)
	if root != 1 {
		sum.CurrentFactor = root
	}
	sources, loads := g.last.system.Power(g.last.volts)
	sum.SourcesW, sum.LoadsW = sources*o.Factor, loads*o.Factor
	for _, n := range g.last.system.Nets(g.last.volts) {
		sum.Nets = append(sum.Nets, summary.Net{Nodes: n.Nodes, Sources: n.Sources, NominalV: n.Nominal,
			WorstV: n.Worst * root, WorstNode: n.Node})
	}
	drops, inside := g.drops(root), g.inStack()
	for n := range g.segments {
		s := &g.segments[n]
		amperes := math.Abs(g.last.currents[s.resistor]) * root
		e := g.describe(s, amperes, g.kelvin[n], drops)
		sum.JouleW += e.JouleW
		sum.All = append(sum.All, e)
	}
	for n, amperes := range g.last.currents {
		if !inside[n] {
			sum.OutsideW += amperes * amperes * g.ohms[n].Ohms * o.Factor
			sum.Outside++
		}
	}
	sum.Maps = g.maps(sum.All)
	slices.SortStableFunc(sum.All, func(a, b summary.Segment) int {
		return cmp.Or(cmp.Compare(rank(a.LifetimeS), rank(b.LifetimeS)),
			cmp.Compare(rank(b.CurrentDensity), rank(a.CurrentDensity)),
			cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	sum.Worst = sum.All[:min(mostWorst, len(sum.All))]
	return sum
}

// describe describes a segment.
func (g *Grid) describe(s *segment, amperes, kelvin float64, drops []float64) summary.Segment {
	r, layer := &g.ohms[s.resistor], g.layers[s.layer].layer
	y := &g.stack.Layers[layer]
	ohms, density := r.Ohms*factor(s.metal, kelvin), amperes/(s.metal.Width*s.metal.Thickness)
	at := summary.Place{XM: s.x, YM: s.y, ZM: stack.Height(g.stack.Layers[:layer]) + y.Thickness/2, Layer: y.Name}
	return summary.Segment{From: g.net.Names[r.A], To: g.net.Names[r.B], At: at,
		CurrentA: amperes, CurrentDensity: density, ResistanceOhm: ohms, JouleW: amperes * amperes * ohms,
		DropV: max(drops[r.A], drops[r.B]), TemperatureK: kelvin, LifetimeS: lifetime(s.metal.EM, density, kelvin)}
}

// drops are the deviations of all nodes from the voltages of the sources of their nets, times a factor, ground first.
func (g *Grid) drops(factor float64) []float64 {
	nominal := g.last.system.Nominal()
	drops := make([]float64, 1+len(nominal))
	for n, v := range nominal {
		drops[n+1] = math.Abs(g.last.volts[n]-v) * factor
	}
	return drops
}

// rank orders values, unknown ones last. It rounds them to six digits, which the solver's error leaves equal.
func rank(value float64) float64 {
	if math.IsNaN(value) {
		return math.Inf(1)
	}
	const cut = 1 << 32 // of the 52 bits of a fraction
	return math.Float64frombits((math.Float64bits(value) + cut/2) &^ (cut - 1))
}

// maps are the worst values by layer and tile of segments in the order of Grid.
func (g *Grid) maps(all []summary.Segment) []summary.SegmentMap {
	maps := make([]summary.SegmentMap, len(g.layers))
	for n := range maps {
		blank := slices.Repeat([]float64{math.NaN()}, g.tiles.NX()*g.tiles.NY())
		maps[n] = summary.SegmentMap{Layer: g.layers[n].layer, X: g.tiles.X, Y: g.tiles.Y, DropV: blank,
			LifetimeS: slices.Clone(blank)}
	}
	for n := range g.segments {
		m := &maps[g.segments[n].layer]
		for _, p := range g.segments[n].parts {
			if v := all[n].DropV; !(m.DropV[p.tile] >= v) {
				m.DropV[p.tile] = v
			}
			if v := all[n].LifetimeS; !math.IsNaN(v) && !(m.LifetimeS[p.tile] <= v) {
				m.LifetimeS[p.tile] = v
			}
		}
	}
	for n := range maps {
		if !slices.ContainsFunc(maps[n].LifetimeS, func(v float64) bool { return v == v }) {
			maps[n].LifetimeS = nil
		}
	}
	return maps
}
