package mesh

import (
	"maps"
	"math"
	"slices"

	"thermsim/stack"
	"thermsim/stack/geometry"
)

// Cells that edges of circles and polygons cut, with or without rectangles, are divided into 4 x 4 parts. In each part
// the share of every material is known: that of a shape, exact to rounding, minus the shares of later shapes. Along z,
// and for the heat capacity, the shares act in parallel, so only the area of a shape counts. Along x each half of the
// cell is four parallel rows, each with its materials in series; likewise along y. These are the stripes of [mixed].

// split is the number of parts of a cell along x and y.
const split = 4

// shares are those of the parts of a cell, x fastest.
type shares [split * split]float64

// cover is a shape that partly covers a cell.
type cover struct {
	shape    geometry.Shape
	material uint32
	rect     bool
	x, y     interval // of a rectangle
}

// sliver is the share of a cell below which an overlap is attributed to rounding of coordinates.
const sliver = 1e-9

// paintShapes assigns regions of any shape to an index; later ones override earlier ones. Cells that only rectangles
// cut are mixed as in layers without other shapes.
func (p *painter) paintShapes(regions []stack.Region, index [][]uint32) {
	m := p.mesh
	nx := m.NX()
	cut := map[int][]cover{}
	for r := range regions {
		shape, over := regions[r].Shape, p.material(&regions[r])
		if shape == nil {
			shape = regions[r].Box().Polygon()
			m.coverRect(regions[r].Rect, index, func(i, j, n int) {
				for ; n > 0; i, n = i+1, n-1 {
					index[j][i] = over(i, j)
					delete(cut, j*nx+i)
				}
			}, func(i, j int, x, y interval) {
				c := j*nx + i
				cut[c] = append(uncovered(cut[c], shape), cover{shape, over(i, j), true, x, y})
			})
			continue
		}
		geometry.CellAreas(shape, m.X, m.Y, func(i, j int, area float64) {
			c := j*nx + i
			switch share := area / (m.DX(i) * m.DY(j)); {
			case share < sliver:
			case share > 1-sliver:
				index[j][i] = over(i, j)
				delete(cut, c)
			default:
				cut[c] = append(uncovered(cut[c], shape), cover{shape: shape, material: over(i, j)})
			}
		})
	}
	for _, c := range slices.Sorted(maps.Keys(cut)) {
		i, j := c%nx, c/nx
		cell := &index[j][i]
		if slices.ContainsFunc(cut[c], func(v cover) bool { return !v.rect }) {
			*cell = p.mixCovers(*cell, cut[c], i, j)
			continue
		}
		for _, v := range cut[c] {
			*cell = p.lay(laid{*cell, v.material, v.x, v.y})
		}
	}
}

// uncovered removes the last shapes as long as they lie inside the shape that overrides them.
func uncovered(covers []cover, by geometry.Shape) []cover {
	for n := len(covers) - 1; n >= 0 && geometry.Relate(covers[n].shape, by) == geometry.Inside; n-- {
		covers = covers[:n]
	}
	return covers
}

// mixCovers returns the palette index of cell (i, j) of material base under shapes.
func (p *painter) mixCovers(base uint32, covers []cover, i, j int) uint32 {
	x := &p.mixer
	x.materials = append(x.materials[:0], base)
	for _, v := range covers {
		x.materials = append(x.materials, v.material)
	}
	if len(slices.Compact(slices.Clone(x.materials))) == 1 {
		return base
	}
	visible := p.mesh.visible(covers, i, j)
	x.parts = x.parts[:0]
	for row := range split {
		x.parts = appendRow(x.parts, visible, [2]int{row * split, row*split + split/2}, 1)
	}
	x.alongX = len(x.parts)
	for row := range split {
		x.parts = appendRow(x.parts, visible, [2]int{row, row + split*split/2}, split)
	}
	x.alongY = len(x.parts) - x.alongX
	for n := range x.materials {
		part := 0.0
		for _, share := range visible[n] {
			part += share / (split * split)
		}
		x.parts = append(x.parts, Part{Place: int32(n), Low: part})
	}
	if x.decide(p.open) {
		return x.materials[0]
	}
	return p.shared()
}

// appendRow appends the stripe of a row of parts, whose halves begin at the parts first.
func appendRow(parts []Part, visible []shares, first [2]int, stride int) []Part {
	for n := range visible {
		var half [2]float64
		for side := range half {
			for q := range split / 2 {
				half[side] += visible[n][first[side]+q*stride]
			}
		}
		parts = append(parts, Part{Place: int32(n), Low: half[0] / (split / 2), High: half[1] / (split / 2)})
	}
	parts[len(parts)-1].Across = 1.0 / split
	return parts
}

// negligible is the share of a part of a cell below which a shape counts as covered by later ones.
const negligible = 1e-12

// visible returns the shares of the parts of a cell that remain to the base and to each shape after later shapes
// override them. This is exact if a later shape lies inside an earlier one or apart from it. If they cross, the later
// one takes its share of the earlier one's.
//
// Shapes are processed from the last to the first. Each is compared only with those later ones that are neither covered
// nor inside another: together they cover the same area as all later ones.
func (m *Mesh) visible(covers []cover, i, j int) []shares {
	covered := make([]shares, len(covers))
	for n, v := range covers {
		covered[n] = m.cut(v.shape, i, j)
	}
	seen := make([]shares, len(covers)+1)
	var over []upper // the last shape first
	for n := len(covers) - 1; n >= 0; n-- {
		mine := upper{n, partsOf(&covered[n]), false}
		if hidden := m.leave(&seen[n+1], covers, covered, &mine, over); hidden {
			continue
		}
		over = append(slices.DeleteFunc(over, func(u upper) bool { return u.inside }), mine)
	}
	for q := range seen[0] {
		seen[0][q] = 1
		for n := range covers {
			seen[0][q] = max(0, seen[0][q]-seen[n+1][q])
		}
	}
	return seen
}

// upper is a shape that overrides earlier ones.
type upper struct {
	n      int
	parts  uint16 // parts with a share, one bit each
	inside bool   // the current shape
}

func partsOf(s *shares) (parts uint16) {
	for q, v := range s {
		if v > 0 {
			parts |= 1 << q
		}
	}
	return parts
}

// leave sets part to the share of a shape that later shapes leave visible, and marks those that lie inside it. It
// returns hidden if later shapes that do not lie inside it cover it completely.
func (m *Mesh) leave(part *shares, covers []cover, covered []shares, mine *upper, over []upper) (hidden bool) {
	*part = covered[mine.n]
	inside := false
	for k := len(over) - 1; k >= 0; k-- {
		later := &over[k]
		later.inside = false
		if later.parts&mine.parts == 0 {
			continue
		}
		switch geometry.Relate(covers[later.n].shape, covers[mine.n].shape) {
		case geometry.Inside:
			later.inside, inside = true, true
		case geometry.Around:
			*part = shares{}
			return true
		case geometry.Crossing:
			for q := range part {
				part[q] *= 1 - covered[later.n][q]
			}
			if slices.Max(part[:]) < negligible {
				*part = shares{}
				return true
			}
		}
	}
	for k := len(over) - 1; inside && k >= 0; k-- {
		if over[k].inside {
			for q := range part {
				part[q] = max(0, part[q]-covered[over[k].n][q])
			}
		}
	}
	return false
}

// cut computes the share of each part of a cell that a shape covers.
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

// shared returns the palette index of a previous cell that differs from the mixer's only by rounding of coordinates,
// 2e-10 at most, or of a new entry. If a material is temperature-dependent, the parts must agree too.
func (p *painter) shared() uint32 {
	x := &p.mixer
	m := x.mixed(p.mesh.Palette)
	var key [9]uint64
	for n, v := range [8]float64{m.K[0], m.K[1], m.K[2], m.C, m.Half[0], m.Half[1], m.Half[2], m.Half[3]} {
		key[n] = (math.Float64bits(v) + 1<<19) >> 20
	}
	if p.mesh.Laws != nil && slices.ContainsFunc(x.materials, p.mesh.Laws.dependent) {
		for _, part := range x.parts {
			key[8] = scrambled(key[8] ^ uint64(x.materials[part.Place]))
			key[8] = scrambled(key[8] ^ uint64(part.Low*0x1p32+0.5)<<32 ^ uint64(part.High*0x1p32+0.5))
		}
	}
	id, ok := p.cuts[key]
	if !ok {
		id = p.mesh.add(m)
		p.mesh.Laws.mixedEntry(x)
		p.cuts[key] = id
	}
	return id
}
