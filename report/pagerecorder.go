package report

import (
	"context"
	"io"

	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/report/field"
	"thermsim/report/webpage"
	"thermsim/staging"
)

// pageRecorder records report.html: the field at every step that it shows, and the report around them.
type pageRecorder struct {
	files  *staging.Transaction
	grid   *field.Grid
	fields *webpage.Fields
}

func newPageRecorder(files *staging.Transaction, m *mesh.Mesh, steps int, b PageBudget) *pageRecorder {
	g := GridOf(m)
	return &pageRecorder{files, g, webpage.NewFields(g, m.Stack.Ambient, max(1, steps), b)}
}

// Reads implements Recorder.
func (p *pageRecorder) Reads(n int) bool { return p.fields.Wants(n) }

// Step implements Recorder.
func (p *pageRecorder) Step(n int, step solution.Step, f solution.Field) error {
	if !p.fields.Wants(n) {
		return nil
	}
	return p.fields.Add(n, step.Time, p.grid, f)
}

// Finish implements Recorder.
func (p *pageRecorder) Finish(ctx context.Context, e *End) error {
	if p.fields.Last() != e.N {
		if err := p.fields.Add(e.N, e.Step.Time, p.grid, e.Field); err != nil {
			return err
		}
	}
	d := pageDocument(e.Run, e.Summary, p.fields)
	return p.files.Write(ctx, PageName, func(w io.Writer) error { return webpage.Write(w, d) })
}
