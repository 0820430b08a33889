package mesh

// LateralConductivity is the mean conductivity of plane k along x and y in W/(m K).
func (m *Mesh) LateralConductivity(k int) (kx, ky float64) {
	p := &m.Planes[k]
	if p.Index == nil {
		u := m.Palette[p.Uniform]
		return u.K[0], u.K[1]
	}
	for _, id := range p.Index {
		kx += m.Palette[id].K[0]
		ky += m.Palette[id].K[1]
	}
	n := float64(len(p.Index))
	return kx / n, ky / n
}

// InterfaceShare is the share of the lateral cell faces of plane k across which a conductivity changes by a factor of two or more.
func (m *Mesh) InterfaceShare(k int) float64 {
	index := m.Planes[k].Index
	if index == nil {
		return 0
	}
	nx := m.NX()
	jumps := 0
	for c, id := range index {
		if c%nx > 0 && m.jump(id, index[c-1], 0) {
			jumps++
		}
		if c >= nx && m.jump(id, index[c-nx], 1) {
			jumps++
		}
	}
	faces := (nx-1)*m.NY() + nx*(m.NY()-1)
	if faces == 0 {
		return 0
	}
	return float64(jumps) / float64(faces)
}

func (m *Mesh) jump(a, b uint32, axis int) bool {
	if a == b {
		return false
	}
	ka, kb := m.Palette[a].K[axis], m.Palette[b].K[axis]
	return ka >= 2*kb || kb >= 2*ka
}
