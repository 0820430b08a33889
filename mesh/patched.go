package mesh

import (
	"math"

	"thermsim/stack"
)

// cell is (i, j, k) of the cell at n.
func (p *PatchedFace) cell(m *Mesh, n int) (i, j, k int) {
	first, _ := m.faceRange(p.face, [2]int{0, m.NZ()})
	along := p.face.Along()
	first[along[0]], first[along[1]] = n%p.NA, n/p.NA
	return first[0], first[1], first[2]
}

// addPatches assigns the patches to the faces.
func (m *Mesh) addPatches() {
	for f := range stack.Face(stack.NumFaces) {
		if len(m.Stack.Boundary[f].Patches) == 0 {
			continue
		}
		axes, along := [3][]float64{m.X, m.Y, m.Z}, f.Along()
		a, b := axes[along[0]], axes[along[1]]
		p := &PatchedFace{face: f, NA: len(a) - 1, NB: len(b) - 1}
		newCutter(m.Stack.Boundary[f].Patches, a, b).lay(p)
		p.measure(m)
		p.join(m)
		m.Patched[f] = p
	}
}

// of returns the parts of a cell, a single one if no edge cuts it.
func (p *PatchedFace) of(n int) []piece {
	if parts, cut := p.parts[n]; cut {
		return parts
	}
	return []piece{{patch: p.owner[n], share: 1}}
}

// FacePart is a part of a cell's surface on a face.
type FacePart struct {
	Patch int // its number on the face, -1 for the remainder.
	Area  float64
	Half  float64 // resistance of half the cell in m2K/W, in series with the boundary condition
}

// FaceParts calls visit with the parts of all cells on a face that conduct heat to it.
func (m *Mesh) FaceParts(f stack.Face, visit func(i, j, k int, part FacePart)) {
	p := m.Patched[f]
	m.FaceCells(f, [2]int{0, m.NZ()}, func(i, j, k int) {
		half, area := m.halfOf(f, i, j, k, m.At(i, j, k)), m.CellFaceArea(f, i, j, k)
		switch {
		case half >= insulating:
		case p == nil:
			visit(i, j, k, FacePart{unpatched, area, half})
		default:
			for _, part := range p.of(p.at(i, j, k)) {
				visit(i, j, k, FacePart{int(part.patch), area * part.share, half})
			}
		}
	})
}

// measure adds up the visible area of the patches.
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

// row is the index of a patch in lists of all patches and the remainder.
func (p *PatchedFace) row(patch int32) int {
	if patch == unpatched {
		return len(p.area) - 1
	}
	return int(patch)
}

// driveOfPart is the boundary condition of a part of a cell.
func (p *PatchedFace) driveOfPart(m *Mesh, part *piece) Drive {
	b := &m.Stack.Boundary[p.face]
	if part.patch != unpatched {
		b = &b.Patches[part.patch].Boundary
	}
	d := newDrive(b, p.area[p.row(part.patch)])
	if part.h > 0 {
		d.Resistance = 1 / part.h
	}
	return d
}

// join combines the boundary conditions of the parts of each cell.
func (p *PatchedFace) join(m *Mesh) {
	p.Cells = make([]Drive, p.NA*p.NB)
	all, conductance := 0.0, 0.0
	for n := range p.Cells {
		i, j, k := p.cell(m, n)
		d := p.joined(m, p.of(n), m.halfOf(p.face, i, j, k, m.At(i, j, k)))
		p.Cells[n] = d
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

// whole is the share from which on a part counts as the whole cell.
const whole = 1 - 1e-12

// joined is the combined boundary condition of the parts of a cell whose center lies behind the resistance half.
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
	if g > 0 && half < insulating {
		out.Resistance = math.Max(0, 1/g-half)
		if !alike {
			out.Temperature = gt / g
		}
	}
	return out
}

// PatchedFace is a face with patches, cell by cell: a counts along its first coordinate and fastest, (x, y), (y, z) or
// (x, z).
//
// If edges of patches cut a cell, its parts conduct to their temperatures in parallel, each in series with half of the
// cell.
//
//	G = sum of A_p / (R"_p + half),     G T = sum of A_p T_p / (R"_p + half),     q = sum of q_p A_p / A.
//
// The cell then has the resistance R" = A/G - half, the temperature T and the flux q. The resistance half is that at
// 300 K.
type PatchedFace struct {
	face   stack.Face
	NA, NB int
	Cells  []Drive

	owner []int32         // the patch that covers a cell, or unpatched; parts take precedence.
	parts map[int][]piece // of cells that edges or map tiles cut
	area  []float64       // visible m2 of each patch; the last is the remainder
	mean  float64         // resistance of the face, m2K/W; negative without a reference temperature
}

// unpatched is the owner of cells without a patch.
const unpatched = -1

// piece is a part of a cell's surface.
type piece struct {
	patch int32
	share float64
	h     float64 // of a map, otherwise 0
}

func (p *PatchedFace) at(i, j, k int) int {
	cell, along := [3]int{i, j, k}, p.face.Along()
	return cell[along[1]]*p.NA + cell[along[0]]
}

// Drive is the boundary condition of a face at one of its cells: a reference temperature in series with a resistance,
// and an incoming flux.
type Drive struct {
	// between the surface and Temperature in m2K/W, the typical one if it is temperature-dependent; negative without a
	// reference temperature
	Resistance  float64
	Temperature float64 // K
	Flux        float64 // incoming, W/m2
}

// Driven reports whether the cell has a reference temperature.
func (d *Drive) Driven() bool { return d.Resistance >= 0 }

// PatchState is the state of a patch, or of the remainder of a face with patches, in a temperature field.
type PatchState struct {
	Face  stack.Face
	Patch int     // its number on the face, -1 for the remainder.
	Area  float64 // visible m2
	Heat  float64 // W that leave through it; an incoming flux is negative
}

// Patches are the states of all patches in a field whose planes read copies in K: those of each face in order, then the
// remainder. Their heat adds up to that of the face, because they use the conductances that executors store. Only
// planes with patched faces are read.
func (m *Mesh) Patches(read func(k int, kelvin []float64) error) ([]PatchState, error) {
	var all []PatchState
	var faces []*PatchedFace
	var first []int // in all
	for f, p := range m.Patched {
		if p == nil {
			continue
		}
		faces, first = append(faces, p), append(first, len(all))
		for n, area := range p.area {
			patch := n
			if n == len(p.area)-1 {
				if patch = unpatched; area == 0 {
					continue
				}
			}
			all = append(all, PatchState{Face: stack.Face(f), Patch: patch, Area: area})
		}
	}
	err := m.onFaces(len(faces), func(n int) stack.Face { return faces[n].face }, read,
		func(n, k int, kelvin []float64) { faces[n].addHeat(m, k, kelvin, all[first[n]:]) })
	if err != nil {
		return nil, err
	}
	return all, nil
}

// addHeat adds the heat that leaves through the patches of a face in plane k.
func (p *PatchedFace) addHeat(m *Mesh, k int, kelvin []float64, rows []PatchState) {
	from, to := 0, len(p.owner)
	if p.face > stack.Top {
		from, to = k*p.NA, (k+1)*p.NA
	}
	for n := from; n < to; n++ {
		i, j, _ := p.cell(m, n)
		t := kelvin[j*m.NX()+i]
		c := m.At(i, j, k)
		if m.Laws != nil {
			w := m.Laws.Warm(m.EntryAt(i, j, k), t, t)
			c = &w
		}
		held, _ := m.heldFaceConductance(p.face, i, j, k, func(e stack.Face) float64 {
			if law := m.faceLaw(e); law != nil {
				_, g := m.Laws.exchange(law, t-m.Stack.Ambient-law.Above, m.halfOf(e, i, j, k, c))
				return m.CellFaceArea(e, i, j, k) * g
			}
			return m.faceConductance(e, i, j, k, c)
		})
		half := m.halfOf(p.face, i, j, k, m.At(i, j, k))
		parts := p.of(n)
		weight := 0.0
		for q := range parts {
			weight += p.weight(m, &parts[q], half)
		}
		for q := range parts {
			d := p.driveOfPart(m, &parts[q])
			row := &rows[p.row(parts[q].patch)]
			row.Heat -= d.Flux * m.CellFaceArea(p.face, i, j, k) * parts[q].share
			if w := p.weight(m, &parts[q], half); w > 0 {
				row.Heat += held * (w / weight) * (t - d.Temperature)
			}
		}
	}
}

// weight is a part's conductance per area of the cell.
func (p *PatchedFace) weight(m *Mesh, part *piece, half float64) float64 {
	d := p.driveOfPart(m, part)
	if !d.Driven() {
		return 0
	}
	return part.share / (d.Resistance + half)
}
