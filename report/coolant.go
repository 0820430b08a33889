package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"

	"thermsim/gpusolve/solution"
	"thermsim/mesh"
)

// CoolantSummary is what the coolant of a cavity does. Numbers that are not known, as the pressure drop of pins, are null in the file.
type CoolantSummary struct {
	Layer         string  `json:"layer"`            // the cavity
	Direction     string  `json:"direction"`        // where the coolant flows: +x, -x, +y or -y
	FlowM3PerS    float64 `json:"flow_m3_per_s"`    // through the whole cavity
	VelocityMPerS float64 `json:"velocity_m_per_s"` // mean one in the channels, past pins that over the section of the empty cavity
	Reynolds      float64 `json:"reynolds"`         // of a channel by its hydraulic diameter; null where none is known
	PressureDrop  float64 `json:"pressure_drop_Pa"` // from inlet to outlet of the channels; null where none is known
	PumpingW      float64 `json:"pumping_W"`        // flow times pressure drop; null where none is known
	InletK        float64 `json:"inlet_K"`          // at which the coolant enters
	OutletK       float64 `json:"outlet_K"`         // mixed: the mean weighted by what each line carries
	OutletMinK    float64 `json:"outlet_min_K"`     // of the coldest line
	OutletMaxK    float64 `json:"outlet_max_K"`     // of the hottest line
	HeatW         float64 `json:"heat_W"`           // what it carries out, above what it brings in
	// Along are its temperatures along the flow, from the inlet on.
	Along []CoolantAlong `json:"along"`
}

// CoolantAlong are the temperatures of a cavity's coolant at a distance from the inlet.
type CoolantAlong struct {
	DistanceM float64 `json:"distance_m"` // from the inlet
	MixedK    float64 `json:"mixed_K"`    // mean weighted by what each line carries
	MinK      float64 `json:"min_K"`      // of the coldest line
	MaxK      float64 `json:"max_K"`      // of the hottest line
}

// addCoolant reads the planes of coolant.
func (s *Summary) addCoolant(m *mesh.Mesh, sol *solution.Solution) error {
	plane := make([]float64, m.NX()*m.NY())
	for n, c := range m.Cavities {
		if err := sol.Field.Plane(c.Fluid, plane); err != nil {
			return err
		}
		y := &m.Stack.Layers[c.Layer]
		h := m.Stack.Hydraulics(y)
		row := CoolantSummary{Layer: y.Name, Direction: string(c.Of.Direction), FlowM3PerS: c.Of.Flow, VelocityMPerS: h.Velocity, Reynolds: h.Reynolds,
			PressureDrop: h.Drop, PumpingW: h.Pumping, InletK: c.Of.Inlet, HeatW: math.NaN(), Along: alongCoolant(m, c, plane)}
		last := row.Along[len(row.Along)-1]
		row.OutletK, row.OutletMinK, row.OutletMaxK = last.MixedK, last.MinK, last.MaxK
		if n < len(sol.Energy.Coolant) {
			row.HeatW = sol.Energy.Coolant[n]
		}
		s.Coolant = append(s.Coolant, row)
	}
	return nil
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
	t := table{columns: []column{name("layer"), name("flow"), number("ml/min"), number("m/s"), number("Re"), number("kPa"), number("pumping mW"), number("in degC"), number("out mixed"),
		number("out max"), number("heat W")}}
	known := func(v, scale float64) string {
		if math.IsNaN(v) {
			return "-"
		}
		return fmt.Sprintf("%.4g", v*scale)
	}
	for i := len(s.Coolant) - 1; i >= 0; i-- {
		c := &s.Coolant[i]
		t.add(c.Layer, c.Direction, known(c.FlowM3PerS, 6e7), known(c.VelocityMPerS, 1), known(c.Reynolds, 1), known(c.PressureDrop, 1e-3), known(c.PumpingW, 1e3),
			p.deg.celsius(c.InletK), p.deg.celsius(c.OutletK), p.deg.celsius(c.OutletMaxK), known(c.HeatW, 1))
	}
	p.heading("Coolant", s.lastStep("top to bottom; coolant.csv has it along the flow"))
	p.table(&t)
}

// text is a cavity in a line.
func (c *CoolantSummary) text(decimals int) string {
	t := fmt.Sprintf("%s W leave, %s, %.4g ml/min, from %.2f to %.2f degC", fixed(c.HeatW, decimals), c.Direction, c.FlowM3PerS*6e7, c.InletK-zeroCelsius, c.OutletK-zeroCelsius)
	if !math.IsNaN(c.PressureDrop) {
		t += fmt.Sprintf(", %.4g kPa, %.4g mW of pumping, Re %.4g", c.PressureDrop*1e-3, c.PumpingW*1e3, c.Reynolds)
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
			rows = append(rows, []string{c.Layer, csvNumber(a.DistanceM), csvNumber(a.MixedK), csvNumber(a.MinK), csvNumber(a.MaxK)})
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// coolantShare is what all coolant carries out.
func coolantShare(e *solution.Energy) float64 {
	sum := 0.0
	for _, w := range e.Coolant {
		sum += w
	}
	return sum
}
