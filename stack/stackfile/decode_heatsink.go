package stackfile

import (
	"fmt"

	"thermsim/stack"
	"thermsim/stack/heatsink"
	"thermsim/stack/internal/faults"
)

// heatSinkLayer is the name of the layer that a heat sink becomes.
const heatSinkLayer = "heat_sink"

// heatSink turns a heat sink into a layer on top of the others and the boundary above it.
func (l *loader) heatSink(t *table) {
	s := t.sub("heat_sink")
	if s == nil {
		return
	}
	if s.has("size") && !t.has("package") {
		l.fail(s.pos("size"), "remove it: without [package] the base covers the domain",
			"heat_sink.size needs a package")
	}
	if top := t.sub("boundary"); top != nil && top.has("top") && l.sink == nil {
		l.fail(top.pos("top"), "remove it: the heat sink defines the top boundary", "boundary.top conflicts with "+
			"heat_sink")
	}
	base := l.materials.resolve(s.text("material"), s.pos("material"))
	if s.has("resistance") == s.has("fins") {
		l.fail(s.node.Pos, `add resistance = "0.3 K/W", or [heat_sink.fins]`, "a heat sink needs either resistance "+
			"or fins")
	}
	if base == nil || s.has("resistance") == s.has("fins") {
		return
	}
	area := l.stack.Domain()
	if l.sink != nil {
		area = *l.sink
	}
	b := stack.Boundary{Kind: stack.LumpedResistance, Temperature: l.stack.Ambient, Resistance: s.scalar("resistance"),
		Pos: s.node.Pos}
	if s.has("ambient") {
		b.Temperature = s.scalar("ambient")
	}
	capacity, source := s.scalar("capacity"), ""
	if s.has("fins") {
		fins, c, flow := l.fins(s, base, area, b.Temperature)
		if fins == nil {
			return
		}
		b.Kind, b.H = stack.Convective, fins.OnBase()
		if !s.has("capacity") {
			capacity = c
		}
		source = fmt.Sprintf("%d fins of efficiency %.4g under h = %.4g W/(m2 K)%s make %.4g W/(m2 K) on the base",
			fins.Count, fins.Efficiency(), fins.H, flow, b.H)
	}
	y := stack.Layer{Name: heatSinkLayer, Thickness: s.scalar("base"), Cells: s.integer("cells"), Pos: s.node.Pos}
	volume := y.Thickness * area.Area()
	m := stack.Material{Name: heatSinkLayer, K: base.K, C: base.C, Title: "base of " + base.Name, Source: source,
		Pos: s.pos("material")}
	if volume > 0 {
		m.C += capacity / volume
	}
	y.Material = l.materials.add(m)
	top := &l.stack.Boundary[stack.Top]
	if l.sink == nil {
		*top = b
	} else {
		y.Regions = []stack.Region{{Name: heatSinkLayer, Material: y.Material, Rect: area, Pos: y.Pos}}
		y.Material = l.openSpace
		top.Patches = append(top.Patches,
			stack.Patch{Name: heatSinkLayer, Boundary: b, Rects: []stack.Rect{area}})
	}
	l.stack.Layers = append(l.stack.Layers, y)
}

// fins reads the fins on the area of a base, their heat capacity in J/K and a text on the flow of a fan; nil, and the
// fault noted, if they make no sense.
func (l *loader) fins(s *table, base *definition, area stack.Rect, ambient float64) (f *heatsink.Fins,
	capacity float64, flow string) {
	t := s.sub("fins")
	if t == nil {
		return nil, 0, ""
	}
	before := len(l.faults.Found)
	of := base
	if t.has("material") {
		of = l.materials.resolve(t.text("material"), t.pos("material"))
	}
	f = &heatsink.Fins{Width: area.Width, Length: area.Height}
	t.into(f)
	if t.text("along") == "x" {
		f.Width, f.Length = f.Length, f.Width
	}
	if len(t.given("h", "velocity", "fan")) != 1 {
		l.fail(t.node.Pos, `for example velocity = "3 m/s" (air speed between the fins) or h = "40 W/(m^2 K)"`,
			"fins: give either h, velocity or fan")
	}
	if gap := f.Gap(); len(l.faults.Found) == before && (gap < 0 || f.Count > 1 && gap == 0) {
		l.fail(t.pos("count"), "use fewer or thinner fins", "%d fins of %s do not fit on a base %s wide", f.Count,
			faults.Metres(f.Thickness), faults.Metres(f.Width))
	}
	if len(l.faults.Found) > before || of == nil {
		return nil, 0, ""
	}
	f.K, f.H = of.K[2], t.scalar("h")
	if !t.has("h") {
		if f.H, flow = l.channel(t, f, ambient); f.H == 0 {
			return nil, 0, ""
		}
	}
	return f, f.Efficiency() * f.Volume() * of.C, flow
}

// channel is h between the fins from the velocity of the air or the fan; 0, and the fault noted, beyond the range of
// the correlation.
func (l *loader) channel(t *table, f *heatsink.Fins, ambient float64) (h float64, flow string) {
	key := t.given("velocity", "fan")[0]
	pos := t.pos(key)
	if f.Count < 2 {
		l.fail(pos, "give h", "%s needs at least two fins", key)
		return 0, ""
	}
	air, err := heatsink.AirAt(ambient)
	if err != nil {
		l.fail(pos, "give h", "%v", err)
		return 0, ""
	}
	velocity := t.scalar("velocity")
	if key == "fan" {
		fan := l.fan(t)
		if fan == nil {
			return 0, ""
		}
		var at heatsink.FanPoint
		at, velocity = fan.Operate(air, f)
		flow = fmt.Sprintf(" (fan at %.4g m3/s and %.4g Pa, %.4g m/s between the fins)", at.Flow, at.Pressure, velocity)
	}
	h, re := heatsink.Channel(air, velocity, f.Gap(), f.Length)
	if re < heatsink.LeastReynolds || re > heatsink.MostReynolds {
		l.fail(pos, "give h", "the modified Reynolds number of the channels, %.3g, is outside the range of the "+
			"correlation, %g to %g", re, heatsink.LeastReynolds, float64(heatsink.MostReynolds))
		return 0, ""
	}
	return h, flow
}

// fan reads the fan of a set of fins; nil, and the fault noted, if its curve makes no sense.
func (l *loader) fan(fins *table) *heatsink.Fan {
	t := fins.sub("fan")
	if t == nil {
		return nil
	}
	before := len(l.faults.Found)
	f := &heatsink.Fan{}
	t.into(f)
	points := t.tables("curve")
	for i, pt := range points {
		var p heatsink.FanPoint
		pt.into(&p)
		switch {
		case i == 0 && p.Flow != 0:
			l.fail(pt.pos("flow"), "start with the pressure at no flow", "a fan curve must start at flow 0")
		case i > 0 && !(p.Flow > f.Curve[i-1].Flow && p.Pressure < f.Curve[i-1].Pressure):
			l.fail(pt.node.Pos, "", "flows of a fan curve must ascend, and pressures descend")
		case i == len(points)-1 && p.Pressure != 0:
			l.fail(pt.pos("pressure"), "end with the flow at no pressure", "a fan curve must end at pressure 0")
		}
		f.Curve = append(f.Curve, p)
	}
	if f.Bypass == 1 {
		l.fail(t.pos("bypass"), "", "no air flows between the fins")
	}
	if len(l.faults.Found) > before {
		return nil
	}
	return f
}
