package report

import (
	"context"
	"fmt"
	"math"

	"thermsim/gpusolve/solution"
	"thermsim/internal/staging"
	"thermsim/report/quantity"
)

// maximaRecorder records maxima_<layer>.png and .csv of a transient: the hottest that each cell of the mapped layers is
// at the end of any step. It holds a plane of each of these layers.
type maximaRecorder struct {
	files   *staging.Transaction
	figures *Figures
	layers  []int
	top     [][]float64 // K, of every layer
	plane   []float64
	reader  planeReader
	steps   int
}

func newMaximaRecorder(files *staging.Transaction, f *Figures) (*maximaRecorder, error) {
	m := f.Mesh
	layers, err := mappedLayers(m, f.Maps)
	if err != nil {
		return nil, err
	}
	r := &maximaRecorder{files: files, figures: f, layers: layers, top: make([][]float64, len(layers))}
	for i := range r.top {
		r.top[i] = make([]float64, m.NX()*m.NY())
	}
	r.plane = make([]float64, m.NX()*m.NY())
	return r, nil
}

// Reads says that every step is read.
func (r *maximaRecorder) Reads(int) bool { return true }

// Step takes the field at the end of a step.
func (r *maximaRecorder) Step(_ int, _ solution.Step, f solution.Field) error {
	r.steps++
	for i, l := range r.layers {
		into := r.plane
		if r.steps == 1 {
			into = r.top[i]
		}
		if err := r.reader.planes(f, r.figures.Mesh.LayerPlanes[l], into); err != nil {
			return err
		}
		if r.steps == 1 {
			continue
		}
		top := r.top[i]
		for c, v := range into {
			if v > top[c] || top[c] != top[c] {
				top[c] = v
			}
		}
	}
	return nil
}

// Finish stages the maps, which share one range of colours.
func (r *maximaRecorder) Finish(ctx context.Context, e *End) error {
	if r.steps == 0 {
		return nil
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, top := range r.top {
		for _, v := range top {
			if quantity.Finite(v) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	names := fileNames(r.figures.Mesh.Stack)
	note := fmt.Sprintf("maxima over %d steps", r.steps)
	for i, l := range r.layers {
		p := &layerPicture{r.figures, layerView(r.figures.Mesh, l), r.top[i], lo, hi, e.Summary.Caveat(), note}
		for _, file := range p.files("maxima_" + names[l]) {
			if err := r.files.Write(ctx, file.Name, file.Write); err != nil {
				return err
			}
		}
	}
	return nil
}
