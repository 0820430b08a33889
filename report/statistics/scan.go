// Package statistics computes the temperatures of layers, blocks, regions, dies and probes from a field.
package statistics

import (
	"slices"

	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/report/quantity"
	"thermsim/report/summary"
)

// extent accumulates the temperatures of a layer or of the whole domain.
type extent struct {
	reduction.Extent
	I, J, K int // of the maximum
}

func newExtent() extent { return extent{Extent: reduction.NewExtent()} }

// merge adds a band of a plane of height dz. Of equal maxima the first cell is kept.
func (e *extent) merge(band *reduction.Extent, cells []reduction.Rect, dz float64) {
	if band.Max > e.Max {
		e.I, e.J, e.K = band.At(cells)
	}
	e.Merge(band, dz)
}

// Scan holds the statistics of a field.
type Scan struct {
	Layers []extent
	All    extent
	Peaks  *peakMap
	Blocks []*Block
	Parts  []*Part
	Dies   []*Die
	Values []reduction.Extent // of the blocks, then of the parts
	groups [][]reduction.Rect // of the values
	Places *locator
	Probes []float64        // K
	Planes []reduction.Peak // the first of the hottest cells of each plane
}

// ScanField computes the statistics of a field on its device, or reads each of its planes once.
func ScanField(m *mesh.Mesh, f solution.Field) (*Scan, error) {
	s := &Scan{Layers: make([]extent, len(m.Stack.Layers)), All: newExtent(), Peaks: newPeakMap(m.NX(), m.NY()),
		Blocks: NewBlocks(m), Parts: NewParts(m), Places: newLocator(m)}
	for l := range s.Layers {
		s.Layers[l] = newExtent()
	}
	s.Dies = NewDies(s.Parts)
	s.groups = append(rectsOf(m, s.Blocks), rectsOf(m, s.Parts)...)
	groups := slices.Clone(s.groups)
	bands := bandsOf(m, s.Peaks.ny)
	for _, plane := range bands {
		groups = append(groups, plane...)
	}
	probes, points := NewProbes(m)
	r, err := reduction.New(reduction.Regions{NX: m.NX(), NY: m.NY(), NZ: m.NZ(), Groups: groups, Points: points,
		BinsX: s.Peaks.nx, BinsY: s.Peaks.ny})
	if err != nil {
		return nil, err
	}
	v, err := solution.Reduce(f, r)
	if err != nil {
		return nil, err
	}
	s.Values, s.Probes = v.Extents[:len(s.groups)], probes.Kelvin(v.Points)
	rest := v.Extents[len(s.groups):]
	for k, plane := range bands {
		layer, dz := &s.Layers[m.Planes[k].Layer], m.Z[k+1]-m.Z[k]
		for b, cells := range plane {
			layer.merge(&rest[b], cells, dz)
			s.All.merge(&rest[b], cells, dz)
			if e := &rest[b]; b == 0 || e.Max > s.Planes[k].Max {
				i, j, _ := e.At(cells)
				s.Planes = append(s.Planes[:k], reduction.Peak{Max: e.Max, Plane: int32(k), Cell: int32(j*m.NX() + i)})
			}
		}
		rest = rest[len(plane):]
	}
	s.Peaks.take(v.Peaks, m.NX())
	return s, nil
}

// Hottest is the location of the maximum of group n, or a corner of its layer without a finite temperature.
func (s *Scan) Hottest(m *mesh.Mesh, n, layer int) summary.Place {
	if s.Values[n].Weight == 0 {
		return s.Places.Place(0, 0, m.LayerPlanes[layer][0])
	}
	i, j, k := s.Values[n].At(s.groups[n])
	return s.Places.Place(i, j, k)
}

// rectsOf returns the cells of blocks or parts.
func rectsOf[T interface {
	rects(*mesh.Mesh) []reduction.Rect
}](m *mesh.Mesh, of []T) [][]reduction.Rect {
	var groups [][]reduction.Rect
	for _, f := range of {
		groups = append(groups, f.rects(m))
	}
	return groups
}

// bandsOf divides every plane into bands of rows, weighted by area. Summation by bands reduces rounding errors.
func bandsOf(m *mesh.Mesh, bands int) [][][]reduction.Rect {
	dx, dy := widths(m.X), widths(m.Y)
	all := make([][][]reduction.Rect, m.NZ())
	for k := range all {
		for b := range bands {
			from, to := reduction.BinRange(b, bands, m.NY())
			all[k] = append(all[k], []reduction.Rect{{Plane: k, J: from, X: dx, Y: dy[from:to], Z: 1}})
		}
	}
	return all
}

func widths(faces []float64) []float64 {
	d := make([]float64, len(faces)-1)
	for i := range d {
		d[i] = faces[i+1] - faces[i]
	}
	return d
}

// take copies the peaks of the bins.
func (p *peakMap) take(peaks []reduction.Peak, nx int) {
	for b, at := range peaks {
		p.bins[b] = peak{at.Max, at.Cell % int32(nx), at.Cell / int32(nx), at.Plane}
	}
}

// Probes computes the temperatures of the stack's probes from a reduction: one weighted sum per probe, or the
// temperatures of the surrounding cells if conductivities, and therefore the weights, depend on temperature.
type Probes struct {
	mesh   *mesh.Mesh
	around [][]mesh.Term // cells of each probe; nil without temperature-dependent properties
}

// NewProbes also returns the points for the reduction.
func NewProbes(m *mesh.Mesh) (*Probes, []mesh.Sample) {
	p := &Probes{mesh: m}
	var points []mesh.Sample
	for _, at := range m.Stack.Probes {
		s := reduction.InOrder(m.SampleAt(at.X, at.Y, at.Z, at.Side))
		if !m.TemperatureDependent() {
			points = append(points, s)
			continue
		}
		p.around = append(p.around, s.Terms)
		for _, t := range s.Terms {
			t.Weight = 1
			points = append(points, mesh.Sample{Terms: []mesh.Term{t}})
		}
	}
	return p, points
}

// Kelvin returns the temperatures of the probes from those of the points.
func (p *Probes) Kelvin(values []float64) []float64 {
	if p.around == nil {
		return values
	}
	all := make([]float64, len(p.around))
	for n, cells := range p.around {
		known := make(map[[2]int]float64, len(cells))
		for i, t := range cells {
			known[[2]int{t.Plane, t.Cell}] = values[i]
		}
		values = values[len(cells):]
		all[n] = p.mesh.AtProbe(&p.mesh.Stack.Probes[n], known)
	}
	return all
}

// Die is the union of the regions of a die, in any layer.
type Die struct {
	Name  string
	Parts []int // indices of the run's parts, bottom to top
}

// NewDies returns the dies of the parts, in the order of their lowest regions.
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

// Extent merges the statistics of a die's parts and returns the index of the hottest part.
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

// Peak is the hottest part of a die over a transient; the earliest of equal ones.
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
