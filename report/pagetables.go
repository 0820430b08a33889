package report

import (
	"fmt"
	"math"
	"slices"

	"thermsim/report/quantity"
	"thermsim/report/summary"
	"thermsim/report/tables"
	"thermsim/report/webpage"
)

// last starts the note of a table whose figures are of a transient's last step.
func (b *pageBuilder) last(peak string) string {
	if b.s.Steps == 0 {
		return ""
	}
	return "Last step" + peak + ". "
}

// extents is a table of layers, dies, regions or blocks.
func (b *pageBuilder) extents(e *tables.Extents) webpage.Table {
	t := e.Page(b.deg, b.place)
	of := ""
	if b.s.Peak != (summary.Peak{}) {
		of = " but for the peak over time and its time"
	}
	t.Note = b.last(of) + t.Note
	return t
}

func (b *pageBuilder) limits() webpage.Table {
	t := webpage.Table{
		ID: "limits", Title: "Limits", Long: len(b.s.Limits) > tables.ManyRows,
		Note: "Worst first. Watts: what the whole " +
			"power may grow by, in its present proportions, until the limit is reached.",
		Columns: []webpage.Column{{Name: "limit of"}, temperatureColumn("tmax"), temperatureColumn("max"),
			numberColumn("margin K"), numberColumn("margin W"), {Name: ""}},
	}
	if b.s.Steps > 0 {
		t.Note, t.Columns[4].Name = "Worst first, at the peak over time.", "at s"
	}
	for i := range b.s.Limits {
		l := &b.s.Limits[i]
		last, verdict := webpage.Number(l.MarginW, quantity.Significant(l.MarginW, 3)), "kept"
		if b.s.Steps > 0 {
			last = webpage.Number(l.TimeS, quantity.Significant(l.TimeS, 3))
		}
		if !l.OK {
			verdict = "EXCEEDED"
		}
		t.Rows = append(t.Rows, []webpage.Cell{
			b.place(l.Label(), l.At), b.temperature(l.TMaxK), b.temperature(l.MaxK),
			webpage.Number(l.MarginK, b.deg.Kelvin(l.MarginK)), last, webpage.Text(verdict),
		})
	}
	return t
}

// coolant is a table of the page with a row for each cavity, and below it one for each stream where they differ.
func (b *pageBuilder) coolant() webpage.Table {
	t := webpage.Table{
		ID: "coolant", Title: "Coolant", Note: b.last("") + "Top to bottom; zones and channels that differ from the " +
			"west or the south. A click shows the coolant on the map.",
		Columns: []webpage.Column{{Name: "cavity"}, {Name: "flow"}, numberColumn("ml/min"), numberColumn("m/s"),
			numberColumn("Re"), numberColumn("wall Bi"), numberColumn("kPa"), numberColumn("pumping mW"),
			temperatureColumn("in"), temperatureColumn("out"), numberColumn("heat W")},
	}
	number := func(v, scale float64) webpage.Cell { return webpage.Number(v*scale, quantity.Known(v, scale)) }
	for i := range slices.Backward(b.s.Coolant) {
		c := &b.s.Coolant[i]
		cavity := b.mesh.Cavities[i]
		size := b.mesh.Stack.Size
		show := func(text string, across float64) webpage.Cell {
			at := [2]float64{size[0] / 2, size[1] / 2}
			at[1-cavity.Along] = across
			return webpage.Place(text, cavity.Fluid, at[0], at[1])
		}
		t.Rows = append(t.Rows, []webpage.Cell{
			show(c.Layer, size[1-cavity.Along]/2), webpage.Text(c.Direction), number(c.FlowM3PerS, 6e7),
			number(c.VelocityMPerS, 1), number(c.Reynolds, 1), number(c.Biot, 1),
			number(c.PressureDrop, 1e-3), number(c.PumpingW, 1e3), b.temperature(c.InletK), b.temperature(c.OutletK),
			number(c.HeatW, 1),
		})
		if !c.Uneven() || len(c.Streams) > mostPageStreams {
			continue
		}
		for j := range c.Streams {
			x := &c.Streams[j]
			name := fmt.Sprintf("%s, %s to %s mm", c.Layer, quantity.Millimetres(x.FromM), quantity.Millimetres(x.ToM))
			t.Rows = append(t.Rows, []webpage.Cell{
				show(name, (x.FromM+x.ToM)/2), webpage.Text(c.Direction), number(x.FlowM3PerS, 6e7),
				number(x.VelocityMPerS, 1), number(x.Reynolds, 1), number(math.NaN(), 1),
				number(x.PressureDrop, 1e-3), number(x.FlowM3PerS*x.PressureDrop, 1e3), b.temperature(c.InletK),
				b.temperature(x.OutletK), number(x.HeatW, 1),
			})
		}
	}
	return t
}

// mostPageStreams is the largest number of streams of a cavity that the page lists.
const mostPageStreams = 500

func (b *pageBuilder) jedec() webpage.Table {
	t := webpage.Table{
		ID: "jedec", Title: "JEDEC figures", Note: b.s.Jedec.Environment + ". Theta: a resistance, psi: a parameter " +
			"(JESD51-12), from the hottest cell.",
		Columns: []webpage.Column{{Name: "figure"}, numberColumn("K/W"), {Name: "from the junction to"},
			temperatureColumn("temperature")},
	}
	for _, f := range b.s.Jedec.Figures {
		t.Rows = append(t.Rows, []webpage.Cell{webpage.Text(f.Name), webpage.Number(f.KPerW,
			quantity.Significant(f.KPerW, 4)),
			webpage.Text(f.Reference), b.temperature(f.ReferenceK)})
	}
	return t
}
