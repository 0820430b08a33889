package picture

import (
	"math"

	"thermsim/gpusolve/reduction"
)

// isotherm is a level with its lines in pixels.
type isotherm struct {
	level float64
	label string
	lines [][]point
}

const isotherms = 6 // approximate number of levels

// isotherms draws lines of equal temperature at round numbers.
func (m *HeatMap) isotherms(f *frame) []isotherm {
	if m.Flow != nil && m.Flow.Resolved || m.Unit != "" {
		return nil
	}
	g := m.contourField(f)
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range g.values {
		lo, hi = min(lo, v), max(hi, v) // NaN spreads, and then nothing is drawn
	}
	if !(hi-lo >= 10*minSpan) {
		return nil
	}
	var all []isotherm
	step := m.IsothermStep
	if !(step > 0) || (hi-lo)/step > 10*isotherms {
		step = isothermStep(lo, hi)
	}
	for _, level := range levels(lo, hi, step) {
		iso := isotherm{level: level, label: label(level, step)}
		c := fade(f.scale.colors.contrast(f.scale.part(level)), 0.6)
		for _, line := range g.contour(level) {
			line = thin(line)
			f.stroke(line, 1.1, c)
			iso.lines = append(iso.lines, line)
		}
		all = append(all, iso)
	}
	return all
}

// levels are the multiples of a step between lo and hi, at most ten times the usual number of them.
func levels(lo, hi, step float64) (all []float64) {
	first := math.Floor(lo/step) + 1
	// Counted in whole numbers: far from zero, first and its successor may be one number.
	for n := range 10*isotherms + 1 {
		level := (first + float64(n)) * step
		if !(level < hi) || n > 0 && level == all[len(all)-1] {
			break
		}
		all = append(all, level)
	}
	return all
}

// isothermStep is a round step for about that number of isotherms.
func isothermStep(lo, hi float64) float64 { return niceStep(hi-lo, isotherms+1) }

// contourField samples the map in the unit of the picture for the isotherms, at points in pixels: at the cell centers,
// or where these are closer than two pixels, at groups of cells reduced by maximum. Up to the border it is constant.
func (m *HeatMap) contourField(f *frame) *field {
	const every = 2
	xs, binX := samples(m.X, f.area.Dx()/every)
	ys, binY := samples(m.Y, f.area.Dy()/every)
	values, convert := m.shown(binX, binY), m.conversion()
	bx, by := len(binX.First), len(binY.First)
	g := &field{values: make([]float64, len(xs)*len(ys))}
	for _, x := range xs {
		g.x = append(g.x, f.px(x))
	}
	for _, y := range ys {
		g.y = append(g.y, f.py(y))
	}
	for j := range ys {
		row := min(max(j-1, 0), by-1) * bx
		for i := range xs {
			g.values[j*len(xs)+i] = convert(values[row+min(max(i-1, 0), bx-1)])
		}
	}
	return g
}

// samples is the sample coordinates along an axis, with both its ends, and the bins between the ends: one per cell, or
// groups of equally many cells, so that the lines stay smooth, where there are more than limit.
func samples(faces []float64, limit int) ([]float64, reduction.Bins) {
	cells := len(faces) - 1
	size := (cells + max(limit, 1) - 1) / max(limit, 1)
	at := []float64{faces[0]}
	var b reduction.Bins
	for from := 0; from < cells; from += size {
		to := min(from+size, cells)
		at = append(at, (faces[from]+faces[to])/2)
		b.First, b.Last = append(b.First, int32(from)), append(b.Last, int32(to-1))
	}
	return append(at, faces[cells]), b
}

// thin drops points of a line that are closer than about a pixel and a half to the one before.
func thin(line []point) []point {
	out := line[:1]
	for i, p := range line[1:] {
		last := out[len(out)-1]
		if i == len(line)-2 || math.Hypot(p.x-last.x, p.y-last.y) >= 1.5 {
			out = append(out, p)
		}
	}
	return out
}

// labelIsotherm writes the level on its longest line, where there is room.
func (f *frame) labelIsotherm(iso *isotherm) {
	var longest []point
	length := 0.0
	for _, line := range iso.lines {
		l := 0.0
		for i := range line[1:] {
			l += math.Hypot(line[i+1].x-line[i].x, line[i+1].y-line[i].y)
		}
		if l > length {
			longest, length = line, l
		}
	}
	if length < 80 {
		return
	}
	t := f.scale.part(iso.level)
	s := style{size: 12, color: f.scale.colors.contrast(t), halo: f.scale.colors.At(t)}
	for _, part := range []float64{0.5, 0.25, 0.75, 0.1, 0.9, 0.37, 0.63} {
		p := longest[int(part*float64(len(longest)-1))]
		box := f.textBox(s, iso.label, p.x, p.y, anchor{0.5, 0.5})
		if f.collides(box) {
			continue
		}
		f.taken = append(f.taken, box)
		f.print(s, iso.label, p.x, p.y, anchor{0.5, 0.5})
		return
	}
}

// field is a grid of samples for contouring, x fastest, at the coordinates X and Y.
type field struct {
	x, y   []float64
	values []float64
}

type point struct{ x, y float64 }

// contour finds the line where the field has the level, by marching squares with linear interpolation along the edges
// and the mean of the four corners deciding the saddles. Lines come joined; a closed one ends where it starts.
func (f *field) contour(level float64) [][]point {
	nx, ny := len(f.x), len(f.y)
	// Crossings are named by their edge: 2n for the edge from sample n to the east, 2n+1 to the north.
	next := map[int][2]int{} // the crossings that each is joined to, -1 for none
	var order []int          // for a result that does not depend on the map's order
	join := func(a, b int) {
		for _, e := range [2][2]int{{a, b}, {b, a}} {
			n, seen := next[e[0]]
			switch {
			case !seen:
				next[e[0]] = [2]int{e[1], -1}
				order = append(order, e[0])
			default:
				n[1] = e[1]
				next[e[0]] = n
			}
		}
	}
	for j := 0; j+1 < ny; j++ {
		for i := 0; i+1 < nx; i++ {
			n := j*nx + i
			sw, se, nw, ne := f.values[n], f.values[n+1], f.values[n+nx], f.values[n+nx+1]
			south, west, north, east := 2*n, 2*n+1, 2*(n+nx), 2*(n+1)+1
			kind := 0
			for b, v := range [4]float64{sw, se, ne, nw} {
				if math.IsNaN(v) {
					kind = 0
					break
				}
				if v >= level {
					kind |= 1 << b
				}
			}
			switch kind {
			case 1, 14:
				join(west, south)
			case 2, 13:
				join(south, east)
			case 3, 12:
				join(west, east)
			case 4, 11:
				join(east, north)
			case 6, 9:
				join(south, north)
			case 7, 8:
				join(west, north)
			case 5, 10: // a saddle: high corners are joined where the middle is high
				if (sw+se+nw+ne)/4 >= level == (kind == 5) {
					join(west, north)
					join(south, east)
				} else {
					join(west, south)
					join(east, north)
				}
			}
		}
	}
	return f.lines(level, next, order)
}

// lines follows the joined crossings, open lines from their ends first, then the closed ones.
func (f *field) lines(level float64, next map[int][2]int, order []int) [][]point {
	var out [][]point
	done := make(map[int]bool, len(next))
	follow := func(from int) {
		line := []point{f.crossing(from, level)}
		done[from] = true
		previous, at := -1, from
		for {
			to := next[at][0]
			if to == previous || to < 0 {
				to = next[at][1]
			}
			if to < 0 || to == from {
				if to == from && previous >= 0 {
					line = append(line, line[0])
				}
				break
			}
			if done[to] {
				break
			}
			done[to] = true
			line = append(line, f.crossing(to, level))
			previous, at = at, to
		}
		out = append(out, line)
	}
	for _, e := range order {
		if !done[e] && next[e][1] < 0 {
			follow(e)
		}
	}
	for _, e := range order {
		if !done[e] {
			follow(e)
		}
	}
	return out
}

// crossing is where the level lies on an edge.
func (f *field) crossing(edge int, level float64) point {
	nx := len(f.x)
	n := edge / 2
	i, j := n%nx, n/nx
	if edge%2 == 0 {
		w := (level - f.values[n]) / (f.values[n+1] - f.values[n])
		return point{f.x[i] + w*(f.x[i+1]-f.x[i]), f.y[j]}
	}
	w := (level - f.values[n]) / (f.values[n+nx] - f.values[n])
	return point{f.x[i], f.y[j] + w*(f.y[j+1]-f.y[j])}
}
