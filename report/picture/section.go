package picture

import (
	"errors"
	"fmt"
	"image"
	"io"
	"math"

	"thermsim/stack"
)

// Section is the temperature on a vertical plane through the stack.
type Section struct {
	Title, Subtitle string
	Axis            string    // "x" or "y", the horizontal one
	Across          []float64 // faces of the cells along it in m, ascending
	Z               []float64 // faces of the planes in m, bottom first
	Kelvin          []float64 // along the axis fastest, bottom first
	Lo, Hi          float64   // K, the range of the colours
	Layers          []Interval
	// Borders of regions of another material are dashed.
	Borders []SectionBorder
	// ToScale draws heights and widths alike. Otherwise thin layers are stretched: each can be read, and a thicker one
	// is still taller.
	ToScale bool
	// Tallest is the height of the data in pixels that stretched layers must not exceed; 0 for any.
	Tallest int
	Look    Look
}

// Interval is a layer between two heights in m.
type Interval struct {
	Name     string
	From, To float64
}

// SectionBorder is a place along the section, in m, where a layer changes its material.
type SectionBorder struct {
	Layer int
	At    float64
}

const (
	sectionWidth = 820 // pixels of the data
	layerLow     = 26  // height of the thinnest layer where heights are stretched
	layerStretch = 84  // added to the thickest
	heightLabels = 74  // room for heights right of the data
	leastSection = 40  // of a section drawn to scale
	leastBar     = 150 // smallest height of the color bar
)

// Write draws the section.
func (s *Section) Write(w io.Writer, format Format) error {
	n, nz := len(s.Across)-1, len(s.Z)-1
	if n < 1 || nz < 1 || len(s.Kelvin) != n*nz || len(s.Layers) == 0 {
		return fmt.Errorf("drawing a section: %d temperatures for %d cells in %d planes of %d layers", len(s.Kelvin), n,
			nz, len(s.Layers))
	}
	if !(s.Across[n] > s.Across[0]) || !(s.Z[nz] > s.Z[0]) {
		return errors.New("drawing a section: the plane has no area")
	}
	names, err := s.nameRoom()
	if err != nil {
		return err
	}
	left := names + 24
	width := sectionWidth
	if wish := s.Look.width(); wish > 0 {
		width = max(120, wish-left-heightLabels-barGap-barThickness-barLabels)
	}
	stretched, height := s.stretch(width)
	total := left + width + heightLabels + barGap + barThickness + barLabels
	c, err := newCanvas(total, marginTop+max(height, leastBar)+marginBottom, s.Look, format)
	if err != nil {
		return err
	}
	top := marginTop
	f := &frame{
		canvas: c, area: image.Rect(left, top, left+width, top+height), scale: temperatureScale(s.Lo, s.Hi, &s.Look),
		extent: stack.Rect{X: s.Across[0], Y: 0, Width: s.Across[n] - s.Across[0], Height: stretched[nz]},
	}
	c.titles(s.Title, s.Subtitle, 20, 40)
	hot := HeatMap{X: s.Across, Y: stretched, Kelvin: s.Kelvin, Look: s.Look}
	f.paint(s.Across, stretched, hot.shown, hot.conversion())
	s.borders(f, stretched)
	s.layers(f, stretched)
	if mark := hot.placeMark(f); mark != nil {
		mark.draw(f)
	}
	f.frame(f.area.Inset(-1), black)
	f.ticksBelow(s.Axis + " (mm)")
	bar := *f
	bar.area = image.Rect(f.area.Min.X, top, f.area.Max.X+heightLabels, top+max(height, leastBar))
	bar.barBeside()
	return c.write(w, format)
}

func (s *Section) nameRoom() (int, error) {
	c, err := newCanvas(1, 1, s.Look, PNG)
	if err != nil {
		return 0, err
	}
	widest := 40
	for _, l := range s.Layers {
		w, _ := c.text.size(tickStyle, l.Name)
		widest = max(widest, min(w, 160))
	}
	return widest, nil
}

// stretch places the faces of the planes, in pixels above the bottom, and returns the height of the whole.
func (s *Section) stretch(width int) (at []float64, height int) {
	nz := len(s.Z) - 1
	at = make([]float64, nz+1)
	if s.ToScale {
		perMetre := float64(width) / (s.Across[len(s.Across)-1] - s.Across[0])
		perMetre = max(perMetre, leastSection/(s.Z[nz]-s.Z[0])) // and where that would be a mere line, a little taller
		for k, z := range s.Z {
			at[k] = (z - s.Z[0]) * perMetre
		}
		return at, int(at[nz] + 0.5)
	}
	thickness := make([]float64, len(s.Layers))
	for i, l := range s.Layers {
		thickness[i] = l.To - l.From
	}
	heights := stretched(thickness, layerLow, layerStretch)
	share := 1.0
	if s.Tallest > 0 {
		sum := 0
		for _, h := range heights {
			sum += h
		}
		share = min(1, float64(s.Tallest)/float64(sum))
	}
	bottom := 0.0
	for i, l := range s.Layers {
		tall := float64(heights[i]) * share
		for k, z := range s.Z {
			if z >= l.From {
				at[k] = bottom + tall*min(1, (z-l.From)/(l.To-l.From))
			}
		}
		bottom += tall
	}
	return at, int(bottom)
}

// borders draws those of regions as dashes over the height of their layer.
func (s *Section) borders(f *frame, stretched []float64) {
	const dash = 4
	for _, b := range s.Borders {
		if b.Layer < 0 || b.Layer >= len(s.Layers) {
			continue
		}
		below, above := s.place(f, stretched, s.Layers[b.Layer].From), s.place(f, stretched, s.Layers[b.Layer].To)
		if below != below || above != above {
			continue
		}
		at := image.Pt(int(f.px(b.At)+0.5), 0)
		for at.Y = int(above + 0.5); at.Y < int(below+0.5); at.Y++ {
			if at.X > f.area.Min.X && at.In(f.area) && at.Y/dash%2 == 0 && !f.isInked(at) {
				f.ink(at.X, at.Y, 0.6)
				f.markInked(at)
			}
		}
	}
	f.keepInk()
}

// place is the height of a face of the layers on the picture, NaN where there is none.
func (s *Section) place(f *frame, stretched []float64, z float64) float64 {
	for k := range s.Z {
		if math.Abs(s.Z[k]-z) <= 1e-9*(s.Z[len(s.Z)-1]-s.Z[0]) {
			return f.py(stretched[k])
		}
	}
	return math.NaN()
}

// layers draws the boundaries, with names on the left and heights on the right where there is room.
func (s *Section) layers(f *frame, stretched []float64) {
	place := func(z float64) float64 { return s.place(f, stretched, z) }
	lastName, lastHeight := math.Inf(1), math.Inf(1)
	heightAt := func(z float64) {
		y := place(z)
		if lastHeight-y < 14 {
			return
		}
		lastHeight = y
		f.fill(image.Rect(f.area.Max.X+1, int(y+0.5), f.area.Max.X+6, int(y+0.5)+1), black)
		f.print(tickStyle, micrometres(z-s.Z[0]), float64(f.area.Max.X+9), y, anchor{0, 0.5})
	}
	heightAt(s.Z[0])
	for i, l := range s.Layers {
		below, above := place(l.From), place(l.To)
		if i > 0 && below-above > 2 {
			for x := f.area.Min.X; x < f.area.Max.X; x++ {
				f.ink(x, int(below+0.5)-1, 0.45)
			}
		}
		if middle := (below + above) / 2; lastName-middle >= 14 && below-above > 3 {
			lastName = middle
			f.print(tickStyle, f.fit(tickStyle, l.Name, f.area.Min.X-20), float64(f.area.Min.X-8), middle,
				anchor{1, 0.5})
		}
		heightAt(l.To)
	}
	f.keepInk()
	f.print(axisStyle, "z (µm)", float64(f.area.Max.X+9), float64(f.area.Min.Y-5), anchor{0, 1})
}

// micrometres writes a height to four figures.
func micrometres(z float64) string {
	um := z * 1e6
	if um == 0 {
		return "0"
	}
	decimals := max(0, 3-int(math.Floor(math.Log10(math.Abs(um)))))
	s := fmt.Sprintf("%.*f", min(decimals, 3), um)
	return trimZeros(s)
}
