package mesh

import (
	"math"

	"thermsim/stack"
)

// Cavity is a layer that coolant flows through, on the grid. Lines are the rows or columns of cells along the flow;
// those with coolant carry heat
//
//	Heat_n (T_face downstream - T_face upstream)       W, out of a cell of line n
//
// T_face being the temperature of the cell upstream of the face, the inlet's on the first face. With Central it is the
// mean of both cells, and on the last face that of the last cell.
//
// Of resolved channels the cells of coolant lie between those of walls, in one plane. A porous cavity has a plane for
// the walls and, above, one for the coolant, which stand for the same place.
type Cavity struct {
	Of          *stack.Coolant
	Layer       int
	Wall, Fluid int       // planes, the same of resolved channels
	Along       int       // 0 of a flow along x, 1 along y
	Backward    bool      // towards smaller coordinates
	Heat        []float64 // W/K of each line across the flow: volumetric heat capacity times flow
	Lines       []bool    // which of them hold coolant

	profile []int           // of each line, the number of its films
	films   [][]stack.Films // from the west or south on; a single one where they are the same all along
}

// Films of cell (i, j) of the coolant's plane.
func (c *Cavity) Films(i, j int) stack.Films {
	line, at := i, j
	if c.Along == 0 {
		line, at = j, i
	}
	f := c.films[c.profile[line]]
	if len(f) == 1 {
		return f[0]
	}
	return f[at]
}

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

// LargestFilm is the largest coefficient on floor or ceiling, in W/(m2 K).
func (c *Cavity) LargestFilm() float64 {
	most := 0.0
	for _, films := range c.films {
		for _, f := range films {
			most = max(most, f.Bottom, f.Top)
		}
	}
	return most
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

// Carry is what the coolant carries out of a cell: Heat (Own theta + Up theta upstream + Down theta downstream), with
// the inlet at zero.
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
