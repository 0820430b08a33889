package mesh

import (
	"fmt"
	"math"

	"thermsim/stack"
)

// Cavity is a layer that coolant flows through, on the grid. Lines are the rows or columns of cells along the flow; those with coolant carry heat
//
//	Heat_n (T_face downstream - T_face upstream)       W, out of a cell of line n
//
// T_face being the temperature of the cell upstream of the face, the inlet's on the first face. With Central it is the mean of both cells, and on the
// last face that of the last cell.
//
// Of resolved channels the cells of coolant lie between those of walls, in one plane. A porous cavity has a plane for the walls and, above, one for the
// coolant, which stand for the same place.
type Cavity struct {
	Of          *stack.Coolant
	Layer       int
	Wall, Fluid int       // planes, the same of resolved channels
	Along       int       // 0 of a flow along x, 1 along y
	Backward    bool      // towards smaller coordinates
	Heat        []float64 // W/K of each line across the flow: volumetric heat capacity times flow
	Lines       []bool    // which of them hold coolant
}

// Wet says whether cell (i, j) of the coolant's plane holds coolant.
func (c *Cavity) Wet(i, j int) bool { return c.Lines[c.Line(i, j)] }

// Line is the number of the line of cell (i, j).
func (c *Cavity) Line(i, j int) int {
	if c.Along == 0 {
		return j
	}
	return i
}

// Cooled says whether coolant flows through the stack, which makes the operator lose its symmetry.
func (m *Mesh) Cooled() bool { return len(m.Cavities) > 0 }

// addCavity makes the planes of layer l, which end the mesh so far, a cavity.
func (m *Mesh) addCavity(l int) error {
	layer := &m.Stack.Layers[l]
	if layer.Coolant == nil {
		return nil
	}
	w := layer.Coolant
	r := m.LayerPlanes[l]
	c := &Cavity{Of: w, Layer: l, Wall: r[0], Fluid: r[1] - 1, Along: w.Direction.Axis(), Backward: w.Direction.Backward()}
	across := m.X
	if c.Along == 0 {
		across = m.Y
	}
	carried := w.Fluid.C * w.Flow
	c.Heat, c.Lines = make([]float64, len(across)-1), make([]bool, len(across)-1)
	if w.Model == stack.PorousCavity {
		width := across[len(across)-1]
		for n := range c.Heat {
			c.Heat[n] = carried * (across[n+1] - across[n]) / width
			c.Lines[n] = true
		}
	} else if err := m.channelLines(c, across, carried/float64(w.Channels.Count)); err != nil {
		return err
	}
	for k := r[0]; k < r[1]; k++ {
		m.Planes[k].Cavity = c
	}
	m.Cavities = append(m.Cavities, c)
	return nil
}

// channelLines gives each channel the one line of cells that it must be.
func (m *Mesh) channelLines(c *Cavity, across []float64, carried float64) error {
	const slack = 1e-6 // of the channel's width
	ch := c.Of.Channels
	for n := range ch.Count {
		lo := ch.FirstWall + float64(n)*(ch.Width+ch.Wall)
		hi := lo + ch.Width
		line := -1
		for i := range c.Heat {
			if math.Abs(across[i]-lo) <= slack*ch.Width && math.Abs(across[i+1]-hi) <= slack*ch.Width {
				line = i
			}
		}
		if line < 0 {
			return &stack.Error{Pos: c.Of.Pos, Remedy: `let the grid follow the channels, or take model = "porous"`,
				Msg: fmt.Sprintf("layer %q: channel %d, from %.6g to %.6g um across the flow, is not exactly one cell wide", m.Stack.Layers[c.Layer].Name, n+1, lo*1e6, hi*1e6)}
		}
		c.Heat[line], c.Lines[line] = carried, true
	}
	return nil
}

// Carry is what the coolant carries out of a cell: Heat (Own theta + Up theta upstream + Down theta downstream), with the inlet at zero.
type Carry struct{ Heat, Own, Up, Down float64 }

// Carry of cell (i, j) of a grid of nx by ny.
func (c *Cavity) Carry(i, j, nx, ny int) Carry {
	heat := c.Heat[c.Line(i, j)]
	at, n := j, ny
	if c.Along == 0 {
		at, n = i, nx
	}
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
func (c *Cavity) Inlets(nx, ny int, f func(cell, line int)) { c.ends(nx, ny, c.Backward, f) }

// Outlets calls f with those at which it leaves.
func (c *Cavity) Outlets(nx, ny int, f func(cell, line int)) { c.ends(nx, ny, !c.Backward, f) }

func (c *Cavity) ends(nx, ny int, high bool, f func(cell, line int)) {
	for line, wet := range c.Lines {
		i, j := line, 0
		if c.Along == 0 {
			i, j = 0, line
		}
		if high && c.Along == 0 {
			i = nx - 1
		} else if high {
			j = ny - 1
		}
		if wet {
			f(j*nx+i, line)
		}
	}
}
