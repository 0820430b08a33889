package report

import (
	"math"

	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/report/summary"
	"thermsim/stack"
)

// addCoolant reads the planes of coolant.
func (s building) addCoolant(m *mesh.Mesh, sol *solution.Solution) error {
	plane := make([]float64, m.NX()*m.NY())
	for n, c := range m.Cavities {
		if err := sol.Field.Plane(c.Fluid, plane); err != nil {
			return err
		}
		y := &m.Stack.Layers[c.Layer]
		h := m.Stack.Hydraulics(y)
		row := summary.Coolant{Layer: y.Name, Direction: string(c.Of.Direction), FlowM3PerS: c.Of.Flow,
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
func streamRows(m *mesh.Mesh, c *mesh.Cavity, plane []float64, streams []stack.Stream) []summary.CoolantStream {
	across := m.X
	if c.Along == 0 {
		across = m.Y
	}
	rise := make([]float64, len(c.Lines))
	c.Outlets(m.NX(), m.NY(), func(cell, line int) { rise[line] = plane[cell] - c.Of.Inlet })
	rows := make([]summary.CoolantStream, len(streams))
	line := 0
	for n := range streams {
		t := &streams[n]
		row := summary.CoolantStream{FromM: t.From, ToM: t.To, FlowM3PerS: t.Flow, VelocityMPerS: t.Velocity,
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
func alongCoolant(m *mesh.Mesh, c *mesh.Cavity, plane []float64) []summary.CoolantAlong {
	faces := m.Y
	if c.Along == 0 {
		faces = m.X
	}
	n := len(faces) - 1
	all := make([]summary.CoolantAlong, n)
	for at := range all {
		cell := at
		if c.Backward {
			cell = n - 1 - at
		}
		a := summary.CoolantAlong{DistanceM: (faces[cell] + faces[cell+1]) / 2, MinK: math.Inf(1), MaxK: math.Inf(-1)}
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

// coolantShare is what all coolant carries out.
func coolantShare(e *solution.Energy) float64 {
	sum := 0.0
	for _, w := range e.Coolant {
		sum += w
	}
	return sum
}
