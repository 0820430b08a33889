package eda

import "slices"

// dieArea reads DIEAREA: two corners of a rectangle, or the corners of a rectilinear polygon.
func (p *defParser) dieArea() {
	at := p.at
	if !p.hasUnits("DIEAREA") {
		return
	}
	if len(p.die) > 0 {
		p.fail("a second DIEAREA")
		return
	}
	var corners [][2]float64
	for p.need("a corner of the die") && !p.is(";") {
		var before *[2]float64
		if n := len(corners); n > 0 {
			before = &corners[n-1]
		}
		corner, ok := p.point(before)
		if !ok {
			return
		}
		if corners = append(corners, corner); len(corners) > maxCorners {
			p.fail("the die has more than %d corners", maxCorners)
			return
		}
	}
	if p.fault != nil {
		return
	}
	var problem string
	if p.die, problem = dieBoxes(corners); problem != "" {
		p.failAt(at, "", "DIEAREA %s", problem)
	}
}

// maxCorners keeps the time to cut a die into rectangles within bounds.
const maxCorners = 2000

// dieBoxes cuts a rectilinear polygon into rectangles, one or more for every interval between its y coordinates.
func dieBoxes(corners [][2]float64) (boxes []Box, problem string) {
	if len(corners) == 2 {
		a, b := corners[0], corners[1]
		box := Box{min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])}
		if !box.valid() {
			return nil, "has no area"
		}
		return []Box{box}, ""
	}
	if n := len(corners); n > 2 && corners[0] == corners[n-1] {
		corners = corners[:n-1]
	}
	if len(corners) < 4 {
		return nil, "needs two corners of a rectangle, or at least four of a polygon"
	}
	var ys []float64
	area := 0.0
	for i, c := range corners {
		next := corners[(i+1)%len(corners)]
		if c[0] != next[0] && c[1] != next[1] {
			return nil, "has an edge that is neither horizontal nor vertical"
		}
		ys = append(ys, c[1])
		area += c[0]*next[1] - next[0]*c[1]
	}
	slices.Sort(ys)
	ys = slices.Compact(ys)
	for i := 0; i+1 < len(ys); i++ {
		lo, hi := ys[i], ys[i+1]
		var crossings []float64      // x of the vertical edges that reach through this interval
		winding := map[float64]int{} // by how much the winding number changes at x, counterclockwise
		for j, c := range corners {
			next := corners[(j+1)%len(corners)]
			if c[0] == next[0] && min(c[1], next[1]) <= lo && max(c[1], next[1]) >= hi {
				crossings = append(crossings, c[0])
				if c[1] < next[1] {
					winding[c[0]]--
				} else {
					winding[c[0]]++
				}
			}
		}
		slices.Sort(crossings)
		// Where edges cross, winding numbers differ by two: some are neither 0 nor that of the inside.
		around := 0
		for _, x := range slices.Compact(slices.Clone(crossings)) {
			if around += winding[x]; around != 0 && (around > 1 || around < -1 || (around > 0) != (area > 0)) {
				return nil, "crosses itself"
			}
		}
		for k := 0; k+1 < len(crossings); k += 2 {
			if b := (Box{crossings[k], lo, crossings[k+1], hi}); b.valid() {
				boxes = append(boxes, b)
			}
		}
	}
	if len(boxes) == 0 {
		return nil, "has no area"
	}
	return boxes, ""
}
