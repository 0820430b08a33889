package picture

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
)

// Matrix is a table of numbers, one coloured cell each: how much of every column arrives at every row. The first row is
// at the top.
type Matrix struct {
	Title, Subtitle string
	Rows, Columns   []string
	Down, Across    string    // what rows and columns are
	Unit            string    // of the values
	Values          []float64 // row by row
	Look            Look
}

// Of matrices: pixels of a cell, and of the longest name. Names of cells smaller than legible stand beside some rows
// only.
const (
	largestCell, smallestCell = 40, 5
	matrixSide                = 640
	longestName               = 170
	legibleCell               = 13
	barWidth                  = 18
)

// Write draws the matrix. Colours are on a logarithmic scale where the values are positive and span more than a factor
// of 20.
func (m *Matrix) Write(w io.Writer, format Format) error {
	nr, nc := len(m.Rows), len(m.Columns)
	if nr == 0 || nc == 0 || len(m.Values) != nr*nc {
		return fmt.Errorf("drawing a matrix: %d values for %d x %d cells", len(m.Values), nr, nc)
	}
	s, err := m.scale()
	if err != nil {
		return err
	}
	probe, err := newCanvas(1, 1, m.Look, PNG)
	if err != nil {
		return err
	}
	side := max(smallestCell, min(largestCell, matrixSide/max(nr, nc)))
	rowNames, columnNames := widest(probe, m.Rows), widest(probe, m.Columns)
	left, top := 40+rowNames, marginTop
	width, height := max(side*nc, 60), max(side*nr, 60)
	right := 150
	total := max(left+width+right, 420)
	pic, err := newCanvas(total, top+height+columnNames+56, m.Look, format)
	if err != nil {
		return err
	}
	pic.print(titleStyle, pic.fit(titleStyle, m.Title, pic.w-28), 16, 14, anchor{})
	pic.print(subtitleStyle, pic.fit(subtitleStyle, m.Subtitle, pic.w-28), 16, 40, anchor{})
	area := image.Rect(left, top, left+width, top+height)
	edge := func(from, size, n, k int) int { return from + size*k/n }
	for r := range nr {
		for c := range nc {
			box := image.Rect(edge(left, width, nc, c), edge(top, height, nr, r), edge(left, width, nc, c+1),
				edge(top, height, nr, r+1))
			pic.fill(box, s.color(m.Values[r*nc+c]))
		}
	}
	pic.frame(area.Inset(-1), black)
	every := 1 + (legibleCell-1)/side
	for r := 0; r < nr; r += every {
		y := float64(edge(top, height, nr, r)+edge(top, height, nr, r+1)) / 2
		pic.print(tickStyle, pic.fit(tickStyle, m.Rows[r], longestName), float64(left-7), y, anchor{1, 0.5})
	}
	up := tickStyle
	up.vertical = true
	for c := 0; c < nc; c += every {
		x := float64(edge(left, width, nc, c)+edge(left, width, nc, c+1)) / 2
		pic.print(up, pic.fit(tickStyle, m.Columns[c], longestName), x, float64(top+height+7), anchor{0.5, 0})
	}
	pic.print(axisStyle, m.Across, float64(left+width/2), float64(top+height+columnNames+16), anchor{x: 0.5})
	side2 := axisStyle
	side2.vertical = true
	pic.print(side2, m.Down, 14, float64(top+height/2), anchor{0, 0.5})
	s.bar(pic, image.Rect(left+width+28, top, left+width+28+barWidth, top+max(height, 120)), m.Unit)
	return pic.write(w, format)
}

func widest(c *canvas, names []string) int {
	wide := 0
	for _, n := range names {
		w, _ := c.text.size(tickStyle, n)
		wide = max(wide, min(w, longestName))
	}
	return wide + 8
}

// matrixScale turns values into colours.
type matrixScale struct {
	lo, hi float64
	log    bool
	colors *Colormap
}

func (m *Matrix) scale() (*matrixScale, error) {
	s := &matrixScale{lo: math.Inf(1), hi: math.Inf(-1), colors: m.Look.colors()}
	for _, v := range m.Values {
		if v-v == 0 {
			s.lo, s.hi = min(s.lo, v), max(s.hi, v)
		}
	}
	if !(s.hi >= s.lo) {
		return nil, errors.New("drawing a matrix: it has no numbers")
	}
	s.log = s.lo > 0 && s.hi > 20*s.lo
	if !(s.hi > s.lo) {
		s.lo, s.hi = s.lo-0.5, s.hi+0.5
	}
	return s, nil
}

func (s *matrixScale) part(v float64) float64 {
	if s.log {
		return math.Log(v/s.lo) / math.Log(s.hi/s.lo)
	}
	return (v - s.lo) / (s.hi - s.lo)
}

func (s *matrixScale) color(v float64) color.RGBA { return s.colors.at(s.part(v)) }

// bar is the legend of the colours.
func (s *matrixScale) bar(c *canvas, r image.Rectangle, unit string) {
	c.place(r, func(w, h int) *image.RGBA {
		return painted(w, h, func(_, y int) color.RGBA { return s.colors.at(1 - (float64(y)+0.5)/float64(h)) })
	})
	c.frame(r.Inset(-1), black)
	at, labels := s.ticks(max(2, r.Dy()/50))
	for i, v := range at {
		y := float64(r.Max.Y) - s.part(v)*float64(r.Dy())
		c.fill(image.Rect(r.Max.X+1, int(y), r.Max.X+6, int(y)+1), black)
		c.print(tickStyle, labels[i], float64(r.Max.X+9), y, anchor{0, 0.5})
	}
	c.print(tickStyle, unit, float64(r.Min.X), float64(r.Min.Y-8), anchor{0, 1})
}

// ticks of a logarithmic scale are 1, 2 and 5 times powers of ten, or the powers alone where these are many.
func (s *matrixScale) ticks(count int) (at []float64, labels []string) {
	if !s.log {
		return ticks(s.lo, s.hi, count)
	}
	steps := []float64{1, 2, 5}
	if math.Log10(s.hi/s.lo)*3 > float64(count) {
		steps = steps[:1]
	}
	for e := math.Floor(math.Log10(s.lo)); e <= math.Log10(s.hi); e++ {
		for _, k := range steps {
			if v := k * math.Pow(10, e); v >= s.lo && v <= s.hi {
				at, labels = append(at, v), append(labels, fmt.Sprintf("%.3g", v))
			}
		}
	}
	return at, labels
}
