package plausibility

import (
	"math"
	"regexp"
	"slices"

	"thermsim/stack"
)

// cooler checks all faces together: all heat leaves through them, so that the average rise of their surfaces is the
// power divided by the conductance, for any materials.
func (j *judge) cooler() {
	const most = 473.15 - 25 // K: surfaces above 200 degC in a room
	conductance := 0.0
	var worst *stack.Boundary
	for f := range stack.Face(stack.NumFaces) {
		r, grounded := j.m.FaceResistance(f)
		if !grounded {
			continue
		}
		if r == 0 {
			return // fixed temperature
		}
		conductance += j.m.FaceArea(f) / r
		if b := &j.s.Boundary[f]; worst == nil || b.Pos.Line < worst.Pos.Line {
			worst = b
		}
	}
	watts := j.m.Power.Mapped
	if conductance == 0 || watts <= 0 || slices.ContainsFunc(j.found, func(w Warning) bool {
		return w.Code == Density || w.Code == Cooling
	}) {
		return
	}
	rise, limit := watts/conductance, j.s.TMax
	switch {
	case limit > j.s.Ambient && j.s.Ambient+rise > limit:
		j.warn(Cooler, worst.Pos, "use a larger heat sink, more air flow, or less power", "with a total conductance "+
			"to ambient of %.4g W/K, %.4g W gives a mean surface temperature of %s: the limit of %s cannot be met",
			conductance, watts, celsius(j.s.Ambient+rise), celsius(limit))
	case rise > most:
		j.warn(Cooler, worst.Pos, "use a larger heat sink, more air flow, or less power; check the units",
			"with a total conductance to ambient of %.4g W/K, %.4g W gives a mean surface temperature of %s, "+
				"for any materials",
			conductance, watts, celsius(j.s.Ambient+rise))
	}
}

// Biot is the Biot number of the bottom or the top face: h divided by the conductance of the layers between it and the
// densest source, in a straight line without contact resistances. It is 0 if it is not defined: without a source or
// without h.
func Biot(s *stack.Stack, f stack.Face) float64 {
	x, y, layer, ok := densest(s)
	if !ok || f > stack.Top {
		return 0
	}
	path := 0.0
	for i := range s.Layers {
		l := &s.Layers[i]
		if f == stack.Top && i <= layer || f == stack.Bottom && i >= layer {
			continue
		}
		path += l.Thickness / materialAt(s, i, x, y).K[2]
	}
	return s.Boundary[f].TypicalH() * path
}

// films checks for heat-transfer coefficients whose resistance is negligible compared with that of the layers.
func (j *judge) films() {
	const most = 1000.0
	for _, f := range []stack.Face{stack.Bottom, stack.Top} {
		if bi := Biot(j.s, f); bi > most && j.s.Boundary[f].TypicalH() <= mostH {
			j.warn(Film, j.s.Boundary[f].Pos, "check the unit, or fix the temperature of the face; ignore this if a "+
				"layer insulates on purpose",
				"the Biot number of the %s face is %.2g: h = %.4g W/(m2 K) is negligible compared with the conduction "+
					"resistance of the layers between it and the densest source", f, bi, j.s.Boundary[f].TypicalH())
		}
	}
}

// densest finds the center of the source with the highest power density, and its layer.
func densest(s *stack.Stack) (x, y float64, layer int, found bool) {
	most := 0.0
	eachSource(s, func(q source) {
		r := q.power.Area
		if q.block != nil {
			if len(q.block.Rects) == 0 {
				return
			}
			r = q.block.Rects[0]
		}
		if d := q.watts / q.area; d > most {
			most, layer, found = d, q.layer, true
			x, y = r.X+r.Width/2, r.Y+r.Height/2
		}
	})
	return x, y, layer, found
}

// materialAt is the material of layer i at a location: that of the last region that covers it. Shapes count as their
// bounding rectangles.
func materialAt(s *stack.Stack, i int, x, y float64) *stack.Material {
	l := &s.Layers[i]
	m := l.Material
	for n := range l.Regions {
		if r := &l.Regions[n]; x >= r.X && x <= r.X+r.Width && y >= r.Y && y <= r.Y+r.Height {
			m = r.Material
		}
	}
	return &s.Materials[m]
}

// lidName matches the names of lids, spreaders and heat sinks by whole words: "heat_sink" and "lid2", but not "solid".
var lidName = regexp.MustCompile(`(?i)(^|[^a-z])(lid|(heat)?sink|(heat)?spreader)s?([^a-z]|$)`)

// order checks for stacks listed from top to bottom: a metal plate below all sources and none above, although the top
// is cooled, or silicon above a lid or a heat sink.
func (j *judge) order() {
	const plate, metal = 0.3e-3, 180.0 // m, W/(m K): silicon conducts less
	x, y, layer, ok := densest(j.s)
	if !ok {
		return
	}
	conductance := func(f stack.Face) float64 {
		r, grounded := j.m.FaceResistance(f)
		if !grounded {
			return 0
		}
		return 1 / math.Max(r, 1e-9)
	}
	if conductance(stack.Top) <= 2*conductance(stack.Bottom) {
		return
	}
	below := -1
	for i := range j.s.Layers {
		l := &j.s.Layers[i]
		m := materialAt(j.s, i, x, y)
		lidded := lidName.MatchString(l.Name)
		if thick := l.Thickness >= plate && min(m.K[0], m.K[1], m.K[2]) >= metal && m.K[2] <= 500; !thick && !lidded {
			continue
		}
		if i > layer {
			return
		}
		if i < layer {
			below = i
		}
	}
	if below >= 0 {
		j.warn(Order, j.s.Layers[below].Pos, "list layers from bottom to top; if the stack is upside down, cool "+
			"the bottom face",
			"layer %q, a metal plate, lies below the silicon of layer %q, but the top face is cooled",
			j.s.Layers[below].Name, j.s.Layers[layer].Name)
	}
}

// path checks for a source without a heat-flow path up or down, because gas or the end of the stack is adjacent.
func (j *judge) path() {
	const gas, gap = 0.1, 10e-6 // W/(m K), m
	x, y, layer, ok := densest(j.s)
	if !ok || !j.m.Grounded() {
		return
	}
	closed := func(next int, f stack.Face) bool {
		if next < 0 || next >= len(j.s.Layers) {
			_, grounded := j.m.FaceResistance(f)
			return !grounded
		}
		return j.s.Layers[next].Thickness > gap && materialAt(j.s, next, x, y).K[2] < gas
	}
	if closed(layer+1, stack.Top) && closed(layer-1, stack.Bottom) {
		l := &j.s.Layers[layer]
		j.warn(NoPath, l.Pos, "check the locations of the regions above and below, and the faces",
			"layer %q has no heat-flow path up or down from its densest source at x = %s, y = %s: air or the end of "+
				"the stack is adjacent",
			l.Name, length(x), length(y))
	}
}
