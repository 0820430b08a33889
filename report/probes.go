package report

import (
	"sort"

	"thermsim/mesh"
)

// corner is the place of a coordinate between two cell centres: (1-w) of cell lo and w of cell hi.
type corner struct {
	lo, hi int
	w      float64
}

// between finds the cell centres around v. Outside the outermost centres the nearest one holds.
func between(faces []float64, v float64) corner {
	n := len(faces) - 1
	centre := func(i int) float64 { return (faces[i] + faces[i+1]) / 2 }
	hi := sort.Search(n, func(i int) bool { return centre(i) >= v })
	switch hi {
	case 0:
		return corner{}
	case n:
		return corner{lo: n - 1, hi: n - 1}
	}
	return corner{lo: hi - 1, hi: hi, w: (v - centre(hi-1)) / (centre(hi) - centre(hi-1))}
}

// probeStats is the temperature at a point: trilinear between cell centres and constant beyond the outermost ones, so a
// probe on a face reads the cell next to it and not the surface.
type probeStats struct {
	name    string
	x, y, z corner
	value   float64
}

func newProbes(m *mesh.Mesh) []*probeStats {
	probes := make([]*probeStats, len(m.Stack.Probes))
	for i, p := range m.Stack.Probes {
		probes[i] = &probeStats{name: p.Name, x: between(m.X, p.X), y: between(m.Y, p.Y), z: between(m.Z, p.Z)}
	}
	return probes
}

// add takes in plane k.
func (p *probeStats) add(plane []float64, nx, k int) {
	row := func(j int) float64 {
		return (1-p.x.w)*plane[j*nx+p.x.lo] + p.x.w*plane[j*nx+p.x.hi]
	}
	at := func() float64 { return (1-p.y.w)*row(p.y.lo) + p.y.w*row(p.y.hi) }
	if k == p.z.lo {
		p.value += (1 - p.z.w) * at()
	}
	if k == p.z.hi && p.z.w > 0 {
		p.value += p.z.w * at()
	}
}
