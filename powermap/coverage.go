package powermap

import (
	"math"

	"thermsim/stack"
	"thermsim/stack/geometry"
)

// Coverage is the location of a layer's sources, to show power that is missing or counted twice.
type Coverage struct {
	Layer int    // index into Stack.Layers
	Name  string // of the layer
	// Requested and Mapped are the steady power in W: of the sources, and on the grid.
	Requested, Mapped float64
	// Area in m2 where the sources of the layer may lie: the layer, or the regions of the powers.
	Area float64
	// Unpowered is the part of Area in m2 without a source: blocks without power, and the space between blocks. All
	// tiles of a map count as sources.
	Unpowered float64
	// Overlapping is the area in m2 covered by two or more blocks of one floorplan, whose powers add there.
	Overlapping float64
	// Outside is the steady power in W of the parts of blocks outside the area of their floorplan. They are mapped at
	// their location. A validated stack has none.
	Outside float64
}

// Coverage describes every layer with power, bottom to top.
func (m *Map) Coverage() []Coverage {
	all := make([]Coverage, len(m.Layers))
	for i := range m.Layers {
		all[i] = m.coverage(&m.Layers[i])
	}
	return all
}

func (m *Map) coverage(l *LayerMap) Coverage {
	c := Coverage{Layer: l.Layer, Name: m.stack.Layers[l.Layer].Name}
	tolerance := 1e-9 * math.Max(m.Grid.X[m.Grid.NX()], m.Grid.Y[m.Grid.NY()])
	var requested Sum
	var areas, powered []stack.Rect
	for k := range l.sources {
		s := &l.sources[k]
		requested.Add(s.total(s.steady))
		areas = append(areas, s.extent()...)
		powered = append(powered, s.powered()...)
		var blocks []stack.Rect
		for b := range s.power.Blocks {
			blocks = append(blocks, s.power.Blocks[b].Inside()...)
		}
		_, twice := coveredAreas(blocks, tolerance)
		c.Overlapping += twice
		c.Outside += s.outside(tolerance)
	}
	c.Requested, c.Mapped = requested.Value(), l.Mapped
	c.Area, _ = coveredAreas(areas, tolerance)
	reached, _ := coveredAreas(powered, tolerance)
	either, _ := coveredAreas(append(areas, powered...), tolerance)
	c.Unpowered = math.Max(0, either-reached)
	return c
}

// powered lists the rectangles that have power at some time.
func (s *source) powered() []stack.Rect {
	if s.power.Map != nil {
		return []stack.Rect{s.area}
	}
	if len(s.power.Blocks) == 0 {
		if s.power.Uniform == 0 {
			return nil
		}
		return s.extent()
	}
	var rects []stack.Rect
	for b := range s.power.Blocks {
		if s.draws(b) {
			rects = append(rects, s.power.Blocks[b].Outline(stripsOf(s.area))...)
		}
	}
	return rects
}

// extent is where a map or a uniform power acts and where blocks may lie.
func (s *source) extent() []stack.Rect {
	if s.power.Shape != nil {
		return stack.Outline(s.power.Shape, stripsOf(s.area))
	}
	return []stack.Rect{s.area}
}

// stripsOf is the height of the strips that approximate shapes on an area.
func stripsOf(area stack.Rect) float64 { return area.Height / 256 }

// draws reports whether block b ever has power.
func (s *source) draws(b int) bool {
	if s.power.Blocks[b].Watts != 0 {
		return true
	}
	if s.power.Trace != nil {
		for _, row := range s.power.Trace.Watts {
			if row[b] != 0 {
				return true
			}
		}
	}
	return false
}

// outside is the power of the parts of blocks that extend beyond the area by more than tolerance.
func (s *source) outside(tolerance float64) float64 {
	watts := 0.0
	for i := range s.power.Blocks {
		b := &s.power.Blocks[i]
		for _, r := range b.Rects {
			inside := overlapLength(r.X, r.Width, s.area.X, s.area.Width, tolerance) *
				overlapLength(r.Y, r.Height, s.area.Y, s.area.Height, tolerance)
			watts += b.Watts * math.Max(0, r.Area()-inside) / b.Area()
		}
		for _, shape := range b.Shapes {
			outside := shape.Area() - geometry.Within(shape, s.area.Box())
			if outside > tolerance*(s.area.Width+s.area.Height) {
				watts += b.Watts * outside / b.Area()
			}
		}
	}
	return watts
}

// overlapLength is the part of [a, a+la] inside [b, b+lb], or all of it if it extends beyond by at most tolerance.
func overlapLength(a, la, b, lb, tolerance float64) float64 {
	if a >= b-tolerance && a+la <= b+lb+tolerance {
		return la
	}
	return math.Max(0, math.Min(a+la, b+lb)-math.Max(a, b))
}
