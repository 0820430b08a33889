package report

import (
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
)

// die is what regions of one die come to, whatever layers they lie in.
type die struct {
	name  string
	parts []int // among the run's parts, bottom to top
}

// newDies finds the dies that parts belong to, in the order of their lowest regions.
func newDies(parts []*part) []*die {
	var all []*die
	of := map[string]*die{}
	for i, p := range parts {
		if p.die == "" {
			continue
		}
		d := of[p.die]
		if d == nil {
			d = &die{name: p.die}
			of[p.die] = d
			all = append(all, d)
		}
		d.parts = append(d.parts, i)
	}
	return all
}

// extent joins the statistics of a die's parts, of which the hottest has the index that is returned.
func (d *die) extent(parts []reduction.Extent) (sum reduction.Extent, hottest int) {
	sum, hottest = reduction.NewExtent(), d.parts[0]
	for _, n := range d.parts {
		if parts[n].Max > sum.Max {
			hottest = n
		}
		sum.Merge(&parts[n], 1)
	}
	return sum, hottest
}

// DieSummary is a die over all its regions, as far as later regions do not cover them. The mean weighs every cell by
// the volume that the die covers of it.
type DieSummary struct {
	Name     string   `json:"name"`                // of the die
	Layers   []string `json:"layers"`              // in which it has regions, bottom to top
	PowerW   float64  `json:"power_W"`             // of the sources over its regions
	LeakageW float64  `json:"leakage_W,omitempty"` // part of the power; absent without leakage
	MaxK     float64  `json:"max_K"`               // highest of the cells it touches
	MeanK    float64  `json:"mean_K"`              // weighted by volume
	MinK     float64  `json:"min_K"`               // lowest of the cells it touches
	MaxAt    Place    `json:"max_at"`              // hottest cell
	Peak     Peak     `json:"peak,omitzero"`       // over the steps of a transient; absent from steady runs
}

// span names the layers of a die for people.
func (d *DieSummary) span() string {
	first, last := d.Layers[0], d.Layers[len(d.Layers)-1]
	if first == last {
		return first
	}
	return first + " to " + last
}

// addDies states the dies, whose regions have their rows with all their figures.
func (s building) addDies(sc *scan) {
	values := sc.values[len(sc.blocks):]
	for _, d := range sc.dies {
		e, hottest := d.extent(values)
		row := DieSummary{Name: d.name, MaxAt: s.Regions[hottest].MaxAt}
		row.MinK, row.MeanK, row.MaxK = e.Result()
		for _, n := range d.parts {
			r := &s.Regions[n]
			row.PowerW += r.PowerW
			row.LeakageW += r.LeakageW
			if k := len(row.Layers); k == 0 || row.Layers[k-1] != r.Layer {
				row.Layers = append(row.Layers, r.Layer)
			}
		}
		s.Dies = append(s.Dies, row)
	}
}

// peak is the hottest of a die's parts over a transient, the first in time of several that are as hot.
func (d *die) peak(parts []moment, places *locator, steps []solution.Step) Peak {
	top := parts[d.parts[0]]
	for _, n := range d.parts[1:] {
		if m := parts[n]; m.kelvin > top.kelvin || !isFinite(top.kelvin) || m.kelvin == top.kelvin &&
			m.step < top.step {
			top = m
		}
	}
	return top.peak(places, steps)
}
