package solves

import (
	"math"

	"thermsim/mesh"
	"thermsim/stack"
)

// Flow is a cavity in the independent code: what the layer says, by positions, and its planes.
type Flow struct {
	*stack.Coolant
	Layer, Wall, FluidPlane int
	Axis                    int
	Height                  float64
}

func FlowsOf(m *mesh.Mesh) (all []*Flow) {
	for l := range m.Stack.Layers {
		y, planes := &m.Stack.Layers[l], m.LayerPlanes[l]
		if w := y.Coolant; w != nil {
			f := &Flow{Coolant: w, Layer: l, Wall: planes[0], FluidPlane: planes[1] - 1, Height: y.Thickness}
			if w.Direction == stack.TowardsNorth || w.Direction == stack.TowardsSouth {
				f.Axis = 1
			}
			all = append(all, f)
		}
	}
	return all
}

func (d *Dense) FlowAt(k int) *Flow {
	for _, f := range d.Flows {
		if k == f.Wall || k == f.FluidPlane {
			return f
		}
	}
	return nil
}

func (f *Flow) Porous() bool { return f.Wall != f.FluidPlane }

// Part of the cavity that is coolant.
func (f *Flow) Part() float64 {
	if p := f.Pins; p != nil {
		return 1 - 3.141592653589793*p.Diameter*p.Diameter/(4*p.Pitch*p.Pitch)
	}
	return f.Channels.Width / (f.Channels.Width + f.Channels.Wall)
}

// Wet says whether channels, or a porous cavity, have coolant in column (i, j).
func (f *Flow) Wet(d *Dense, i, j int) bool {
	if f.Porous() {
		return true
	}
	at := (d.M.X[i] + d.M.X[i+1]) / 2
	if f.Axis == 0 {
		at = (d.M.Y[j] + d.M.Y[j+1]) / 2
	}
	for n := range f.Channels.Count {
		low := f.Channels.FirstWall + float64(n)*(f.Channels.Width+f.Channels.Wall)
		if at > low && at < low+f.Channels.Width {
			return true
		}
	}
	return false
}

// Holds is the volume that a cell of a cavity represents, and the heat capacity of coolant, 0 of walls.
func (f *Flow) Holds(d *Dense, i, j, k int) (volume, heat float64) {
	volume = d.M.DX(i) * d.M.DY(j) * f.Height
	switch {
	case f.Porous() && k == f.Wall:
		return (1 - f.Part()) * volume, 0
	case f.Porous():
		return f.Part() * volume, f.Fluid.C
	case f.Wet(d, i, j):
		return volume, f.Fluid.C
	}
	return volume, 0
}

// Beside is the coefficient on the sides of walls, with which they conduct from the middle of their height as much as
// two fins of half of it.
func (f *Flow) Beside(s *stack.Stack) float64 {
	wall := f.Channels.Wall
	if f.Channels.Count == 1 {
		wall = 2 * f.Channels.FirstWall
	}
	x := f.Height / 2 * math.Sqrt(2*f.HSide/(s.Materials[s.Layers[f.Layer].Material].K[2]*wall))
	if f.Central {
		return f.HSide
	}
	x = min(x, 1)
	return f.HSide / (x/math.Tanh(x) - x*x)
}

// Along couples a cell of a cavity with the next ones in its plane.
func (d *Dense) Along(f *Flow, c int, r, t []float64, round bool) {
	i, j, k := d.At(c)
	for axis, next := range [2]int{c + 1, c + d.Nx} {
		ni, nj := i+1-axis, j+axis
		if ni == d.Nx || nj == d.Ny {
			continue
		}
		own, beyond, side := d.M.DX(i), d.M.DX(ni), d.M.DY(j)
		if axis == 1 {
			own, beyond, side = d.M.DY(j), d.M.DY(nj), d.M.DX(i)
		}
		area := side * f.Height
		first, second := own/(2*d.K(c, axis, t[c])), beyond/(2*d.K(next, axis, t[next]))
		fluid := f.Fluid.K
		if f.Central {
			fluid = 0
		}
		switch a, b := f.Wet(d, i, j), f.Wet(d, ni, nj); {
		case f.Porous() && (axis != f.Axis || f.Pins != nil && k == f.Wall):
		case f.Porous() && k == f.Wall:
			d.Join(r, t, c, next, (1-f.Part())*area/(first+second), round)
		case f.Porous():
			d.Join(r, t, c, next, f.Part()*fluid*area*2/(own+beyond), round)
		case a && b:
			d.Join(r, t, c, next, fluid*area*2/(own+beyond), round)
		case a:
			d.Join(r, t, c, next, area/(1/f.Beside(d.S)+second), round)
		case b:
			d.Join(r, t, c, next, area/(first+1/f.Beside(d.S)), round)
		default:
			d.Join(r, t, c, next, area/(first+second), round)
		}
	}
}

// Across couples a cavity with what lies below and above it.
func (d *Dense) Across(f *Flow, r, t []float64, round bool) {
	sheet := d.Nx * d.Ny
	for at := range sheet {
		i, j := at%d.Nx, at/d.Nx
		area := d.M.DX(i) * d.M.DY(j)
		low, wall, fluid, high := (f.Wall-1)*sheet+at, f.Wall*sheet+at, f.FluidPlane*sheet+at, (f.FluidPlane+1)*sheet+at
		below := d.M.DZ(f.Wall-1)/(2*d.K(low, 2, t[low])) + d.S.Layers[f.Layer-1].ContactResistance
		above := d.M.DZ(f.FluidPlane+1)/(2*d.K(high, 2, t[high])) + d.S.Layers[f.Layer].ContactResistance
		half := f.Height / (2 * d.K(wall, 2, t[wall]))
		if !f.Porous() {
			bottom, top := half, half
			if f.Wet(d, i, j) {
				bottom, top = 1/f.HBottom, 1/f.HTop
			}
			d.Join(r, t, low, wall, area/(below+bottom), round)
			d.Join(r, t, wall, high, area/(top+above), round)
			continue
		}
		// A star of three resistances has the triangle a + b + a b/c and so on: here of resistances to the point where
		// they meet.
		half /= 1 - f.Part()
		triangle := func(a, b, c float64) float64 { return area / (a + b + a*b/c) }
		d.Join(r, t, low, wall, triangle(below, half, 1/f.HBottom), round)
		d.Join(r, t, low, fluid, triangle(below, 1/f.HBottom, half), round)
		d.Join(r, t, wall, fluid, triangle(half, 1/f.HBottom, below)+triangle(half, 1/f.HTop, above), round)
		d.Join(r, t, high, wall, triangle(above, half, 1/f.HTop), round)
		d.Join(r, t, high, fluid, triangle(above, 1/f.HTop, half), round)
	}
}

// Carry follows every line from its inlet: what comes in through a cell's upstream face goes into it, what leaves it
// comes to the next.
func (d *Dense) Carry(f *Flow, r, t []float64) {
	n, lines, width := d.Nx, d.Ny, d.S.Size[1]
	if f.Axis == 1 {
		n, lines, width = d.Ny, d.Nx, d.S.Size[0]
	}
	for line := range lines {
		cell := func(at int) int {
			if f.Direction == stack.TowardsWest || f.Direction == stack.TowardsSouth {
				at = n - 1 - at
			}
			if f.Axis == 0 {
				return (f.FluidPlane*d.Ny+line)*d.Nx + at
			}
			return (f.FluidPlane*d.Ny+at)*d.Nx + line
		}
		i, j, _ := d.At(cell(0))
		if !f.Wet(d, i, j) {
			continue
		}
		heat := f.Fluid.C * f.Flow
		if f.Porous() {
			heat *= []float64{d.M.DY(j), d.M.DX(i)}[f.Axis] / width
		} else {
			heat /= float64(f.Channels.Count)
		}
		face := f.Inlet
		for at := range n {
			r[cell(at)] += heat * face
			switch face = t[cell(at)]; {
			case f.Central && at+1 < n:
				face = (t[cell(at)] + t[cell(at+1)]) / 2
			}
			r[cell(at)] -= heat * face
		}
	}
}
