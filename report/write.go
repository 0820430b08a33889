package report

import (
	"context"
	"io"
	"math"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"thermsim/report/saved"
	"thermsim/staging"
)

// largePlane is the number of cells in a plane above which its CSV is written only on request.
const largePlane = 4_000_000

// hugePlane is the number of cells above which maps are made one at a time, for the memory of it.
const hugePlane = 16_000_000

// Write writes summary.json, blocks.csv, layers.csv, where the stack has them dies.csv, regions.csv, limits.csv and jedec.csv, and map_<layer>.png and .csv of every layer with power or coolant and those in o.Maps into a folder, and
// returns their paths. A layer of several planes is mapped by its hottest plane, cell by cell; all pictures share one range of
// colours. Either every file is written whole or, on an error or a cancelled context, none.
//
// Write brings the times and the memory in s up to date before it writes them.
func Write(ctx context.Context, dir string, r *Run, s *Summary, o Options) ([]string, error) {
	done, err := staging.Do(ctx, dir, staging.Options{Set: RunFiles, Command: r.Command}, func(files *staging.Transaction) error {
		return stageReport(ctx, files, r, s, o)
	})
	if err != nil {
		return nil, err
	}
	return done.Files, nil
}

// RunFiles are the files of a steady or transient run, as records of folders call them.
const RunFiles = "run"

// FileNames are those of a run's files that do not depend on its layers and steps.
func FileNames() []string {
	return []string{"summary.json", "layers.csv", "blocks.csv", "dies.csv", "regions.csv", "limits.csv", "jedec.csv", "coolant.csv", "streams.csv", JUnitName, traceName, PageName, saved.FileName}
}

// stageReport stages the tables, maps and figures of a run.
func stageReport(ctx context.Context, st *staging.Transaction, r *Run, s *Summary, o Options) error {
	layers, err := mappedLayers(r.Mesh, o.Maps)
	if err != nil {
		return err
	}
	if err := o.Style.Check(); err != nil {
		return err
	}
	start := time.Now()
	if err := writeMaps(ctx, st, r, s, layers, &o); err != nil {
		return err
	}
	if err := writeFigures(ctx, st, r, s, &o); err != nil {
		return err
	}
	type table struct {
		name  string
		write func(io.Writer, *Summary) error
	}
	csvs := []table{{"layers.csv", writeLayersCSV}, {"blocks.csv", writeBlocksCSV}}
	if len(s.Dies) > 0 {
		csvs = append(csvs, table{"dies.csv", writeDiesCSV})
	}
	if len(s.Regions) > 0 {
		csvs = append(csvs, table{"regions.csv", writeRegionsCSV})
	}
	if len(s.Limits) > 0 {
		csvs = append(csvs, table{"limits.csv", writeLimitsCSV})
	}
	if len(s.Jedec.Figures) > 0 {
		csvs = append(csvs, table{"jedec.csv", writeJedecCSV})
	}
	if len(s.Coolant) > 0 {
		csvs = append(csvs, table{"coolant.csv", writeCoolantCSV}, table{"streams.csv", writeStreamsCSV})
	}
	for _, t := range csvs {
		if err := st.Write(ctx, t.name, func(w io.Writer) error { return t.write(w, s) }); err != nil {
			return err
		}
	}
	if o.JUnit {
		if err := st.Write(ctx, JUnitName, func(w io.Writer) error { return writeJUnit(w, s) }); err != nil {
			return err
		}
	}
	s.finish(r, time.Since(start)) // the summary comes last, so that it knows the time of the rest
	return st.Write(ctx, "summary.json", s.WriteJSON)
}

// writeMaps stages the maps of the layers. One goroutine at a time reads the field; drawing and formatting share the cores.
func writeMaps(ctx context.Context, st *staging.Transaction, r *Run, s *Summary, layers []int, o *Options) error {
	m, cells := r.Mesh, r.Mesh.NX()*r.Mesh.NY()
	buffers := 2
	if cells > hugePlane {
		buffers = 1
	}
	free := make(chan []float64, buffers)
	for range min(buffers, len(layers)) {
		free <- make([]float64, cells)
	}
	var plane []float64
	scratch := func() []float64 {
		if plane == nil {
			plane = make([]float64, cells)
		}
		return plane
	}
	lo, hi := colorRange(s, layers)
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(max(2, runtime.GOMAXPROCS(0)))
	for _, v := range views(m, layers) {
		var kelvin []float64
		select {
		case kelvin = <-free:
		case <-inner.Done():
		}
		if kelvin == nil {
			break
		}
		if err := planesMap(r.Solution.Field, v.planes, kelvin, scratch); err != nil {
			g.Go(func() error { return err })
			break
		}
		var half errgroup.Group // the two files of one map share its buffer
		var jobs []func() error
		for _, format := range o.Style.formats() {
			jobs = append(jobs, func() error {
				return st.Write(inner, "map_"+v.file+"."+string(format), func(w io.Writer) error {
					return layerPicture(m, v, kelvin, lo, hi, s.Caveat(), s.lastStepNote(), &o.Style).Write(w, format)
				})
			})
		}
		if cells <= largePlane || o.LargeCSV {
			jobs = append(jobs, func() error {
				return st.Write(inner, "map_"+v.file+".csv", func(w io.Writer) error { return writeMapCSV(w, m, v, kelvin, s.lastStepNote()) })
			})
		}
		for _, job := range jobs {
			half.Go(job)
		}
		g.Go(func() error {
			err := half.Wait()
			free <- kelvin
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// writeFigures stages the pictures beside the maps.
func writeFigures(ctx context.Context, st *staging.Transaction, r *Run, s *Summary, o *Options) error {
	f := Figures{
		Mesh: r.Mesh, Field: r.Solution.Field, Summary: s, Style: o.Style, Maps: o.Maps,
		Trace: o.Trace, History: o.History, Frames: o.Frames, At: o.At, ToScale: o.ToScale,
	}
	files, err := f.Files(o.Figures)
	if err != nil {
		return err
	}
	return st.WriteFiles(ctx, files...)
}

// colorRange is the range of temperatures over the mapped layers.
func colorRange(s *Summary, layers []int) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, l := range layers {
		if t := &s.Layers[l]; !math.IsNaN(t.MaxK) {
			lo, hi = min(lo, t.MinK), max(hi, t.MaxK)
		}
	}
	return lo, hi
}
