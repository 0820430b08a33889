package report

import (
	"fmt"
	"io"
	"math"
	"slices"

	"thermsim/internal/printable"
	"thermsim/internal/staging"
	"thermsim/report/fieldfile"
	"thermsim/report/picture"
	"thermsim/report/quantity"
	"thermsim/report/summary"
)

// powerGridMaps are the maps of the IR drop and the lifetime of the segments of each layer.
func (f *Figures) powerGridMaps() (files []staging.File) {
	if f.Summary.PowerGrid == nil {
		return nil
	}
	names := fileNames(f.Mesh.Stack)
	for i := range f.Summary.PowerGrid.Maps {
		m := &f.Summary.PowerGrid.Maps[i]
		millivolts := each(m.DropV, func(v float64) float64 { return v * 1e3 })
		_, worst := extent(millivolts)
		files = append(files, f.segmentMap("drop_"+names[m.Layer], m, "mV", millivolts,
			fmt.Sprintf("IR drop, max %s mV", quantity.Significant(worst, 4)), millivolts)...)
		if m.LifetimeS == nil {
			continue
		}
		years := each(m.LifetimeS, func(v float64) float64 { return v / summary.SecondsPerYear })
		worst, _ = extent(years)
		files = append(files, f.segmentMap("lifetime_"+names[m.Layer], m, "years", years,
			fmt.Sprintf("log10 of the lifetime in years, min %s years", quantity.Significant(worst, 3)),
			each(years, math.Log10))...)
	}
	return files
}

func each(values []float64, of func(float64) float64) []float64 {
	out := make([]float64, len(values))
	for n, v := range values {
		out[n] = of(v)
	}
	return out
}

// extent is the range of the values that are numbers.
func extent(values []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo, hi
}

// segmentMap is a map of values of a unit by tile, drawn with other numbers.
func (f *Figures) segmentMap(name string, m *summary.SegmentMap, unit string, values []float64, what string,
	drawn []float64) []staging.File {
	layer := "layer " + f.Mesh.Stack.Layers[m.Layer].Name
	lo, hi := extent(drawn)
	write := func(w io.Writer, format picture.Format) error {
		h := &picture.HeatMap{Title: f.Style.title(f.Mesh, f.Summary.Caveat()), Subtitle: layer + ", " + what, X: m.X,
			Y: m.Y, Kelvin: slices.Clone(drawn), Lo: lo, Hi: hi, Unit: unit, Look: f.look()}
		if unit == "years" {
			h.Unit = "log10 years"
		}
		f.Style.crop(f.Mesh.Stack, h)
		return h.Write(w, format)
	}
	files := f.Style.files(name, write)
	if len(values) > largePlane && !f.LargeCSV {
		return files
	}
	return append(files, staging.File{Name: name + ".csv", Write: func(w io.Writer) error {
		if _, err := fmt.Fprintf(w, "# %s, worst segment of each tile, in %s; first row: x in m; first column: y in "+
			"m\n", printable.Text(layer), unit); err != nil {
			return err
		}
		return fieldfile.WriteMatrix(w, m.X, m.Y, values)
	}})
}
