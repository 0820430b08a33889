package stack

import (
	"fmt"

	"thermsim/stack/heatsink"
)

// heatSinkLayer is the name of the layer that a heat sink becomes.
const heatSinkLayer = "heat_sink"

// heatSink turns a heat sink into a layer on top of the others and the boundary above it.
func (l *loader) heatSink(t *table) {
	s := t.sub("heat_sink")
	if s == nil {
		return
	}
	if top := t.sub("boundary"); top != nil && top.has("top") {
		l.fail(top.pos("top"), "remove it: the heat sink cools the top", "boundary.top and heat_sink are both there")
	}
	base := l.materials.resolve(s.text("material"), s.pos("material"))
	if s.has("resistance") == s.has("fins") {
		l.fail(s.node.pos, `add resistance = "0.3 K/W", or [heat_sink.fins]`, "a heat sink needs resistance or fins, "+
			"and not both")
	}
	if base == nil || s.has("resistance") == s.has("fins") {
		return
	}
	b := Boundary{Kind: LumpedResistance, Temperature: l.stack.Ambient, Resistance: s.scalar("resistance"),
		Pos: s.node.pos}
	if s.has("ambient") {
		b.Temperature = s.scalar("ambient")
	}
	capacity, source := s.scalar("capacity"), ""
	if s.has("fins") {
		fins, c := l.fins(s, base, b.Temperature)
		if fins == nil {
			return
		}
		b.Kind, b.H = Convective, fins.OnBase()
		if !s.has("capacity") {
			capacity = c
		}
		source = fmt.Sprintf("%d fins of efficiency %.4g under h = %.4g W/(m2 K) make %.4g W/(m2 K) on the base",
			fins.Count, fins.Efficiency(), fins.H, b.H)
	}
	y := Layer{Name: heatSinkLayer, Thickness: s.scalar("base"), Cells: s.integer("cells"), Pos: s.node.pos}
	volume := y.Thickness * l.stack.Domain().Area()
	m := Material{Name: heatSinkLayer, K: base.K, C: base.C, Title: "base of " + base.Name, Source: source,
		Pos: s.pos("material")}
	if volume > 0 {
		m.C += capacity / volume
	}
	y.Material = l.materials.add(m)
	l.stack.Layers = append(l.stack.Layers, y)
	l.stack.Boundary[Top] = b
}

// fins reads the fins of a heat sink and their heat capacity in J/K; nil, and the fault noted, if they make no sense.
func (l *loader) fins(s *table, base *definition, ambient float64) (f *heatsink.Fins, capacity float64) {
	t := s.sub("fins")
	if t == nil {
		return nil, 0
	}
	before := len(l.faults.list)
	of := base
	if t.has("material") {
		of = l.materials.resolve(t.text("material"), t.pos("material"))
	}
	f = &heatsink.Fins{Width: l.stack.Size[0], Length: l.stack.Size[1]}
	t.into(f)
	if t.text("along") == "x" {
		f.Width, f.Length = f.Length, f.Width
	}
	if t.has("h") == t.has("velocity") {
		l.fail(t.node.pos, `add h = "40 W/(m^2 K)", or velocity = "3 m/s"`, "fins need h or velocity, and not both")
	}
	if gap := f.Gap(); len(l.faults.list) == before && (gap < 0 || f.Count > 1 && gap == 0) {
		l.fail(t.pos("count"), "take fewer or thinner ones", "%d fins of %s do not fit on a base %s wide", f.Count,
			metres(f.Thickness), metres(f.Width))
	}
	if len(l.faults.list) > before || of == nil {
		return nil, 0
	}
	f.K, f.H = of.K[2], t.scalar("h")
	if t.has("velocity") {
		if f.H = l.channel(t, f, ambient); f.H == 0 {
			return nil, 0
		}
	}
	return f, f.Efficiency() * f.Volume() * of.C
}

// channel is h between the fins from the velocity of the air; 0, and the fault noted, beyond the range of the
// correlation.
func (l *loader) channel(t *table, f *heatsink.Fins, ambient float64) float64 {
	pos := t.pos("velocity")
	if f.Count < 2 {
		l.fail(pos, "give h", "a single fin has no channel for the air")
		return 0
	}
	air, err := heatsink.AirAt(ambient)
	if err != nil {
		l.fail(pos, "give h", "%v", err)
		return 0
	}
	h, re := heatsink.Channel(air, t.scalar("velocity"), f.Gap(), f.Length)
	if re < heatsink.LeastReynolds || re > heatsink.MostReynolds {
		l.fail(pos, "give h", "the modified Reynolds number of the channels, %.3g, lies outside %g to %g, the range "+
			"of the correlation", re, heatsink.LeastReynolds, float64(heatsink.MostReynolds))
		return 0
	}
	return h
}
