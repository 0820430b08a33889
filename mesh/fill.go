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
