package mesh

import "thermsim/stack"

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

// Drive is what face f does to cell (i, j, k), which lies on it.
func (m *Mesh) Drive(f stack.Face, i, j, k int) Drive {
	if p := m.Patched[f]; p != nil {
		return p.drive(p.at(i, j, k))
	}
	return m.driveOf(f)
}

// driveOf is what a face without patches does to each of its cells.
func (m *Mesh) driveOf(f stack.Face) Drive {
	b := &m.Stack.Boundary[f]
	d := Drive{Resistance: -1, Temperature: b.Temperature}
	if r, driven := m.wholeResistance(f); driven {
		d.Resistance = r
	} else if b.Kind == stack.HeatFlux {
		d.Flux = b.Flux
	}
	return d
}

// Exchanges says whether heat may pass a face.
func (m *Mesh) Exchanges(f stack.Face) bool {
	if m.Patched[f] != nil {
		return true
	}
	d := m.driveOf(f)
	return d.Driven() || d.Flux != 0
}

// Heats says whether a face brings heat into a stack at its ambient temperature, or may.
func (m *Mesh) Heats(f stack.Face) bool {
	if m.Patched[f] != nil {
		return true
	}
	d := m.driveOf(f)
	return d.Flux != 0 || d.Driven() && (d.Temperature != m.Stack.Ambient || m.Stack.Boundary[f].Follows())
}

// FaceResistance is the resistance between a face's surface and the temperature it refers to, in m2K/W, the typical one
// where it follows the temperature, and the mean one where the face has patches: its area over the sum of its cells'
// conductances. ok is false for faces that no temperature drives.
func (m *Mesh) FaceResistance(f stack.Face) (r float64, ok bool) {
	if p := m.Patched[f]; p != nil {
		return p.mean, p.mean >= 0
	}
	return m.wholeResistance(f)
}

// wholeResistance is that of a face without patches.
func (m *Mesh) wholeResistance(f stack.Face) (r float64, ok bool) {
	b := &m.Stack.Boundary[f]
	switch b.Kind {
	case stack.Convective:
		if law := m.faceLaw(f); law != nil {
			return 1 / law.Typical, true
		}
		return 1 / b.H, b.H > 0
	case stack.FixedTemperature:
		return 0, true
	case stack.LumpedResistance:
		return b.Resistance * m.FaceArea(f), true
	}
	return 0, false
}
