package report

import (
	"slices"

	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
)

// extent gathers the temperatures of a layer, or of the whole domain.
type extent struct {
	reduction.Extent
	i, j, k int // of the maximum
}

func newExtent() extent { return extent{Extent: reduction.NewExtent()} }

// merge adds a band of a plane of height dz, whose cells come later: of equal maxima the first cell wins.
func (e *extent) merge(band *reduction.Extent, cells []reduction.Rect, dz float64) {
	if band.Max > e.Max {
		e.i, e.j, e.k = band.At(cells)
	}
	e.Merge(band, dz)
}

// scan is everything that the temperatures come to.
type scan struct {
	layers []extent
	all    extent
	peaks  *peakMap
	blocks []*block
	parts  []*part
	dies   []*die
	values []reduction.Extent // of the blocks, then of the parts
	groups [][]reduction.Rect // of the values
	places *locator
	probes []float64        // K
	planes []reduction.Peak // the first of the hottest cells of each plane
}

// scanField takes the statistics of a field where it is, or reads each of its planes once.
func scanField(m *mesh.Mesh, f solution.Field) (*scan, error) {
	s := &scan{layers: make([]extent, len(m.Stack.Layers)), all: newExtent(), peaks: newPeakMap(m.NX(), m.NY()),
		blocks: newBlocks(m), parts: newParts(m), places: newLocator(m)}
	for l := range s.layers {
		s.layers[l] = newExtent()
	}
	s.dies = newDies(s.parts)
	s.groups = append(rectsOf(m, s.blocks), rectsOf(m, s.parts)...)
	groups := slices.Clone(s.groups)
	bands := bandsOf(m, s.peaks.ny)
	for _, plane := range bands {
		groups = append(groups, plane...)
	}
	probes, points := newProbes(m)
	r, err := reduction.New(reduction.Regions{NX: m.NX(), NY: m.NY(), NZ: m.NZ(), Groups: groups, Points: points,
		BinsX: s.peaks.nx, BinsY: s.peaks.ny})
	if err != nil {
		return nil, err
	}
	v, err := solution.Reduce(f, r)
	if err != nil {
		return nil, err
	}
	s.values, s.probes = v.Extents[:len(s.groups)], probes.kelvin(v.Points)
	rest := v.Extents[len(s.groups):]
	for k, plane := range bands {
		layer, dz := &s.layers[m.Planes[k].Layer], m.Z[k+1]-m.Z[k]
		for b, cells := range plane {
			layer.merge(&rest[b], cells, dz)
			s.all.merge(&rest[b], cells, dz)
			if e := &rest[b]; b == 0 || e.Max > s.planes[k].Max {
				i, j, _ := e.At(cells)
				s.planes = append(s.planes[:k], reduction.Peak{Max: e.Max, Plane: int32(k), Cell: int32(j*m.NX() + i)})
			}
		}
		rest = rest[len(plane):]
	}
	s.peaks.take(v.Peaks, m.NX())
	return s, nil
}

// hottest is the place of the maximum of group n, a corner of its layer where it has no finite temperature.
func (s *scan) hottest(m *mesh.Mesh, n, layer int) Place {
	if s.values[n].Weight == 0 {
		return s.places.place(0, 0, m.LayerPlanes[layer][0])
	}
	i, j, k := s.values[n].At(s.groups[n])
	return s.places.place(i, j, k)
}

// rectsOf are the cells of blocks or parts.
func rectsOf[T interface {
	rects(*mesh.Mesh) []reduction.Rect
}](m *mesh.Mesh, of []T) [][]reduction.Rect {
	var groups [][]reduction.Rect
	for _, f := range of {
		groups = append(groups, f.rects(m))
	}
	return groups
}

// bandsOf cuts every plane into so many bands of rows, each weighed by area. Sums of bands, joined in order, keep the
// rounding small.
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

// take fills the map with the peaks of its bins.
func (p *peakMap) take(peaks []reduction.Peak, nx int) {
	for b, at := range peaks {
		p.bins[b] = peak{at.Max, at.Cell % int32(nx), at.Cell / int32(nx), at.Plane}
	}
}
