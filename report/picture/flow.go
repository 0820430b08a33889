package picture

import "math"

// Flow is how coolant flows through a layer: arrows show it.
type Flow struct {
	Along    int  // 0 along x, 1 along y
	Backward bool // towards smaller coordinates
	Lanes    []Lane
	// Resolved says that lanes are channels with walls between, from cell to cell of which temperatures jump: no
	// isotherms are drawn.
	Resolved bool
}

// Lane is a part of the layer across the flow, in m.
type Lane struct {
	From, To float64
	Speed    float64 // over that of the fastest lane
}

// mostArrows is the number of arrows across the flow, and rowsOfArrows that along it.
const (
	mostArrows   = 6
	rowsOfArrows = 3
)

// flow draws arrows, longer where coolant flows faster.
func (f *frame) flow(w *Flow) {
	if w == nil {
		return
	}
	low, high := [2]float64{f.extent.X, f.extent.Y},
		[2]float64{f.extent.X + f.extent.Width, f.extent.Y + f.extent.Height}
	a := w.Along
	length := high[a] - low[a]
	for _, at := range w.places(low[1-a], high[1-a]) {
		reach := 0.09 * length * math.Max(0.3, at.Speed)
		for row := range rowsOfArrows {
			middle := low[a] + length*(float64(row)+0.5)/rowsOfArrows
			from, to := middle-reach/2, middle+reach/2
			if w.Backward {
				from, to = to, from
			}
			tail, head := [2]float64{at.From, at.From}, [2]float64{at.From, at.From}
			tail[a], head[a] = from, to
			f.arrow(point{f.px(tail[0]), f.py(tail[1])}, point{f.px(head[0]), f.py(head[1])})
		}
	}
}

// places are where arrows stand across the flow: From is the place. They are spread evenly and moved to the middle of a
// narrow lane.
func (w *Flow) places(low, high float64) []Lane {
	var all []Lane
	step := (high - low) / mostArrows
	for n := range mostArrows {
		wish := low + (float64(n)+0.5)*step
		best, off := -1, math.Inf(1)
		for i := range w.Lanes {
			l := &w.Lanes[i]
			d := math.Max(0, math.Max(l.From-wish, wish-l.To))
			if d < off {
				best, off = i, d
			}
		}
		if best < 0 {
			return nil
		}
		l := w.Lanes[best]
		if off > 0 || l.To-l.From < step {
			wish = (l.From + l.To) / 2
		}
		if wish < low || wish > high || len(all) > 0 && all[len(all)-1].From == wish {
			continue
		}
		all = append(all, Lane{From: wish, Speed: l.Speed})
	}
	return all
}

// arrow draws one with an open head, white within dark so that it reads on every colour.
func (f *frame) arrow(tail, head point) {
	dx, dy := head.x-tail.x, head.y-tail.y
	size := math.Hypot(dx, dy)
	if size < 4 {
		return
	}
	barb := math.Min(9, 0.45*size)
	ux, uy := dx/size*barb, dy/size*barb
	left := point{head.x - ux - 0.6*uy, head.y - uy + 0.6*ux}
	right := point{head.x - ux + 0.6*uy, head.y - uy - 0.6*ux}
	for _, pass := range []struct {
		width float64
		dark  bool
	}{{4.5, true}, {2, false}} {
		color := fade(white, 0.9)
		if pass.dark {
			color = fade(black, 0.45)
		}
		f.stroke([]point{tail, head}, pass.width, color)
		f.stroke([]point{left, head, right}, pass.width, color)
	}
}
