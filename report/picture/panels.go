package picture

import (
	"errors"
	"fmt"
	"image"
	"io"
	"math"

	"thermsim/stack"
)

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
	c.print(titleStyle, c.fit(titleStyle, p.Title, c.w-40), 20, 14, anchor{})
	c.print(subtitleStyle, c.fit(subtitleStyle, p.Subtitle, c.w-40), 20, 40, anchor{})
	s := celsiusScale(p.Lo, p.Hi, &p.Look)
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
	return isothermStep(lo, hi)
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
