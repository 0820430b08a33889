package statistics

import (
	"cmp"
	"math"
	"slices"

	"thermsim/mesh"
	"thermsim/report/summary"
)

const (
	maxHotSpots = 5
	// Maxima with a prominence below 1 % of the map's span, or below 1 mK, are noise.
	minProminence  = 0.01
	minProminenceK = 1e-3
	// Minimum distance of hot spots relative to the domain's diagonal.
	minDistance = 0.02
	maxBins     = 128
)

// peakMap is the maximum temperature over z, reduced by maximum to at most maxBins bins per side.
type peakMap struct {
	nx, ny int
	bins   []peak
}

// peak is the hottest cell of a bin; t is -Inf without a finite temperature.
type peak struct {
	t       float64
	i, j, k int32
}

func newPeakMap(cx, cy int) *peakMap {
	p := &peakMap{nx: min(cx, maxBins), ny: min(cy, maxBins)}
	p.bins = make([]peak, p.nx*p.ny)
	return p
}

// summit is a local maximum of the bins with its topological prominence.
type summit struct {
	peak
	prominence float64
}

// summits computes the local maxima and their prominences with a union-find from the hottest bin downwards: where two
// islands meet, the prominence of the lower summit is its height above the saddle.
func (p *peakMap) summits() []summit {
	order := p.descending()
	island := make([]int, len(p.bins)) // union-find; -1 is not visited yet. A root is its island's summit.
	for b := range island {
		island[b] = -1
	}
	root := func(b int) int {
		for island[b] != b {
			island[b] = island[island[b]]
			b = island[b]
		}
		return b
	}
	rank := make([]int, len(p.bins)) // position in order, to prefer the earlier of equal summits
	var found []summit
	for n, b := range order {
		rank[b], island[b] = n, b
		hi, x, y := b, b%p.nx, b/p.nx
		for yy := max(y-1, 0); yy <= min(y+1, p.ny-1); yy++ {
			for c := yy*p.nx + max(x-1, 0); c <= yy*p.nx+min(x+1, p.nx-1); c++ {
				if island[c] < 0 || island[c] == hi {
					continue
				}
				lo := root(c)
				if lo == hi {
					continue
				}
				if rank[lo] < rank[hi] {
					hi, lo = lo, hi
				}
				if drop := p.bins[lo].t - p.bins[b].t; drop > 0 {
					found = append(found, summit{p.bins[lo], drop})
				}
				island[lo] = hi
			}
		}
	}
	if len(order) > 0 {
		top, bottom := p.bins[order[0]], p.bins[order[len(order)-1]]
		found = append(found, summit{top, top.t - bottom.t})
	}
	slices.SortStableFunc(found, func(a, b summit) int { return cmp.Compare(b.t, a.t) })
	return found
}

// HotSpots selects the hottest summits with sufficient prominence and distance.
func (p *peakMap) HotSpots(m *mesh.Mesh) []summary.HotSpot {
	all := p.summits()
	if len(all) == 0 {
		return nil
	}
	span := 0.0
	for _, s := range all {
		span = max(span, s.prominence)
	}
	apart := minDistance * math.Hypot(m.X[len(m.X)-1]-m.X[0], m.Y[len(m.Y)-1]-m.Y[0])
	var spots []summary.HotSpot
	for _, s := range all {
		if len(spots) == maxHotSpots {
			break
		}
		if len(spots) > 0 && s.prominence < max(minProminence*span, minProminenceK) {
			continue
		}
		at := PlaceOf(m, int(s.i), int(s.j), int(s.k))
		if !slices.ContainsFunc(spots, func(h summary.HotSpot) bool {
			return math.Hypot(h.XM-at.XM, h.YM-at.YM) < apart
		}) {
			spots = append(spots, summary.HotSpot{MaxK: s.t, ProminenceK: s.prominence, Place: at})
		}
	}
	return spots
}

// HotSpotsOf finds the hot spots of planes of nx cells a row. Each cell shows factor x factor cells of the mesh.
func HotSpotsOf(m *mesh.Mesh, planes [][]float64, nx, factor int) []summary.HotSpot {
	ny := len(planes[0]) / nx
	p := newPeakMap(nx, ny)
	for b := range p.bins {
		p.bins[b].t = math.Inf(-1)
	}
	for k, plane := range planes {
		for n, t := range plane {
			i, j := n%nx, n/nx
			if b := &p.bins[j*p.ny/ny*p.nx+i*p.nx/nx]; t > b.t {
				i, j = min(i*factor+factor/2, m.NX()-1), min(j*factor+factor/2, m.NY()-1)
				*b = peak{t, int32(i), int32(j), int32(k)}
			}
		}
	}
	return p.HotSpots(m)
}

// descending lists the bins with a temperature from the hottest to the coldest, in order for equal ones.
func (p *peakMap) descending() []int {
	order := make([]int, 0, len(p.bins))
	for b := range p.bins {
		if !math.IsInf(p.bins[b].t, -1) {
			order = append(order, b)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.bins[b].t, p.bins[a].t) })
	return order
}
