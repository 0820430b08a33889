package gds

import "math"

// box is a rectangle with sides along the axes. The empty box has x0 above x1.
type box struct{ x0, y0, x1, y1 float64 }

var (
	nowhere    = box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)} // empty
	everywhere = box{math.Inf(-1), math.Inf(-1), math.Inf(1), math.Inf(1)}
)

func (b box) isEmpty() bool { return !(b.x0 <= b.x1) }

func (b box) meets(o box) bool { return b.x0 < o.x1 && o.x0 < b.x1 && b.y0 < o.y1 && o.y0 < b.y1 }

func (b box) with(o box) box {
	return box{min(b.x0, o.x0), min(b.y0, o.y0), max(b.x1, o.x1), max(b.y1, o.y1)}
}

func boundsOf(points []point) box {
	b := nowhere
	for _, p := range points {
		b = box{min(b.x0, p.x), min(b.y0, p.y), max(b.x1, p.x), max(b.y1, p.y)}
	}
	return b
}

// transform maps (x, y) to (a x + b y + u, c x + d y + v).
type transform struct{ a, b, c, d, u, v float64 }

func (t *transform) apply(p point) point {
	return point{t.a*p.x + t.b*p.y + t.u, t.c*p.x + t.d*p.y + t.v}
}

// turn applies the transform to a distance.
func (t *transform) turn(p point) point { return point{t.a*p.x + t.b*p.y, t.c*p.x + t.d*p.y} }

// after is the transform that applies s first and then t.
func (t *transform) after(s *transform) transform {
	o := t.apply(point{s.u, s.v})
	return transform{t.a*s.a + t.b*s.c, t.a*s.b + t.b*s.d, t.c*s.a + t.d*s.c, t.c*s.b + t.d*s.d, o.x, o.y}
}

// bounds of a transformed box.
func (t *transform) bounds(b box) box {
	if b.isEmpty() {
		return b
	}
	return boundsOf([]point{t.apply(point{b.x0, b.y0}), t.apply(point{b.x1, b.y0}), t.apply(point{b.x0, b.y1}),
		t.apply(point{b.x1, b.y1})})
}

// before is the bounds of what the transform maps into a box.
func (t *transform) before(b box) box {
	det := t.a*t.d - t.b*t.c
	inverse := transform{a: t.d / det, b: -t.b / det, c: -t.c / det, d: t.a / det}
	o := inverse.apply(point{t.u, t.v})
	inverse.u, inverse.v = -o.x, -o.y
	back := inverse.bounds(b)
	slack := 1e-9 * (math.Abs(back.x0) + math.Abs(back.x1) + math.Abs(back.y0) + math.Abs(back.y1))
	return box{back.x0 - slack, back.y0 - slack, back.x1 + slack, back.y1 + slack}
}

// trapezoid has horizontal sides at y0 and y1, from l0 to r0 and from l1 to r1.
type trapezoid struct{ y0, y1, l0, l1, r0, r1 float64 }

func (t *trapezoid) upright() bool { return t.l0 == t.l1 && t.r0 == t.r1 }

func (t *trapezoid) bounds() box { return box{min(t.l0, t.l1), t.y0, max(t.r0, t.r1), t.y1} }

// sides are the left and the right end at a height.
func (t *trapezoid) sides(y float64) (l, r float64) {
	f := (y - t.y0) / (t.y1 - t.y0)
	return t.l0 + f*(t.l1-t.l0), t.r0 + f*(t.r1-t.r0)
}

// over reports whether a trapezoid meets the inside of a box, and whether it covers the whole.
func (t *trapezoid) over(b *box) (meets, covers bool) {
	lo, hi := max(t.y0, b.y0), min(t.y1, b.y1)
	if !(lo < hi) {
		return false, false
	}
	high := lo == b.y0 && hi == b.y1
	if t.upright() {
		return t.l0 < b.x1 && t.r0 > b.x0, high && t.l0 <= b.x0 && t.r0 >= b.x1
	}
	l0, r0 := t.sides(lo)
	l1, r1 := t.sides(hi)
	return min(l0, l1) < b.x1 && max(r0, r1) > b.x0, high && max(l0, l1) <= b.x0 && min(r0, r1) >= b.x1
}

// moved appends a transformed trapezoid, cut into several if its horizontal sides do not stay horizontal.
func (s *slicer) moved(t *trapezoid, by *transform) error {
	switch {
	case by.b == 0 && by.c == 0:
		o := trapezoid{by.d*t.y0 + by.v, by.d*t.y1 + by.v, by.a*t.l0 + by.u, by.a*t.l1 + by.u, by.a*t.r0 + by.u,
			by.a*t.r1 + by.u}
		if by.d < 0 {
			o.y0, o.y1, o.l0, o.l1, o.r0, o.r1 = o.y1, o.y0, o.l1, o.l0, o.r1, o.r0
		}
		if by.a < 0 {
			o.l0, o.l1, o.r0, o.r1 = o.r0, o.r1, o.l0, o.l1
		}
		s.out = append(s.out, o)
		return nil
	case by.a == 0 && by.d == 0 && t.upright():
		x0, x1 := by.b*t.y0+by.u, by.b*t.y1+by.u
		y0, y1 := by.c*t.l0+by.v, by.c*t.r0+by.v
		s.rectangle(box{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)})
		return nil
	}
	corners := [4]point{{t.l0, t.y0}, {t.r0, t.y0}, {t.r1, t.y1}, {t.l1, t.y1}}
	for i, p := range corners {
		corners[i] = by.apply(p)
	}
	return s.polygon(corners[:])
}

func (s *slicer) rectangle(b box) {
	if b.x0 < b.x1 && b.y0 < b.y1 {
		s.out = append(s.out, trapezoid{b.y0, b.y1, b.x0, b.x0, b.x1, b.x1})
	}
}
