package report

import (
	"context"
	"io"
	"slices"

	"thermsim/gpusolve/solution"
	"thermsim/internal/staging"
	"thermsim/report/paper"
	"thermsim/report/workbook"
	"thermsim/stack"
)

// Names of the report for printing and of the workbook of all tables.
const (
	PDFName  = "report.pdf"
	XLSXName = "report.xlsx"
)

// documentRecorder writes report.pdf and report.xlsx.
type documentRecorder struct {
	files     *staging.Transaction
	options   *Options
	pdf, xlsx bool
}

// Reads implements Recorder.
func (p *documentRecorder) Reads(int) bool { return false }

// Step implements Recorder.
func (p *documentRecorder) Step(int, solution.Step, solution.Field) error { return nil }

// Finish implements Recorder.
func (p *documentRecorder) Finish(ctx context.Context, e *End) error {
	d, err := pageDocument(e, nil)
	if err != nil {
		return err
	}
	if p.xlsx {
		scale := p.options.Scale.Or("degC")
		err := p.files.Write(ctx, XLSXName, func(w io.Writer) error { return workbook.Write(w, d, scale) })
		if err != nil || !p.pdf {
			return err
		}
	}
	figures, err := p.figures(e)
	if err != nil {
		return err
	}
	return p.files.Write(ctx, PDFName, func(w io.Writer) error { return paper.Write(w, d, figures) })
}

// figures are the map of the hottest layer, the section through its hottest point, the traces of a transient, and the
// stack.
func (p *documentRecorder) figures(e *End) ([]paper.Figure, error) {
	f := &Figures{Run: e.Run, Options: *p.options, Summary: e.Summary}
	f.Trace = e.Trace
	f.Style.WidthPt, f.Style.FontPt = 400, 9
	var all []paper.Figure
	hottest := slices.IndexFunc(e.Run.Mesh.Stack.Layers, func(l stack.Layer) bool {
		return l.Name == e.Summary.Temperature.MaxAt.Layer
	})
	if hottest >= 0 {
		m, err := f.mapOf(hottest)
		if err != nil {
			return nil, err
		}
		section, err := f.section(0)
		if err != nil {
			return nil, err
		}
		all = append(all, m, section)
	}
	if e.Trace != nil && e.N > 0 {
		traces, err := f.traces()
		if err != nil {
			return nil, err
		}
		all = append(all, traces)
	}
	return append(all, outlineSection(e.Run.Mesh)), nil
}

// mapOf is the map of a layer.
func (f *Figures) mapOf(layer int) (paper.Figure, error) {
	kelvin := make([]float64, f.Mesh.NX()*f.Mesh.NY())
	v := layerView(f.Mesh, layer)
	if err := new(planeReader).planes(f.Solution.Field, v.planes, kelvin); err != nil {
		return nil, err
	}
	lo, hi := colorRange(f.Summary, []int{layer})
	return (&layerPicture{f, v, kelvin, lo, hi, f.Summary.Caveat(), f.Summary.LastStepNote()}).draw(), nil
}
