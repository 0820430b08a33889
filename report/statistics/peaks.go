package statistics

import (
	"math"
	"slices"

	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/report/quantity"
	"thermsim/report/summary"
)

// Moment is a hottest cell over a transient; the earliest of equal ones.
type Moment struct {
	Kelvin  float64 // NaN without a finite temperature
	Step    int     // from 1
	I, J, K int
}

// Peaks holds the hottest cells of a run's blocks, parts and layers.
type Peaks struct{ Blocks, Parts, Layers []Moment }

// List returns all of them.
func (p *Peaks) List() []Moment { return slices.Concat(p.Blocks, p.Parts, p.Layers) }

// At reports whether anything has its maximum at the end of a step.
func (p *Peaks) At(step int) bool {
	is := func(m Moment) bool { return m.Step == step }
	return slices.ContainsFunc(p.Blocks, is) || slices.ContainsFunc(p.Parts, is) || slices.ContainsFunc(p.Layers, is)
}

// Hottest is the maximum of the whole run.
func (p *Peaks) Hottest() Moment {
	top := Moment{Kelvin: math.NaN()}
	for _, m := range p.Layers {
		earlier := m.Kelvin == top.Kelvin && m.Step < top.Step
		if quantity.Finite(m.Kelvin) && (earlier || !(m.Kelvin <= top.Kelvin)) {
			top = m
		}
	}
	return top
}

// PeakWatch finds the peaks of a transient from the statistics of its steps.
type PeakWatch struct {
	Found  Peaks
	Groups [][]reduction.Rect // of blocks and parts
	m      *mesh.Mesh
}

// NewPeakWatch starts without a step.
func NewPeakWatch(m *mesh.Mesh, blocks []*Block, parts []*Part) *PeakWatch {
	return &PeakWatch{Peaks{moments(len(blocks)), moments(len(parts)), moments(len(m.Stack.Layers))},
		append(rectsOf(m, blocks), rectsOf(m, parts)...), m}
}

func moments(n int) []Moment {
	all := make([]Moment, n)
	for i := range all {
		all[i].Kelvin = math.NaN()
	}
	return all
}

// Take processes the statistics of a step.
func (w *PeakWatch) Take(step int, v *reduction.Values) {
	for n := range v.Extents {
		m := &w.Found.Blocks
		at := n
		if at >= len(w.Found.Blocks) {
			m, at = &w.Found.Parts, at-len(w.Found.Blocks)
		}
		if e := &v.Extents[n]; e.Weight > 0 && !(e.Max <= (*m)[at].Kelvin) {
			i, j, k := e.At(w.Groups[n])
			(*m)[at] = Moment{e.Max, step, i, j, k}
		}
	}
	for k, p := range v.PlanePeaks {
		if m := &w.Found.Layers[w.m.Planes[k].Layer]; !math.IsInf(p.Max, -1) && !(p.Max <= m.Kelvin) {
			*m = Moment{p.Max, step, int(p.Cell) % w.m.NX(), int(p.Cell) / w.m.NX(), k}
		}
	}
}

// Peak converts a moment for the summary.
func (m *Moment) Peak(of *locator, steps []solution.Step) summary.Peak {
	if m.Step < 1 || m.Step > len(steps) {
		return summary.Peak{MaxK: math.NaN()}
	}
	return summary.Peak{MaxK: m.Kelvin, TimeS: steps[m.Step-1].Time, At: of.Place(m.I, m.J, m.K)}
}
