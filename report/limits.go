package report

import (
	"cmp"
	"math"
	"slices"

	"thermsim/mesh"
	"thermsim/report/statistics"
	"thermsim/report/summary"
	"thermsim/stack"
)

// limits are those that the stack sets, worst first.
func (s building) limits(m *mesh.Mesh, sc *statistics.Scan) []summary.Limit {
	all := []summary.Limit{}
	add := func(tmax float64, kind, layer, name string, maxK float64, at summary.Place, peak *summary.Peak) {
		if tmax <= 0 {
			return
		}
		l := summary.Limit{Kind: kind, Layer: layer, Name: name, TMaxK: tmax, MaxK: maxK, At: at}
		if *peak != (summary.Peak{}) {
			l.MaxK, l.At, l.TimeS = peak.MaxK, peak.At, peak.TimeS
		}
		l.MarginK = tmax - l.MaxK
		l.OK = l.MarginK >= 0 // not where there is no finite temperature
		l.MarginW = s.wattsLeft(m.Stack, &l)
		all = append(all, l)
	}
	whole := summary.Peak{MaxK: s.Temperature.MaxK, At: s.Temperature.MaxAt}
	if s.Steps > 0 {
		if k, t := s.HottestStep(); !(k <= whole.MaxK) {
			whole = summary.Peak{MaxK: k, TimeS: t, At: s.Peak.At}
		}
	}
	add(m.Stack.TMax, "stack", "", "", whole.MaxK, whole.At, &whole)
	for i := range s.Layers {
		row := &s.Layers[i]
		add(m.Stack.Layers[i].TMax, "layer", row.Name, "", row.MaxK, row.MaxAt, &row.Peak)
	}
	ofDies := s.dieLimits(sc)
	for i, p := range sc.Parts {
		row := &s.Regions[i]
		if d, joined := ofDies[dieLimit{p.Die, p.Tmax}]; joined {
			if d.hottest == i {
				add(p.Tmax, "die", "", p.Die, row.MaxK, row.MaxAt, &row.Peak)
			}
			continue
		}
		add(p.Tmax, row.Kind, row.Layer, cmp.Or(row.Name, row.Material), row.MaxK, row.MaxAt, &row.Peak)
	}
	for i, b := range sc.Blocks {
		row := &s.Blocks[i]
		add(cmp.Or(b.Power.Blocks[b.Index].TMax, b.Power.TMax), "block", row.Layer, row.Name, row.MaxK, row.MaxAt,
			&row.Peak)
	}
	slices.SortStableFunc(all, func(a, b summary.Limit) int { return cmp.Compare(a.MarginK, b.MarginK) })
	return all
}

// wattsLeft is the margin in W of a steady state: the rise over the one temperature that all faces refer to is
// proportional to the power, unless properties follow the temperature.
func (s building) wattsLeft(st *stack.Stack, l *summary.Limit) float64 {
	around := 0.0
	for f := range st.Boundary {
		for _, b := range st.Boundary[f].Conditions() {
			switch {
			case b.Kind == stack.Adiabatic || b.Kind == stack.HeatFlux && b.Flux == 0:
			case b.Kind == stack.HeatFlux || around != 0 && b.Temperature != around:
				return math.NaN()
			default:
				around = b.Temperature
			}
		}
	}
	rise := l.MaxK - around
	if s.Steps > 0 || around == 0 || !(rise > 0) || st.Nonlinear() {
		return math.NaN()
	}
	return s.Power.MappedW * l.MarginK / rise
}

// dieLimit is a tmax that regions of a die share.
type dieLimit struct {
	die  string
	tmax float64
}

// sharers are the regions that share a limit.
type sharers struct{ count, hottest int }

// dieLimits are the limits that are of a die as a whole: those that several of its regions share, and that of a die of
// one region.
func (s building) dieLimits(sc *statistics.Scan) map[dieLimit]sharers {
	all := map[dieLimit]sharers{}
	for _, d := range sc.Dies {
		for _, n := range d.Parts {
			key := dieLimit{d.Name, sc.Parts[n].Tmax}
			if key.tmax <= 0 {
				continue
			}
			of, known := all[key]
			reached := func(n int) float64 { return s.Regions[n].Peak.Reached(s.Regions[n].MaxK) }
			if !known || !(reached(n) <= reached(of.hottest)) {
				of.hottest = n
			}
			of.count++
			all[key] = of
		}
		if len(d.Parts) > 1 {
			for key, of := range all {
				if key.die == d.Name && of.count == 1 {
					delete(all, key)
				}
			}
		}
	}
	return all
}
