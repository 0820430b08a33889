package report

import (
	"cmp"
	"math"
	"slices"

	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/report/saved"
)

// moment is the hottest cell of something over a transient: the first in time where several are as hot.
type moment struct {
	kelvin  float64 // NaN without a finite temperature
	step    int     // from 1
	i, j, k int
}

// peaks are the moments of a run's blocks, parts and layers.
type peaks struct{ blocks, parts, layers []moment }

// list is all of them in one order.
func (p *peaks) list() []moment { return slices.Concat(p.blocks, p.parts, p.layers) }

// at says whether anything is hottest at the end of a step.
func (p *peaks) at(step int) bool {
	is := func(m moment) bool { return m.step == step }
	return slices.ContainsFunc(p.blocks, is) || slices.ContainsFunc(p.parts, is) || slices.ContainsFunc(p.layers, is)
}

// hottest is the moment of the whole run.
func (p *peaks) hottest() moment {
	top := moment{kelvin: math.NaN()}
	for _, m := range p.layers {
		if !(m.kelvin <= top.kelvin) && isFinite(m.kelvin) {
			if m.kelvin == top.kelvin && m.step >= top.step {
				continue
			}
			top = m
		}
	}
	return top
}

// peakWatch finds the peaks of a transient from the statistics of its steps.
type peakWatch struct {
	found  peaks
	groups [][]reduction.Rect // of blocks and parts
	m      *mesh.Mesh
}

func newPeakWatch(m *mesh.Mesh, blocks []*block, parts []*part) *peakWatch {
	return &peakWatch{peaks{moments(len(blocks)), moments(len(parts)), moments(len(m.Stack.Layers))},
		append(rectsOf(m, blocks), rectsOf(m, parts)...), m}
}

func moments(n int) []moment {
	all := make([]moment, n)
	for i := range all {
		all[i].kelvin = math.NaN()
	}
	return all
}

// take looks at the statistics of a step.
func (w *peakWatch) take(step int, v *reduction.Values) {
	for n := range v.Extents {
		m := &w.found.blocks
		at := n
		if at >= len(w.found.blocks) {
			m, at = &w.found.parts, at-len(w.found.blocks)
		}
		if e := &v.Extents[n]; e.Weight > 0 && !(e.Max <= (*m)[at].kelvin) {
			i, j, k := e.At(w.groups[n])
			(*m)[at] = moment{e.Max, step, i, j, k}
		}
	}
	for k, p := range v.PlanePeaks {
		if m := &w.found.layers[w.m.Planes[k].Layer]; !math.IsInf(p.Max, -1) && !(p.Max <= m.kelvin) {
			*m = moment{p.Max, step, int(p.Cell) % w.m.NX(), int(p.Cell) / w.m.NX(), k}
		}
	}
}

// savePeaks is what a saved run keeps of peaks.
func savePeaks(p *peaks) []saved.Peak {
	var out []saved.Peak
	for _, m := range p.list() {
		out = append(out, saved.Peak{MaxK: saved.Number(m.kelvin), Step: m.step, I: m.i, J: m.j, K: m.k})
	}
	return out
}

// restorePeaks is nil where a run was saved without its peaks, or those are not of the mesh.
func restorePeaks(m *mesh.Mesh, steps int, from []saved.Peak) *peaks {
	blocks, parts := len(newBlocks(m)), len(newParts(m))
	if len(from) != blocks+parts+len(m.Stack.Layers) {
		return nil
	}
	all := make([]moment, len(from))
	for n, f := range from {
		if f.Step < 0 || f.Step > steps || f.I < 0 || f.I >= m.NX() || f.J < 0 || f.J >= m.NY() || f.K < 0 ||
			f.K >= m.NZ() {
			return nil
		}
		all[n] = moment{float64(f.MaxK), f.Step, f.I, f.J, f.K}
	}
	return &peaks{all[:blocks], all[blocks : blocks+parts], all[blocks+parts:]}
}

// peak is a moment for people.
func (m *moment) peak(of *locator, steps []solution.Step) Peak {
	if m.step < 1 || m.step > len(steps) {
		return Peak{MaxK: math.NaN()}
	}
	return Peak{MaxK: m.kelvin, TimeS: steps[m.step-1].Time, At: of.place(m.i, m.j, m.k)}
}

// Peak is the hottest of a place over a transient, with its time (the end of a step).
type Peak struct {
	MaxK  float64 `json:"max_K"`  // highest of a cell at the end of a step
	TimeS float64 `json:"time_s"` // of it
	At    Place   `json:"at"`     // hottest cell
}

// reached is the peak of a transient, the maximum of a steady state.
func (p *Peak) reached(steady float64) float64 { return cmp.Or(p.MaxK, steady) }
