package picture

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"
)

// Chart is a set of curves over a common axis: time traces, the history of a solve.
type Chart struct {
	Title, Subtitle string
	X, Y            string // labels of the axes, with units
	Curves          []Curve
	Limits          []Limit
	Log             bool // a logarithmic y axis; values that are not positive are left out
	LogX            bool // a logarithmic x axis, of positive values
	Look            Look
}

// Curve is one line. Places with NaN interrupt it.
type Curve struct {
	Name   string
	X, Y   []float64
	Points bool // separate points without a line
	Bars   bool // bars from 0 on, as wide as the distance of the first two X, without a line
	Dots   []Dot
}

// Dot is a separate point in the color of a curve.
type Dot struct{ X, Y float64 }

// Limit is a horizontal line. It is drawn where the axis needs not more than double to reach it, or if Always is set.
type Limit struct {
	Name   string
	Y      float64
	Always bool
}

const (
	chartWidth  = 760 // pixels of the data
	chartHeight = 440
	maxCurves   = 16 // limit for a readable legend
	legendGap   = 24
	dashedFrom  = 8     // colours start again, with dashes
	pointPad    = 0.015 // of the x axis beyond the outermost points
)

// pale is the color of bars behind curves.
var pale = color.RGBA{196, 212, 226, 255}

// strong is the palette of Okabe and Ito at full strength, black first.
func strong(n int) color.RGBA {
	palette := [...]color.RGBA{
		{0, 0, 0, 255}, {230, 159, 0, 255}, {86, 180, 233, 255}, {0, 158, 115, 255},
		{213, 94, 0, 255}, {0, 114, 178, 255}, {204, 121, 167, 255}, {150, 150, 150, 255},
	}
	return palette[n%len(palette)]
}

// Write draws the chart. Of many curves it shows the first.
func (c *Chart) Write(w io.Writer, format Format) error {
	curves := c.Curves[:min(len(c.Curves), maxCurves)]
	x0, x1, y0, y1, ok := c.bounds(curves)
	if !ok {
		return fmt.Errorf("drawing the chart %q: there is nothing to draw", c.Title)
	}
	probe, err := newCanvas(1, 1, c.Look, PNG)
	if err != nil {
		return err
	}
	legend := 0
	if len(curves) > 1 {
		for _, k := range curves {
			wide, _ := probe.text.size(tickStyle, k.Name)
			legend = max(legend, min(wide, 220)+legendGap+34)
		}
	}
	left := marginLeft + 16
	width := chartWidth
	if wish := c.Look.width(); wish > 0 {
		width = max(140, wish-left-marginRight-legend)
	}
	height := min(chartHeight, max(160, width*2/3))
	height = max(height, 18*len(curves)*min(1, legend))
	pic, err := newCanvas(left+width+marginRight+legend, marginTop+height+marginBottom, c.Look, format)
	if err != nil {
		return err
	}
	p := &plane{canvas: pic, area: image.Rect(left, marginTop, left+width, marginTop+height), x0: x0, x1: x1, y0: y0,
		y1: y1, log: c.Log, logX: c.LogX}
	pic.titles(c.Title, c.Subtitle, left, left+12)
	p.axes(c.X, c.Y)
	p.limits(c.Limits)
	p.curves(curves, left+width+legendGap, legend > 0)
	if more := len(c.Curves) - len(curves); more > 0 {
		pic.print(style{size: 12, color: grey}, fmt.Sprintf("and %d more", more), float64(left+width+legendGap),
			float64(marginTop+9+18*len(curves)), anchor{0, 0.5})
	}
	return pic.write(w, format)
}

// curves draws each curve, and its legend if there is one: curves that coincide are drawn once, and named together.
func (p *plane) curves(curves []Curve, legend int, named bool) {
	at, y := float64(legend), float64(marginTop+9)
	for n, group := range p.coinciding(curves) {
		dashed := n >= dashedFrom
		p.curve(group[0], strong(n), dashed)
		for _, k := range group {
			p.dots(k.Dots, strong(n))
		}
		if !named {
			continue
		}
		for _, k := range group {
			sample := []point{{at, y}, {at + 26, y}}
			switch {
			case k.Points:
				p.disc(at+13, y, 3, strong(n))
			case k.Bars:
				p.fill(image.Rect(int(at), int(y)-5, int(at)+26, int(y)+5), pale)
			case dashed:
				p.dashes(sample, strong(n))
			default:
				p.stroke(sample, 2, strong(n))
			}
			p.print(tickStyle, p.fit(tickStyle, k.Name, 220), at+32, y, anchor{0, 0.5})
			y += 18
		}
	}
}

// dots draws separate points inside the axes.
func (p *plane) dots(dots []Dot, color color.RGBA) {
	for _, d := range dots {
		if d.X >= p.x0 && d.X <= p.x1 {
			p.disc(p.px(d.X), p.py(d.Y), 4, black)
			p.disc(p.px(d.X), p.py(d.Y), 3, color)
		}
	}
}

// coinciding groups curves of one kind that differ by less than a pixel.
func (p *plane) coinciding(curves []Curve) (groups [][]Curve) {
	for _, k := range curves {
		n := slices.IndexFunc(groups, func(g []Curve) bool {
			close := func(a, b float64) bool { return a == b || math.Abs(p.py(a)-p.py(b)) < 1 }
			return g[0].Points == k.Points && slices.Equal(g[0].X, k.X) && slices.EqualFunc(g[0].Y, k.Y, close)
		})
		if n < 0 {
			groups = append(groups, []Curve{k})
		} else {
			groups[n] = append(groups[n], k)
		}
	}
	return groups
}

// limits draws the horizontal lines that the axis reaches.
func (p *plane) limits(limits []Limit) {
	red := color.RGBA{200, 0, 0, 255}
	for _, l := range limits {
		if l.Y > p.y0 && l.Y < p.y1 {
			left, y := float64(p.area.Min.X), p.py(l.Y)
			p.dashes([]point{{left, y}, {float64(p.area.Max.X), y}}, red)
			name := style{size: tickStyle.size, color: red}
			if _, h := p.text.size(name, l.Name); y-3-float64(h) > float64(p.area.Min.Y) {
				p.print(name, l.Name, left+6, y-3, anchor{0, 1})
			} else {
				p.print(name, l.Name, left+6, y+3, anchor{0, 0})
			}
		}
	}
}

// bounds of all values, a little wider in y, and in x around points.
func (c *Chart) bounds(curves []Curve) (x0, x1, y0, y1 float64, ok bool) {
	x0, x1, y0, y1 = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, k := range curves {
		for i, v := range k.Y {
			if v-v != 0 || c.Log && v <= 0 {
				continue
			}
			x0, x1, y0, y1 = min(x0, k.X[i]), max(x1, k.X[i]), min(y0, v), max(y1, v)
		}
		for _, d := range k.Dots {
			y0, y1 = min(y0, d.Y), max(y1, d.Y)
		}
	}
	if !(x1 >= x0) {
		return 0, 0, 0, 0, false
	}
	if x1 == x0 {
		x0, x1 = x0-0.5, x1+0.5
	}
	if slices.ContainsFunc(curves, func(k Curve) bool { return k.Points }) {
		if c.LogX {
			wider := math.Pow(x1/x0, pointPad)
			x0, x1 = x0/wider, x1*wider
		} else {
			pad := pointPad * (x1 - x0)
			x0, x1 = x0-pad, x1+pad
		}
	}
	if c.Log {
		return x0, x1, math.Pow(10, math.Floor(math.Log10(y0))), math.Pow(10, math.Ceil(math.Log10(y1)+1e-9)), true
	}
	if y1-y0 < minSpan {
		y0, y1 = y0-0.5, y1+0.5
	}
	double := y1 + (y1 - y0)
	for _, l := range c.Limits {
		if l.Y <= double || l.Always {
			y1 = max(y1, l.Y)
		}
		if l.Always {
			y0 = min(y0, l.Y)
		}
	}
	pad := 0.04 * (y1 - y0)
	if y0 -= pad; len(curves) > 0 && curves[0].Bars {
		y0 = 0
	}
	return x0, x1, y0, y1 + pad, true
}

// plane places values in a chart's data area.
type plane struct {
	*canvas
	area           image.Rectangle
	x0, x1, y0, y1 float64
	log, logX      bool
}

func (p *plane) px(x float64) float64 {
	part := (x - p.x0) / (p.x1 - p.x0)
	if p.logX {
		part = math.Log(x/p.x0) / math.Log(p.x1/p.x0)
	}
	return float64(p.area.Min.X) + part*float64(p.area.Dx())
}

func (p *plane) py(y float64) float64 {
	part := (y - p.y0) / (p.y1 - p.y0)
	if p.log {
		part = math.Log(y/p.y0) / math.Log(p.y1/p.y0)
	}
	return float64(p.area.Max.Y) - part*float64(p.area.Dy())
}

func (p *plane) axes(xLabel, yLabel string) {
	a, faint := p.area, color.RGBA{228, 228, 228, 255}
	at, labels := p.ticksAcross()
	for i, v := range at {
		x := int(p.px(v) + 0.5)
		p.fill(image.Rect(x, a.Min.Y, x+1, a.Max.Y), faint)
		p.tickBelow(x, a.Max.Y, labels[i])
	}
	p.print(axisStyle, xLabel, float64(a.Min.X+a.Max.X)/2, float64(a.Max.Y+28), anchor{x: 0.5})
	at, labels = p.ticksUp()
	widest := 0
	for i, v := range at {
		y := int(p.py(v) + 0.5)
		p.fill(image.Rect(a.Min.X, y, a.Max.X, y+1), faint)
		widest = max(widest, p.tickBeside(y, a.Min.X, labels[i]))
	}
	p.frame(a.Inset(-1), black)
	p.labelBeside(a, widest, yLabel)
}

// ticksUp are round values, or powers of ten.
func (p *plane) ticksUp() (at []float64, labels []string) {
	if !p.log {
		return ticks(p.y0, p.y1, max(2, min(10, p.area.Dy()/45)))
	}
	low, high := int(math.Round(math.Log10(p.y0))), int(math.Round(math.Log10(p.y1)))
	return powersOfTen(low, high, max(1, (high-low)*22/max(1, p.area.Dy())+1))
}

// ticksAcross are round values, or the powers of ten that lie on the axis.
func (p *plane) ticksAcross() (at []float64, labels []string) {
	if !p.logX {
		return ticks(p.x0, p.x1, max(2, min(10, p.area.Dx()/75)))
	}
	low, high := int(math.Ceil(math.Log10(p.x0)-1e-9)), int(math.Floor(math.Log10(p.x1)+1e-9))
	return powersOfTen(low, high, max(1, (high-low)*45/max(1, p.area.Dx())+1))
}

func powersOfTen(low, high, every int) (at []float64, labels []string) {
	for e := low; e <= high; e += every {
		at = append(at, math.Pow(10, float64(e)))
		labels = append(labels, fmt.Sprintf("1e%d", e))
	}
	return at, labels
}

func (p *plane) curve(k Curve, col color.RGBA, dashed bool) {
	if k.Bars {
		p.bars(k)
		return
	}
	var line []point
	flush := func() {
		switch {
		case k.Points:
			for _, at := range line {
				p.disc(at.x, at.y, 3, col)
			}
		case len(line) == 1:
			p.disc(line[0].x, line[0].y, 2.2, col)
		case dashed:
			p.dashes(line, col)
		default:
			p.stroke(line, 1.8, col)
		}
		line = nil
	}
	for i, v := range k.Y {
		if v-v != 0 || p.log && v <= 0 {
			flush()
			continue
		}
		line = append(line, point{p.px(k.X[i]), p.py(v)})
	}
	if len(line) > 0 {
		flush()
	}
	if len(k.X) <= 40 {
		for i, v := range k.Y {
			if v-v == 0 && !(p.log && v <= 0) {
				p.disc(p.px(k.X[i]), p.py(v), 2.4, col)
			}
		}
	}
}

// bars draws bars around the X of a curve.
func (p *plane) bars(k Curve) {
	half := 0.5
	if len(k.X) > 1 {
		half = (k.X[1] - k.X[0]) / 2
	}
	for i, x := range k.X {
		left, right := int(p.px(x-half)+0.5), int(p.px(x+half)+0.5)
		bar := image.Rect(left, int(p.py(k.Y[i])+0.5), max(right, left+1), int(p.py(0)+0.5))
		p.fill(bar.Intersect(p.area), pale)
	}
}

// dashes draws every other piece of 7 pixels.
func (p *plane) dashes(line []point, col color.RGBA) {
	const piece = 7
	on, left := true, float64(piece)
	from := line[0]
	for _, to := range line[1:] {
		for {
			length := math.Hypot(to.x-from.x, to.y-from.y)
			if length <= left {
				if on && length > 0 {
					p.stroke([]point{from, to}, 1.8, col)
				}
				left -= length
				break
			}
			cut := point{from.x + (to.x-from.x)*left/length, from.y + (to.y-from.y)*left/length}
			if on {
				p.stroke([]point{from, cut}, 1.8, col)
			}
			from, on, left = cut, !on, piece
		}
		from = to
	}
}

// trimZeros drops zeros behind a decimal point.
func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// Tornado is a bar for each of some numbers, to the left and the right of zero, in their order.
type Tornado struct {
	Title, Subtitle string
	Names           []string
	Values          []float64
	X               string // what the values are, with their unit
	Look            Look
}

// Of a tornado: pixels of a bar, of the space for both sides, and of a name.
const (
	barHeight   = 22
	tornadoWide = 520
	tornadoName = 260
)

// Write draws it.
func (t *Tornado) Write(w io.Writer, format Format) error {
	if len(t.Names) == 0 || len(t.Names) != len(t.Values) {
		return errors.New("drawing a tornado: there are no bars")
	}
	low, high := 0.0, 0.0
	for _, v := range t.Values {
		low, high = math.Min(low, v), math.Max(high, v)
	}
	if !(high > low) {
		high = 1
	}
	room := 0.16 * (high - low) // for the numbers beside the bars
	low, high = low-room, high+room
	top, left := marginTop, 24+tornadoName
	height := barHeight * len(t.Names)
	pic, err := newCanvas(left+tornadoWide+32, top+height+58, t.Look, format)
	if err != nil {
		return err
	}
	pic.titles(t.Title, t.Subtitle, 16, 28)
	x := func(v float64) int { return left + int(math.Round((v-low)/(high-low)*tornadoWide)) }
	at, labels := ticks(low, high, 6)
	for i, v := range at {
		pic.fill(image.Rect(x(v), top, x(v)+1, top+height), color.RGBA{225, 225, 225, 255})
		pic.print(tickStyle, labels[i], float64(x(v)), float64(top+height+8), anchor{x: 0.5})
	}
	for i, v := range t.Values {
		y := top + barHeight*i
		bar, paint, side := image.Rect(x(0), y+4, x(v), y+barHeight-4), strong(4), anchor{0, 0.5}
		if v < 0 {
			bar, paint, side = image.Rect(x(v), y+4, x(0), y+barHeight-4), strong(5), anchor{1, 0.5}
		}
		pic.fill(bar, paint)
		end := float64(x(v)) + 5
		if v < 0 {
			end = float64(x(v)) - 5
		}
		pic.print(tickStyle, fmt.Sprintf("%+.3g", v), end, float64(y)+barHeight/2, side)
		pic.print(tickStyle, pic.fit(tickStyle, t.Names[i], tornadoName), float64(left-8), float64(y)+barHeight/2,
			anchor{1, 0.5})
	}
	pic.fill(image.Rect(x(0), top, x(0)+1, top+height), black)
	pic.print(axisStyle, t.X, float64(left+tornadoWide/2), float64(top+height+32), anchor{x: 0.5})
	return pic.write(w, format)
}
