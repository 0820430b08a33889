package mesh

import (
	"math"

	"thermsim/stack"
)

// cell is (i, j, k) of the cell at n.
func (p *PatchedFace) cell(m *Mesh, n int) (i, j, k int) {
	a, b := n%p.NA, n/p.NA
	switch p.face {
	case stack.Bottom:
		return a, b, 0
	case stack.Top:
		return a, b, m.NZ() - 1
	case stack.West:
		return 0, a, b
	case stack.East:
		return m.NX() - 1, a, b
	case stack.South:
		return a, 0, b
	}
	return a, m.NY() - 1, b
}

// addPatches lays the patches over the faces.
func (m *Mesh) addPatches() {
	for f := range stack.Face(stack.NumFaces) {
		if len(m.Stack.Boundary[f].Patches) == 0 {
			continue
		}
		p := &PatchedFace{face: f}
		a, b := m.X, m.Y
		switch f {
		case stack.West, stack.East:
			a, b = m.Y, m.Z
		case stack.South, stack.North:
			b = m.Z
		}
		p.NA, p.NB = len(a)-1, len(b)-1
		newCutter(m.Stack.Boundary[f].Patches, a, b).lay(p)
		p.measure(m)
		p.join(m)
		m.Patched[f] = p
	}
}

// of is the patch's part of a cell, whole if no edge cuts it.
func (p *PatchedFace) of(n int) []piece {
	if parts, cut := p.parts[n]; cut {
		return parts
	}
	return []piece{{patch: p.owner[n], share: 1}}
}

// measure adds up what is seen of the patches.
func (p *PatchedFace) measure(m *Mesh) {
	p.area = make([]float64, len(m.Stack.Boundary[p.face].Patches)+1)
	for n := range p.owner {
		i, j, k := p.cell(m, n)
		area := m.CellFaceArea(p.face, i, j, k)
		for _, part := range p.of(n) {
			p.area[p.row(part.patch)] += area * part.share
		}
	}
}

// row is the place of a patch in lists of all patches and the rest.
func (p *PatchedFace) row(patch int32) int {
	if patch == unpatched {
		return len(p.area) - 1
	}
	return int(patch)
}

// driveOfPart is what a part of a cell is driven by.
func (p *PatchedFace) driveOfPart(m *Mesh, part *piece) Drive {
	b, film := &m.Stack.Boundary[p.face], (*stack.FilmMap)(nil)
	if part.patch != unpatched {
		patch := &b.Patches[part.patch]
		b, film = &patch.Boundary, patch.Map
	}
	d := Drive{Resistance: -1, Temperature: b.Temperature}
	h := b.H
	if film != nil {
		h = part.h
	}
	switch b.Kind {
	case stack.Convective:
		if h > 0 {
			d.Resistance = 1 / h
		}
	case stack.FixedTemperature:
		d.Resistance = 0
	case stack.LumpedResistance:
		d.Resistance = b.Resistance * p.area[p.row(part.patch)]
	case stack.HeatFlux:
		d.Flux = b.Flux
	}
	return d
}

// join makes one drive of the parts of each cell.
func (p *PatchedFace) join(m *Mesh) {
	cells := p.NA * p.NB
	p.Resistance, p.Temperature, p.Flux = make([]float64, cells), make([]float64, cells), make([]float64, cells)
	all, conductance := 0.0, 0.0
	for n := range cells {
		i, j, k := p.cell(m, n)
		d := p.joined(m, p.of(n), m.halfOf(p.face, i, j, k, m.At(i, j, k)))
		p.Resistance[n], p.Temperature[n], p.Flux[n] = d.Resistance, d.Temperature, d.Flux
		area := m.CellFaceArea(p.face, i, j, k)
		all += area
		if d.Driven() {
			conductance += area / d.Resistance
		}
	}
	p.mean = -1
	if conductance > 0 {
		p.mean = all / conductance
	}
}

// whole is the share of a cell from which on it is all of it.
const whole = 1 - 1e-12

// joined is what the parts do together to a cell whose centre lies behind the resistance half.
func (p *PatchedFace) joined(m *Mesh, parts []piece, half float64) Drive {
	first := p.driveOfPart(m, &parts[0])
	if len(parts) == 1 {
		return first
	}
	out, same, alike := Drive{Resistance: -1, Temperature: m.Stack.Ambient}, 0.0, true
	g, gt := 0.0, 0.0
	for n := range parts {
		d := p.driveOfPart(m, &parts[n])
		if d == first {
			same += parts[n].share
		}
		out.Flux += parts[n].share * d.Flux
		if !d.Driven() {
			continue
		}
		c := parts[n].share / (d.Resistance + half)
		alike = alike && (g == 0 || d.Temperature == out.Temperature)
		out.Temperature = d.Temperature
		g += c
		gt += c * d.Temperature
	}
	if same >= whole {
		return first
	}
	if g > 0 && half < noWay {
		out.Resistance = math.Max(0, 1/g-half)
		if !alike {
			out.Temperature = gt / g
		}
	}
	return out
}
