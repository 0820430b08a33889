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

// Recorder takes part in a run: it is shown the field once per step, and has staged its files when Finish returns. The
// transaction that holds the files commits or aborts them all.
type Recorder interface {
	// Reads says whether Step is going to read the field of step n, beyond the statistics of the recording's Regions.
	Reads(n int) bool
	// Step takes the field at the end of step n, from 1 and ascending. A steady state is step 0 at time 0.
	Step(n int, step solution.Step, f solution.Field) error
	// Finish ends the recording: the run is solved, and its summary made.
	Finish(ctx context.Context, e *End) error
}

// End is what is known when a run has been solved.
type End struct {
	Run     *Run
	Summary *summary.Summary
	// N is the last step and Step what is known of it; 0 in a steady state. Field is how it ends.
	N     int
	Step  solution.Step
	Field solution.Field
	// History is how the error fell.
	History []HistoryPoint
}

// Recording writes everything that a run leaves. Its files have their names only after Commit of the transaction.
type Recording struct {
	run       *Run
	files     *staging.Transaction
	options   Options
	trace     *Trace
	frames    *FrameRecorder
	recorders []Recorder
	shared    sharedField
	// OnRead, where it is not nil, is called when nobody is going to read the field of a steady state any more, so far
	// as that is sure before Finish returns.
	OnRead func()
}

// NewRecording starts the files of a run of that many steps, 0 for a steady state. more are recorders beside the
// report's own; they see the field after these.
func NewRecording(files *staging.Transaction, r *Run, steps int, o Options, kept OutputOptions,
	more ...Recorder) (*Recording, error) {
	w := &Recording{run: r, files: files, options: o}
	if r.Recorded == nil && steps > 0 {
		var err error
		if w.trace, err = NewTrace(files, r.Mesh, r.Columns...); err != nil {
			return nil, err
		}
		w.recorders = append(w.recorders, w.trace) // first: the saved run holds what it wrote
	}
	if steps > 0 && o.Wants("animation") {
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
		w.recorders = append(w.recorders, newPageRecorder(files, r.Mesh, steps, kept.PageBudget, over))
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

// Regions are those whose statistics are taken of every step; nil where there are none.
func (w *Recording) Regions() *reduction.Regions {
	if w.trace == nil {
		return nil
	}
	return w.trace.regions
}

// Reads says whether any recorder reads the field of step n, from 1, beyond the statistics of the regions.
func (w *Recording) Reads(n int) bool {
	return slices.ContainsFunc(w.recorders, func(r Recorder) bool { return r.Reads(n) })
}

// Step shows the field at the end of step n, from 1, to all recorders. Finish does it for a steady state.
func (w *Recording) Step(n int, step solution.Step, f solution.Field) error {
	w.shared.take(f, w.run.Mesh)
	return w.show(n, step)
}

// show hands what is shared to all recorders.
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

// Finish summarises the run, which is solved, and stages all that is left to write. A steady state is shown to the
// recorders first.
func (w *Recording) Finish(ctx context.Context, history []HistoryPoint) (*summary.Summary, error) {
	r := w.run
	field := r.Solution.Field
	defer func() { r.Solution.Field = field }()
	w.shared.take(field, r.Mesh)
	r.Solution.Field = &w.shared // read once, by whoever comes first
	if w.trace != nil {
		r.peaks = &w.trace.peaks.Found
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
	o.History, o.Frames = history, w.frames
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

// draw stages the pictures, and shows a steady state to the recorders meanwhile.
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

// readOnce says that recorders read the field of a steady state in Step alone, and no figures do.
func (w *Recording) readOnce(o *Options) bool {
	return len(o.Figures) == 0 && !slices.ContainsFunc(w.recorders, func(r Recorder) bool {
		switch r.(type) {
		case *fieldFiles, *pageRecorder, *savedRun:
			return false
		}
		return true
	})
}

// note notes what a recorder does.
func (w *Recording) note(what string, r Recorder) (end func()) {
	if w.run.Timeline == nil {
		return func() {}
	}
	return w.run.Timeline.Begin(fmt.Sprintf("%s %T", what, r))
}

// PageBudget says how much of a page its temperatures may take, and how exact they are.
type PageBudget = webpage.Budget
