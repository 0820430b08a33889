package report

import (
	"context"
	"io"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"thermsim/internal/staging"
	"thermsim/report/saved"
)

// largePlane is the number of cells in a plane above which its CSV is written only on request.
const largePlane = 4_000_000

// hugePlane is the number of cells above which maps are made one at a time, for the memory of it.
const hugePlane = 16_000_000

// Write writes summary.json, blocks.csv, layers.csv, where the stack has them dies.csv, regions.csv, limits.csv and
// jedec.csv, and map_<layer>.png and .csv of every layer with power or coolant and those in o.Maps into a folder, and
// returns their paths. A layer of several planes is mapped by its hottest plane, cell by cell; all pictures share one
// range of colours. Either every file is written whole or, on an error or a cancelled context, none.
//
// Write brings the times and the memory in s up to date before it writes them.
func Write(ctx context.Context, dir string, r *Run, s *Summary, o Options) ([]string, error) {
	done, err := staging.Do(ctx, dir, staging.Options{Set: RunFiles, Command: r.Command},
		func(files *staging.Transaction) error {
			start := time.Now()
			if err := stagePictures(ctx, files, r, s, &o, func() {}); err != nil {
				return err
			}
			return stageTables(ctx, files, r, s, &o, start)
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
	return []string{"summary.json", "layers.csv", "blocks.csv", "dies.csv", "regions.csv", "limits.csv", "jedec.csv",
		"coolant.csv", "streams.csv", JUnitName, traceName, PageName, saved.FileName}
}

// NamePatterns are those of the names that files of a run may have, as path.Match takes them. The saved run is one of
// them, unless the run is drawn from it.
func NamePatterns(transient, restored bool) []string {
	patterns := slices.DeleteFunc(FileNames(), func(name string) bool {
		return restored && name == saved.FileName || !transient && name == traceName
	})
	stems := []string{"map_*"}
	suffixes := []string{".npz", ".csv", "_long.csv", ".bin", ".json", ".vtr"}
	for _, suffix := range suffixes {
		patterns = append(patterns, "field"+suffix)
	}
	if transient {
		stems = append(stems, "maxima_*")
		patterns = append(patterns, "animation.gif", "animation.apng")
		for _, suffix := range suffixes {
			patterns = append(patterns, "field_step*"+suffix)
		}
	}
	for _, stem := range stems {
		patterns = append(patterns, stem+".csv")
	}
	for _, name := range FigureNames() {
		stems = append(stems, figureFile(name))
	}
	for _, stem := range stems {
		for _, format := range PictureFormats() {
			patterns = append(patterns, stem+"."+format)
		}
	}
	return patterns
}

// stagePictures stages the maps and figures of a run. It calls read once, when it has read what it needs of the field.
func stagePictures(ctx context.Context, st *staging.Transaction, r *Run, s *Summary, o *Options, read func()) error {
	read = sync.OnceFunc(read)
	defer read()
	layers, err := mappedLayers(r.Mesh, o.Maps)
	if err != nil {
		return err
	}
	if err := o.Style.Check(); err != nil {
		return err
	}
	if len(o.Figures) > 0 {
		err = writeMaps(ctx, st, r, s, layers, o, func() {})
	} else {
		err = writeMaps(ctx, st, r, s, layers, o, read)
	}
	if err != nil {
		return err
	}
	return writeFigures(ctx, st, r, s, o)
}

// stageTables stages the tables of a run, and its summary with the time since start.
func stageTables(ctx context.Context, st *staging.Transaction, r *Run, s *Summary, o *Options, start time.Time) error {
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

// writeMaps stages the maps of the layers. One goroutine at a time reads the field; drawing and formatting share the
// cores.
func writeMaps(ctx context.Context, st *staging.Transaction, r *Run, s *Summary, layers []int, o *Options,
	read func()) error {
	m, cells := r.Mesh, r.Mesh.NX()*r.Mesh.NY()
	lo, hi := colorRange(s, layers)
	shown := views(m, layers)
	if binned := newBinnedMaps(r, o); binned != nil {
		return binned.write(ctx, st, s, shown, [2]float64{lo, hi})
	}
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
		noted := r.Timeline.Begin("read the map of " + v.what)
		err := planesMap(r.Solution.Field, v.planes, kelvin, scratch)
		if noted(); err != nil {
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
				return st.Write(inner, "map_"+v.file+".csv", func(w io.Writer) error {
					return writeMapCSV(w, m, v, kelvin, s.lastStepNote())
				})
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
	read()
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
