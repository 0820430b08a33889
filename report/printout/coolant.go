package printout

import (
	"thermsim/report/quantity"
	"thermsim/report/summary"
	"thermsim/report/tables"
)

// coolant lists the cavities from the top.
func (p *Page) coolant(s *summary.Summary) {
	if len(s.Coolant) == 0 {
		return
	}
	t := tables.New("layer", "flow", "#ml/min", "#m/s", "#Re", "#wall Bi", "#kPa", "#pumping mW", "#in degC",
		"#out mixed", "#out max", "#heat W")
	for i := len(s.Coolant) - 1; i >= 0; i-- {
		c := &s.Coolant[i]
		t.Add(c.Layer, c.Direction, quantity.Known(c.FlowM3PerS, 6e7), quantity.Known(c.VelocityMPerS, 1),
			quantity.Known(c.Reynolds, 1),
			quantity.Known(c.Biot, 1), quantity.Known(c.PressureDrop, 1e-3), quantity.Known(c.PumpingW, 1e3),
			p.Deg.Celsius(c.InletK), p.Deg.Celsius(c.OutletK), p.Deg.Celsius(c.OutletMaxK), quantity.Known(c.HeatW, 1))
	}
	p.Heading("Coolant",
		lastStep(s, "top to bottom; coolant.csv has it along the flow, streams.csv by channel or zone"))
	p.Table(t)
	p.streams(s)
}

// mostStreams is the largest number of streams of a cavity that the terminal lists.
const mostStreams = 16

// streams lists those of cavities whose streams differ, from the west or the south.
func (p *Page) streams(s *summary.Summary) {
	t := tables.New("layer", "#from mm", "#to mm", "#ml/min", "#m/s", "#Re", "#kPa", "#out degC", "#heat W")
	for i := len(s.Coolant) - 1; i >= 0; i-- {
		c := &s.Coolant[i]
		if n := len(c.Streams); n < 2 || n > mostStreams || !c.Uneven() {
			continue
		}
		for j := range c.Streams {
			x := &c.Streams[j]
			t.Add(c.Layer, quantity.Millimetres(x.FromM), quantity.Millimetres(x.ToM),
				quantity.Known(x.FlowM3PerS, 6e7),
				quantity.Known(x.VelocityMPerS, 1), quantity.Known(x.Reynolds, 1), quantity.Known(x.PressureDrop, 1e-3),
				p.Deg.Celsius(x.OutletK), quantity.Known(x.HeatW, 1))
		}
	}
	if len(t.Rows) > 0 {
		p.Heading("Coolant by channel or zone", "from the west or the south")
		p.Table(t)
	}
}

// coolantText is the coolant's share of the heat that leaves.
func coolantText(s *summary.Summary, decimals int) []string {
	var parts []string
	for i := range s.Coolant {
		c := &s.Coolant[i]
		parts = append(parts, c.Layer+" "+quantity.Fixed(c.HeatW, decimals))
	}
	return parts
}
