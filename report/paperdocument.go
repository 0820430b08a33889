package report

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"thermsim/gpusolve/solution"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/report/paper"
	"thermsim/report/picture"
	"thermsim/report/quantity"
	"thermsim/report/summary"
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
	peak      heldField // of a transient
}

// heldField is a copy of the field of a step.
type heldField struct {
	step   int
	maxK   float64
	planes [][]float64 // nil if fields are too large to copy
}

// Plane implements solution.Field.
func (h *heldField) Plane(k int, dst []float64) error {
	copy(dst, h.planes[k])
	return nil
}

// hold makes the recorder keep the field of the hottest step of a transient, unless fields are large.
func (p *documentRecorder) hold(m *mesh.Mesh, steps int) {
	if p.pdf && steps > 0 && 8*m.Cells() <= sharedBytes {
		p.peak.planes = make([][]float64, m.NZ())
		for k := range p.peak.planes {
			p.peak.planes[k] = make([]float64, m.NX()*m.NY())
		}
	}
}

// Reads implements Recorder.
func (p *documentRecorder) Reads(int) bool { return p.peak.planes != nil }

// Step implements Recorder.
func (p *documentRecorder) Step(n int, step solution.Step, f solution.Field) error {
	if p.peak.planes == nil || p.peak.step > 0 && !(step.MaxK > p.peak.maxK) {
		return nil
	}
	p.peak.step, p.peak.maxK = n, step.MaxK
	for k, plane := range p.peak.planes {
		if err := f.Plane(k, plane); err != nil {
			return err
		}
	}
	return nil
}

// Finish implements Recorder.
func (p *documentRecorder) Finish(ctx context.Context, e *End) error {
	d, err := pageDocument(e, nil, p.options.Scale)
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

// figures are the map of the hottest layer and the section through its hottest point, of a transient at the peak and
// at the end, the traces of a transient, and the stack.
func (p *documentRecorder) figures(e *End) ([]paper.Figure, error) {
	var all []paper.Figure
	when := ""
	if s := e.Summary; e.N > 0 {
		when = " at the end, t = " + quantity.Seconds(s.StepMaxima[s.Steps-1].TimeS)
		if _, at := s.HottestStep(); p.peak.step > 0 && p.peak.step < e.N && s.Peak.TimeS == at {
			peak, err := p.fieldFigures(e, &p.peak, s.Peak.At, " at the peak, t = "+quantity.Seconds(at))
			if err != nil {
				return nil, err
			}
			all = peak
		}
	}
	end, err := p.fieldFigures(e, e.Run.Solution.Field, e.Summary.Temperature.MaxAt, when)
	if err != nil {
		return nil, err
	}
	if len(all) > 0 {
		end = end[:1] // the section shows the peak only
	}
	all = append(all, end...)
	if e.Trace != nil && e.N > 0 {
		f := p.draw(e, "Over time")
		f.Trace = e.Trace
		traces, err := f.traces()
		if err != nil {
			return nil, err
		}
		all = append(all, traces)
	}
	outline := outlineSection(e.Run.Mesh, p.options.Scale)
	outline.Title, outline.Narrow = "Stack", true
	return append(all, outline, meshLines(e.Run.Mesh)), nil
}

// draw returns figures with another title: the document has that of the stack.
func (p *documentRecorder) draw(e *End, title string) *Figures {
	f := &Figures{Run: e.Run, Options: *p.options, Summary: e.Summary}
	f.Style.WidthPt, f.Style.FontPt, f.Style.Title = 400, 9, title
	return f
}

// fieldFigures are the map of the layer of a hottest point and the section through that point; none without a layer.
func (p *documentRecorder) fieldFigures(e *End, field solution.Field, at summary.Place, when string) ([]paper.Figure,
	error) {
	layer := slices.IndexFunc(e.Run.Mesh.Stack.Layers, func(l stack.Layer) bool { return l.Name == at.Layer })
	if layer < 0 {
		return nil, nil
	}
	f := p.draw(e, "Section"+when)
	run, sol, sum := *e.Run, *e.Run.Solution, *e.Summary
	sol.Field, run.Solution = field, &sol
	sum.Temperature.MaxAt, sum.Steps = at, 0 // titles say when
	f.Run, f.Summary = &run, &sum
	section, err := f.section(0)
	if err != nil {
		return nil, err
	}
	section.Tallest = 800 // fits a page without becoming smaller
	f.Style.Title = "Hottest layer" + when
	f.Style.around = poweredPart(e.Run.Mesh)
	m, err := f.mapOf(layer)
	if err != nil {
		return nil, err
	}
	return []paper.Figure{m, section}, nil
}

// mapOf is the map of a layer in the colors of what it shows.
func (f *Figures) mapOf(layer int) (paper.Figure, error) {
	nx := f.Mesh.NX()
	kelvin := make([]float64, nx*f.Mesh.NY())
	v := layerView(f.Mesh, layer)
	if err := new(planeReader).planes(f.Solution.Field, v.planes, kelvin); err != nil {
		return nil, err
	}
	i0, i1 := f.Style.window(f.Mesh.Stack, 0, f.Mesh.X)
	j0, j1 := f.Style.window(f.Mesh.Stack, 1, f.Mesh.Y)
	lo, hi := math.Inf(1), math.Inf(-1)
	for j := j0; j < j1; j++ {
		for _, t := range kelvin[j*nx+i0 : j*nx+i1] {
			lo, hi = min(lo, t), max(hi, t)
		}
	}
	return (&layerPicture{f, v, kelvin, lo, hi, f.Summary.Caveat(), ""}).draw(), nil
}

// poweredPart is the surroundings of everything with power; nil if that is most of the domain.
func poweredPart(m *mesh.Mesh) *stack.Rect {
	var part stack.Rect
	for i := range m.Power.Layers {
		r := powered(m, &m.Power.Layers[i])
		if i > 0 {
			x, y := min(r.X, part.X), min(r.Y, part.Y)
			r = stack.Rect{X: x, Y: y, Width: max(r.X+r.Width, part.X+part.Width) - x,
				Height: max(r.Y+r.Height, part.Y+part.Height) - y}
		}
		part = r
	}
	if part.Width == 0 || part == m.Stack.Domain() {
		return nil
	}
	return &part
}

// meshLines draws the mesh with the outlines of what has power.
func meshLines(m *mesh.Mesh) *picture.MeshLines {
	p := &picture.MeshLines{Title: "Mesh", X: m.X, Y: m.Y,
		Subtitle: fmt.Sprintf("%d × %d × %d cells", m.NX(), m.NY(), m.NZ())}
	for l := range m.Stack.Layers {
		layer := &m.Stack.Layers[l]
		p.Planes = append(p.Planes, m.LayerPlanes[l][1]-m.LayerPlanes[l][0])
		p.Thickness = append(p.Thickness, layer.Thickness)
		for i := range layer.Powers {
			for b := range layer.Powers[i].Blocks { // without the others if they are many
				if len(p.Parts) < mostParts {
					p.Parts = append(p.Parts, blockRects(m.Stack, &layer.Powers[i].Blocks[b])...)
				}
			}
		}
	}
	return p
}
