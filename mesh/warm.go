package mesh

import "slices"

// Warm is the palette entry of a number with its properties at a temperature in K. The heat capacity is the mean between before and kelvin, with which a
// time step stores just the heat that the capacity takes up on the way.
func (l *Laws) Warm(id uint32, kelvin, before float64) Material {
	e := l.Entries[id]
	k := [3]float64{l.property(e.Material, LawKX, kelvin), l.property(e.Material, LawKY, kelvin), l.property(e.Material, LawKZ, kelvin)}
	m := Material{K: k, Half: [4]float64{k[0], k[0], k[1], k[1]}, C: l.capacity(e.Material, kelvin, before)}
	for n := e.First; n < e.First+e.Count; n++ {
		l.mixInto(&m, &l.Mixings[n], kelvin, before)
	}
	if e.Count > 0 {
		m.K[0] = 2 / (1/m.Half[west] + 1/m.Half[east])
		m.K[1] = 2 / (1/m.Half[south] + 1/m.Half[north])
	}
	return m
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

func (l *Laws) mixInto(m *Material, x *Mixing, kelvin, before float64) {
	over := int32(x.Material)
	kx, ky := l.property(over, LawKX, kelvin), l.property(over, LawKY, kelvin)
	m.Half[west] = blended(m.Half[west], kx, x.West, x.Y)
	m.Half[east] = blended(m.Half[east], kx, x.East, x.Y)
	m.Half[south] = blended(m.Half[south], ky, x.South, x.X)
	m.Half[north] = blended(m.Half[north], ky, x.North, x.X)
	share := x.X * x.Y
	m.K[2] = beside(m.K[2], l.property(over, LawKZ, kelvin), share)
	m.C = beside(m.C, l.capacity(over, kelvin, before), share)
}

// blended is the conductivity of half a cell of base, of which a region of over covers a part along the axis and a part across: in series along, side by
// side across.
func blended(base, over, along, across float64) float64 {
	return float64(across/(along/over+(1-along)/base)) + float64((1-across)*base)
}

// beside is a mean weighted by the share of the area.
func beside(base, over, share float64) float64 {
	return float64(share*over) + float64((1-share)*base)
}

// Outside calls f with each material of an entry whose properties do not hold at a temperature.
func (l *Laws) Outside(id uint32, kelvin float64, f func(material int)) {
	e := l.Entries[id]
	if l.outside(e.Material, kelvin) {
		f(int(e.Material))
	}
	for n := e.First; n < e.First+e.Count; n++ {
		if o := int32(l.Mixings[n].Material); l.outside(o, kelvin) {
			f(int(o))
		}
	}
}

func (l *Laws) outside(material int32, kelvin float64) bool {
	for _, c := range l.Materials[material].Curve {
		if c >= 0 && (kelvin < l.Curves[c].Low || kelvin > l.Curves[c].High) {
			return true
		}
	}
	return false
}

// FollowingPlanes says of each plane whether any of its cells follows the temperature.
func (m *Mesh) FollowingPlanes() []bool {
	planes := make([]bool, m.NZ())
	if m.Laws == nil {
		return planes
	}
	follows := m.Laws.Follows()
	for k := range m.Planes {
		p := &m.Planes[k]
		switch {
		case p.Index == nil:
			planes[k] = follows[p.Uniform]
		case k > 0 && m.Planes[k-1].Layer == p.Layer:
			planes[k] = planes[k-1]
		default:
			planes[k] = slices.ContainsFunc(p.Index, func(id uint32) bool { return follows[id] })
		}
	}
	return planes
}

// Row sets dst to what a property of a material is at the temperatures of a row.
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

// EntryAt is the palette's number of a cell.
func (m *Mesh) EntryAt(i, j, k int) uint32 {
	p := &m.Planes[k]
	if p.Index == nil {
		return p.Uniform
	}
	return p.Index[j*m.NX()+i]
}

// mixedEntry appends what the palette's next entry is made of. What lies over a cell is a material or a fill: an entry without mixings.
func (l *Laws) mixedEntry(key mixture) {
	if l == nil {
		return
	}
	base := l.Entries[key.base]
	e := LawEntry{Material: base.Material, First: int32(len(l.Mixings)), Count: base.Count + 1}
	l.Mixings = append(l.Mixings, l.Mixings[base.First:base.First+base.Count]...)
	l.Mixings = append(l.Mixings, Mixing{Material: int64(l.Entries[key.over].Material), West: key.x.lowHalf(), East: key.x.highHalf(),
		South: key.y.lowHalf(), North: key.y.highHalf(), X: key.x.length(), Y: key.y.length()})
	l.Entries = append(l.Entries, e)
}

// constantEntry appends an entry that follows no temperature: a fill, or a cell that shapes cut. Halves that differ are those of two materials on
// either side of the middle, of which the second makes up the rest.
func (l *Laws) constantEntry(m *Material) {
	if l == nil {
		return
	}
	e := LawEntry{Material: l.addConstant(m.Half[east], m.Half[north], m), First: int32(len(l.Mixings))}
	if m.Half[west] != m.Half[east] || m.Half[south] != m.Half[north] {
		over := l.addConstant(m.Half[west], m.Half[south], m)
		l.Mixings = append(l.Mixings, Mixing{Material: int64(over), West: 1, South: 1, X: 1, Y: 1})
		e.Count = 1
	}
	l.Entries = append(l.Entries, e)
}

func (l *Laws) addConstant(kx, ky float64, m *Material) int32 {
	l.Materials = append(l.Materials, MaterialLaw{Curve: [lawProperties]int32{-1, -1, -1, -1}, Constant: [lawProperties]float64{kx, ky, m.K[2], m.C}})
	return int32(len(l.Materials) - 1)
}
