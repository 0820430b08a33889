package hotspot

import (
	"math"
	"path/filepath"
	"strings"

	"thermsim/stack"
)

// Outputs is the data to write results in HotSpot's formats.
type Outputs struct {
	Name       string // of the files, without extension
	Rows, Cols int
	MapMode    string  // avg, min, max or center
	Interval   float64 // s, of the trace
	Layers     []OutputLayer
	Columns    []OutputColumn // of .ttrace: those of the power trace
	// DieX and DieY are the first column and row of the mesh over the die; its cells are those of HotSpot.
	DieX, DieY int
	Rim        int // first node of the rim in the network, -1 without one
}

// OutputLayer is a layer with its blocks.
type OutputLayer struct {
	Prefix string
	Blocks []OutputBlock
}

// BlockTemperature is the temperature of a block by grid_map_mode, where plane holds the cells of its layer, the
// southern row first: over every cell that it touches, with equal weights, or of those in its middle.
func (o *Outputs) BlockTemperature(b *OutputBlock, plane func(cell int) float64) float64 {
	at := func(row, col int) float64 { return plane(row*o.Cols + col) }
	if o.MapMode == "center" {
		// HotSpot counts rows from the north; of an even number it uses the two in the middle.
		n0, n1 := o.Rows-b.Row1, o.Rows-b.Row0
		i1, j1 := (n0+n1)/2, (b.Col0+b.Col1)/2
		i2, j2 := i1, j1
		if (n1-n0)%2 == 0 {
			i2--
		}
		if (b.Col1-b.Col0)%2 == 0 {
			j2--
		}
		i1, i2 = o.Rows-1-i1, o.Rows-1-i2
		return (at(i1, j1) + at(i2, j1) + at(i1, j2) + at(i2, j2)) / 4
	}
	lo, hi, sum, n := math.Inf(1), math.Inf(-1), 0.0, 0
	for row := b.Row0; row < b.Row1; row++ {
		for col := b.Col0; col < b.Col1; col++ {
			v := at(row, col)
			lo, hi, sum, n = min(lo, v), max(hi, v), sum+v, n+1
		}
	}
	switch o.MapMode {
	case "min":
		return lo
	case "max":
		return hi
	}
	return sum / float64(n)
}

// OutputColumn is a block with power, Layers[Layer].Blocks[Block], and its name in the trace.
type OutputColumn struct {
	Layer, Block int
	Name         string
}

// OutputBlock is a block and the cells that it touches: rows from Row0 to before Row1, from the south, and columns
// likewise.
type OutputBlock struct {
	Name                   string
	Row0, Row1, Col0, Col1 int
}

func (c *converter) prepareOutputs() {
	base := filepath.Base(c.config.file)
	o := &Outputs{
		Name: strings.TrimSuffix(base, filepath.Ext(base)), Rows: c.rows, Cols: c.cols,
		MapMode:  strings.ToLower(c.config.text("grid_map_mode")),
		Interval: c.config.number("sampling_intvl"), Rim: -1, Columns: c.columns,
	}
	if c.Network != nil {
		o.Rim = len(c.slabs) * c.rows * c.cols
	} else {
		o.DieX, o.DieY = cellsBefore(c.Stack.Grid.X, c.x), cellsBefore(c.Stack.Grid.Y, c.y)
	}
	cw, ch := c.cell()
	for s := range c.slabs {
		l := OutputLayer{Prefix: c.slabs[s].prefix}
		for u := range c.slabs[s].units {
			r0, r1, c0, c1 := cellsOf(&c.slabs[s].units[u], cw, ch)
			if r1 <= r0 || c1 <= c0 || r1 > c.rows || c1 > c.cols {
				c.Faults.Add(c.slabs[s].units[u].pos, "use more rows and columns", "block %q covers no cell of the "+
					"grid of %d x %d", c.slabs[s].units[u].name, c.cols, c.rows)
				return
			}
			l.Blocks = append(l.Blocks, OutputBlock{c.slabs[s].units[u].name, r0, r1, c0, c1})
		}
		o.Layers = append(o.Layers, l)
	}
	c.Outputs = o
}

// cellsBefore is the number of cells of a graded axis up to a coordinate.
func cellsBefore(a stack.Axis, to float64) (n int) {
	for _, s := range a.Segments {
		if s.To <= to*(1+1e-9) {
			n += s.Cells
		}
	}
	return n
}
