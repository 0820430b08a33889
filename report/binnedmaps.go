package report

import (
	"context"
	"fmt"
	"io"

	"golang.org/x/sync/errgroup"

	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/internal/staging"
	"thermsim/report/picture"
)

// binnedMaps are maps of planes too large for CSV files: the field shows them in bins as the pictures need them, and no
// plane of them comes to the host.
type binnedMaps struct {
	*Figures
	field solution.Binner
}

// newBinnedMaps is nil where planes have to be read: for files of all cells, for pictures of a part, and where the
// field does not show bins.
func newBinnedMaps(f *Figures) *binnedMaps {
	if f.Mesh.NX()*f.Mesh.NY() <= largePlane || f.LargeCSV || f.Style.Zoom != "" || f.PlanePeaks == nil {
		return nil
	}
	return binnedMapsOf(f)
}

// binnedMapsOf asks the field whether it shows bins, with one of one cell.
func binnedMapsOf(f *Figures) *binnedMaps {
	b := &binnedMaps{f, solution.BinnerOf(f.Field)}
	if b.field == nil {
		return nil
	}
	one := reduction.Bins{First: []int32{0}, Last: []int32{0}}
	if done, err := b.field.Maxima(&reduction.Maxima{Planes: [2]int{0, f.Mesh.NZ()}, X: one, Y: one},
		make([]float64, 1)); err != nil || !done {
		return nil // reading planes tells of an error
	}
	return b
}

// write stages the maps of views, in one range of colours.
func (b *binnedMaps) write(ctx context.Context, st *staging.Transaction, shown []view, colors [2]float64) error {
	g, inner := errgroup.WithContext(ctx)
	for _, v := range shown {
		for _, format := range b.Style.formats() {
			g.Go(func() error {
				return st.Write(inner, "map_"+v.file+"."+string(format), func(w io.Writer) error {
					return b.picture(v, colors).Write(w, format)
				})
			})
		}
	}
	return g.Wait()
}

// picture is a layerPicture without a plane.
func (b *binnedMaps) picture(v view, colors [2]float64) *picture.HeatMap {
	best := b.hottest(v.planes)
	p := (&layerPicture{b.Figures, v, nil, colors[0], colors[1], b.Summary.Caveat(), b.Summary.LastStepNote()}).empty(
		best)
	p.Bins = &picture.Bins{Hottest: best.cell, Kelvin: best.kelvin,
		Maxima: func(x, y reduction.Bins) ([]float64, error) {
			m := &reduction.Maxima{Planes: v.planes, X: x, Y: y}
			out := make([]float64, m.Count())
			done, err := b.field.Maxima(m, out)
			if err == nil && !done {
				err = fmt.Errorf("the device has no memory left for the map of %s", v.what)
			}
			return out, err
		}}
	return p
}

// hottest is the first of the hottest cells of planes.
func (b *binnedMaps) hottest(planes [2]int) hotCell {
	best := hotCell{cell: -1}
	for k := planes[0]; k < planes[1]; k++ {
		p := b.PlanePeaks[k]
		if p.Max-p.Max == 0 && (best.cell < 0 || p.Max > best.kelvin || p.Max == best.kelvin &&
			int(p.Cell) < best.cell) {
			best = hotCell{int(p.Cell), p.Max}
		}
	}
	return best
}
