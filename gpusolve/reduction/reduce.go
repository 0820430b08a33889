package reduction

import (
	"fmt"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// Source gives the temperatures of plane k in K, less an offset, until the next call.
type Source func(k int) ([]float64, error)

// Reduce takes the statistics of planes that are read one after the other, bottom to top. offset is added to every
// value. Groups and rows of bins are shared between the cores; each is summed in its own order, so the result does not
// depend on the number of cores.
func (r *Regions) Reduce(source Source, offset float64) (*Values, error) {
	v := r.NewValues()
	for _, k := range r.planes {
		plane, err := source(k)
		if err != nil {
			return nil, fmt.Errorf("reading plane %d of the temperature field: %w", k, err)
		}
		r.plane(v, k, plane, offset)
	}
	return v, nil
}

// share is about how many cells of work pay for a goroutine.
const share = 1 << 14

// plane takes in one plane.
func (r *Regions) plane(v *Values, k int, plane []float64, offset float64) {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	cells, from := 0, 0
	work := r.work[k]
	for n, p := range work {
		t := &r.Groups[p.group][p.rect]
		cells += len(t.X) * len(t.Y)
		last := n == len(work)-1
		if !last && (cells < share || work[n+1].group == p.group) {
			continue
		}
		part := work[from : n+1]
		cells, from = 0, n+1
		g.Go(func() error {
			r.pieces(v, part, plane, offset)
			return nil
		})
	}
	for b := range r.BinsY {
		g.Go(func() error {
			r.binRow(v.Peaks[b*r.BinsX:(b+1)*r.BinsX], b, k, plane, offset)
			return nil
		})
	}
	var parts []Peak
	if r.PlanePeaks {
		parts = make([]Peak, (r.NY+searchRows-1)/searchRows)
		for n := range parts {
			g.Go(func() error {
				parts[n] = r.search(k, n*searchRows, min((n+1)*searchRows, r.NY), plane, offset)
				return nil
			})
		}
	}
	for _, t := range r.terms[k] {
		at := &r.Points[t.point].Terms[t.term]
		addTerm(&v.Points[t.point], at, plane[at.Cell]+offset)
	}
	_ = g.Wait() // none of them fails
	for _, p := range parts {
		if p.Max > v.PlanePeaks[k].Max {
			v.PlanePeaks[k] = p
		}
	}
}

// searchRows is how many rows of a plane are searched at a time.
const searchRows = 64

// search finds the peak of rows from j on, before row end, of plane k.
func (r *Regions) search(k, j, end int, plane []float64, offset float64) Peak {
	p := Peak{Max: math.Inf(-1)}
	for c := j * r.NX; c < end*r.NX; c++ {
		if v := plane[c] + offset; v > p.Max && !math.IsInf(v, 1) {
			p = Peak{v, int32(k), int32(c)}
		}
	}
	return p
}

// pieces takes in rectangles of a plane. No other goroutine has rectangles of their groups.
func (r *Regions) pieces(v *Values, part []piece, plane []float64, offset float64) {
	for _, p := range part {
		t, e := &r.Groups[p.group][p.rect], &v.Extents[p.group]
		w := len(t.X)
		for j, y := range t.Y {
			at := (t.J+j)*r.NX + t.I
			e.add(plane[at:at+w], t.X, offset, corner{p.rect, j * w}, y, t.Z)
		}
	}
}

// binRow takes in bin row b of plane k.
func (r *Regions) binRow(bins []Peak, b, k int, plane []float64, offset float64) {
	from, to := BinRange(b, r.BinsY, r.NY)
	for j := from; j < to; j++ {
		end := 0
		for x := range bins {
			start := end
			_, end = BinRange(x, r.BinsX, r.NX)
			p := &bins[x]
			for i := start; i < end; i++ {
				if v := plane[j*r.NX+i] + offset; v > p.Max && !math.IsInf(v, 1) {
					*p = Peak{v, int32(k), int32(j*r.NX + i)}
				}
			}
		}
	}
}
