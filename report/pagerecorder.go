package report

import (
	"context"
	"io"

	"thermsim/gpusolve/solution"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/report/field"
	"thermsim/report/statistics"
	"thermsim/report/webpage"
)

// pageRecorder records report.html: the field at every step that it shows, and the report around them.
type pageRecorder struct {
	files  *staging.Transaction
	mesh   *mesh.Mesh
	grid   *field.Grid
	fields *webpage.Fields
	powers map[int]*webpage.Power // by layer, as far as they are packed
}

// newPageRecorder keeps the steps of the peaks of a transient, which may be nil, whatever other steps are left out.
func newPageRecorder(files *staging.Transaction, m *mesh.Mesh, steps int, b PageBudget,
	over *statistics.Peaks) *pageRecorder {
	g := field.GridOf(m)
	fields := webpage.NewFields(g, m.Stack.Ambient, max(1, steps), b)
	if over != nil {
		fields.Keep(steps, over.At)
	}
	return &pageRecorder{files, m, g, fields, nil}
}

// Reads implements Recorder. Whether a step has a peak is known once its statistics are.
func (p *pageRecorder) Reads(n int) bool { return p.fields.MayWant(n) }

// Step implements Recorder.
func (p *pageRecorder) Step(n int, step solution.Step, f solution.Field) error {
	if !p.fields.Wants(n) {
		return nil
	}
	if err := p.fields.Add(n, step.Time, p.grid, f); err != nil || p.powers != nil {
		return err
	}
	return p.packPowers() // while the temperatures are packed
}

// packPowers packs the power densities for the cells that the page is going to have, unless it has to become coarser.
func (p *pageRecorder) packPowers() error {
	p.powers = map[int]*webpage.Power{}
	for i := range p.mesh.Power.Layers {
		l := &p.mesh.Power.Layers[i]
		packed, err := p.fields.PackPower(densityRows(p.mesh, l))
		if err != nil {
			return err
		}
		p.powers[l.Layer] = packed
	}
	return nil
}

// Finish implements Recorder.
func (p *pageRecorder) Finish(ctx context.Context, e *End) error {
	if p.fields.Last() != e.N {
		if err := p.fields.Add(e.N, e.Step.Time, p.grid, e.Field); err != nil {
			return err
		}
	}
	d := pageDocument(p.mesh, e.Summary, p.fields)
	for l, packed := range p.powers {
		d.Layers[l].Power = packed
	}
	return p.files.Write(ctx, PageName, func(w io.Writer) error { return webpage.Write(w, d) })
}

// PageName of the interactive report.
const PageName = "report.html"
