package reduction

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"thermsim/mesh"
)

// Slab is what one of several ranks reduces of regions: the rows First <= j < End of the grid, which it owns, of those
// from Held on that it holds.
type Slab struct {
	Regions *Regions // on the rows that it holds

	whole            *Regions
	held, first, end int
	rects            [][]position // by group: where its rectangles lie
}

// position of a rectangle: the one that it is a part of, and the first of its rows in that.
type position struct{ rect, row int }

// Slab is the part of regions in the own rows first <= j < end of a rank that holds rows rows from held on. What it
// holds beside its own must have the values that the owners have.
func (r *Regions) Slab(held, rows, first, end int) (*Slab, error) {
	s := &Slab{whole: r, held: held, first: first, end: end}
	part := Regions{NX: r.NX, NY: rows, NZ: r.NZ, PlanePeaks: r.PlanePeaks}
	for _, group := range r.Groups {
		rects, positions := s.cut(group)
		part.Groups, s.rects = append(part.Groups, rects), append(s.rects, positions)
	}
	for _, p := range r.Points {
		var own mesh.Sample
		for _, t := range p.Terms {
			if j := t.Cell / r.NX; j >= first && j < end {
				t.Cell -= held * r.NX
				own.Terms = append(own.Terms, t)
			}
		}
		part.Points = append(part.Points, own)
	}
	if r.BinsX > 0 { // a row of bins for each row of cells fits into any bins
		part.BinsX, part.BinsY = r.BinsX, rows
	}
	var err error
	s.Regions, err = New(part)
	return s, err
}

// cut is the part of rectangles in the own rows.
func (s *Slab) cut(group []Rect) (rects []Rect, positions []position) {
	for n, t := range group {
		from, to := max(t.J, s.first), min(t.J+len(t.Y), s.end)
		if from >= to {
			continue
		}
		positions = append(positions, position{n, from - t.J})
		t.Y = t.Y[from-t.J : to-t.J]
		t.J = from - s.held
		rects = append(rects, t)
	}
	return rects, positions
}

// Place turns statistics of Regions into those that the own rows give of the whole regions.
func (s *Slab) Place(v *Values) *Values {
	r := s.whole
	w := r.NewValues()
	for g := range v.Extents {
		e := v.Extents[g]
		if e.Max > math.Inf(-1) {
			p := s.rects[g][e.Rect]
			e.Cell += int32(p.row * len(r.Groups[g][p.rect].X))
			e.Rect = int32(p.rect)
		}
		w.Extents[g] = e
	}
	for n := range w.Points {
		w.Points[n] = v.Points[n]
	}
	shift := int32(s.held * r.NX)
	for j := s.first; j < s.end; j++ {
		for x := range r.BinsX {
			p := v.Peaks[(j-s.held)*r.BinsX+x]
			p.Cell += shift
			w.Peaks[j*r.BinsY/r.NY*r.BinsX+x].merge(p)
		}
	}
	for k := range w.PlanePeaks {
		p := v.PlanePeaks[k]
		p.Cell += shift
		w.PlanePeaks[k].merge(p)
	}
	return w
}

// merge takes the hotter peak, and of equal ones the first.
func (p *Peak) merge(o Peak) {
	if o.Max > p.Max || o.Max == p.Max && (o.Plane < p.Plane || o.Plane == p.Plane && o.Cell < p.Cell) {
		*p = o
	}
}

// Join puts together what the ranks have found, in their order. Sums are rounded otherwise than those of the whole
// field; all else is the same.
func (r *Regions) Join(parts []*Values) *Values {
	w := r.NewValues()
	for _, v := range parts {
		for g := range w.Extents {
			w.Extents[g].join(&v.Extents[g])
		}
		for n := range w.Points {
			w.Points[n] += v.Points[n]
		}
		for n := range w.Peaks {
			w.Peaks[n].merge(v.Peaks[n])
		}
		for n := range w.PlanePeaks {
			w.PlanePeaks[n].merge(v.PlanePeaks[n])
		}
	}
	return w
}

// join adds cells of the same group that lie anywhere.
func (e *Extent) join(o *Extent) {
	if o.Max == e.Max && (o.Rect < e.Rect || o.Rect == e.Rect && o.Cell < e.Cell) {
		e.Rect, e.Cell = o.Rect, o.Cell
	}
	e.Merge(o, 1)
}

// parts of the statistics, one behind the other.
func (v *Values) parts() []any { return []any{v.Extents, v.Points, v.Peaks, v.PlanePeaks} }

// Bytes are the statistics for another rank.
func (v *Values) Bytes() []byte {
	var b bytes.Buffer
	for _, part := range v.parts() {
		_ = binary.Write(&b, binary.LittleEndian, part) // into memory, and of fixed size
	}
	return b.Bytes()
}

// ValuesOf reads what Bytes of statistics of the same regions gave.
func (r *Regions) ValuesOf(data []byte) (*Values, error) {
	v := r.NewValues()
	b := bytes.NewReader(data)
	for _, part := range v.parts() {
		if err := binary.Read(b, binary.LittleEndian, part); err != nil {
			return nil, fmt.Errorf("statistics of another rank: %w", err)
		}
	}
	if b.Len() > 0 {
		return nil, fmt.Errorf("statistics of another rank are %d bytes too long", b.Len())
	}
	return v, nil
}
