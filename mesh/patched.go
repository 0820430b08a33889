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

// PatchedFace is a face with patches, cell by cell: a counts along its first coordinate and fastest, (x, y), (y, z) or
// (x, z).
//
// Where edges of patches cut a cell, its parts lead to their temperatures side by side, each behind half of the cell:
//
//	G = sum of A_p / (R"_p + half)      G T = sum of A_p T_p / (R"_p + half)      q = sum of q_p A_p / A
//
// The cell then counts as one of the resistance R" = A/G - half, the temperature T and the flux q. half is that of the
// materials at 300 K.
type PatchedFace struct {
	face   stack.Face
	NA, NB int
	// Of the cells: the resistance in m2K/W, negative where no temperature drives the cell, the temperature in K, and
	// the flux in W/m2 that enters.
	Resistance, Temperature, Flux []float64

	owner []int32         // the patch that covers a cell, unpatched where none does; overruled by parts
	parts map[int][]piece // of the cells that edges or tiles of maps cut
	area  []float64       // m2 that are seen of each patch, and last of what they leave
	mean  float64         // resistance of the face, m2K/W; negative where no temperature drives it
}

// unpatched is the owner of what no patch covers.
const unpatched = -1

// piece is a part of a cell's surface.
type piece struct {
	patch int32
	share float64
	h     float64 // of a map
}

func (p *PatchedFace) at(i, j, k int) int {
	switch p.face {
	case stack.Bottom, stack.Top:
		return j*p.NA + i
	case stack.West, stack.East:
		return k*p.NA + j
	}
	return k*p.NA + i
}

func (p *PatchedFace) drive(n int) Drive {
	return Drive{Resistance: p.Resistance[n], Temperature: p.Temperature[n], Flux: p.Flux[n]}
}

// Drive is what a face does to one of its cells: the temperature behind a resistance, and heat that enters.
type Drive struct {
	// between the surface and Temperature in m2K/W, the typical one where it follows the temperature; negative where no
	// temperature drives the cell
	Resistance  float64
	Temperature float64 // K
	Flux        float64 // W/m2 that enter
}

// Driven says whether a temperature drives the cell.
func (d *Drive) Driven() bool { return d.Resistance >= 0 }

// PatchState is a patch, or what the patches of a face leave of it, in a temperature field.
type PatchState struct {
	Face  stack.Face
	Patch int     // its number on the face, -1 for what they leave
	Area  float64 // m2 that are seen
	Heat  float64 // W that leave through it; what enters by a flux is negative
}

// Patches are those of all faces in a field whose planes read copies in K, each face's in their order and last what
// they leave. Their heat adds up to that of the face: conductances are those that executors hold. Only planes that
// faces with patches touch are read.
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

// addHeat adds what leaves through the patches of a face in plane k.
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
