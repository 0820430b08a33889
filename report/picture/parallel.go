package picture

import (
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"slices"
)

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

// Of parallel axes: pixels between them, their height, and runs drawn at most: more only cover each other.
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
	colors.log = false
	left, top := 70, marginTop+24
	width := axisGap * (len(p.Axes) - 1)
	pic, err := newCanvas(left+width+110, top+axisHeight+40, p.Look, format)
	if err != nil {
		return err
	}
	pic.print(titleStyle, pic.fit(titleStyle, p.Title, pic.w-28), 16, 14, anchor{})
	pic.print(subtitleStyle, pic.fit(subtitleStyle, p.Subtitle, pic.w-28), 16, 40, anchor{})
	scales := make([]*matrixScale, len(p.Axes))
	for i := range p.Axes {
		scales[i] = p.Axes[i].scale(p.Look)
	}
	for _, run := range p.order(outcome.Values) {
		line := make([]point, 0, len(p.Axes))
		for i := range p.Axes {
			y := float64(top+axisHeight) - scales[i].part(p.Axes[i].Values[run])*axisHeight
			line = append(line, point{float64(left + axisGap*i), y})
		}
		pic.stroke(line, 1.2, colors.color(outcome.Values[run]))
	}
	for i := range p.Axes {
		p.Axes[i].draw(pic, scales[i], left+axisGap*i, top)
	}
	return pic.write(w, format)
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

// draw an axis with its ticks, or with its words.
func (a *Axis) draw(c *canvas, s *matrixScale, x, top int) {
	c.fill(image.Rect(x, top, x+1, top+axisHeight), black)
	c.print(axisStyle, c.fit(axisStyle, a.Name, axisGap-12), float64(x), float64(top-10), anchor{0.5, 1})
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
		c.print(label, c.fit(tickStyle, labels[i], axisGap-24), float64(x+8), y, anchor{0, 0.5})
	}
	if a.Words == nil && len(at) == 0 {
		c.print(label, fmt.Sprintf("%.4g", s.lo), float64(x+8), float64(top+axisHeight), anchor{0, 0.5})
	}
}
