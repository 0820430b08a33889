package mesh

import (
	"maps"
	"math"
	"slices"

	"thermsim/geometry"
	"thermsim/stack"
)

// Cells that the edges of circles and polygons cut are looked at in 4 x 4 parts. In each part the share of every material is known: that of a
// shape, exact to rounding, less what later shapes take of it. Along z, and for the heat capacity, the shares act side by side, so the area of a
// shape alone counts. Along x each half of the cell is four rows side by side, each with its materials in series; along y alike.

// split is the number of parts of a cell along x and y.
const split = 4

// shares are those of the parts of a cell, x fastest.
type shares [split * split]float64

// cover is a shape that covers a cell in part.
type cover struct {
	shape    geometry.Shape
	material uint32
}

// sliver is the share of a cell below which a part of a shape is rounding of coordinates.
const sliver = 1e-9

// paintShapes lays regions of any shape over an index, later ones over earlier ones.
func (p *painter) paintShapes(regions []stack.Region, index []uint32) {
	m := p.mesh
	nx := m.NX()
	cut := map[int][]cover{}
	for r := range regions {
		shape, over := regions[r].Shape, p.material(&regions[r])
		if shape == nil {
			shape = regions[r].Box().Polygon()
		}
		geometry.Cover(shape, m.X, m.Y, func(i, j int, area float64) {
			c := j*nx + i
			switch share := area / (m.DX(i) * m.DY(j)); {
			case share < sliver:
			case share > 1-sliver:
				index[c] = over(c)
				delete(cut, c)
			default:
				cut[c] = append(cut[c], cover{shape, over(c)})
			}
		})
	}
	for _, c := range slices.Sorted(maps.Keys(cut)) {
		index[c] = p.mixCovers(index[c], cut[c], c%nx, c/nx)
	}
}

// mixCovers returns the palette index of cell (i, j) of material base under shapes.
func (p *painter) mixCovers(base uint32, covers []cover, i, j int) uint32 {
	materials := []uint32{base}
	for _, v := range covers {
		materials = append(materials, v.material)
	}
	if len(slices.Compact(slices.Clone(materials))) == 1 {
		return base
	}
	visible := p.mesh.visible(covers, i, j)
	var m Material
	for row := range split {
		for n := range m.Half {
			m.Half[n] += 1.0 / split / p.series(materials, visible, n, row)
		}
	}
	for n, id := range materials {
		part := 0.0
		for _, share := range visible[n] {
			part += share / (split * split)
		}
		e := &p.mesh.Palette[id]
		m.K[2] += part * e.K[2]
		m.C += part * e.C
	}
	m.K[0] = 2 / (1/m.Half[west] + 1/m.Half[east])
	m.K[1] = 2 / (1/m.Half[south] + 1/m.Half[north])
	return p.shared(m)
}

// series is the resistivity, in m K/W, of the materials of a row of parts in a half of the cell: one behind the other.
func (p *painter) series(materials []uint32, visible []shares, half, row int) float64 {
	resistivity := 0.0
	for n, id := range materials {
		part := 0.0
		for q := range split / 2 {
			switch half {
			case west:
				part += visible[n][row*split+q]
			case east:
				part += visible[n][row*split+split/2+q]
			case south:
				part += visible[n][q*split+row]
			case north:
				part += visible[n][(split/2+q)*split+row]
			}
		}
		resistivity += part / (split / 2) / p.mesh.Palette[id].Half[half]
	}
	return resistivity
}

// visible is what each shape has of the parts of a cell once the later ones lie over it, after what is left to the base. Where a later shape lies
// inside an earlier one or apart from it this is exact; where they cross, the later takes its share of the earlier's.
func (m *Mesh) visible(covers []cover, i, j int) []shares {
	covered := make([]shares, len(covers))
	for n, v := range covers {
		covered[n] = m.cut(v.shape, i, j)
	}
	seen := make([]shares, len(covers)+1)
	for q := range seen[0] {
		seen[0][q] = 1
	}
	for n := range covers {
		part := &seen[n+1]
		*part = covered[n]
		var inside []int
		for later := n + 1; later < len(covers); later++ {
			switch geometry.Relate(covers[later].shape, covers[n].shape) {
			case geometry.Inside:
				inside = append(inside, later)
			case geometry.Around:
				*part = shares{}
			case geometry.Crossing:
				for q := range part {
					part[q] *= 1 - covered[later][q]
				}
			}
		}
		for _, later := range outermost(covers, inside) {
			for q := range part {
				part[q] = max(0, part[q]-covered[later][q])
			}
		}
		for q, v := range part {
			seen[0][q] = max(0, seen[0][q]-v)
		}
	}
	return seen
}

// outermost lists those shapes that lie inside no other of the list; of the same shape twice, the first.
func outermost(covers []cover, list []int) []int {
	return slices.DeleteFunc(slices.Clone(list), func(n int) bool {
		return slices.ContainsFunc(list, func(o int) bool {
			return n != o && geometry.Relate(covers[n].shape, covers[o].shape) == geometry.Inside &&
				(o < n || geometry.Relate(covers[o].shape, covers[n].shape) != geometry.Inside)
		})
	})
}

// cut measures the shares of the parts of a cell that a shape covers.
func (m *Mesh) cut(s geometry.Shape, i, j int) (q shares) {
	w, h := m.DX(i)/split, m.DY(j)/split
	for a := range split {
		slab := s.Between(m.X[i]+float64(a)*w, m.X[i]+float64(a+1)*w)
		for b := range split {
			q[split*b+a] = min(1, slab.Area(m.Y[j]+float64(b)*h, m.Y[j]+float64(b+1)*h)/(w*h))
		}
	}
	return q
}

// shared returns the palette index of a cell that differs from one met before by rounding of coordinates at most, 2e-10, or of a new one.
func (p *painter) shared(m Material) uint32 {
	var key [8]uint64
	for n, v := range [8]float64{m.K[0], m.K[1], m.K[2], m.C, m.Half[0], m.Half[1], m.Half[2], m.Half[3]} {
		key[n] = (math.Float64bits(v) + 1<<19) >> 20
	}
	if id, ok := p.cuts[key]; ok {
		return id
	}
	id := p.mesh.add(m)
	p.mesh.Laws.constantEntry(&p.mesh.Palette[id])
	p.cuts[key] = id
	return id
}
