package statistics

import (
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/report/quantity"
	"thermsim/report/summary"
)

// Die is what regions of one die come to, whatever layers they lie in.
type Die struct {
	Name  string
	Parts []int // among the run's parts, bottom to top
}

// NewDies finds the dies that parts belong to, in the order of their lowest regions.
func NewDies(parts []*Part) []*Die {
	var all []*Die
	of := map[string]*Die{}
	for i, p := range parts {
		if p.Die == "" {
			continue
		}
		d := of[p.Die]
		if d == nil {
			d = &Die{Name: p.Die}
			of[p.Die] = d
			all = append(all, d)
		}
		d.Parts = append(d.Parts, i)
	}
	return all
}

// Extent joins the statistics of a die's parts, of which the hottest has the index that is returned.
func (d *Die) Extent(parts []reduction.Extent) (sum reduction.Extent, hottest int) {
	sum, hottest = reduction.NewExtent(), d.Parts[0]
	for _, n := range d.Parts {
		if parts[n].Max > sum.Max {
			hottest = n
		}
		sum.Merge(&parts[n], 1)
	}
	return sum, hottest
}

// Peak is the hottest of a die's parts over a transient, the first in time of several that are as hot.
func (d *Die) Peak(parts []Moment, places *locator, steps []solution.Step) summary.Peak {
	top := parts[d.Parts[0]]
	for _, n := range d.Parts[1:] {
		if m := parts[n]; m.Kelvin > top.Kelvin || !quantity.Finite(top.Kelvin) || m.Kelvin == top.Kelvin &&
			m.Step < top.Step {
			top = m
		}
	}
	return top.Peak(places, steps)
}
