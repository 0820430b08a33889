package report

import (
	"fmt"
	"io"
	"math"
	"slices"

	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/report/webpage"
	"thermsim/stack"
)

// CoolantSummary is what the coolant of a cavity does. Numbers that are not known, as the pressure drop of pins, are
// null in the file.
type CoolantSummary struct {
	Layer      string  `json:"layer"`         // the cavity
	Direction  string  `json:"direction"`     // where the coolant flows: +x, -x, +y or -y
	FlowM3PerS float64 `json:"flow_m3_per_s"` // through the whole cavity
	// mean one in the channels; past pins and in a medium that over the section of the empty cavity
	VelocityMPerS float64 `json:"velocity_m_per_s"`
	Reynolds      float64 `json:"reynolds"` // largest one of the streams; null where none is known
	// of a wall between resolved channels, h t/(2 k), the largest; null where h is not that of walls
	Biot float64 `json:"biot"`
	// over which laminar flow in channels develops thermally, 0.05 Re Pr D; null of pins and media
	EntryLengthM float64 `json:"entry_length_m"`
	// from inlet to outlet, the largest of the streams; null where none is known
	PressureDrop float64 `json:"pressure_drop_Pa"`
	PumpingW     float64 `json:"pumping_W"`    // flow times pressure drop; null where none is known
	InletK       float64 `json:"inlet_K"`      // at which the coolant enters
	OutletK      float64 `json:"outlet_K"`     // mixed: the mean weighted by what each line carries
	OutletMinK   float64 `json:"outlet_min_K"` // of the coldest line
	OutletMaxK   float64 `json:"outlet_max_K"` // of the hottest line
	HeatW        float64 `json:"heat_W"`       // what it carries out, above what it brings in
	// Along are its temperatures along the flow, from the inlet on.
	Along []CoolantAlong `json:"along"`
	// Streams are the parts with flows of their own, channels or zones, from the west or the south.
	Streams []CoolantStream `json:"streams"`
}

// CoolantStream is a channel, or a zone of a porous cavity.
type CoolantStream struct {
	// where it begins across the flow, from the western or southern side
	FromM         float64 `json:"from_m"`
	ToM           float64 `json:"to_m"`             // where it ends
	FlowM3PerS    float64 `json:"flow_m3_per_s"`    // through it
	VelocityMPerS float64 `json:"velocity_m_per_s"` // as that of the cavity
	// of a channel by its hydraulic diameter, of pins by their diameter and the velocity in the gap, of a medium by the
	// root of its permeability
	Reynolds     float64 `json:"reynolds"`
	PressureDrop float64 `json:"pressure_drop_Pa"` // from inlet to outlet; null where none is known
	OutletK      float64 `json:"outlet_K"`         // mixed
	HeatW        float64 `json:"heat_W"`           // what it carries out, above what it brings in
}

// CoolantAlong are the temperatures of a cavity's coolant at a distance from the inlet.
type CoolantAlong struct {
	DistanceM float64 `json:"distance_m"` // from the inlet
	MixedK    float64 `json:"mixed_K"`    // mean weighted by what each line carries
	MinK      float64 `json:"min_K"`      // of the coldest line
	MaxK      float64 `json:"max_K"`      // of the hottest line
}

// addCoolant reads the planes of coolant.
func (s building) addCoolant(m *mesh.Mesh, sol *solution.Solution) error {
	plane := make([]float64, m.NX()*m.NY())
	for n, c := range m.Cavities {
		if err := sol.Field.Plane(c.Fluid, plane); err != nil {
			return err
		}
		y := &m.Stack.Layers[c.Layer]
		h := m.Stack.Hydraulics(y)
		row := CoolantSummary{Layer: y.Name, Direction: string(c.Of.Direction), FlowM3PerS: c.Of.Flow,
			VelocityMPerS: h.Velocity, Reynolds: h.Reynolds,
			Biot: h.Biot, EntryLengthM: h.Entry, Streams: streamRows(m, c, plane, h.Streams), PressureDrop: h.Drop,
			PumpingW: h.Pumping, InletK: c.Of.Inlet, HeatW: math.NaN(), Along: alongCoolant(m, c, plane)}
		last := row.Along[len(row.Along)-1]
		row.OutletK, row.OutletMinK, row.OutletMaxK = last.MixedK, last.MinK, last.MaxK
		if n < len(sol.Energy.Coolant) {
			row.HeatW = sol.Energy.Coolant[n]
		}
		s.Coolant = append(s.Coolant, row)
	}
	return nil
}

// streamRows finds what each stream carries: a line of cells that lies in two zones gives each its share of the flow.
func streamRows(m *mesh.Mesh, c *mesh.Cavity, plane []float64, streams []stack.Stream) []CoolantStream {
	across := m.X
	if c.Along == 0 {
		across = m.Y
	}
	rise := make([]float64, len(c.Lines))
	c.Outlets(m.NX(), m.NY(), func(cell, line int) { rise[line] = plane[cell] - c.Of.Inlet })
	rows := make([]CoolantStream, len(streams))
	line := 0
	for n := range streams {
		t := &streams[n]
		row := CoolantStream{FromM: t.From, ToM: t.To, FlowM3PerS: t.Flow, VelocityMPerS: t.Velocity,
			Reynolds: t.Reynolds, PressureDrop: t.Drop}
		for line > 0 && across[line] > t.From {
			line--
		}
		for ; line < len(rise) && across[line] < t.To; line++ {
			if part := math.Min(t.To, across[line+1]) - math.Max(t.From, across[line]); part > 0 && c.Lines[line] {
				row.HeatW += c.Of.Fluid.C * t.Flow * part / (t.To - t.From) * rise[line]
			}
		}
		row.OutletK = c.Of.Inlet + row.HeatW/(c.Of.Fluid.C*t.Flow)
		rows[n] = row
	}
	return rows
}

// alongCoolant takes the lines of a cavity together, cell by cell along the flow.
func alongCoolant(m *mesh.Mesh, c *mesh.Cavity, plane []float64) []CoolantAlong {
	faces := m.Y
	if c.Along == 0 {
		faces = m.X
	}
	n := len(faces) - 1
	all := make([]CoolantAlong, n)
	for at := range all {
		cell := at
		if c.Backward {
			cell = n - 1 - at
		}
		a := CoolantAlong{DistanceM: (faces[cell] + faces[cell+1]) / 2, MinK: math.Inf(1), MaxK: math.Inf(-1)}
		if c.Backward {
			a.DistanceM = faces[n] - a.DistanceM
		}
		sum, carried := 0.0, 0.0
		for line, wet := range c.Lines {
			if !wet {
				continue
			}
			at := cell*m.NX() + line
			if c.Along == 0 {
				at = line*m.NX() + cell
			}
			v := plane[at]
			sum += c.Heat[line] * v
			carried += c.Heat[line]
			a.MinK, a.MaxK = math.Min(a.MinK, v), math.Max(a.MaxK, v)
		}
		a.MixedK = sum / carried
		all[at] = a
	}
	return all
}

// coolant lists the cavities from the top.
func (p *page) coolant(s *Summary) {
	if len(s.Coolant) == 0 {
		return
	}
	t := table{columns: []column{name("layer"), name("flow"), number("ml/min"), number("m/s"), number("Re"),
		number("wall Bi"), number("kPa"), number("pumping mW"), number("in degC"), number("out mixed"),
		number("out max"), number("heat W")}}
	for i := len(s.Coolant) - 1; i >= 0; i-- {
		c := &s.Coolant[i]
		t.add(c.Layer, c.Direction, known(c.FlowM3PerS, 6e7), known(c.VelocityMPerS, 1), known(c.Reynolds, 1),
			known(c.Biot, 1), known(c.PressureDrop, 1e-3), known(c.PumpingW, 1e3),
			p.deg.celsius(c.InletK), p.deg.celsius(c.OutletK), p.deg.celsius(c.OutletMaxK), known(c.HeatW, 1))
	}
	p.heading("Coolant", lastStep(s, "top to bottom; coolant.csv has it along the flow, streams.csv by channel or zone"))
	p.table(&t)
	p.streams(s)
}

// mostStreams is the largest number of streams of a cavity that the terminal lists.
const mostStreams = 16

// streams lists those of cavities whose streams differ, from the west or the south.
func (p *page) streams(s *Summary) {
	t := table{columns: []column{name("layer"), number("from mm"), number("to mm"), number("ml/min"), number("m/s"),
		number("Re"), number("kPa"), number("out degC"), number("heat W")}}
	for i := len(s.Coolant) - 1; i >= 0; i-- {
		c := &s.Coolant[i]
		if n := len(c.Streams); n < 2 || n > mostStreams || !c.uneven() {
			continue
		}
		for j := range c.Streams {
			x := &c.Streams[j]
			t.add(c.Layer, millimetres(x.FromM), millimetres(x.ToM), known(x.FlowM3PerS, 6e7),
				known(x.VelocityMPerS, 1), known(x.Reynolds, 1), known(x.PressureDrop, 1e-3),
				p.deg.celsius(x.OutletK), known(x.HeatW, 1))
		}
	}
	if len(t.rows) > 0 {
		p.heading("Coolant by channel or zone", "from the west or the south")
		p.table(&t)
	}
}

// uneven says whether streams have different velocities.
func (c *CoolantSummary) uneven() bool {
	for i := range c.Streams {
		if math.Abs(c.Streams[i].VelocityMPerS-c.Streams[0].VelocityMPerS) > 1e-9*c.Streams[0].VelocityMPerS {
			return true
		}
	}
	return false
}

// known is a number of four digits, a dash where it is not known.
func known(v, scale float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.4g", v*scale)
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
	number := func(v, scale float64) webpage.Cell { return webpage.Number(v*scale, known(v, scale)) }
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
		if !c.uneven() || len(c.Streams) > mostPageStreams {
			continue
		}
		for j := range c.Streams {
			x := &c.Streams[j]
			name := fmt.Sprintf("%s, %s to %s mm", c.Layer, millimetres(x.FromM), millimetres(x.ToM))
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

// text is a cavity in a line.
func (c *CoolantSummary) text(decimals int) string {
	t := fmt.Sprintf("%s W leave, %s, %.4g ml/min, from %.2f to %.2f degC", fixed(c.HeatW, decimals), c.Direction,
		c.FlowM3PerS*6e7, c.InletK-zeroCelsius, c.OutletK-zeroCelsius)
	if !math.IsNaN(c.PressureDrop) {
		t += fmt.Sprintf(", %.4g kPa, %.4g mW of pumping", c.PressureDrop*1e-3, c.PumpingW*1e3)
	}
	if !math.IsNaN(c.Reynolds) {
		t += fmt.Sprintf(", Re %.4g", c.Reynolds)
	}
	return t
}

// coolantText is the coolant's share of the heat that leaves.
func coolantText(s *Summary, decimals int) []string {
	var parts []string
	for i := range s.Coolant {
		c := &s.Coolant[i]
		parts = append(parts, c.Layer+" "+fixed(c.HeatW, decimals))
	}
	return parts
}

// writeCoolantCSV lists every cavity's coolant along the flow.
func writeCoolantCSV(w io.Writer, s *Summary) error {
	rows := [][]string{{"layer", "distance_m", "mixed_K", "min_K", "max_K"}}
	for i := range s.Coolant {
		c := &s.Coolant[i]
		for _, a := range c.Along {
			rows = append(rows, []string{c.Layer, csvNumber(a.DistanceM), csvNumber(a.MixedK), csvNumber(a.MinK),
				csvNumber(a.MaxK)})
		}
	}
	return writeRows(w, rows)
}

// writeStreamsCSV lists every cavity's streams.
func writeStreamsCSV(w io.Writer, s *Summary) error {
	rows := [][]string{{"layer", "from_m", "to_m", "flow_m3_per_s", "velocity_m_per_s", "reynolds", "pressure_drop_Pa",
		"outlet_K", "heat_W"}}
	for i := range s.Coolant {
		c := &s.Coolant[i]
		for _, t := range c.Streams {
			rows = append(rows, []string{c.Layer, csvNumber(t.FromM), csvNumber(t.ToM), csvNumber(t.FlowM3PerS),
				csvNumber(t.VelocityMPerS), csvNumber(t.Reynolds), csvNumber(t.PressureDrop),
				csvNumber(t.OutletK), csvNumber(t.HeatW)})
		}
	}
	return writeRows(w, rows)
}

// coolantShare is what all coolant carries out.
func coolantShare(e *solution.Energy) float64 {
	sum := 0.0
	for _, w := range e.Coolant {
		sum += w
	}
	return sum
}
