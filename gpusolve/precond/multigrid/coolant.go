package multigrid

import "thermsim/mesh"

// flow is the coolant of a cavity on a level.
type flow struct {
	of    *mesh.Cavity
	plane int
	heat  []float32 // W/K that each line carries
	wet   []bool    // lines with coolant
	split bool      // the plane holds walls too
}

// finestFlow is that of a cavity on the grid of the mesh.
func finestFlow(v *mesh.Cavity) flow {
	return flow{of: v, plane: v.Fluid, heat: make([]float32, len(v.Heat)), wet: v.Lines, split: v.Wall == v.Fluid}
}

// coarse is the flow on the next level.
func (f *flow) coarse(c Coarsening, to *planeMap) flow {
	across := f.across(c)
	n := across.Coarse(len(f.heat))
	w := flow{of: f.of, plane: int(to.low[f.plane]), heat: make([]float32, n), wet: make([]bool, n)}
	if f.split {
		w.plane++
	}
	for line, wet := range f.wet {
		at := across.parent(line)
		w.wet[at] = w.wet[at] || wet
	}
	return w
}

// carry sets what each line carries: on coarse levels the sum of the finer lines in it. fine is nil on the finest.
func (f *flow) carry(fine *flow, c Coarsening) {
	clear(f.heat)
	if fine == nil {
		for line, heat := range f.of.Heat {
			f.heat[line] = float32(heat)
		}
		return
	}
	across := f.across(c)
	for line, heat := range fine.heat {
		f.heat[across.parent(line)] += heat
	}
}

// across is the pairing of the lines.
func (f *flow) across(c Coarsening) Pairing {
	if f.of.Along == 0 {
		return c.Y
	}
	return c.X
}

// parent is the coarse cell of a fine one.
func (p Pairing) parent(i int) int {
	if p.Parent == nil {
		return i
	}
	return int(p.Parent[i])
}

// Colours of lines: coolant, and walls in even and in odd lines. Lines of one colour do not touch.
const (
	coolant = iota
	evenWalls
	oddWalls
	colours
	uncoloured = -1
)

// colours of the lines of a plane of the cavity.
func (f *flow) colours(plane int) []int32 {
	colour := make([]int32, len(f.wet))
	for line, wet := range f.wet {
		switch {
		case plane == f.plane && wet:
			colour[line] = coolant
		case plane != f.plane || f.split:
			colour[line] = evenWalls + int32(line%2)
		default:
			colour[line] = uncoloured
		}
	}
	return colour
}

// planes of the cavity whose lines are solved.
func (f *flow) planes() []int {
	if f.split {
		return []int{f.plane}
	}
	return []int{f.plane, f.plane - 1}
}

// planeMap says where the planes of a level go on the next: where walls and coolant share one, they part into two.
type planeMap struct {
	low, split []int32 // by plane of the finer level: its plane or that of the walls, and the flow that parts or -1
	// By plane of the coarse level: the finer plane, and 0 for all of it, 1 for walls, 2 for coolant.
	origin, kind []int32
}

func newPlaneMap(nz int, flows []*flow) planeMap {
	p := planeMap{low: make([]int32, nz), split: minus(nz)}
	for n, v := range flows {
		if v.split {
			p.split[v.plane] = int32(n)
		}
	}
	for k := range int32(nz) {
		p.low[k] = int32(len(p.origin))
		if p.split[k] < 0 {
			p.origin, p.kind = append(p.origin, k), append(p.kind, 0)
		} else {
			p.origin, p.kind = append(p.origin, k, k), append(p.kind, 1, 2)
		}
	}
	return p
}

// minus are n numbers of -1.
func minus(n int) []int32 {
	v := make([]int32, n)
	for i := range v {
		v[i] = -1
	}
	return v
}

// channels is the number of cavities whose plane holds walls and coolant side by side.
func channels(m *mesh.Mesh) (n int) {
	for _, c := range m.Cavities {
		if c.Wall == c.Fluid {
			n++
		}
	}
	return n
}
