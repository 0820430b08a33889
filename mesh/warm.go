package mesh

import "slices"

// Warm is a palette entry with its properties at a temperature in K. The heat capacity is the mean between before and
// kelvin, so that a time step stores exactly the heat between these temperatures.
func (l *Laws) Warm(id uint32, kelvin, before float64) Material {
	e := l.Entries[id]
	if e.Areas == 0 {
		return l.plain(e.Material, kelvin, before)
	}
	var few [8]Material
	own := few[:0]
	parts := l.parts(e)
	for _, p := range parts[e.AlongX+e.AlongY:] {
		own = append(own, l.plain(p.Material, kelvin, before))
	}
	return mixed(parts, int(e.AlongX), int(e.AlongY), own)
}

// plain is a single material.
func (l *Laws) plain(material int32, kelvin, before float64) Material {
	return plain([3]float64{l.property(material, LawKX, kelvin), l.property(material, LawKY, kelvin),
		l.property(material, LawKZ, kelvin)}, l.capacity(material, kelvin, before))
}

// property of a material at a temperature.
func (l *Laws) property(material int32, property int, kelvin float64) float64 {
	m := &l.Materials[material]
	if c := m.Curve[property]; c >= 0 {
		return l.of(c, kelvin)
	}
	return m.Constant[property]
}

// capacity of a material, its mean on the way from before to kelvin.
func (l *Laws) capacity(material int32, kelvin, before float64) float64 {
	m := &l.Materials[material]
	if c := m.Curve[LawC]; c >= 0 {
		return l.mean(c, before, kelvin)
	}
	return m.Constant[LawC]
}

// Outside calls f with each material of an entry whose properties are not valid at a temperature.
func (l *Laws) Outside(id uint32, kelvin float64, f func(material int)) {
	l.materials(l.Entries[id], func(m int32) {
		if l.outside(m, kelvin) {
			f(int(m))
		}
	})
}

func (l *Laws) outside(material int32, kelvin float64) bool {
	for _, c := range l.Materials[material].Curve {
		if c >= 0 && (kelvin < l.Curves[c].Low || kelvin > l.Curves[c].High) {
			return true
		}
	}
	return false
}

// TemperatureDependentPlanes reports for each plane whether any of its cells is temperature-dependent.
func (m *Mesh) TemperatureDependentPlanes() []bool {
	planes := make([]bool, m.NZ())
	if m.Laws == nil {
		return planes
	}
	dependent := m.Laws.TemperatureDependent()
	for k := range m.Planes {
		p := &m.Planes[k]
		switch {
		case p.Index == nil:
			planes[k] = dependent[p.Uniform]
		case k > 0 && m.Planes[k-1].Layer == p.Layer:
			planes[k] = planes[k-1]
		default:
			for j := range Runs(p.Index) {
				planes[k] = planes[k] || slices.ContainsFunc(p.Index[j], func(id uint32) bool { return dependent[id] })
			}
		}
	}
	return planes
}

// Row sets dst to a property of a material at the temperatures of a row.
func (l *Laws) Row(dst []float64, material int32, property int, kelvin []float64) {
	m := &l.Materials[material]
	if m.Curve[property] < 0 {
		for i := range dst {
			dst[i] = m.Constant[property]
		}
		return
	}
	c := &l.Curves[m.Curve[property]]
	pieces, buckets := l.Pieces[c.First:c.First+c.Count], l.Buckets[c.Bucket:c.Bucket+c.Buckets]
	low, high, scale, last := c.Low, c.High, c.Scale, c.Buckets-1
	for i, t := range kelvin[:len(dst)] {
		if !(t > low) {
			t = low
		}
		t = min(t, high)
		p := int(buckets[min(int32((t-low)*scale), last)])
		for p+1 < len(pieces) && pieces[p+1].From <= t {
			p++
		}
		dst[i] = pieces[p].Of(t)
	}
}

// MeanRow sets dst to the mean heat capacities of a material between the temperatures of two rows.
func (l *Laws) MeanRow(dst []float64, material int32, kelvin, before []float64) {
	for i := range dst {
		dst[i] = l.capacity(material, kelvin[i], before[i])
	}
}

// EntryAt is the palette index of a cell.
func (m *Mesh) EntryAt(i, j, k int) uint32 {
	p := &m.Planes[k]
	if p.Index == nil {
		return p.Uniform
	}
	return p.Index[j][i]
}

// mixedEntry appends the composition of the palette's next entry. The parts of a cell are materials or fills: entries
// without parts.
func (l *Laws) mixedEntry(x *mixer) {
	if l == nil {
		return
	}
	for n := range x.parts {
		p := &x.parts[n]
		p.Material = l.Entries[x.materials[p.Place]].Material
	}
	l.entry(x.parts, x.alongX, x.alongY)
}

// entry appends an entry made of parts.
func (l *Laws) entry(parts []Part, alongX, alongY int) {
	l.Entries = append(l.Entries, LawEntry{First: int32(len(l.Parts)), AlongX: int32(alongX), AlongY: int32(alongY),
		Areas: int32(len(parts) - alongX - alongY)})
	l.Parts = append(l.Parts, parts...)
}

// constantEntry appends an entry that is not temperature-dependent: a fill.
func (l *Laws) constantEntry(m *Material) {
	if l == nil {
		return
	}
	l.Materials = append(l.Materials, MaterialLaw{Curve: [lawProperties]int32{-1, -1, -1, -1},
		Constant: [lawProperties]float64{m.K[0], m.K[1], m.K[2], m.C}})
	l.Entries = append(l.Entries, LawEntry{Material: int32(len(l.Materials) - 1)})
}
