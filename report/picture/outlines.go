package picture

import (
	"cmp"
	"image"
	"math"
	"slices"
	"sort"
	"unicode/utf8"

	"thermsim/stack"
)

// Outline is a part of a layer to draw: a block of its floorplan or a region of another material.
type Outline struct {
	Name string
	Note string // a second line, such as the watts; may be empty
	// Rects makes its rectangles where they are needed: those of all the shapes of a stack, 15 kB for a large circle,
	// would fill the memory.
	Rects func() []stack.Rect
}

// bright says whether dark ink reads better on a pixel.
func (c *canvas) bright(x, y int) bool {
	p := c.img.PixOffset(x, y)
	return 54*int(c.img.Pix[p])+183*int(c.img.Pix[p+1])+19*int(c.img.Pix[p+2]) > 130*256
}

// ink draws over one pixel so that it reads on dark and on bright ground.
func (c *canvas) ink(x, y int, alpha float64) {
	p := c.img.PixOffset(x, y)
	to, dark := 255.0, c.bright(x, y)
	if dark {
		to = 0
	}
	if c.recording {
		c.inkedNow = append(c.inkedNow, inkedPixel{image.Pt(x, y), dark, alpha})
	}
	for i := p; i < p+3; i++ {
		c.img.Pix[i] = uint8(float64(c.img.Pix[i])*(1-alpha) + to*alpha + 0.5)
	}
}

// outline draws the border of a union of rectangles, without seams where they meet. With a dash of n pixels, every
// other n.
func (f *frame) outline(rects []stack.Rect, dash int, alpha float64) {
	u := f.unite(rects)
	for y := max(u.top, f.area.Min.Y); y < min(u.top+len(u.rows), f.area.Max.Y); y++ {
		for _, s := range u.row(y) {
			for x := max(s.from, f.area.Min.X); x < min(s.to, f.area.Max.X); {
				if x > s.from && x < s.to-1 {
					if inner := min(u.row(y-1).end(x), u.row(y+1).end(x), s.to-1); inner > x {
						x = inner
						continue
					}
				}
				if (dash == 0 || (x+y)/dash%2 == 0) && f.bare(u, x, y) {
					f.ink(x, y, alpha)
					f.markInked(image.Pt(x, y))
				}
				x++
			}
		}
	}
	f.keepInk()
}

// markInked notes a pixel of the area.
func (f *frame) markInked(p image.Point) {
	if f.inked == nil {
		f.inked = make([]uint64, (f.area.Dx()*f.area.Dy()+63)/64)
	}
	n := f.pixel(p)
	f.inked[n/64] |= 1 << (n % 64)
}

// isInked says whether a pixel was noted; those outside the area never are.
func (f *frame) isInked(p image.Point) bool {
	if f.inked == nil || !p.In(f.area) {
		return false
	}
	n := f.pixel(p)
	return f.inked[n/64]>>(n%64)&1 != 0
}

// pixel is the number of a pixel of the area, row by row.
func (f *frame) pixel(p image.Point) int {
	return (p.Y-f.area.Min.Y)*f.area.Dx() + p.X - f.area.Min.X
}

// bare reports whether a pixel of a border is to be drawn: where the neighbour's line already runs along here, one is
// enough.
func (f *frame) bare(u *union, x, y int) bool {
	if f.isInked(image.Pt(x, y)) {
		return false
	}
	for _, q := range [4]image.Point{{X: x - 1, Y: y}, {X: x + 1, Y: y}, {X: x, Y: y - 1}, {X: x, Y: y + 1}} {
		if u.row(q.Y).end(q.X) == q.X && !f.isInked(q) {
			return true
		}
	}
	return false
}

// nameOutline sets the name of an outline, and its note below, in the largest of its rectangles: lying if it fits, else
// standing, else smaller, else not at all.
func (f *frame) nameOutline(o *Outline, colored bool) {
	if o.Name == "" {
		return
	}
	var room image.Rectangle
	for _, r := range o.Rects() {
		if b := f.box(r); b.Dx()*b.Dy() > room.Dx()*room.Dy() {
			room = b
		}
	}
	// No letter is lower than leastLetter or, with few exceptions, narrower than a pixel: of a million blocks most need
	// no measuring.
	const leastLetter = 10
	if min(room.Dx(), room.Dy()) < leastLetter || utf8.RuneCountInString(o.Name) > max(room.Dx(), room.Dy()) {
		return
	}
	for _, size := range []int{14, 12, 10} {
		for _, note := range []bool{true, false} {
			if note && o.Note == "" {
				continue
			}
			for _, vertical := range []bool{false, true} {
				if f.nameIn(room, o, style{size: size, vertical: vertical}, note, colored) {
					return
				}
			}
		}
	}
}

// nameIn sets name and note in the middle of room if they fit there without touching other labels.
func (f *frame) nameIn(room image.Rectangle, o *Outline, s style, note, flat bool) bool {
	lines := []string{o.Name}
	if note {
		lines = append(lines, o.Note)
	}
	w, h := 0, 0
	for _, l := range lines {
		lw, lh := f.text.size(s, l)
		if s.vertical {
			w, h = w+lw, max(h, lh)
		} else {
			w, h = max(w, lw), h+lh
		}
	}
	if w+6 > room.Dx() || h+2 > room.Dy() {
		return false
	}
	x, y := (room.Min.X+room.Max.X-w)/2, (room.Min.Y+room.Max.Y-h)/2
	box := image.Rect(x, y, x+w, y+h)
	if f.collides(box) {
		return false
	}
	f.taken = append(f.taken, box)
	f.readable(&s, box, flat)
	for i, l := range lines {
		s.bold = i == 0 && note
		lw, lh := f.text.size(s, l)
		if s.vertical {
			f.print(s, l, float64(x), float64(y)+float64(h)/2, anchor{0, 0.5})
			x += lw
		} else {
			f.print(s, l, float64(x)+float64(w)/2, float64(y), anchor{0.5, 0})
			y += lh
		}
	}
	return true
}

// readable gives a text the colour that reads on what lies in box, and a halo unless the ground is flat.
func (f *frame) readable(s *style, box image.Rectangle, flat bool) {
	bright, all := 0, 0
	for y := box.Min.Y; y < box.Max.Y; y += 2 {
		for x := box.Min.X; x < box.Max.X; x += 2 {
			all++
			if f.bright(x, y) {
				bright++
			}
		}
	}
	s.color, s.halo = white, fade(black, 0.55)
	if 2*bright > all {
		s.color, s.halo = black, fade(white, 0.6)
	}
	if flat {
		s.halo.A = 0
	}
}

// collides says whether box touches a label set so far or leaves the data.
func (f *frame) collides(box image.Rectangle) bool {
	if !box.In(f.area) {
		return true
	}
	for _, t := range f.taken {
		if box.Inset(-2).Overlaps(t) {
			return true
		}
	}
	return false
}

// union is the pixels of several rectangles, row by row.
type union struct {
	top  int // of the first row
	rows []spans
}

// spans of a row ascend and do not meet.
type spans []span

type span struct{ from, to int }

// unite unites those rectangles that the picture shows a part of, and that only from one pixel above it to one below.
func (f *frame) unite(rects []stack.Rect) *union {
	u := &f.united
	first, last := f.area.Max.Y, f.area.Min.Y
	for _, r := range rects {
		if b := f.whole(r); b.Overlaps(f.area) {
			first, last = min(first, max(b.Min.Y, f.area.Min.Y-1)), max(last, min(b.Max.Y, f.area.Max.Y+1))
		}
	}
	u.top = first
	u.rows = slices.Grow(u.rows[:0], max(0, last-first))[:max(0, last-first)]
	for k := range u.rows {
		u.rows[k] = u.rows[k][:0]
	}
	for _, r := range rects {
		if b := f.whole(r); b.Overlaps(f.area) {
			for y := max(b.Min.Y, first); y < min(b.Max.Y, last); y++ {
				u.rows[y-first] = append(u.rows[y-first], span{b.Min.X, b.Max.X})
			}
		}
	}
	for k := range u.rows {
		u.rows[k] = joined(u.rows[k])
	}
	return u
}

// joined sorts spans and joins those that overlap or touch.
func joined(row spans) spans {
	if len(row) < 2 {
		return row
	}
	slices.SortFunc(row, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	n := 0
	for _, s := range row[1:] {
		if s.from <= row[n].to {
			row[n].to = max(row[n].to, s.to)
			continue
		}
		n++
		row[n] = s
	}
	return row[:n+1]
}

// row is that at y, empty beside the union.
func (u *union) row(y int) spans {
	if y < u.top || y >= u.top+len(u.rows) {
		return nil
	}
	return u.rows[y-u.top]
}

// end of the span that holds x; x itself where none does.
func (row spans) end(x int) int {
	k := sort.Search(len(row), func(k int) bool { return row[k].to > x })
	if k == len(row) || row[k].from > x {
		return x
	}
	return row[k].to
}

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
