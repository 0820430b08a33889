package main

import (
	"cmp"
	"math"
	"slices"
)

// wanted is what a run of the small stack should tell.
type wanted struct {
	model  *smallModel
	fields [][]float64 // of a transient, the start first
	field  []float64   // at the end
	lists  map[string][]*wantedRow
}

// wantedRow is a layer, block, region or die.
type wantedRow struct {
	name, kind, layer, material string
	layers                      []string // of a die
	over                        []volume
	z, dz, area                 float64
	watts, leak                 float64 // the leakage is part of the power
	without                     []string
	smallStats
	peak  smallStats
	peakS float64
}

func newWanted(leaks, steps bool) *wanted {
	w := &wanted{model: &smallModel{leaks: leaks}, lists: map[string][]*wantedRow{}}
	if steps {
		w.fields = w.model.steps()
		w.field = w.fields[smallSteps]
	} else {
		w.field = w.model.steady()
	}
	for l := range smallLayers {
		y := &smallLayers[l]
		row := &wantedRow{name: y.name, material: y.material, z: y.z, dz: y.dz, over: []volume{{l, everywhere}}}
		w.power(row)
		w.add("layers", row)
		if y.name == "upper" { // nothing heats its mould, which is left out of its mean and is not its material
			row.material = "logic"
			row.mean, row.without = w.model.stats(w.field, []volume{{l, ramBox}, {l, capBox}}).mean, []string{"mould"}
		}
	}
	for s := range smallSources {
		if q := &smallSources[s]; q.block {
			row := &wantedRow{name: q.name, layer: smallLayers[q.layer].name, area: q.box.area(),
				over: []volume{{q.layer, q.box}}}
			w.powerOf(q, row)
			w.add("blocks", row)
		}
	}
	region := func(layer int, name, kind, material string, boxes ...rectangle) *wantedRow {
		row := &wantedRow{name: name, kind: kind, layer: smallLayers[layer].name, material: material}
		for _, b := range boxes {
			row.over = append(row.over, volume{layer, b})
			row.area += b.area()
		}
		w.power(row)
		w.add("regions", row)
		return row
	}
	cpu := region(0, "cpu", "region", "logic", cpuBox)
	region(0, "", "rest", "mould", rectangle{0, 0, 8e-3, 1e-3}, rectangle{6e-3, 1e-3, 2e-3, 2e-3})
	ram := region(1, "ram", "region", "memory", ramBox)
	cover := region(1, "cap", "region", "logic", capBox)
	region(1, "", "rest", "mould", rectangle{0, 0, 2e-3, 2e-3})
	pad := region(1, "pad", "power", "", padBox)
	pad.watts, pad.leak = 0, 0
	w.powerOf(&smallSources[3], pad)
	both := append(slices.Clone(cpu.over), cover.over...)
	w.add("dies", &wantedRow{name: "left", layers: []string{"base", "upper"}, over: both,
		watts: cpu.watts + cover.watts, leak: cpu.leak + cover.leak})
	w.add("dies", &wantedRow{name: "right", layers: []string{"upper"}, over: ram.over, watts: ram.watts,
		leak: ram.leak})
	return w
}

func (w *wanted) add(list string, r *wantedRow) {
	r.smallStats = w.model.stats(w.field, r.over)
	for step := 1; step < len(w.fields); step++ {
		if s := w.model.stats(w.fields[step], r.over); r.peakS == 0 || s.max > r.peak.max {
			r.peak, r.peakS = s, smallDt*float64(step)
		}
	}
	w.lists[list] = append(w.lists[list], r)
}

// step is the last, 0 of a steady state.
func (w *wanted) step() int { return max(0, len(w.fields)-1) }

// power adds what sources give to a row, by the area of them that it covers.
func (w *wanted) power(r *wantedRow) {
	for s := range smallSources {
		q := &smallSources[s]
		for _, v := range r.over {
			if v.layer != q.layer {
				continue
			}
			leak := 0.0
			if w.model.leaks {
				leak = q.leaking(w.field, v.box)
			}
			r.leak += leak
			r.watts += leak + q.power(w.model, w.step())*overlap(q.box, v.box)/q.box.area()
		}
	}
}

// powerOf is that of a source itself.
func (w *wanted) powerOf(q *smallSource, r *wantedRow) {
	if w.model.leaks {
		r.leak = q.leaking(w.field, q.box)
	}
	r.watts = r.leak + q.power(w.model, w.step())
}

func centreOf(cell int) (x, y, z float64) {
	heights := [smallNZ]float64{150e-6, 400e-6, 525e-6, 800e-6, 1300e-6}
	i, j, k := cell%smallNX, cell/smallNX%smallNY, cell/smallNX/smallNY
	return (float64(i) + 0.5) * smallDX, (float64(j) + 0.5) * smallDY, heights[k]
}

// place names what a cell lies in: the block that covers most of it, and the region around its middle.
func place(cell int) (layer, block, region string) {
	l, i, j := layerOfPlane(cell/smallNX/smallNY), cell%smallNX, cell/smallNX%smallNY
	most := 0.0
	for s := range smallSources {
		if q := &smallSources[s]; q.block && q.layer == l && q.box.share(i, j) > most {
			block, most = q.name, q.box.share(i, j)
		}
	}
	for name, b := range smallLayers[l].regions {
		if b.share(i, j) > 0 {
			region = name
		}
	}
	return smallLayers[l].name, block, region
}

// wantedLimit is one of the three limits.
type wantedLimit struct {
	kind, layer, name string
	tmax              float64
	max               float64
	hottest           int
	time              float64
	watts             float64 // more that the whole may draw
}

// limitList is sorted by the margin. Without leakage the rise over the ambient, where transients start, is proportional
// to the power.
func (w *wanted) limitList() (all []wantedLimit) {
	whole := w.whole()
	for _, l := range []struct {
		kind, layer, name string
		tmax              float64
		of                *wantedRow
	}{
		{"stack", "", "", 430, whole},
		{"region", "base", "cpu", 380, w.lists["regions"][0]},
		{"block", "base", "core", 400, w.lists["blocks"][0]},
	} {
		limit := wantedLimit{l.kind, l.layer, l.name, l.tmax, l.of.max, l.of.hottest, 0, math.NaN()}
		if w.fields != nil {
			limit.max, limit.hottest, limit.time = l.of.peak.max, l.of.peak.hottest, l.of.peakS
		}
		if !w.model.leaks {
			limit.watts = 6.5 * (l.tmax - limit.max) / (limit.max - smallAmbient)
		}
		all = append(all, limit)
	}
	slices.SortFunc(all, func(a, b wantedLimit) int { return cmp.Compare(a.tmax-a.max, b.tmax-b.max) })
	return all
}

// powerIn is the power in a step of a transient, and the leakage in it.
func (w *wanted) powerIn(step int) (watts, leak float64) {
	for s := range smallSources {
		q := &smallSources[s]
		if w.model.leaks {
			leak += q.leaking(w.fields[step], q.box)
		}
		watts += q.power(w.model, step)
	}
	return watts + leak, leak
}

// heat is what enters the stack, leaves it through its top and is stored in it, in W.
func (w *wanted) heat() (in, leak, out, stored float64) {
	for s := range smallSources {
		q := &smallSources[s]
		in += q.power(w.model, w.step())
		if w.model.leaks {
			leak += q.leaking(w.field, q.box)
		}
	}
	for j := range smallNY {
		for i := range smallNX {
			out += w.model.exit(i, j) * (w.field[smallCell(i, j, smallNZ-1)] - smallAmbient)
			for k := range smallNZ {
				if c := smallCell(i, j, k); w.fields != nil {
					stored += w.model.capacity(i, j, k) / smallDt * (w.field[c] - w.fields[smallSteps-1][c])
				}
			}
		}
	}
	return in + leak, leak, out, stored
}

func (w *wanted) whole() *wantedRow {
	if len(w.lists["all"]) == 0 {
		w.add("all", &wantedRow{over: []volume{{0, everywhere}, {1, everywhere}, {2, everywhere}, {3, everywhere}}})
	}
	return w.lists["all"][0]
}

type wantedSpot struct {
	cell       int
	prominence float64
}

// hotSpots are the cells of the map of hottest planes that no neighbour exceeds. Each stands out over the best way to a
// hotter one: the way whose coldest cell is the hottest.
func (w *wanted) hotSpots() (all []wantedSpot) {
	const n = smallNX * smallNY
	var top [n]int
	var way [n][n]float64 // the lowest temperature of the best way
	for c := range n {
		top[c] = c
		for k := range smallNZ {
			if cell := c + k*n; w.field[cell] > w.field[top[c]] {
				top[c] = cell
			}
		}
	}
	for a := range n {
		for b := range n {
			if dx, dy := a%smallNX-b%smallNX, a/smallNX-b/smallNX; dx*dx <= 1 && dy*dy <= 1 {
				way[a][b] = min(w.field[top[a]], w.field[top[b]])
			}
		}
	}
	for over := range n {
		for a := range n {
			for b := range n {
				way[a][b] = max(way[a][b], min(way[a][over], way[over][b]))
			}
		}
	}
	coldest := math.Inf(1)
	for c := range n {
		coldest = min(coldest, w.field[top[c]])
	}
	for a := range n {
		base := math.Inf(-1)
		for b := range n {
			if w.field[top[b]] > w.field[top[a]] {
				base = max(base, way[a][b])
			}
		}
		if math.IsInf(base, -1) {
			base = coldest
		}
		if base < w.field[top[a]] {
			all = append(all, wantedSpot{top[a], w.field[top[a]] - base})
		}
	}
	slices.SortFunc(all, func(a, b wantedSpot) int { return cmp.Compare(w.field[b.cell], w.field[a.cell]) })
	return all
}
