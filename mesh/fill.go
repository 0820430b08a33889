package mesh

import "thermsim/stack"

// filled identifies a matrix with inclusions.
type filled struct {
	matrix, inclusion int
	rule              stack.Rule
	fraction          float64
}

// fill is the palette index of a matrix with inclusions.
func (p *painter) fill(key filled) uint32 {
	if key.fraction == 0 {
		return uint32(key.matrix)
	}
	if id, ok := p.fills[key]; ok {
		return id
	}
	materials := p.mesh.Stack.Materials
	k, c := key.rule.Mix(&materials[key.inclusion], &materials[key.matrix], key.fraction)
	id := p.mesh.add(plain(k, c))
	p.mesh.Laws.constantEntry(&p.mesh.Palette[id])
	p.fills[key] = id
	return id
}

// plain is a cell of one material.
func plain(k [3]float64, c float64) Material {
	return Material{K: k, C: c, Half: [4]float64{k[0], k[0], k[1], k[1]}}
}

// add appends an entry to the palette.
func (m *Mesh) add(e Material) uint32 {
	m.Palette = append(m.Palette, e)
	return uint32(len(m.Palette) - 1)
}
