package report

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/internal/staging"
	"thermsim/report/summary"
	"thermsim/report/webpage"
)

// Recorder receives the field once per step and has staged its files when Finish returns. The transaction commits or
// aborts all files together.
type Recorder interface {
	// Reads reports whether Step reads the field of step n, in addition to the statistics of the recording's Regions.
	Reads(n int) bool
	// Step receives the field at the end of step n, counted from 1 in ascending order. A steady state is step 0 at time
	// 0.
	Step(n int, step solution.Step, f solution.Field) error
	// Finish completes the recording after the solve, when the summary is known.
	Finish(ctx context.Context, e *End) error
}

// End holds the outcome of a solved run.
type End struct {
	Run     *Run
	Summary *summary.Summary
	// N is the number of the last step, 0 for a steady state; Step its data and Field its field.
	N     int
	Step  solution.Step
	Field solution.Field
	// History is the estimated error by iteration.
	History []HistoryPoint
	Trace   TraceReader // trace.csv of a transient, or nil
}

// Recording writes all files of a run. They appear under their names after Commit of the transaction.
type Recording struct {
	run       *Run
	files     *staging.Transaction
	options   Options
	trace     *Trace
	frames    *FrameRecorder
	recorders []Recorder
	shared    sharedField
	// OnRead, if not nil, is called after the last read of the field of a steady state, if that is known before Finish
	// returns.
	OnRead func()
}

// NewRecording starts the files of a run with the given number of steps, 0 for a steady state. more are additional
// recorders, which receive the field last.
func NewRecording(files *staging.Transaction, r *Run, steps int, o Options, kept OutputOptions,
	more ...Recorder) (*Recording, error) {
	w := &Recording{run: r, files: files, options: o}
	if r.Recorded == nil && steps > 0 {
		var err error
		if w.trace, err = NewTrace(files, r.Mesh, r.Columns...); err != nil {
			return nil, err
		}
		if w.trace.measured != nil && r.StartK > 0 {
			w.trace.measured.Start(r.StartK)
		}
		w.recorders = append(w.recorders, w.trace) // first: the saved run contains its file
	}
	if steps > 0 && (o.Wants("animation") || slices.Contains(o.Figures, "epochs")) {
		var err error
		if w.frames, err = NewFrameRecorder(r.Mesh, o.FrameLayer); err != nil {
			return nil, err
		}
		w.recorders = append(w.recorders, w.frames)
	}
	// of a saved run, where all steps were saved
	if steps > 0 && o.Wants("maxima") && (r.Recorded == nil || steps == len(r.Solution.Steps)) {
		tops, err := newMaximaRecorder(files, &Figures{Run: r, Options: o})
		if err != nil {
			return nil, err
		}
		w.recorders = append(w.recorders, tops)
	}
	fields, err := newFieldFiles(files, r.Mesh, kept)
	if err != nil {
		return nil, err
	}
	w.recorders = append(w.recorders, fields)
	if kept.Page {
		over := r.peaks // of a saved run
		if w.trace != nil {
			over = &w.trace.peaks.Found
		}
		page := newPageRecorder(files, r.Mesh, steps, kept.PageBudget, over)
		page.unit = o.Scale
		w.recorders = append(w.recorders, page)
	}
	if kept.PDF || kept.XLSX {
		document := &documentRecorder{files: files, options: &o, pdf: kept.PDF, xlsx: kept.XLSX}
		document.hold(r.Mesh, steps)
		w.recorders = append(w.recorders, document)
	}
	if kept.SaveLast || kept.SaveAll {
		save, err := newSavedRun(files, r.Mesh, kept.SaveAll)
		if err != nil {
			return nil, err
		}
		w.recorders = append(w.recorders, save)
	}
	w.recorders = append(w.recorders, more...)
	return w, nil
}

// Regions are the regions whose statistics are computed for every step; nil without any.
func (w *Recording) Regions() *reduction.Regions {
	if w.trace == nil {
		return nil
	}
	return w.trace.regions
}

// Reads reports whether any recorder reads the field of step n, from 1, in addition to the statistics of the regions.
func (w *Recording) Reads(n int) bool {
	return slices.ContainsFunc(w.recorders, func(r Recorder) bool { return r.Reads(n) })
}

// Step passes the field at the end of step n, from 1, to all recorders. Finish does so for a steady state.
func (w *Recording) Step(n int, step solution.Step, f solution.Field) error {
	w.shared.take(f, w.run.Mesh)
	return w.show(n, step)
}

// show passes the shared field to all recorders.
func (w *Recording) show(n int, step solution.Step) error {
	for _, r := range w.recorders {
		end := w.note("show", r)
		err := r.Step(n, step, &w.shared)
		if end(); err != nil {
			return err
		}
	}
	return nil
}

// Finish summarizes the solved run and stages the remaining files. It passes the field of a steady state to the
// recorders first.
func (w *Recording) Finish(ctx context.Context, history []HistoryPoint) (*summary.Summary, error) {
	r := w.run
	field := r.Solution.Field
	defer func() { r.Solution.Field = field }()
	w.shared.take(field, r.Mesh)
	r.Solution.Field = &w.shared // each plane is fetched once
	if w.trace != nil {
		r.peaks, r.measured = &w.trace.peaks.Found, w.trace.measured
	}
	s, err := Summarise(r)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	e := &End{Run: r, Summary: s, Field: &w.shared, History: history}
	if e.N = len(r.Solution.Steps); e.N > 0 {
		e.Step = r.Solution.Steps[e.N-1]
	}
	o := w.options
	switch {
	case w.trace != nil:
		err = w.trace.Finish(ctx, e)
	case o.Trace != nil:
		err = stageTrace(ctx, w.files, o.Trace)
	}
	if err != nil {
		return nil, err
	}
	if w.files.Has(traceName) {
		o.Trace = func() (io.ReadCloser, error) { return w.files.Open(traceName) }
	}
	o.History, o.Frames, e.Trace = history, w.frames, o.Trace
	if err := w.draw(ctx, e, &o); err != nil {
		return nil, err
	}
	if err := stageTables(ctx, w.files, r, s, &o, start); err != nil {
		return nil, err
	}
	for _, p := range w.recorders {
		end := w.note("finish", p)
		err := p.Finish(ctx, e)
		if end(); err != nil {
			return nil, err
		}
	}
	return s, ctx.Err()
}

// draw stages the pictures, and passes a steady state to the recorders in parallel.
func (w *Recording) draw(ctx context.Context, e *End, o *Options) error {
	g, inner := errgroup.WithContext(ctx)
	var reading sync.WaitGroup
	if e.N == 0 {
		for _, r := range w.recorders {
			reading.Add(1)
			g.Go(func() error {
				defer reading.Done()
				defer w.note("show", r)()
				return r.Step(0, e.Step, &w.shared)
			})
		}
	}
	reading.Add(1)
	g.Go(func() error { return stagePictures(inner, w.files, e.Run, e.Summary, o, reading.Done) })
	if w.OnRead != nil && e.N == 0 && w.readOnce(o) {
		go func() {
			reading.Wait()
			w.OnRead()
		}()
	}
	return g.Wait()
}

// readOnce reports whether the field of a steady state is read in Step only, and by no figures.
func (w *Recording) readOnce(o *Options) bool {
	return len(o.Figures) == 0 && !slices.ContainsFunc(w.recorders, func(r Recorder) bool {
		switch r.(type) {
		case *fieldFiles, *pageRecorder, *savedRun:
			return false
		}
		return true
	})
}

// note logs an action of a recorder on the timeline.
func (w *Recording) note(what string, r Recorder) (end func()) {
	if w.run.Timeline == nil {
		return func() {}
	}
	return w.run.Timeline.Begin(fmt.Sprintf("%s %T", what, r))
}

// PageBudget limits the size and the error of the temperatures in a page.
type PageBudget = webpage.Budget
