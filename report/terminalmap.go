package report

import (
	"bufio"
	"fmt"
	"image/color"
	"io"
	"math"

	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/report/picture"
	"thermsim/report/printout"
	"thermsim/report/quantity"
	"thermsim/report/summary"
)

// ColorDepth is the number of colors of a terminal.
type ColorDepth int

// Color depths.
const (
	NoColor    ColorDepth = iota
	Palette256            // the 256 colors of xterm
	TrueColor             // 24 bits
)

// Size of the map in the terminal. A character is about twice as tall as wide and shows two values, one above the
// other.
const (
	mapColumns = 64
	mapRows    = 24
	mapBeside  = 18 // columns of the scale
)

// WriteTerminalMap draws the hottest layer as half blocks in the colors of the pictures. It marks the hottest cell and
// adds a scale.
func WriteTerminalMap(w io.Writer, m *mesh.Mesh, f solution.Field, s *summary.Summary, style printout.Style,
	depth ColorDepth) error {
	width := style.Width
	if depth == NoColor || width < mapBeside+24 || !(s.Temperature.MaxK >= s.Temperature.MinK) {
		return nil
	}
	layer := hottestLayer(s)
	kelvin := make([]float64, m.NX()*m.NY())
	if err := new(planeReader).planes(f, m.LayerPlanes[layer], kelvin); err != nil {
		return err
	}
	columns, rows := mapSize(m.X[m.NX()]-m.X[0], m.Y[m.NY()]-m.Y[0], width)
	t := &terminalMap{w: bufio.NewWriter(w), depth: depth, columns: columns, rows: rows, colors: picture.Inferno(),
		unit: style.Units.Scale.Or("degC")}
	t.values = picture.Thumbnail(m.X, m.Y, kelvin, columns, 2*rows)
	t.lo, t.hi = math.Inf(1), math.Inf(-1)
	for i, v := range t.values {
		t.lo = min(t.lo, v)
		if v > t.hi {
			t.hi, t.hottest = v, i
		}
	}
	fmt.Fprintf(t.w, "\n\x1b[1mHottest layer: %s\x1b[0m  \x1b[2m%s x %s mm%s\x1b[0m\n", m.Stack.Layers[layer].Name,
		quantity.Millimetres(m.X[m.NX()]-m.X[0]), quantity.Millimetres(m.Y[m.NY()]-m.Y[0]), comma(s.LastStepNote()))
	t.draw()
	return t.w.Flush()
}

func hottestLayer(s *summary.Summary) int {
	best := 0
	for i := range s.Layers {
		if s.Layers[i].MaxK > s.Layers[best].MaxK {
			best = i
		}
	}
	return best
}

// mapSize keeps the aspect ratio of the layer.
func mapSize(x, y float64, width int) (columns, rows int) {
	columns = min(mapColumns, width-mapBeside)
	rows = int(math.Round(float64(columns) * y / x / 2))
	if rows > mapRows {
		rows = mapRows
		columns = min(columns, int(math.Round(2*float64(rows)*x/y)))
	}
	return max(2, columns), max(1, rows)
}

type terminalMap struct {
	w             *bufio.Writer
	depth         ColorDepth
	columns, rows int // characters
	values        []float64
	lo, hi        float64
	hottest       int
	colors        *picture.Colormap
	unit          *quantity.Scale
}

func (t *terminalMap) part(v float64) float64 {
	if t.hi-t.lo < 1e-4 {
		return 0.5
	}
	return (v - t.lo) / (t.hi - t.lo)
}

// draw writes the rows from the north.
func (t *terminalMap) draw() {
	for row := range t.rows {
		upper := 2*t.rows - 1 - 2*row
		t.w.WriteString("  ")
		for c := range t.columns {
			n, s := upper*t.columns+c, (upper-1)*t.columns+c
			a, b := t.colors.At(t.part(t.values[n])), t.colors.At(t.part(t.values[s]))
			if t.hottest == n || t.hottest == s {
				t.w.WriteString(t.code(48, t.colors.At(t.part(t.hi))) + t.code(38, color.RGBA{A: 255}) + "✕")
				continue
			}
			t.w.WriteString(t.code(38, a) + t.code(48, b) + "▀")
		}
		t.w.WriteString("\x1b[0m" + t.scale(row) + "\n")
	}
}

// scale is the part of the color scale next to a row.
func (t *terminalMap) scale(row int) string {
	part := func(half int) float64 {
		if t.rows == 1 {
			return 1 - float64(half)
		}
		return 1 - (float64(2*row+half))/float64(2*t.rows-1)
	}
	bar := "  " + t.code(38, t.colors.At(part(0))) + t.code(48, t.colors.At(part(1))) + "▀▀\x1b[0m"
	var value float64
	switch {
	case row == 0:
		value = t.hi
	case row == t.rows-1:
		value = t.lo
	case t.rows > 8 && row == t.rows/2:
		value = t.lo + (t.hi-t.lo)*(part(0)+part(1))/2
	default:
		return bar
	}
	return bar + " " + quantity.DigitsFor(t.hi-t.lo).Kelvin(t.unit.Of(value)) + " " + t.unit.Symbol()
}

// code sets the foreground (38) or background (48).
func (t *terminalMap) code(which int, c color.RGBA) string {
	if t.depth == TrueColor {
		return fmt.Sprintf("\x1b[%d;2;%d;%d;%dm", which, c.R, c.G, c.B)
	}
	level := func(v uint8) int { return (int(v)*5 + 127) / 255 }
	return fmt.Sprintf("\x1b[%d;5;%dm", which, 16+36*level(c.R)+6*level(c.G)+level(c.B))
}
