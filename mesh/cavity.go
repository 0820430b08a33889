package mesh

import (
	"fmt"
	"math"
	"sort"

	"thermsim/stack"
	"thermsim/stack/coolant"
)

// Cavity is a layer with coolant, on the grid. Lines are the rows or columns of cells along the flow. Those with
// coolant transport heat,
//
//	Heat_n (T_face downstream - T_face upstream)       W, out of a cell of line n
//
// where T_face is the temperature of the cell upstream of the face, and the inlet temperature on the first face. With
// Central it is the mean of both cells, and on the last face that of the last cell.
//
// In a resolved cavity, coolant cells lie between wall cells, in one plane. A porous cavity has one plane for the walls
// and another for the coolant above it, which represent the same volume.
type Cavity struct {
	Of          *stack.Coolant
	Layer       int
	Wall, Fluid int       // planes; the same one for resolved channels.
	Along       int       // 0 for flow along x, 1 along y.
	Backward    bool      // flow towards smaller coordinates.
	Heat        []float64 // W/K of each line across the flow: volumetric heat capacity times flow
	Lines       []bool    // which of them hold coolant

	profile []int           // of each line, the number of its films
	films   [][]stack.WallH // from the west or south on; a single one if they are the same along the whole line
}

// WallH returns the coefficients of cell (i, j) of the coolant's plane.
func (c *Cavity) WallH(i, j int) stack.WallH {
	line, at := c.lineOf(i, j)
	f := c.films[c.profile[line]]
	if len(f) == 1 {
		return f[0]
	}
	return f[at]
}

// Profile is a number that lines with the same coefficients share, from 0 on.
func (c *Cavity) Profile(line int) int { return c.profile[line] }

// FloorRange is the range of the coefficient on the floor, in W/(m2 K).
func (c *Cavity) FloorRange() (low, high float64) {
	low = math.Inf(1)
	for line, wet := range c.Lines {
		if !wet {
			continue
		}
		for _, f := range c.films[c.profile[line]] {
			low, high = min(low, f.Bottom), max(high, f.Bottom)
		}
	}
	return low, high
}

// Wet reports whether cell (i, j) of the coolant's plane contains coolant.
func (c *Cavity) Wet(i, j int) bool { return c.Lines[c.Line(i, j)] }

// Course of the lines on a grid of nx x ny cells: the cells of a line, the step from a cell to the one downstream, that
// from a line to the next, and the first cell of line 0.
func (c *Cavity) Course(nx, ny int) (length, step, across, first int) {
	length, step, across = ny, nx, 1
	if c.Along == 0 {
		length, step, across = nx, 1, nx
	}
	if c.Backward {
		step = -step
		first = -(length - 1) * step
	}
	return length, step, across, first
}

// Line is the number of the line of cell (i, j).
func (c *Cavity) Line(i, j int) int {
	line, _ := c.lineOf(i, j)
	return line
}

// lineOf is the line of cell (i, j), and the number of the cell along it.
func (c *Cavity) lineOf(i, j int) (line, at int) {
	if c.Along == 0 {
		return j, i
	}
	return i, j
}

// Carry is the heat that the coolant transports out of a cell: Heat (Own theta + Up theta upstream + Down theta
// downstream), with the inlet at zero.
type Carry struct{ Heat, Own, Up, Down float64 }

// Carry of cell (i, j) of a grid of nx by ny.
func (c *Cavity) Carry(i, j, nx, ny int) Carry {
	line, at := c.lineOf(i, j)
	heat, n := c.Heat[line], [2]int{nx, ny}[c.Along]
	if c.Backward {
		at = n - 1 - at
	}
	w := Carry{heat, 1, -1, 0}
	if c.Of.Central {
		w = Carry{heat, 0, -0.5, 0.5}
		if at == 0 {
			w.Own += 0.5
		}
		if at == n-1 {
			w.Own += 0.5
			w.Down = 0
		}
	}
	if at == 0 {
		w.Up = 0
	}
	return w
}

// Inlets calls f with every cell j*nx+i at which coolant enters, and its line.
func (c *Cavity) Inlets(nx, ny int, f func(cell, line int)) { c.ends(nx, ny, false, f) }

// Outlets calls f with every cell at which coolant leaves.
func (c *Cavity) Outlets(nx, ny int, f func(cell, line int)) { c.ends(nx, ny, true, f) }

func (c *Cavity) ends(nx, ny int, outlets bool, f func(cell, line int)) {
	length, step, across, first := c.Course(nx, ny)
	if outlets {
		first += (length - 1) * step
	}
	for line, wet := range c.Lines {
		if wet {
			f(first+line*across, line)
		}
	}
}

// addCavity makes a cavity of the planes of layer l, the last ones so far.
func (m *Mesh) addCavity(l int) error {
	layer := &m.Stack.Layers[l]
	if layer.Coolant == nil {
		return nil
	}
	w := layer.Coolant
	r := m.LayerPlanes[l]
	c := &Cavity{Of: w, Layer: l, Wall: r[0], Fluid: r[1] - 1, Along: w.Direction.Axis(),
		Backward: w.Direction.Backward()}
	across := [2][]float64{m.Y, m.X}[c.Along]
	c.Heat, c.Lines, c.profile = make([]float64, len(across)-1), make([]bool, len(across)-1), make([]int, len(across)-1)
	streams := m.Stack.Hydraulics(layer).Streams
	velocity := make([]float64, len(c.Heat))
	if w.Model == stack.PorousCavity {
		c.porousLines(streams, across, velocity)
	} else if err := m.channelLines(c, streams, across, velocity); err != nil {
		return err
	}
	m.setFilms(c, velocity)
	for k := r[0]; k < r[1]; k++ {
		m.Planes[k].Cavity = c
	}
	m.Cavities = append(m.Cavities, c)
	return nil
}

// porousLines assigns each line its share of the streams that overlap it.
func (c *Cavity) porousLines(streams []stack.Stream, across, velocity []float64) {
	for n := range c.Heat {
		lo, hi := across[n], across[n+1]
		flow := 0.0
		for i := range streams {
			t := &streams[i]
			part := (math.Min(hi, t.To) - math.Max(lo, t.From)) / (hi - lo)
			if part <= 0 {
				continue
			}
			flow += t.Flow * part * (hi - lo) / (t.To - t.From)
			if velocity[n] += t.Velocity * part; part > 1-1e-9 {
				velocity[n] = t.Velocity // to the last bit, so that lines of one stream share their coefficients
			}
		}
		c.Heat[n], c.Lines[n] = c.Of.Fluid.C*flow, true
	}
}

// channelLines assigns each channel to its line of cells, which must have the same width.
func (m *Mesh) channelLines(c *Cavity, streams []stack.Stream, across, velocity []float64) error {
	const slack = 1e-6 // of the channel's width
	for n := range streams {
		t := &streams[n]
		width := t.To - t.From
		line := sort.Search(len(c.Heat), func(i int) bool { return across[i+1] >= t.To-slack*width })
		if line == len(c.Heat) || math.Abs(across[line]-t.From) > slack*width ||
			math.Abs(across[line+1]-t.To) > slack*width {
			return &stack.Error{Pos: c.Of.Pos, Remedy: `let the grid follow the channels, or take model = "porous"`,
				Msg: fmt.Sprintf("layer %q: channel %d, from %.6g to %.6g um across the flow, is not exactly "+
					"one cell wide", m.Stack.Layers[c.Layer].Name, n+1, t.From*1e6, t.To*1e6)}
		}
		c.Heat[line], c.Lines[line] = c.Of.Fluid.C*t.Flow, true
		velocity[line] = t.Velocity
	}
	return nil
}

// setFilms computes the heat-transfer coefficients, once for all lines with the same velocity.
func (m *Mesh) setFilms(c *Cavity, velocity []float64) {
	y := &m.Stack.Layers[c.Layer]
	along := [2][]float64{m.X, m.Y}[c.Along]
	length := along[len(along)-1]
	known := map[float64]int{}
	for line, v := range velocity {
		if !c.Of.Local() {
			v = 0 // independent of the velocity
		}
		n, ok := known[v]
		if !ok {
			n = len(c.films)
			known[v] = n
			films := make([]stack.WallH, 1, len(along)-1)
			films[0] = m.Stack.WallH(y, v, 0, length)
			if c.Of.Developing {
				films = films[:cap(films)]
				for i := range films {
					x0, x1 := along[i], along[i+1]
					if c.Backward {
						x0, x1 = length-x1, length-x0
					}
					films[i] = m.Stack.WallH(y, v, x0, x1)
				}
			}
			for i := range films {
				films[i].Side = m.wallSide(c, films[i].Side)
			}
			c.films = append(c.films, films)
		}
		c.profile[line] = n
	}
}

// wallSide is the coefficient on the sides of walls that are one cell high.
func (m *Mesh) wallSide(c *Cavity, h float64) float64 {
	y := &m.Stack.Layers[c.Layer]
	if c.Of.Central || c.Wall != c.Fluid || h == 0 {
		return h
	}
	wall := c.Of.Channels.Wall
	if c.Of.Channels.Count == 1 {
		wall = 2 * c.Of.Channels.FirstWall // one side of it is wet
	}
	return coolant.AtMiddle(h, wall, y.Thickness, m.Stack.Materials[y.Material].K[2])
}
