package report

import (
	"context"
	"io"
	"slices"
	"time"

	"thermsim/internal/staging"
	"thermsim/report/saved"
	"thermsim/report/summary"
	"thermsim/report/tables"
)

// Write writes summary.json, blocks.csv, layers.csv, where the stack has them dies.csv, regions.csv, limits.csv and
// jedec.csv, and map_<layer>.png and .csv of every layer with power or coolant and those in o.Maps into a folder, and
// returns their paths. A layer of several planes is mapped by its hottest plane, cell by cell; all pictures share one
// range of colours. Either every file is written whole or, on an error or a cancelled context, none.
//
// Write brings the times and the memory in s up to date before it writes them.
func Write(ctx context.Context, dir string, r *Run, s *summary.Summary, o Options) ([]string, error) {
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
func stagePictures(ctx context.Context, st *staging.Transaction, r *Run, s *summary.Summary, o *Options,
	read func()) error {
	return (&Figures{r, *o, s}).stage(ctx, st, o.Figures, read)
}

// stageTables stages the tables of a run, and its summary with the time since start.
func stageTables(ctx context.Context, st *staging.Transaction, r *Run, s *summary.Summary, o *Options,
	start time.Time) error {
	for _, t := range tables.OfFiles(s) {
		if err := st.Write(ctx, t.File, t.CSV); err != nil {
			return err
		}
	}
	if o.JUnit {
		if err := st.Write(ctx, JUnitName, func(w io.Writer) error { return writeJUnit(w, s) }); err != nil {
			return err
		}
	}
	building{s}.finish(r, time.Since(start)) // the summary comes last, so that it knows the time of the rest
	return st.Write(ctx, "summary.json", s.WriteJSON)
}
