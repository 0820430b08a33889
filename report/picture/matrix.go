package picture

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"slices"
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
	pic.titles(m.Title, m.Subtitle, 16, 28)
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

func (s *matrixScale) color(v float64) color.RGBA { return s.colors.At(s.part(v)) }

// bar is the legend of the colours.
func (s *matrixScale) bar(c *canvas, r image.Rectangle, unit string) {
	c.place(r, func(w, h int) *image.RGBA {
		return painted(w, h, func(_, y int) color.RGBA { return s.colors.At(1 - (float64(y)+0.5)/float64(h)) })
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

// Parallel draws runs as lines over parallel axes, one for each parameter and one for the outcome, which is the last
// and gives the lines their colours: A. Inselberg, The Visual Computer 1, 69 (1985). The hottest lines lie over the
// others.
type Parallel struct {
	Title, Subtitle string
	Axes            []Axis
	Look            Look
}

// Axis is one of them: a number for every run, or a word.
type Axis struct {
	Name   string
	Values []float64 // of the runs; NaN leaves a run out
	Words  []string  // where the values are indices into these
	Log    bool
}

// Of parallel axes: least pixels between them, their height, and runs drawn at most: more only cover each other.
const (
	axisGap      = 190
	axisHeight   = 360
	parallelRuns = 5000
)

// Write draws them.
func (p *Parallel) Write(w io.Writer, format Format) error {
	if len(p.Axes) < 2 {
		return errors.New("drawing parallel axes: two are needed")
	}
	outcome := &p.Axes[len(p.Axes)-1]
	heat := Matrix{Values: outcome.Values, Look: p.Look}
	colors, err := heat.scale()
	if err != nil {
		return err
	}
	colors.log, colors.colors = false, colors.colors.dark()
	probe, err := newCanvas(1, 1, p.Look, PNG)
	if err != nil {
		return err
	}
	gap := p.gap(probe)
	left, top := max(70, gap/2), marginTop+24
	width := gap * (len(p.Axes) - 1)
	bar := left + width + gap/2 + 50
	pic, err := newCanvas(bar+barWidth+70, top+axisHeight+40, p.Look, format)
	if err != nil {
		return err
	}
	pic.titles(p.Title, p.Subtitle, 16, 28)
	scales := make([]*matrixScale, len(p.Axes))
	for i := range p.Axes {
		scales[i] = p.Axes[i].scale(p.Look)
	}
	for _, run := range p.order(outcome.Values) {
		line := make([]point, 0, len(p.Axes))
		for i := range p.Axes {
			y := float64(top+axisHeight) - scales[i].part(p.Axes[i].Values[run])*axisHeight
			line = append(line, point{float64(left + gap*i), y})
		}
		pic.stroke(line, 1.2, colors.color(outcome.Values[run]))
	}
	for i := range p.Axes {
		p.Axes[i].draw(pic, scales[i], image.Rect(left+gap*i, top, left+gap*(i+1), top+axisHeight))
	}
	colors.bar(pic, image.Rect(bar, top, bar+barWidth, top+axisHeight), outcome.Name)
	return pic.write(w, format)
}

// gap is the distance between axes at which their names do not overlap.
func (p *Parallel) gap(c *canvas) int {
	gap := axisGap
	for i := range p.Axes {
		w, _ := c.text.size(axisStyle, p.Axes[i].Name)
		gap = max(gap, min(w+24, 2*axisGap))
	}
	return gap
}

// dark leaves out the bright end of the colors, which lines on white paper need.
func (m *Colormap) dark() *Colormap {
	var out Colormap
	for i := range out {
		out[i] = m.At(0.82 * float64(i) / float64(len(out)-1))
	}
	return &out
}

// order lists the runs that have all values, coldest first, and evenly thinned where they are many.
func (p *Parallel) order(outcome []float64) []int {
	var runs []int
	for run := range outcome {
		if !slices.ContainsFunc(p.Axes, func(a Axis) bool { return math.IsNaN(a.Values[run]) }) {
			runs = append(runs, run)
		}
	}
	slices.SortStableFunc(runs, func(a, b int) int {
		if outcome[a] < outcome[b] {
			return -1
		}
		if outcome[a] > outcome[b] {
			return 1
		}
		return 0
	})
	if len(runs) <= parallelRuns {
		return runs
	}
	thin := make([]int, 0, parallelRuns)
	for i := range parallelRuns {
		thin = append(thin, runs[(i+1)*len(runs)/parallelRuns-1])
	}
	return thin
}

func (a *Axis) scale(look Look) *matrixScale {
	m := Matrix{Values: a.Values, Look: look}
	s, err := m.scale()
	if err != nil {
		return &matrixScale{lo: 0, hi: 1, colors: look.colors()}
	}
	s.log = a.Log && s.lo > 0
	return s
}

// draw an axis at the left side of r with its ticks, or with its words.
func (a *Axis) draw(c *canvas, s *matrixScale, r image.Rectangle) {
	x, top := r.Min.X, r.Min.Y
	c.fill(image.Rect(x, top, x+1, top+axisHeight), black)
	c.print(axisStyle, c.fit(axisStyle, a.Name, r.Dx()-12), float64(x), float64(top-10), anchor{0.5, 1})
	label := tickStyle
	label.halo = white
	at, labels := s.ticks(6)
	if a.Words != nil {
		at, labels = nil, a.Words
		for i := range a.Words {
			at = append(at, float64(i))
		}
	}
	for i, v := range at {
		y := float64(top+axisHeight) - s.part(v)*axisHeight
		c.fill(image.Rect(x, int(y), x+5, int(y)+1), black)
		c.print(label, c.fit(tickStyle, labels[i], r.Dx()-24), float64(x+8), y, anchor{0, 0.5})
	}
	if a.Words == nil && len(at) == 0 {
		c.print(label, fmt.Sprintf("%.4g", s.lo), float64(x+8), float64(top+axisHeight), anchor{0, 0.5})
	}
}
