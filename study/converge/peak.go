package converge

import (
	"math"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/powermap"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// patch is a part of a layer whose maximum is evaluated.
type patch struct {
	layer, block string
	planes       [2]int
	rows         []powermap.Row
}

// patches are the blocks of the stack.
func patches(m *mesh.Mesh) []patch {
	g := powermap.Grid{X: m.X, Y: m.Y}
	var all []patch
	for l := range m.Stack.Layers {
		layer := &m.Stack.Layers[l]
		for p := range layer.Powers {
			for b := range layer.Powers[p].Blocks {
				block := &layer.Powers[p].Blocks[b]
				at := patch{layer: layer.Name, block: block.Name, planes: m.LayerPlanes[l]}
				for _, r := range block.Rects {
					at.rows = append(at.rows, powermap.Rows(g, r.Box().Polygon())...)
				}
				for _, s := range block.Shapes {
					at.rows = append(at.rows, powermap.Rows(g, s)...)
				}
				all = append(all, at)
			}
		}
	}
	return all
}

// everywhere is the whole of a plane.
func everywhere(m *mesh.Mesh, k int) patch {
	box := geometry.Box{X1: m.X[m.NX()], Y1: m.Y[m.NY()]}
	return patch{planes: [2]int{k, k + 1}, rows: powermap.Rows(powermap.Grid{X: m.X, Y: m.Y}, box.Polygon())}
}

// peak is the largest temperature of a patch in a plane: that of its hottest cell, plus the rise of the parabolas
// through the neighbors of that cell along x and y. Cell centers alone miss a peak by up to half a cell, differently on
// every grid.
func (p *patch) peak(m *mesh.Mesh, plane []float64) float64 {
	best, at := p.hottest(m, plane)
	if at < 0 {
		return best
	}
	i, j, nx := at%m.NX(), at/m.NX(), m.NX()
	along := above(m, m.X, i, stack.West, stack.East, func(i int) float64 { return plane[j*nx+i] })
	across := above(m, m.Y, j, stack.South, stack.North, func(j int) float64 { return plane[j*nx+i] })
	return best + along + across
}

// hottest cell of a patch in a plane, and its temperature; -1 if there is none.
func (p *patch) hottest(m *mesh.Mesh, plane []float64) (best float64, at int) {
	best, at = math.Inf(-1), -1
	for _, r := range p.rows {
		for n, area := range r.Areas {
			if c := r.J*m.NX() + r.I + n; area > 0 && plane[c] > best {
				best, at = plane[c], c
			}
		}
	}
	return best, at
}

// Maxima are the maxima of the stack and of each block, in the order of [Study.Quantities], in K: at cell centers, as
// in reports, and of the parabolas through them, as in convergence studies.
func Maxima(m *mesh.Mesh, field gpusolve.Field) (centers, peaks []float64, err error) {
	return maxima(m, field, func(int, []float64) {})
}

// maxima implements Maxima; each is called with every plane of the field.
func maxima(m *mesh.Mesh, field gpusolve.Field, each func(k int, plane []float64)) (centers, peaks []float64,
	err error) {
	blocks := patches(m)
	for range 1 + len(blocks) {
		centers, peaks = append(centers, math.Inf(-1)), append(peaks, math.Inf(-1))
	}
	note := func(n int, p *patch, plane []float64) {
		hottest, _ := p.hottest(m, plane)
		centers[n], peaks[n] = max(centers[n], hottest), max(peaks[n], p.peak(m, plane))
	}
	plane := make([]float64, m.NX()*m.NY())
	for k := range m.NZ() {
		if err := field.Plane(k, plane); err != nil {
			return nil, nil, err
		}
		each(k, plane)
		whole := everywhere(m, k)
		note(0, &whole, plane)
		for n := range blocks {
			if b := &blocks[n]; k >= b.planes[0] && k < b.planes[1] {
				note(n+1, b, plane)
			}
		}
	}
	return centers, peaks, nil
}

// above is the maximum of the parabola through cell i and its neighbors along an axis, within the cell and relative to
// its value. At an adiabatic face the neighbor is the cell's mirror image; at other faces the parabola is omitted.
func above(m *mesh.Mesh, faces []float64, i int, low, high stack.Face, value func(int) float64) float64 {
	n := len(faces) - 1
	width := faces[i+1] - faces[i]
	side := func(next int, face stack.Face) (distance, rise float64, ok bool) {
		if next < 0 || next >= n {
			return width, 0, !m.Exchanges(face)
		}
		return (width + faces[next+1] - faces[next]) / 2, value(next) - value(i), true
	}
	a, u, okLow := side(i-1, low)
	b, v, okHigh := side(i+1, high)
	if !okLow || !okHigh {
		return 0
	}
	// t(x) = s x + c x^2 with t(-a) = u and t(b) = v.
	c := (u/a + v/b) / (a + b)
	s := v/b - c*b
	at := func(x float64) float64 { return s*x + c*x*x }
	most := max(0, at(-width/2), at(width/2))
	if x := -s / (2 * c); c < 0 && math.Abs(x) < width/2 {
		most = max(most, at(x))
	}
	return most
}
