package mesh

import "math"

// alikeWithin is the relative difference up to which properties of cells are the same: cuts by shapes give them to some
// 2e-10.
const alikeWithin = 1e-9

// settle says which palette entry the cells of a layer have: nil and one for all where regions and fills leave them
// alike, as a region does that covers its layer, and regions of one material that tile it.
func (m *Mesh) settle(index []uint32, material int) (cells []uint32, uniform uint32) {
	if index == nil {
		return nil, uint32(material)
	}
	uniform = index[0]
	for _, id := range index {
		if id != index[0] && !m.alike(id, index[0]) {
			return index, uint32(material)
		}
		uniform = min(uniform, id)
	}
	return nil, uniform
}

// alike says whether cells of two palette entries have the same properties at all temperatures.
func (m *Mesh) alike(a, b uint32) bool {
	p, q := &m.Palette[a], &m.Palette[b]
	same := func(v, w float64) bool { return math.Abs(v-w) <= alikeWithin*math.Abs(w) }
	for n := range p.K {
		if !same(p.K[n], q.K[n]) {
			return false
		}
	}
	for n := range p.Half {
		if !same(p.Half[n], q.Half[n]) {
			return false
		}
	}
	return same(p.C, q.C) && m.Laws == nil // laws are not compared
}
