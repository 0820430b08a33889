package picture

import (
	"image"
	"image/color"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"thermsim/gpusolve/reduction"
	"thermsim/internal/printable"
	"thermsim/stack"
)

// Sizes of the parts of a picture in pixels.
const (
	marginLeft   = 74
	marginTop    = 84
	marginRight  = 30
	marginBottom = 62
	barThickness = 18
	barGap       = 22
	barLabels    = 64  // room for the numbers beside a standing bar
	barRoom      = 58  // room for a lying bar with its numbers
	standingBar  = 200 // a bar stands where the data are at least this tall, and lies below them otherwise
	minWidth     = 560
)

var (
	titleStyle    = style{size: 19, bold: true, color: black}
	subtitleStyle = style{size: 14, color: grey}
	tickStyle     = style{size: 13, color: black}
	axisStyle     = style{size: 14, color: black}
)

// scale is a colour map over a range of values.
type scale struct {
	colors *Colormap
	lo, hi float64
	unit   string
}

// part is where v lies in the range, 0 to 1.
func (s *scale) part(v float64) float64 {
	if s.hi > s.lo {
		return (v - s.lo) / (s.hi - s.lo)
	}
	return 0.5
}

// frame is a picture of the lateral plane with title, axes in mm of equal scale, and a colour bar.
type frame struct {
	*canvas
	area   image.Rectangle // of the data
	extent stack.Rect      // of the data in m
	scale  scale
	taken  []image.Rectangle // places of labels set so far
	inked  []uint64          // pixels of the area that outlines have drawn so far, a bit for each; nil before the first
	united union             // scratch of outline
}

// newFrame lays a picture out and draws everything around the data.
func newFrame(title, subtitle string, extent stack.Rect, s scale, look Look, format Format) (*frame, error) {
	w, h := areaSize(extent, look.width())
	standing := h >= standingBar
	left, width, height := frameSize(w, h, &look)
	c, err := newCanvas(width, height, look, format)
	if err != nil {
		return nil, err
	}
	f := &frame{canvas: c, area: image.Rect(left, marginTop, left+w, marginTop+h), extent: extent, scale: s}
	textLeft := min(left, marginLeft)
	c.titles(title, subtitle, textLeft, textLeft+12)
	f.axes()
	if standing {
		f.barBeside()
	} else {
		f.barBelow()
	}
	return f, nil
}

// frameSize is the size in the layout's pixels of a picture of w x h pixels of data, and where those begin.
func frameSize(w, h int, look *Look) (left, width, height int) {
	width, height = marginLeft+w+marginRight, marginTop+h+marginBottom
	if h >= standingBar {
		width += barGap + barThickness + barLabels - marginRight/2
	} else {
		height += barRoom
	}
	left, least := marginLeft, minWidth
	if wish := look.width(); wish > 0 {
		least = wish
	}
	if width < least {
		left += (least - width) / 2
		width = least
	}
	return left, width, height
}

// CheckMap finds out before anything is drawn whether maps of an area would have too many pixels.
func (l *Look) CheckMap(extent stack.Rect) error {
	w, h := areaSize(extent, l.width())
	_, width, height := frameSize(w, h, l)
	return checkPixels(scaled(width, l.factor()), scaled(height, l.factor()))
}

// areaSize is the size of the data in pixels: square pixels, the long side from 720 for a square to 1200 for a thin
// strip, or what a picture of the given width leaves.
func areaSize(extent stack.Rect, width int) (w, h int) {
	aspect := extent.Width / extent.Height
	perMetre := min(900/extent.Width, 720/extent.Height)
	switch {
	case aspect > 3:
		perMetre = 1200 / extent.Width
	case aspect < 1/1.5:
		perMetre = 900 / extent.Height
	}
	if width > 0 {
		beside := marginLeft + barGap + barThickness + barLabels + marginRight/2
		perMetre = float64(max(40, width-beside)) / extent.Width
		if extent.Height*perMetre < standingBar {
			perMetre = float64(max(40, width-marginLeft-marginRight)) / extent.Width
		}
		// No taller than twice as tall as wide.
		perMetre = min(perMetre, 2*float64(width)/extent.Height)
	}
	return max(2, int(extent.Width*perMetre+0.5)), max(2, int(extent.Height*perMetre+0.5))
}

// px and py are the place in pixels of a point in m.
func (f *frame) px(x float64) float64 {
	return float64(f.area.Min.X) + (x-f.extent.X)/f.extent.Width*float64(f.area.Dx())
}

func (f *frame) py(y float64) float64 {
	return float64(f.area.Max.Y) - (y-f.extent.Y)/f.extent.Height*float64(f.area.Dy())
}

// box is a rectangle in pixels, cut to the data. Rectangles that meet in m meet here.
func (f *frame) box(r stack.Rect) image.Rectangle { return f.whole(r).Intersect(f.area) }

// whole is the same where it goes beyond the data.
func (f *frame) whole(r stack.Rect) image.Rectangle {
	return image.Rect(int(f.px(r.X)+0.5), int(f.py(r.Y)+0.5), int(f.px(r.X+r.Width)+0.5), int(f.py(r.Y+r.Height)+0.5))
}

// paint shows a plane of cells in the data area, less zero: reduced by maximum where cells are smaller than pixels,
// crisp where they are larger.
func (f *frame) paint(x, y []float64, shown func(x, y reduction.Bins) []float64, convert func(float64) float64) {
	f.place(f.area, func(w, h int) *image.RGBA { return f.raster(shown(binsOf(x, w), binsOf(y, h)), convert, w, h) })
}

// raster is a picture of w x h pixels. Cells are mostly larger than pixels: a pixel that shows what the one before
// shows takes its colour, and so do rows.
func (f *frame) raster(cells []float64, convert func(float64) float64, w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	var before []float64
	for q := range h {
		row, pix := cells[q*w:(q+1)*w], img.Pix[(h-1-q)*img.Stride:]
		if q > 0 && slices.Equal(row, before) {
			copy(pix[:4*w], img.Pix[(h-q)*img.Stride:])
			continue
		}
		before = row
		var c color.RGBA
		for p, v := range row {
			if p == 0 || v != row[p-1] { // NaN is no other
				c = f.scale.colors.At(f.scale.part(convert(v)))
			}
			pix[4*p], pix[4*p+1], pix[4*p+2], pix[4*p+3] = c.R, c.G, c.B, c.A
		}
	}
	return img
}

func (f *frame) axes() {
	f.frame(f.area.Inset(-1), black)
	f.ticksBelow("x (mm)")
	f.ticksBeside("y (mm)")
}

// ticksBelow draws the horizontal axis in mm.
func (f *frame) ticksBelow(label string) {
	a := f.area
	x0 := f.extent.X * 1e3
	at, labels := ticks(x0, x0+f.extent.Width*1e3, max(1, min(10, a.Dx()/60)))
	for i, v := range at {
		f.tickBelow(int(f.px(v*1e-3)+0.5), a.Max.Y, labels[i])
	}
	f.print(axisStyle, label, float64(a.Min.X+a.Max.X)/2, float64(a.Max.Y+28), anchor{x: 0.5})
}

// tickBelow draws a tick with its label below the edge of some data.
func (c *canvas) tickBelow(x, edge int, label string) {
	c.fill(image.Rect(x, edge+1, x+1, edge+6), black)
	c.print(tickStyle, label, float64(x)+0.5, float64(edge+8), anchor{x: 0.5})
}

// ticksBeside draws the vertical axis in mm.
func (f *frame) ticksBeside(label string) {
	a := f.area
	y0 := f.extent.Y * 1e3
	at, labels := ticks(y0, y0+f.extent.Height*1e3, max(1, min(10, a.Dy()/40)))
	widest := 0
	for i, v := range at {
		widest = max(widest, f.tickBeside(int(f.py(v*1e-3)+0.5), a.Min.X, labels[i]))
	}
	f.labelBeside(a, widest, label)
}

// tickBeside draws a tick with its label left of the edge of some data, and says how wide the label is.
func (c *canvas) tickBeside(y, edge int, label string) int {
	c.fill(image.Rect(edge-6, y, edge-1, y+1), black)
	return c.print(tickStyle, label, float64(edge-9), float64(y)+0.5, anchor{1, 0.5}).Dx()
}

// labelBeside sets the label of a vertical axis left of its ticks.
func (c *canvas) labelBeside(a image.Rectangle, ticks int, label string) {
	up := axisStyle
	up.vertical = true
	c.print(up, label, float64(a.Min.X-16-ticks), float64(a.Min.Y+a.Max.Y)/2, anchor{1, 0.5})
}

func (f *frame) barBeside() {
	r := image.Rect(f.area.Max.X+barGap, f.area.Min.Y, f.area.Max.X+barGap+barThickness, f.area.Max.Y)
	f.place(r, func(w, h int) *image.RGBA {
		return painted(w, h, func(_, y int) color.RGBA { return f.scale.colors.At((float64(h-y) - 0.5) / float64(h)) })
	})
	f.frame(r.Inset(-1), black)
	at, labels := ticks(f.scale.lo, f.scale.hi, min(10, r.Dy()/45))
	for i, v := range at {
		y := r.Max.Y - int(f.scale.part(v)*float64(r.Dy())+0.5)
		f.fill(image.Rect(r.Max.X+1, y, r.Max.X+6, y+1), black)
		f.print(tickStyle, labels[i], float64(r.Max.X+9), float64(y)+0.5, anchor{0, 0.5})
	}
	f.print(axisStyle, f.scale.unit, float64(r.Min.X+r.Max.X)/2, float64(r.Min.Y-5), anchor{0.5, 1})
}

func (f *frame) barBelow() {
	top := f.area.Max.Y + marginBottom - 6
	left, right := f.area.Min.X, max(f.area.Max.X, f.area.Min.X+320)
	unit, _ := f.text.size(axisStyle, f.scale.unit)
	right = min(right, f.w-marginRight-30, f.w-20-unit)
	r := image.Rect(left, top, right, top+barThickness)
	f.place(r, func(w, h int) *image.RGBA {
		return painted(w, h, func(x, _ int) color.RGBA { return f.scale.colors.At((float64(x) + 0.5) / float64(w)) })
	})
	f.frame(r.Inset(-1), black)
	at, labels := ticks(f.scale.lo, f.scale.hi, min(10, r.Dx()/70))
	for i, v := range at {
		f.tickBelow(r.Min.X+int(f.scale.part(v)*float64(r.Dx())+0.5), r.Max.Y, labels[i])
	}
	f.print(axisStyle, f.scale.unit, float64(r.Max.X+10), float64(r.Min.Y+r.Max.Y)/2, anchor{0, 0.5})
}

// fit cuts text to a width in pixels and marks the cut.
func (c *canvas) fit(s style, text string, width int) string {
	text = printable.Text(text)
	if utf8.RuneCountInString(text) <= width {
		if w, _ := c.text.size(s, text); w <= width {
			return text
		}
	}
	// A letter is hardly narrower than a pixel, so that what is longer need not be looked at.
	r := []rune(strings.TrimSpace(text))
	r = r[:min(len(r), max(width, 0))]
	fits := func(n int) bool {
		w, _ := c.text.size(s, string(r[:n])+"…")
		return w <= width
	}
	if n := sort.Search(len(r), func(n int) bool { return !fits(n + 1) }); n > 0 {
		return string(r[:min(n, len(r)-1)]) + "…"
	}
	return ""
}

// niceStep is the smallest round number (1, 2 or 5 times a power of ten) of which span holds at most count.
func niceStep(span float64, count int) float64 {
	raw := span / float64(max(count, 1))
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= raw*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// ticks are the multiples of a round step within lo..hi, at most about count of them, with labels of equal decimals.
func ticks(lo, hi float64, count int) (at []float64, labels []string) {
	if !(hi > lo) {
		return nil, nil
	}
	step := niceStep(hi-lo, count)
	slack := 1e-9 * (hi - lo)
	first := math.Ceil((lo - slack) / step)
	// Counted in whole numbers: far from zero, first and its successor may be one number.
	for n := range 2*count + 4 {
		v := (first + float64(n)) * step
		if !(v <= hi+slack) {
			break
		}
		at = append(at, v)
		labels = append(labels, label(v, step))
	}
	return at, labels
}

// label formats v with the decimals that multiples of step need.
func label(v, step float64) string {
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if v == 0 || math.Abs(v) < step/2 {
		return strconv.FormatFloat(0, 'f', decimals, 64)
	}
	return s
}
