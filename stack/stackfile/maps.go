package stackfile

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"path/filepath"
	"slices"
	"strings"

	"thermsim/internal/npy"
	"thermsim/stack"
	"thermsim/stack/internal/tree"
)

// fill reads the inclusions of a region; nil if it has none.
func (l *loader) fill(t *table, region stack.Rect) *stack.Fill {
	f := t.sub("fill")
	if f == nil {
		return nil
	}
	out := &stack.Fill{NX: 1, NY: 1}
	if name := f.text("inclusion"); name != "" {
		out.Inclusion, _ = l.materials.use(name, f.pos("inclusion"))
	}
	if !f.has("map") {
		for _, name := range f.given("orientation", "scale") {
			l.fail(f.pos(name), "remove it", "%s needs a map", name)
		}
		var fraction float64
		out.Rule, fraction, _ = f.fraction(region)
		out.Values = []float64{fraction}
		return out
	}
	out.Rule = stack.Cylinders
	if f.has("rule") {
		out.Rule = stack.Rule(f.text("rule"))
	}
	l.fillMap(f, out)
	return out
}

// fillMap reads the fractions of the tiles.
func (l *loader) fillMap(t *table, f *stack.Fill) {
	n, _ := t.get("map")
	grid, ok := l.densities(n, false)
	if !ok {
		return
	}
	scale := t.scalar("scale")
	if !t.has("orientation") && !grid.picture {
		l.fail(t.node.Pos, `add orientation = "south-first" or "north-first", by which row comes first`,
			"a map of fractions needs orientation")
		return
	}
	wrong := 0
	for j, row := range grid.rows {
		for i, v := range row {
			if x := v * scale; !(x >= 0 && x <= f.Rule.Most()) {
				if wrong++; wrong <= stack.MaxOverlaps {
					l.fail(grid.pos(i, j), "", "a fraction must lie between 0 and %.4g, got %v", f.Rule.Most(), x)
				}
			}
		}
	}
	f.NX, f.NY, f.File = len(grid.rows[0]), len(grid.rows), grid.file
	f.Values = grid.tiles(t, func(v float64) float64 { return v * scale })
}

// densityGrid is a map of densities in the order of its file.
type densityGrid struct {
	rows    [][]float64
	file    string // empty if the rows are in the stack file
	picture bool
	pos     func(column, row int) stack.Pos // of a value
	// Temperatures in K of the planes that the rows are divided into, and the ratio of width to height that the tiles
	// have together; empty and 0 where the file does not have them.
	temperatures []float64
	aspect       float64
	planes       int // in binary files
}

// tiles are the scaled values from the southern row. Pictures begin with the northern row, and maps that say so.
func (g *densityGrid) tiles(t *table, scaled func(float64) float64) []float64 {
	if t.text("orientation") != "south-first" {
		slices.Reverse(g.rows)
	}
	values := make([]float64, 0, len(g.rows)*len(g.rows[0]))
	for _, row := range g.rows {
		values = append(values, each(row, scaled)...)
	}
	return values
}

// densities reads a map, of powers or else, from a CSV or NPY file, from the grey levels of a PNG, or from rows in the
// table. Maps of powers may have a plane for each of several temperatures.
func (l *loader) densities(n *tree.Node, powers bool) (g densityGrid, ok bool) {
	if n.Kind != tree.String {
		g.rows, ok = l.numberRows(n, "map")
		g.pos = func(i, j int) stack.Pos { return n.Items[j].Items[i].Pos }
		return g, ok
	}
	path, data, ok := l.input(n, "map")
	if !ok {
		return g, false
	}
	g.file = path
	var err error
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case ext == ".npy" && powers:
		g.rows, g.planes, err = npy.Planes(data, maxTiles)
	case ext == ".npy":
		g.rows, err = npy.Matrix(data, maxTiles)
	case ext == ".png":
		g.picture = true
		g.rows, err = readGreys(data)
	case ext == ".npz" && powers:
		g.rows, g.temperatures, err = readPowerArchive(data)
	case isChipThermalModel(path) && powers:
		g.rows, g.temperatures, g.aspect, err = readChipThermalModel(data)
	default:
		r := &fileReader{file: path}
		var places [][]stack.Pos
		g.rows, places = r.matrix(data, powers)
		g.pos = func(i, j int) stack.Pos { return places[j][i] }
		if err := r.err(); err != nil {
			l.addAll(err)
			return g, false
		}
		return g, true
	}
	if err != nil {
		l.faults.Add(&stack.Error{Pos: stack.Pos{File: path}, Msg: err.Error(),
			Remedy: fmt.Sprintf("%s:%d names the file", n.Pos.File, n.Pos.Line), Err: err})
		return g, false
	}
	// A binary file has no lines; rows and columns of the map are reported instead.
	g.pos = func(i, j int) stack.Pos { return stack.Pos{File: path, Line: j + 1, Col: i + 1} }
	return g, true
}

// readGreys reads the grey levels of a PNG, 0 for black and 1 for white, from its upper row down.
func readGreys(data []byte) ([][]float64, error) {
	head, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("not a readable PNG: %w", err)
	}
	if n := int64(head.Width) * int64(head.Height); n < 1 || n > maxTiles {
		return nil, fmt.Errorf("image of %d by %d pixels; expected 1 to %d tiles", head.Width, head.Height,
			maxTiles)
	}
	if n := head.Width * head.Height; n > freePixels+pixelsPerByte*len(data) {
		return nil, fmt.Errorf("image of %d by %d pixels in %d bytes: nearly all of one shade; use a smaller image",
			head.Width, head.Height, len(data))
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("not a readable PNG: %w", err)
	}
	b := img.Bounds()
	rows := make([][]float64, b.Dy())
	for j := range rows {
		rows[j] = make([]float64, b.Dx())
		for i := range rows[j] {
			c := color.NRGBA64Model.Convert(img.At(b.Min.X+i, b.Min.Y+j)).(color.NRGBA64)
			if c.R != c.G || c.G != c.B || c.A != 0xffff {
				return nil,
					fmt.Errorf("pixel %d, %d is colored or transparent; expected shades of gray", i+1,
						j+1)
			}
			rows[j][i] = float64(c.R) / 0xffff
		}
	}
	return rows, nil
}

// Pictures of shades pack ten times smaller or so; of one shade alone, a thousand times. Beyond freePixels they may
// not.
const freePixels, pixelsPerByte = 4 << 20, 100

// maxTiles is the largest map that is read.
const maxTiles = 1 << 28
