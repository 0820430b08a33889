package gpusolve_test

import (
	"thermsim/mesh"
	"thermsim/stack"
)

// flow is a cavity in the independent code: what the layer says, by positions, and its planes.
type flow struct {
	*stack.Coolant
	layer, wall, fluid int
	axis               int
	height             float64
}

func flowsOf(m *mesh.Mesh) (all []*flow) {
	for l := range m.Stack.Layers {
		y, planes := &m.Stack.Layers[l], m.LayerPlanes[l]
		if w := y.Coolant; w != nil {
			f := &flow{Coolant: w, layer: l, wall: planes[0], fluid: planes[1] - 1, height: y.Thickness}
			if w.Direction == stack.TowardsNorth || w.Direction == stack.TowardsSouth {
				f.axis = 1
			}
			all = append(all, f)
		}
	}
	return all
}

func (d *dense) flowAt(k int) *flow {
	for _, f := range d.flows {
		if k == f.wall || k == f.fluid {
			return f
		}
	}
	return nil
}

func (f *flow) porous() bool { return f.wall != f.fluid }

// part of the cavity that is coolant.
func (f *flow) part() float64 {
	if p := f.Pins; p != nil {
		return 1 - 3.141592653589793*p.Diameter*p.Diameter/(4*p.Pitch*p.Pitch)
	}
	return f.Channels.Width / (f.Channels.Width + f.Channels.Wall)
}

// wet says whether channels, or a porous cavity, have coolant in column (i, j).
func (f *flow) wet(d *dense, i, j int) bool {
	if f.porous() {
		return true
	}
	at := (d.m.X[i] + d.m.X[i+1]) / 2
	if f.axis == 0 {
		at = (d.m.Y[j] + d.m.Y[j+1]) / 2
	}
	for n := range f.Channels.Count {
		low := f.Channels.FirstWall + float64(n)*(f.Channels.Width+f.Channels.Wall)
		if at > low && at < low+f.Channels.Width {
			return true
		}
	}
	return false
}

// holds is the volume of what a cell of a cavity stands for, and the heat capacity of coolant, 0 of walls.
func (f *flow) holds(d *dense, i, j, k int) (volume, heat float64) {
	volume = d.m.DX(i) * d.m.DY(j) * f.height
	switch {
	case f.porous() && k == f.wall:
		return (1 - f.part()) * volume, 0
	case f.porous():
		return f.part() * volume, f.Fluid.C
	case f.wet(d, i, j):
		return volume, f.Fluid.C
	}
	return volume, 0
}

// along couples a cell of a cavity with the next ones in its plane.
func (d *dense) along(f *flow, c int, r, t []float64, round bool) {
	i, j, k := d.at(c)
	for axis, next := range [2]int{c + 1, c + d.nx} {
		ni, nj := i+1-axis, j+axis
		if ni == d.nx || nj == d.ny {
			continue
		}
		own, beyond, side := d.m.DX(i), d.m.DX(ni), d.m.DY(j)
		if axis == 1 {
			own, beyond, side = d.m.DY(j), d.m.DY(nj), d.m.DX(i)
		}
		area := side * f.height
		first, second := own/(2*d.k(c, axis, t[c])), beyond/(2*d.k(next, axis, t[next]))
		fluid := f.Fluid.K
		if f.Central {
			fluid = 0
		}
		switch a, b := f.wet(d, i, j), f.wet(d, ni, nj); {
		case f.porous() && (axis != f.axis || f.Pins != nil && k == f.wall):
		case f.porous() && k == f.wall:
			d.join(r, t, c, next, (1-f.part())*area/(first+second), round)
		case f.porous():
			d.join(r, t, c, next, f.part()*fluid*area*2/(own+beyond), round)
		case a && b:
			d.join(r, t, c, next, fluid*area*2/(own+beyond), round)
		case a:
			d.join(r, t, c, next, area/(1/f.HSide+second), round)
		case b:
			d.join(r, t, c, next, area/(first+1/f.HSide), round)
		default:
			d.join(r, t, c, next, area/(first+second), round)
		}
	}
}

// across couples a cavity with what lies below and above it.
func (d *dense) across(f *flow, r, t []float64, round bool) {
	sheet := d.nx * d.ny
	for at := range sheet {
		i, j := at%d.nx, at/d.nx
		area := d.m.DX(i) * d.m.DY(j)
		low, wall, fluid, high := (f.wall-1)*sheet+at, f.wall*sheet+at, f.fluid*sheet+at, (f.fluid+1)*sheet+at
		below := d.m.DZ(f.wall-1)/(2*d.k(low, 2, t[low])) + d.s.Layers[f.layer-1].ContactResistance
		above := d.m.DZ(f.fluid+1)/(2*d.k(high, 2, t[high])) + d.s.Layers[f.layer].ContactResistance
		half := f.height / (2 * d.k(wall, 2, t[wall]))
		if !f.porous() {
			bottom, top := half, half
			if f.wet(d, i, j) {
				bottom, top = 1/f.HBottom, 1/f.HTop
			}
			d.join(r, t, low, wall, area/(below+bottom), round)
			d.join(r, t, wall, high, area/(top+above), round)
			continue
		}
		// A star of three resistances has the triangle a + b + a b/c and so on: here of resistances to the point where
		// they meet.
		half /= 1 - f.part()
		triangle := func(a, b, c float64) float64 { return area / (a + b + a*b/c) }
		d.join(r, t, low, wall, triangle(below, half, 1/f.HBottom), round)
		d.join(r, t, low, fluid, triangle(below, 1/f.HBottom, half), round)
		d.join(r, t, wall, fluid, triangle(half, 1/f.HBottom, below)+triangle(half, 1/f.HTop, above), round)
		d.join(r, t, high, wall, triangle(above, half, 1/f.HTop), round)
		d.join(r, t, high, fluid, triangle(above, 1/f.HTop, half), round)
	}
}

// carry follows every line from its inlet: what comes in through a cell's upstream face goes into it, what leaves it
// comes to the next.
func (d *dense) carry(f *flow, r, t []float64) {
	n, lines, width := d.nx, d.ny, d.s.Size[1]
	if f.axis == 1 {
		n, lines, width = d.ny, d.nx, d.s.Size[0]
	}
	for line := range lines {
		cell := func(at int) int {
			if f.Direction == stack.TowardsWest || f.Direction == stack.TowardsSouth {
				at = n - 1 - at
			}
			if f.axis == 0 {
				return (f.fluid*d.ny+line)*d.nx + at
			}
			return (f.fluid*d.ny+at)*d.nx + line
		}
		i, j, _ := d.at(cell(0))
		if !f.wet(d, i, j) {
			continue
		}
		heat := f.Fluid.C * f.Flow
		if f.porous() {
			heat *= []float64{d.m.DY(j), d.m.DX(i)}[f.axis] / width
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
