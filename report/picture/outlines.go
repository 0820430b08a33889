package picture

import (
	"image"
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
	// No letter is lower than leastLetter or, but for a few, narrower than a pixel: of a million blocks most need no
	// measuring.
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
