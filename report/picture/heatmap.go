package picture

import (
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"slices"

	"thermsim/gpusolve/reduction"
	"thermsim/stack"
)

// HeatMap is the temperature of a plane, to be drawn in the unit of its look.
type HeatMap struct {
	Title, Subtitle string
	X, Y            []float64 // faces of the cells in m, ascending
	Kelvin          []float64 // x fastest, south first
	Bins            *Bins     // in place of Kelvin
	Lo, Hi          float64   // K, the range of the colours
	Blocks          []Outline // thin lines with names
	Regions         []Outline // dashed lines
	Flow            *Flow     // of coolant, nil without
	Points          []Mark    // places of sensors
	Look            Look
	// IsothermStep is between isotherms, in K; 0 for what suits the map. Maps of one figure have one.
	IsothermStep float64
	// Difference says that Kelvin holds differences of temperatures, which are drawn in K.
	Difference bool
	// Unit is that of other values than temperatures in Kelvin, Lo and Hi, which are drawn without isotherms and mark.
	Unit string

	coldest float64 // of the bins that were shown, K; 0 for none yet
	failed  error   // of bringing them
}

// Bins are temperatures that lie elsewhere and are brought here as a picture shows them.
type Bins struct {
	// Maxima are the temperatures in bins along x and y, K, x fastest.
	Maxima func(x, y reduction.Bins) ([]float64, error)
	// Hottest is the hottest cell, -1 where none has a temperature, and Kelvin its temperature.
	Hottest int
	Kelvin  float64
}

// Mark is a named point in m.
type Mark struct {
	Name string
	X, Y float64
}

// conversion returns the function from the temperatures of the map to the unit of the picture.
func (m *HeatMap) conversion() func(float64) float64 {
	if m.Difference || m.Unit != "" {
		return unchanged
	}
	return m.Look.Scale.Or("degC").Of
}

func unchanged(v float64) float64 { return v }

// minSpan is the smallest range of colours in K: below it a map is of one colour, and not a picture of rounding errors.
const minSpan = 1e-4

// Write draws the map. Planes with more cells than pixels are reduced by maximum; cells larger than a pixel stay crisp.
func (m *HeatMap) Write(w io.Writer, format Format) error {
	if err := m.check(); err != nil {
		return err
	}
	f, err := newFrame(m.Title, m.Subtitle, m.extent(), m.scale(), m.Look, format)
	if err != nil {
		return err
	}
	m.draw(f)
	if err := f.write(w, format); err != nil {
		return err
	}
	return m.failed
}

// shown is the map in bins. A failure comes out of Write.
func (m *HeatMap) shown(x, y reduction.Bins) []float64 {
	if m.Bins == nil {
		return reduce(m.Kelvin, len(m.X)-1, x, y)
	}
	v, err := m.Bins.Maxima(x, y)
	if m.failed == nil {
		m.failed = err
	}
	if err != nil {
		v = slices.Repeat([]float64{math.NaN()}, len(x.First)*len(y.First))
	}
	for _, t := range v {
		if m.coldest == 0 || t < m.coldest {
			m.coldest = t
		}
	}
	return v
}

func (m *HeatMap) check() error {
	nx, ny := len(m.X)-1, len(m.Y)-1
	if nx < 1 || ny < 1 || m.Bins == nil && len(m.Kelvin) != nx*ny {
		return fmt.Errorf("drawing a heat map: %d temperatures for %d x %d cells", len(m.Kelvin), nx, ny)
	}
	if !(m.X[nx] > m.X[0]) || !(m.Y[ny] > m.Y[0]) {
		return errors.New("drawing a heat map: the plane has no area")
	}
	return nil
}

func (m *HeatMap) extent() stack.Rect {
	nx, ny := len(m.X)-1, len(m.Y)-1
	return stack.Rect{X: m.X[0], Y: m.Y[0], Width: m.X[nx] - m.X[0], Height: m.Y[ny] - m.Y[0]}
}

// scale is the range of colours; differences have 0 in its middle, and by default blue and red on its sides.
func (m *HeatMap) scale() scale {
	if m.Unit != "" {
		return (&scale{colors: m.Look.colors(), lo: m.Lo, hi: m.Hi, unit: m.Unit}).widened()
	}
	if !m.Difference {
		return temperatureScale(m.Lo, m.Hi, &m.Look)
	}
	most := max(math.Abs(m.Lo), math.Abs(m.Hi), minSpan)
	s := scale{colors: m.Look.Colors, lo: -most, hi: most, unit: "K"}
	if s.colors == nil {
		s.colors = Coolwarm()
	}
	return s
}

// temperatureScale is the range of colours in the unit of a look.
func temperatureScale(lo, hi float64, look *Look) scale {
	unit := look.Scale.Or("degC")
	return (&scale{colors: look.colors(), lo: unit.Of(lo), hi: unit.Of(hi), unit: unit.Symbol()}).widened()
}

// widened is a scale with room around a uniform value.
func (s *scale) widened() scale {
	if !(s.hi-s.lo >= minSpan) {
		middle := (s.lo + s.hi) / 2
		if math.IsNaN(middle) || math.IsInf(middle, 0) {
			middle = 0
		}
		s.lo, s.hi = middle-0.5, middle+0.5
	}
	return *s
}

// draw fills the data area: colours, outlines, isotherms, the hottest point and the names.
func (m *HeatMap) draw(f *frame) {
	m.paint(f)
	for i := range m.Regions {
		f.outline(m.Regions[i].Rects(), 5, 0.5)
	}
	for i := range m.Blocks {
		f.outline(m.Blocks[i].Rects(), 0, 0.42)
	}
	f.flow(m.Flow)
	levels := m.isotherms(f)
	mark := m.placeMark(f)
	f.marks(m.Points)
	for i := range m.Blocks {
		f.nameOutline(&m.Blocks[i], false)
	}
	for i := range slices.Backward(m.Regions) { // the topmost first
		f.nameRegion(&m.Regions[i])
	}
	for i := range levels {
		f.labelIsotherm(&levels[i])
	}
	mark.draw(f)
}

// paint colours the data area.
func (m *HeatMap) paint(f *frame) { f.paint(m.X, m.Y, m.shown, m.conversion()) }

// hotMark is the mark of the hottest point and where its label goes.
type hotMark struct {
	x, y  float64
	label string
	style style
	box   image.Rectangle
}

// placeMark finds the hottest cell and a position for its label.
func (m *HeatMap) placeMark(f *frame) *hotMark {
	best, kelvin, coldest := m.extremes()
	if best < 0 || m.Unit != "" || kelvin-coldest < minSpan {
		return nil // no point is the hottest
	}
	nx := len(m.X) - 1
	i, j := best%nx, best/nx
	mark := &hotMark{x: f.px((m.X[i] + m.X[i+1]) / 2), y: f.py((m.Y[j] + m.Y[j+1]) / 2)}
	decimals := 1
	if span := f.scale.hi - f.scale.lo; span < 5 {
		decimals = 2 + max(0, int(math.Ceil(-math.Log10(2*span)))) // three figures of the range
	}
	mark.label = fmt.Sprintf("%.*f %s", decimals, m.conversion()(kelvin), f.scale.unit)
	mark.style = style{size: 15, bold: true}
	const off = 11
	places := []struct {
		dx, dy float64
		a      anchor
	}{
		{off, 0, anchor{0, 0.5}}, {-off, 0, anchor{1, 0.5}}, {0, -off, anchor{0.5, 1}}, {0, off, anchor{0.5, 0}},
		{off, -off, anchor{0, 1}}, {-off, -off, anchor{1, 1}}, {off, off, anchor{0, 0}}, {-off, off, anchor{1, 0}},
	}
	for _, p := range places {
		box := f.textBox(mark.style, mark.label, mark.x+p.dx, mark.y+p.dy, p.a)
		if box.Inset(-2).In(f.area) {
			mark.box = box
			f.readable(&mark.style, box, false)
			break
		}
	}
	if mark.box.Empty() { // a strip too thin for any: above it
		mark.box = f.textBox(mark.style, mark.label, mark.x, float64(f.area.Min.Y-4), anchor{0.5, 1})
		mark.style.color = black
	}
	around := image.Rect(int(mark.x)-8, int(mark.y)-8, int(mark.x)+9, int(mark.y)+9)
	f.taken = append(f.taken, mark.box, around)
	return mark
}

// extremes are the hottest cell, -1 for none, with its temperature, and the coldest temperature; of bins, of those that
// were shown.
func (m *HeatMap) extremes() (best int, kelvin, coldest float64) {
	if m.Bins != nil {
		return m.Bins.Hottest, m.Bins.Kelvin, m.coldest
	}
	best, coldest = -1, math.Inf(1)
	for n, v := range m.Kelvin {
		if !math.IsNaN(v) && (best < 0 || v > kelvin) {
			best, kelvin = n, v
		}
		coldest = min(coldest, v)
	}
	return best, kelvin, coldest
}

func (k *hotMark) draw(f *frame) {
	if k == nil {
		return
	}
	f.disc(k.x, k.y, 6, fade(black, 0.85))
	f.disc(k.x, k.y, 4.5, white)
	f.disc(k.x, k.y, 2.5, black)
	f.print(k.style, k.label, float64(k.box.Min.X), float64(k.box.Min.Y), anchor{})
}

// marks draws the points that lie in the data area, and their names where there is space.
func (f *frame) marks(points []Mark) {
	for _, p := range points {
		x, y := f.px(p.X), f.py(p.Y)
		if !image.Pt(int(x), int(y)).In(f.area) {
			continue
		}
		around := image.Rect(int(x)-5, int(y)-5, int(x)+5, int(y)+5)
		f.fill(around, black)
		f.fill(around.Inset(2), white)
		f.taken = append(f.taken, around)
		s := style{size: 13, bold: true}
		for _, at := range []point{{9, 0}, {-9, 0}, {0, 16}, {0, -16}} {
			box := f.textBox(s, p.Name, x+at.x, y+at.y, anchor{0.5 - at.x/18, 0.5})
			if box.In(f.area) && !f.collides(box) {
				f.taken = append(f.taken, box)
				f.readable(&s, box, false)
				f.print(s, p.Name, float64(box.Min.X), float64(box.Min.Y), anchor{})
				break
			}
		}
	}
}

// nameRegion sets the name of a region in its upper left corner.
func (f *frame) nameRegion(o *Outline) {
	if o.Name == "" {
		return
	}
	for _, r := range o.Rects() {
		b := f.box(r)
		s := style{size: 12}
		box := f.textBox(s, o.Name, float64(b.Min.X+4), float64(b.Min.Y+3), anchor{})
		if !box.In(b) || f.collides(box) {
			continue
		}
		f.taken = append(f.taken, box)
		f.readable(&s, box, false)
		f.print(s, o.Name, float64(box.Min.X), float64(box.Min.Y), anchor{})
		return
	}
}

// Panels shows several maps of one stack side by side, with one range of colours.
type Panels struct {
	Title, Subtitle string
	Maps            []HeatMap // Title names the panel; the look and the range of each are those of the whole
	Lo, Hi          float64   // K
	Look            Look
}

const (
	panelWidth = 380 // of the data of one panel
	panelGap   = 26
	panelTitle = 26
	maxPanels  = 64
)

var panelStyle = style{size: 14, bold: true, color: black}

// Write draws the panels.
func (p *Panels) Write(w io.Writer, format Format) error {
	if len(p.Maps) == 0 {
		return errors.New("drawing panels: there are no maps")
	}
	if len(p.Maps) > maxPanels {
		return fmt.Errorf("drawing panels: %d maps are too many for one picture; choose at most %d layers", len(p.Maps),
			maxPanels)
	}
	for i := range p.Maps {
		if err := p.Maps[i].check(); err != nil {
			return err
		}
	}
	extent := p.Maps[0].extent()
	columns := p.columns(extent)
	rows := (len(p.Maps) + columns - 1) / columns
	fixed := marginLeft + (columns-1)*panelGap + barGap + barThickness + barLabels
	wide := min(panelWidth, 1500/columns)
	if wish := p.Look.width(); wish > 0 {
		wide = max(60, (wish-fixed)/columns)
	}
	tall := max(2, int(float64(wide)*extent.Height/extent.Width+0.5))
	if tall > 3*wide {
		tall, wide = 3*wide, max(2, int(float64(3*wide)*extent.Width/extent.Height+0.5))
	}
	bodyWidth, bodyHeight := columns*wide+(columns-1)*panelGap, rows*(tall+panelTitle)+(rows-1)*(panelGap/2)
	c, err := newCanvas(marginLeft+bodyWidth+barGap+barThickness+barLabels,
		marginTop-8+max(bodyHeight, 120)+marginBottom, p.Look, format)
	if err != nil {
		return err
	}
	c.titles(p.Title, p.Subtitle, 20, 40)
	s := temperatureScale(p.Lo, p.Hi, &p.Look)
	step := p.isothermStep()
	top := marginTop - 8
	for i := range p.Maps {
		row, column := i/columns, i%columns
		x, y := marginLeft+column*(wide+panelGap), top+row*(tall+panelTitle+panelGap/2)+panelTitle
		f := &frame{canvas: c, area: image.Rect(x, y, x+wide, y+tall), extent: extent, scale: s}
		c.print(panelStyle, c.fit(panelStyle, p.Maps[i].Title, wide), float64(x), float64(y-4), anchor{0, 1})
		m := p.Maps[i]
		m.IsothermStep = step
		m.draw(f)
		f.frame(f.area.Inset(-1), black)
		if column == 0 {
			f.ticksBeside("y (mm)")
		}
		if i+columns >= len(p.Maps) {
			f.ticksBelow("x (mm)")
		}
	}
	bar := &frame{canvas: c, area: image.Rect(marginLeft, top+panelTitle, marginLeft+bodyWidth,
		top+max(bodyHeight, 120)), scale: s}
	bar.barBeside()
	return c.write(w, format)
}

// isothermStep is one for all maps, by their temperatures together.
func (p *Panels) isothermStep() float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range p.Maps {
		for _, v := range p.Maps[i].Kelvin {
			if v-v == 0 {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	if !(hi > lo) {
		return 0
	}
	of := p.Look.Scale.Or("degC").Of
	return isothermStep(of(lo), of(hi))
}

// columns is the number of panels in a row that brings the whole nearest to 4 : 3.
func (p *Panels) columns(extent stack.Rect) int {
	best, least := 1, math.Inf(1)
	for n := 1; n <= len(p.Maps); n++ {
		rows := (len(p.Maps) + n - 1) / n
		shape := float64(n) * extent.Width / (float64(rows) * (extent.Height + 0.1*extent.Width))
		if off := math.Abs(math.Log(shape / (4.0 / 3))); off < least {
			best, least = n, off
		}
	}
	return best
}
