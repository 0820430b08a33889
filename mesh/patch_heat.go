package mesh

import "thermsim/stack"

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
