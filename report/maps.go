package report

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/internal/staging"
	"thermsim/report/picture"
	"thermsim/report/summary"
)

// largePlane is the number of cells in a plane above which its CSV is written only on request.
const largePlane = 4_000_000

// hugePlane is the number of cells above which maps are made one at a time, for the memory of it.
const hugePlane = 16_000_000

// stage stages the maps, and the figures of the given names. It calls read once, when it has read what it needs of the
// field.
func (f *Figures) stage(ctx context.Context, st *staging.Transaction, names []string, read func()) error {
	read = sync.OnceFunc(read)
	defer read()
	layers, err := mappedLayers(f.Mesh, f.Maps)
	if err != nil {
		return err
	}
	if err := f.Style.Check(); err != nil {
		return err
	}
	mapped := read
	if len(names) > 0 {
		mapped = func() {}
	}
	if err := f.writeMaps(ctx, st, layers, mapped); err != nil {
		return err
	}
	files, err := f.Files(names)
	if err != nil {
		return err
	}
	return st.WriteFiles(ctx, files...)
}

// writeMaps stages the maps of the layers. One goroutine at a time reads the field; drawing and formatting share the
// cores.
func (f *Figures) writeMaps(ctx context.Context, st *staging.Transaction, layers []int, read func()) error {
	m, s, cells := f.Mesh, f.Summary, f.Mesh.NX()*f.Mesh.NY()
	lo, hi := colorRange(s, layers)
	shown := views(m, layers)
	if binned := newBinnedMaps(f); binned != nil {
		return binned.write(ctx, st, shown, [2]float64{lo, hi})
	}
	buffers := 2
	if cells > hugePlane {
		buffers = 1
	}
	free := make(chan []float64, buffers)
	for range min(buffers, len(layers)) {
		free <- make([]float64, cells)
	}
	var reader planeReader
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(max(2, runtime.GOMAXPROCS(0)))
	for _, v := range shown {
		var kelvin []float64
		select {
		case kelvin = <-free:
		case <-inner.Done():
		}
		if kelvin == nil {
			break
		}
		noted := f.Timeline.Begin("read the map of " + v.what)
		err := reader.planes(f.Solution.Field, v.planes, kelvin)
		if noted(); err != nil {
			g.Go(func() error { return err })
			break
		}
		var half errgroup.Group // the files of one map share its buffer
		p := &layerPicture{f, v, kelvin, lo, hi, s.Caveat(), s.LastStepNote()}
		for _, file := range p.files("map_" + v.file) {
			half.Go(func() error { return st.Write(inner, file.Name, file.Write) })
		}
		g.Go(func() error {
			err := half.Wait()
			free <- kelvin
			return err
		})
	}
	read()
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// colorRange is the range of temperatures over the mapped layers.
func colorRange(s *summary.Summary, layers []int) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, l := range layers {
		if t := &s.Layers[l]; !math.IsNaN(t.MaxK) {
			lo, hi = min(lo, t.MinK), max(hi, t.MaxK)
		}
	}
	return lo, hi
}

// binnedMaps are maps of planes too large for CSV files: the field shows them in bins as the pictures need them, and no
// plane of them comes to the host.
type binnedMaps struct {
	*Figures
	field solution.Binner
}

// newBinnedMaps is nil where planes have to be read: for files of all cells, for pictures of a part, and where the
// field does not show bins.
func newBinnedMaps(f *Figures) *binnedMaps {
	if f.Mesh.NX()*f.Mesh.NY() <= largePlane || f.LargeCSV || f.Style.Zoom != "" || f.planePeaks == nil {
		return nil
	}
	return binnedMapsOf(f)
}

// binnedMapsOf asks the field whether it shows bins, with one of one cell.
func binnedMapsOf(f *Figures) *binnedMaps {
	b := &binnedMaps{f, solution.BinnerOf(f.Solution.Field)}
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
		write := func(w io.Writer, format picture.Format) error { return b.picture(v, colors).Write(w, format) }
		for _, file := range b.Style.files("map_"+v.file, write) {
			g.Go(func() error { return st.Write(inner, file.Name, file.Write) })
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
		p := b.planePeaks[k]
		if p.Max-p.Max == 0 && (best.cell < 0 || p.Max > best.kelvin || p.Max == best.kelvin &&
			int(p.Cell) < best.cell) {
			best = hotCell{int(p.Cell), p.Max}
		}
	}
	return best
}
