package picture

import (
	"math"

	"thermsim/gpusolve/reduction"
)

// isotherm is a level with its lines in pixels.
type isotherm struct {
	celsius float64
	label   string
	lines   [][]point
}

const isotherms = 6 // about so many levels

// isotherms draws lines of equal temperature at round numbers.
func (m *HeatMap) isotherms(f *frame) []isotherm {
	if m.Flow != nil && m.Flow.Resolved {
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
		iso := isotherm{celsius: level, label: label(level, step)}
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

// isothermStep is a round step of about so many isotherms.
func isothermStep(lo, hi float64) float64 { return niceStep(hi-lo, isotherms+1) }

// contourField samples the map in degrees Celsius for the isotherms, at places in pixels: at the cell centres, or where
// these lie closer than two pixels, at groups of cells reduced by maximum. Up to the border it is constant.
func (m *HeatMap) contourField(f *frame) *field {
	const every = 2
	xs, binX := samples(m.X, f.area.Dx()/every)
	ys, binY := samples(m.Y, f.area.Dy()/every)
	values := m.shown(binX, binY)
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
			g.values[j*len(xs)+i] = values[row+min(max(i-1, 0), bx-1)] - m.zero()
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
	t := f.scale.part(iso.celsius)
	s := style{size: 12, color: f.scale.colors.contrast(t), halo: f.scale.colors.at(t)}
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
