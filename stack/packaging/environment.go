package packaging

import "math"

// Environment in which a package is tested.
type Environment string

// The environments. NoEnvironment leaves the faces to the stack file.
const (
	NoEnvironment Environment = ""
	StillAir      Environment = "jesd51-2a" // natural convection and radiation on a test board
	MovingAir     Environment = "jesd51-6"  // forced convection on a test board
	RingColdPlate Environment = "jesd51-8"  // heat leaves through the board into a ring
	TopColdPlate  Environment = "jesd51-14" // heat leaves through the top of the case, held at one temperature
)

// Environments lists those of the standards.
func Environments() []Environment {
	return []Environment{StillAir, MovingAir, RingColdPlate, TopColdPlate}
}

// OnBoard says whether the package stands on a test board.
func (e Environment) OnBoard() bool { return e != NoEnvironment && e != TopColdPlate }

// Lay lays out a package in an environment. Without one, width and height are the defaults of board and sink, 0 for
// those of the body. The domain is as large as the largest part in each direction, with all of them in its middle.
func Lay(p *Package, e Environment, width, height float64) Layout {
	q := *p
	l := &layouter{p: &q, around: "air"}
	l.Width, l.Height = p.Width, p.Height
	if width > 0 {
		l.Width, l.Height = width, height
	}
	l.extend()
	x, y := (l.Width-p.Width)/2, (l.Height-p.Height)/2
	switch {
	case e == TopColdPlate:
		q.Board = nil
		l.Width, l.Height, x, y = p.Width, p.Height, 0, 0
	case e.OnBoard():
		l.Width, l.Height = p.Board.Width, p.Board.Height
		x = (l.Width - p.Width) / 2
		// The body is in the middle of a square at the end of the board away from its connector, JESD51-9, section
		// 5.1.
		y = l.Height - min(l.Width, l.Height)/2 - p.Height/2
	}
	l.Body = Rect{x, y, p.Width, p.Height}
	l.surround(e)
	l.round()
	return l.Layout
}

// round removes rounding errors from the dimensions, which appear in printed stack files.
func (l *Layout) round() {
	to := func(lengths ...*float64) {
		const unit, accuracy = 1e12, 1e-9 // per m
		for _, x := range lengths {
			if rounded := math.Round(*x*unit) / unit; math.Abs(rounded-*x) < accuracy*math.Abs(*x) {
				*x = rounded
			}
		}
	}
	to(&l.Width, &l.Height, &l.Case, &l.BoardTop)
	rects := []*Rect{&l.Body, &l.Sink}
	for i := range l.Layers {
		for p := range l.Layers[i].Parts {
			rects = append(rects, &l.Layers[i].Parts[p].Rect)
		}
	}
	for _, r := range rects {
		to(&r.X, &r.Y, &r.Width, &r.Height)
	}
}

// extend enlarges the domain to the board and the heat sink, and sets their rectangles.
func (l *layouter) extend() {
	board, sink := Base{l.Width, l.Height}, Base{l.Width, l.Height}
	if b := l.p.Board; b != nil && b.Width > 0 {
		board = Base{b.Width, b.Height}
	}
	if s := l.p.Sink; s != nil && s.Width > 0 {
		sink = *s
	}
	l.Width, l.Height = max(l.Width, board.Width, sink.Width), max(l.Height, board.Height, sink.Height)
	centered := func(b Base) Rect {
		return Rect{(l.Width - b.Width) / 2, (l.Height - b.Height) / 2, b.Width, b.Height}
	}
	l.board = centered(board)
	if l.p.Sink != nil {
		l.Sink = centered(sink)
	}
	l.gap = centered(Base{min(board.Width, sink.Width), min(board.Height, sink.Height)})
	l.apart = l.p.Sink != nil && l.gap != (Rect{0, 0, l.Width, l.Height})
}

// surround builds the package with the layers below and above it.
func (l *layouter) surround(e Environment) {
	switch e {
	case StillAir, MovingAir:
		l.around = OpenSpace
	case RingColdPlate:
		l.around = Insulation
		l.ring = &ring{l.Body, Rect{0, 0, l.Width, l.Height}}
		l.plate("ring_below", 1*mm)
	case NoEnvironment, TopColdPlate:
		if l.p.Sink == nil && e == NoEnvironment && l.p.Board != nil && l.Width > l.p.Width {
			l.around = OpenSpace
		}
	}
	if l.p.Board != nil {
		l.wiredBoard()
		l.BoardTop = l.z
	}
	l.pack()
	if e == RingColdPlate {
		l.plate("ring_above", insulated)
	}
}

// insulated is the thickness of the insulation on the package in a ring cold plate.
const insulated = 5 * mm

func (l *layouter) plate(name string, thickness float64) {
	l.add(Layer{Name: name, Material: Insulation, Thickness: thickness, Cells: 2})
}

// ring is a cold plate in the form of a ring on both sides of the board, as of JESD51-8.
type ring struct{ body, board Rect }

// Of the ring: the distance from the body, at least 5 mm in the standard, and its width.
const (
	ringGap   = 5 * mm
	ringWidth = 5 * mm
)

// RingMargin is the least distance of the body of a package from the edges of a board that a ring cold plate can hold.
const RingMargin = ringGap + 1*mm

// parts of the ring; it ends at the edge of the board.
func (r *ring) parts() []Part {
	outer := grown(r.body, ringGap+ringWidth, r.board)
	inner := grown(r.body, ringGap, r.board)
	south, north := inner.Y-outer.Y, outer.Y+outer.Height-inner.Y-inner.Height
	west, east := inner.X-outer.X, outer.X+outer.Width-inner.X-inner.Width
	var parts []Part
	for _, s := range []Rect{
		{outer.X, outer.Y, outer.Width, south}, {outer.X, inner.Y + inner.Height, outer.Width, north},
		{outer.X, inner.Y, west, inner.Height}, {inner.X + inner.Width, inner.Y, east, inner.Height},
	} {
		if s.Width > 0 && s.Height > 0 {
			parts = append(parts, Part{"cold_plate", "copper", s, -1, 0, false})
		}
	}
	return parts
}

// grown is a rectangle with a margin, cut at another.
func grown(r Rect, margin float64, within Rect) Rect {
	west, south := max(r.X-margin, within.X), max(r.Y-margin, within.Y)
	east := min(r.X+r.Width+margin, within.X+within.Width)
	north := min(r.Y+r.Height+margin, within.Y+within.Height)
	return Rect{west, south, east - west, north - south}
}
