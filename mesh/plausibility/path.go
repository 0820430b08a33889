package plausibility

import (
	"math"
	"slices"
	"strings"

	"thermsim/stack"
)

// cooler looks at the faces as a whole: all heat leaves through them, so that their surfaces rise by the power over the
// conductance on average, whatever the stack is made of.
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
			return // held at a temperature
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
		j.warn(Cooler, worst.Pos, "give a larger sink, more air, or less power", "%.4g W through %.4g W/K of all "+
			"faces together warm their surfaces to %s on average: the limit of %s cannot be kept",
			watts, conductance, celsius(j.s.Ambient+rise), celsius(limit))
	case rise > most:
		j.warn(Cooler, worst.Pos, "give a larger sink, more air, or less power; look at the units",
			"%.4g W through %.4g W/K of all faces together warm their surfaces to %s on average, whatever the "+
				"stack is made of",
			watts, conductance, celsius(j.s.Ambient+rise))
	}
}

// Biot is the Biot number of the bottom or the top face: h over the conductance of the layers between it and the
// densest source, straight from there, contacts left out. It is 0 where that makes no sense: no source, no film.
func Biot(s *stack.Stack, f stack.Face) float64 {
	b := &s.Boundary[f]
	source, layer, ok := densest(s)
	if !ok || b.Kind != stack.Convective || f > stack.Top {
		return 0
	}
	x, y := source.X+source.Width/2, source.Y+source.Height/2
	path := 0.0
	for i := range s.Layers {
		l := &s.Layers[i]
		if f == stack.Top && i <= layer || f == stack.Bottom && i >= layer {
			continue
		}
		path += l.Thickness / s.Materials[materialAt(l, x, y)].K[2]
	}
	return b.TypicalH() * path
}

// films looks at films that are no resistance beside the layers under them.
func (j *judge) films() {
	const most = 1000.0
	for _, f := range []stack.Face{stack.Bottom, stack.Top} {
		if bi := Biot(j.s, f); bi > most && j.s.Boundary[f].TypicalH() <= mostH {
			j.warn(Film, j.s.Boundary[f].Pos, "look at the unit, or hold the face at a temperature; where a layer "+
				"insulates on purpose it is all right",
				"the Biot number of the %s face is %.2g: its h = %.4g W/(m2 K) is no resistance beside the layers "+
					"between it and the densest source", f, bi, j.s.Boundary[f].TypicalH())
		}
	}
}

// densest finds the source of most W/m2: its rectangle and the number of its layer.
func densest(s *stack.Stack) (at stack.Rect, layer int, found bool) {
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
			most, at, layer, found = d, r, q.layer, true
		}
	})
	return at, layer, found
}

// materialAt is the material of a layer at a place: of the last region that covers it. Shapes count as their
// rectangles.
func materialAt(l *stack.Layer, x, y float64) int {
	m := l.Material
	for i := range l.Regions {
		if r := &l.Regions[i]; x >= r.X && x <= r.X+r.Width && y >= r.Y && y <= r.Y+r.Height {
			m = r.Material
		}
	}
	return m
}

// order looks for stacks written from the top to the bottom: a metal plate below all sources and none above, though the
// top is cooled, and silicon above a lid or a sink.
func (j *judge) order() {
	const plate, metal = 0.3e-3, 180.0 // m, W/(m K): silicon conducts less
	source, layer, ok := densest(j.s)
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
	x, y := source.X+source.Width/2, source.Y+source.Height/2
	below := -1
	for i := range j.s.Layers {
		l := &j.s.Layers[i]
		m := &j.s.Materials[materialAt(l, x, y)]
		lidded := strings.Contains(l.Name, "lid") || strings.Contains(l.Name, "sink") ||
			strings.Contains(l.Name, "spreader")
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
		j.warn(Order, j.s.Layers[below].Pos, "layers are listed from the bottom to the top; cool the bottom face if "+
			"the stack hangs upside down",
			"layer %q, a plate of metal, lies below the silicon of layer %q, and it is the top that is cooled",
			j.s.Layers[below].Name, j.s.Layers[layer].Name)
	}
}

// path looks for a source whose heat can go neither up nor down: gas lies there, or the end of the stack.
func (j *judge) path() {
	const gas, gap = 0.1, 10e-6 // W/(m K), m
	source, layer, ok := densest(j.s)
	if !ok || !j.m.Grounded() {
		return
	}
	x, y := source.X+source.Width/2, source.Y+source.Height/2
	closed := func(next int, f stack.Face) bool {
		if next < 0 || next >= len(j.s.Layers) {
			_, grounded := j.m.FaceResistance(f)
			return !grounded
		}
		l := &j.s.Layers[next]
		return l.Thickness > gap && j.s.Materials[materialAt(l, x, y)].K[2] < gas
	}
	if closed(layer+1, stack.Top) && closed(layer-1, stack.Bottom) {
		l := &j.s.Layers[layer]
		j.warn(NoPath, l.Pos, "look at the places of the regions above and below, and at the faces",
			"the heat of layer %q can go neither up nor down from its densest source at x = %s, y = %s: air or the "+
				"end of the stack is there",
			l.Name, length(x), length(y))
	}
}
