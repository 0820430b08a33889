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

// Histogram shows the distribution of values as bars of equal width, with marked values.
type Histogram struct {
	Title, Subtitle string
	X, Unit         string        // what the values are, and their unit
	Values          []float64     // those that are not finite are omitted
	Marks           []MarkedValue // in ascending order
	Density         Curve         // drawn over the bars, per unit of X; may be empty
	Look            Look
}

// MarkedValue is a marked value.
type MarkedValue struct {
	Name string
	X    float64
}

const (
	mostBars  = 60
	markLine  = 16 // pixels from one name of a mark to the next
	barMargin = 1.08
)

// Write draws it.
func (h *Histogram) Write(w io.Writer, format Format) error {
	from, width, shares := h.bars()
	if len(shares) == 0 {
		return errors.New("drawing a histogram: there are no values")
	}
	pic, err := newCanvas(marginLeft+chartWidth+marginRight, marginTop+chartHeight+marginBottom, h.Look, format)
	if err != nil {
		return err
	}
	to := from + width*float64(len(shares))
	top := slices.Max(shares)
	for _, d := range h.Density.Y {
		top = max(top, 100*d*width)
	}
	p := &plane{canvas: pic, area: image.Rect(marginLeft, marginTop, marginLeft+chartWidth, marginTop+chartHeight),
		x0: from, x1: to, y1: barMargin * top}
	for _, m := range h.Marks {
		p.x0, p.x1 = min(p.x0, m.X-width), max(p.x1, m.X+width)
	}
	pic.titles(h.Title, h.Subtitle, marginLeft, marginLeft)
	p.axes(h.X+" ("+h.Unit+")", fmt.Sprintf("%% of runs per %g %s", width, h.Unit))
	for n, share := range shares {
		left, right := p.px(from+width*float64(n)), p.px(from+width*float64(n+1))
		bar := image.Rect(int(left+0.5)+1, int(p.py(share)+0.5), max(int(right+0.5), int(left+0.5)+2), p.area.Max.Y)
		pic.fill(bar, strong(2))
	}
	p.density(&h.Density, 100*width)
	p.marks(h.Marks)
	return pic.write(w, format)
}

// density draws the curve inside the axes, scaled to the bars.
func (p *plane) density(k *Curve, scale float64) {
	var line []point
	for i, x := range k.X {
		if x >= p.x0 && x <= p.x1 {
			line = append(line, point{p.px(x), p.py(k.Y[i] * scale)})
		}
	}
	if len(line) > 1 {
		p.stroke(line, 1.8, strong(4))
	}
}

// marks draws a vertical line for each mark, with its name on the side of more space.
func (p *plane) marks(marks []MarkedValue) {
	for n, m := range marks {
		x, y := p.px(m.X), float64(p.area.Min.Y+8+markLine*n)
		p.dashes([]point{{x, float64(p.area.Max.Y)}, {x, float64(p.area.Min.Y)}}, black)
		at, side := x+5, anchor{0, 0}
		if x > float64(p.area.Min.X+p.area.Max.X)/2 {
			at, side = x-5, anchor{1, 0}
		}
		box := p.textBox(tickStyle, m.Name, at, y, side)
		p.fill(box.Inset(-1), color.White)
		p.print(tickStyle, m.Name, at, y, side)
	}
}

// bars counts the values in bars of a round width: half that of Freedman and Diaconis, or more to limit their number.
func (h *Histogram) bars() (from, width float64, shares []float64) {
	var x []float64
	for _, v := range h.Values {
		if v-v == 0 {
			x = append(x, v)
		}
	}
	if len(x) == 0 {
		return 0, 0, nil
	}
	slices.Sort(x)
	low, high := x[0], x[len(x)-1]
	width = 2 * (x[len(x)*3/4] - x[len(x)/4]) / math.Cbrt(float64(len(x)))
	width = niceStep(max(width/2, (high-low)/mostBars, minSpan), 1)
	from = math.Floor(low/width) * width
	shares = make([]float64, int(math.Floor((high-from)/width))+1)
	for _, v := range x {
		shares[min(int((v-from)/width), len(shares)-1)] += 100 / float64(len(h.Values))
	}
	return from, width, shares
}
