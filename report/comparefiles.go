package report

import (
	"context"
	"fmt"
	"io"
	"math"

	"thermsim/internal/staging"
	"thermsim/report/field"
	"thermsim/report/jsonfile"
	"thermsim/report/picture"
	"thermsim/report/printout"
	"thermsim/report/quantity"
	"thermsim/report/summary"
	"thermsim/report/webpage"
)

// Write stages what shows the differences: diff.json, diff.html, and diff_<layer>.png of layers with power
// and of those in maps that both stacks have. All pictures share one range.
func (c *Comparison) Write(ctx context.Context, st *staging.Transaction, a, b *Run, maps []string,
	budget webpage.Budget) error {
	on, err := newOverlay(a, b)
	if err != nil {
		return err
	}
	layers, err := mappedLayers(a.Mesh, maps)
	if err != nil {
		return err
	}
	names := fileNames(a.Mesh.Stack)
	for _, l := range layers {
		if !on.has(l) {
			continue
		}
		h, err := differencePicture(c, a, on, l)
		if err != nil {
			return err
		}
		if err := st.Write(ctx, "diff_"+names[l]+".png", func(w io.Writer) error { return h.WritePNG(w) }); err != nil {
			return err
		}
	}
	doc, err := comparisonDocument(c, a, on, budget)
	if err != nil {
		return err
	}
	if err := st.Write(ctx, "diff.html", func(w io.Writer) error { return webpage.Write(w, doc) }); err != nil {
		return err
	}
	return st.Write(ctx, "diff.json", func(w io.Writer) error { return jsonfile.Write(w, *c) })
}

// differencePicture shows of every column the plane of the layer that differs most.
func differencePicture(c *Comparison, a *Run, on *overlay, l int) (*picture.HeatMap, error) {
	m := a.Mesh
	cells := m.NX() * m.NY()
	most, first, second := make([]float64, cells), make([]float64, cells), make([]float64, cells)
	for k := m.LayerPlanes[l][0]; k < m.LayerPlanes[l][1]; k++ {
		if err := a.Solution.Field.Plane(k, first); err != nil {
			return nil, err
		}
		if err := on.Plane(k, second); err != nil {
			return nil, err
		}
		for n := range most {
			if d := first[n] - second[n]; k == m.LayerPlanes[l][0] || math.IsNaN(d) || math.Abs(d) > math.Abs(most[n]) {
				most[n] = d
			}
		}
	}
	return &picture.HeatMap{
		Title: summary.Marked(c.Caveat(), fmt.Sprintf("%s minus %s", c.First, c.Second)), Subtitle: "layer " +
			m.Stack.Layers[l].Name + ", difference in K", X: m.X, Y: m.Y, Kelvin: most,
		Lo: c.All.MinK, Hi: c.All.MaxK, Blocks: blockOutlines(m.Stack, l), Regions: regionOutlines(m.Stack, l),
		Flow: flowOf(m, l), Difference: true,
	}, nil
}

// comparisonDocument is a page with both runs on the grid of the first, opened on their difference.
func comparisonDocument(c *Comparison, a *Run, on *overlay, budget webpage.Budget) (*webpage.Document, error) {
	grid := field.GridOf(a.Mesh)
	if budget.Bytes <= 0 {
		budget.Bytes = webpage.DefaultBytes
	}
	budget.Bytes /= 2
	if most := max(-c.All.MinK, c.All.MaxK); !(budget.ErrorK > 0) && most > 0 {
		budget.ErrorK = min(webpage.DefaultErrorK, max(most/500, 1e-5)) // what differs little is told finely
	}
	var fields [2]*webpage.Fields
	for n, source := range []field.Source{a.Solution.Field, on} {
		fields[n] = webpage.NewFields(grid, a.Mesh.Stack.Ambient, 1, budget)
		if err := fields[n].Add(0, 0, grid, source); err != nil {
			return nil, err
		}
	}
	if err := fields[0].Match(fields[1]); err != nil {
		return nil, err
	}
	deg := quantity.DigitsFor(max(math.Abs(c.All.MaxK), math.Abs(c.All.MinK)))
	plane := planeAt(a.Mesh, c.All.At.ZM)
	d := &webpage.Document{
		Title: fmt.Sprintf("%s minus %s", c.First, c.Second), Caveat: c.Caveat(), Version: a.Version, Start: plane,
		Pick: [2]float64{c.All.At.XM, c.All.At.YM}, CompareRuns: true,
		Runs: []webpage.Run{{Name: c.First, Fields: fields[0]}, {Name: c.Second, Fields: fields[1]}},
		Lead: webpage.Words(c.lead(deg)),
		Facts: []webpage.Fact{
			{Label: "Peak of the first", Value: []webpage.Part{webpage.Degrees(c.PeakK[0], int(deg), true)}},
			{Label: "Peak of the second", Value: []webpage.Part{webpage.Degrees(c.PeakK[1], int(deg), true)}},
			{Label: "Of the peaks", Value: webpage.Words(deg.Kelvin(c.PeakK[0]-c.PeakK[1]) + " K")},
			{Label: "Mean difference", Value: webpage.Words(deg.Kelvin(c.All.MeanK) + " K")},
			{Label: "rms", Value: webpage.Words(deg.Kelvin(c.All.RMSK) + " K")},
		},
	}
	describeStack(d, a.Mesh)
	d.Tables = pageTables(deg, (&pageBuilder{mesh: a.Mesh}).place, c.tables(false)...)
	return d, nil
}

// lead is the first sentence of the page, behind what speaks against it.
func (c *Comparison) lead(deg quantity.Digits) string {
	text := ""
	for _, doubt := range c.Doubts {
		text += doubt + ". "
	}
	if math.IsNaN(c.All.MaxK) {
		return text + "No cell can be compared."
	}
	return text + fmt.Sprintf("Differences from %s to %s K, largest in %s at x %s, y %s mm.", deg.Kelvin(c.All.MinK),
		deg.Kelvin(c.All.MaxK),
		printout.PlaceText(c.All.At, 40), quantity.Millimetres(c.All.At.XM), quantity.Millimetres(c.All.At.YM))
}
