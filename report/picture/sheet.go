package picture

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
)

// sheet is what the vector formats share: a page in points, and the state of gonum/plot's canvas with its transform.
// Places come out in points from the upper left corner, as both formats count.
type sheet struct {
	width, height vg.Length
	state         sheetState
	stack         []sheetState
}

// sheetState is what Push keeps. The matrix maps (x, y) to (a x + c y + e, b x + d y + f), y upwards.
type sheetState struct {
	a, b, c, d, e, f float64
	color            color.Color
	line             vg.Length
	dash             []vg.Length
	offset           vg.Length
}

func newSheet(width, height vg.Length) sheet {
	return sheet{width: width, height: height, state: sheetState{a: 1, d: 1, color: color.Black, line: 1}}
}

// Size of the page.
func (s *sheet) Size() (w, h vg.Length) { return s.width, s.height }

// SetLineWidth and the methods after it are those of vg.Canvas.
func (s *sheet) SetLineWidth(w vg.Length) { s.state.line = w }

// SetColor sets the colour of lines, areas and texts.
func (s *sheet) SetColor(c color.Color) { s.state.color = c }

// SetLineDash sets the pattern of lines.
func (s *sheet) SetLineDash(pattern []vg.Length, offset vg.Length) {
	s.state.dash, s.state.offset = pattern, offset
}

// Push keeps the state until Pop.
func (s *sheet) Push() { s.stack = append(s.stack, s.state) }

// Pop returns to the state of the last Push.
func (s *sheet) Pop() { s.state, s.stack = s.stack[len(s.stack)-1], s.stack[:len(s.stack)-1] }

func (s *sheet) multiply(a, b, c, d, e, f float64) {
	m := &s.state
	m.a, m.b, m.c, m.d, m.e, m.f = m.a*a+m.c*b, m.b*a+m.d*b, m.a*c+m.c*d, m.b*c+m.d*d, m.a*e+m.c*f+m.e, m.b*e+m.d*f+m.f
}

// Rotate turns what follows to the left by r radians.
func (s *sheet) Rotate(r float64) {
	s.multiply(math.Cos(r), math.Sin(r), -math.Sin(r), math.Cos(r), 0, 0)
}

// Translate moves what follows.
func (s *sheet) Translate(p vg.Point) { s.multiply(1, 0, 0, 1, float64(p.X), float64(p.Y)) }

// Scale stretches what follows.
func (s *sheet) Scale(x, y float64) { s.multiply(x, 0, 0, y, 0, 0) }

// at is a place on the page.
func (s *sheet) at(p vg.Point) (x, y float64) {
	m := &s.state
	px, py := float64(p.X), float64(p.Y)
	return m.a*px + m.c*py + m.e, float64(s.height) - (m.b*px + m.d*py + m.f)
}

// size is the factor on lengths, angle the turn to the left in degrees.
func (s *sheet) size() float64 { return math.Sqrt(math.Abs(s.state.a*s.state.d - s.state.b*s.state.c)) }

func (s *sheet) angle() float64 { return math.Atan2(s.state.b, s.state.a) * 180 / math.Pi }

// chords is the number of straight pieces of an arc.
const chords = 48

// walk visits the points of a path. Arcs become chords; nothing here draws curves, and their chord stands for them.
func (s *sheet) walk(p vg.Path, visit func(kind vg.PathComp, x, y float64)) {
	for _, c := range p {
		if c.Type != vg.ArcComp {
			x, y := s.at(c.Pos)
			visit(c, x, y)
			continue
		}
		for n := 1; n <= chords; n++ {
			angle := c.Start + c.Angle*float64(n)/chords
			x, y :=
				s.at(vg.Point{X: c.Pos.X + c.Radius*vg.Length(math.Cos(angle)),
					Y: c.Pos.Y + c.Radius*vg.Length(math.Sin(angle))})
			visit(c, x, y)
		}
	}
}
