package picture

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
)

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
	pic.print(titleStyle, pic.fit(titleStyle, t.Title, pic.w-28), 16, 14, anchor{})
	pic.print(subtitleStyle, pic.fit(subtitleStyle, t.Subtitle, pic.w-28), 16, 40, anchor{})
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
