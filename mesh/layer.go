package mesh

import (
	"math"
	"slices"
)

// LateralConductivity is the mean conductivity of plane k along x and y in W/(m K).
func (m *Mesh) LateralConductivity(k int) (kx, ky float64) {
	c := &m.characters[m.Planes[k].Layer]
	return c.kx, c.ky
}

// LateralDiffusivity is the largest of the materials of plane k along x and y, in m2/s.
func (m *Mesh) LateralDiffusivity(k int) [2]float64 {
	return m.characters[m.Planes[k].Layer].diffusivity
}

// InterfaceShare is the share of the lateral cell faces of plane k across which a conductivity changes by a factor of
// two or more.
func (m *Mesh) InterfaceShare(k int) float64 { return m.characters[m.Planes[k].Layer].interfaces }

// characterise evaluates the materials of a layer: index, or the single entry uniform if index is nil.
func (m *Mesh) characterise(index [][]uint32, uniform uint32) character {
	if index == nil {
		u := m.Palette[uniform]
		return character{kx: u.K[0], ky: u.K[1], diffusivity: [2]float64{u.K[0] / u.C, u.K[1] / u.C}}
	}
	count := make([]int, len(m.Palette))
	jumps, nx := 0, m.NX()
	var below []uint32
	for row, end := range Runs(index) {
		first, times := index[row], end-row
		for i := 0; i < nx; {
			from := i
			for i++; i < nx && first[i] == first[from]; i++ {
			}
			count[first[from]] += (i - from) * times
			if i < nx && m.jump(first[i], first[from], 0) {
				jumps += times
			}
		}
		for i, id := range below {
			if id != first[i] && m.jump(id, first[i], 1) {
				jumps++
			}
		}
		below = first
	}
	var c character
	n := float64(nx * m.NY())
	for id, times := range count {
		u := &m.Palette[id]
		c.kx += u.K[0] * float64(times) / n
		c.ky += u.K[1] * float64(times) / n
		for d := range c.diffusivity {
			if times > 0 {
				c.diffusivity[d] = math.Max(c.diffusivity[d], u.K[d]/u.C)
			}
		}
	}
	if faces := (nx-1)*m.NY() + nx*(m.NY()-1); faces > 0 {
		c.interfaces = float64(jumps) / float64(faces)
	}
	return c
}

func (m *Mesh) jump(a, b uint32, axis int) bool {
	ka, kb := m.Palette[a].K[axis], m.Palette[b].K[axis]
	return ka >= 2*kb || kb >= 2*ka
}

// alikeWithin is the relative difference up to which properties of cells count as equal: cutting by shapes is accurate
// to about 2e-10.
const alikeWithin = 1e-9

// settle returns the palette entries of the cells of a layer: nil and a single entry if all cells are equal, as with a
// region that covers its layer, or regions of one material that tile it.
func (m *Mesh) settle(index [][]uint32, material int) (cells [][]uint32, uniform uint32) {
	if index == nil {
		return nil, uint32(material)
	}
	first := index[0][0]
	uniform = first
	for j := range Runs(index) {
		for _, id := range index[j] {
			if id != first && !m.alike(id, first) {
				return index, uint32(material)
			}
			uniform = min(uniform, id)
		}
	}
	return nil, uniform
}

// alike reports whether two palette entries have the same properties at all temperatures.
func (m *Mesh) alike(a, b uint32) bool {
	p, q := &m.Palette[a], &m.Palette[b]
	same := func(v, w float64) bool { return math.Abs(v-w) <= alikeWithin*math.Abs(w) }
	return slices.EqualFunc(p.K[:], q.K[:], same) && slices.EqualFunc(p.Half[:], q.Half[:], same) && same(p.C, q.C) &&
		m.Laws == nil // temperature-dependent properties are not compared
}
