// Package fields has what all temperature fields on the planes of a mesh share: checks, what a run starts from, and
// fields that are held in memory.
package fields

import (
	"fmt"

	"thermsim/gpusolve/reduction"
	"thermsim/mesh"
)

// CheckPlane refuses what is no plane of a mesh.
func CheckPlane(m *mesh.Mesh, k int, dst []float64) error {
	if k < 0 || k >= m.NZ() || len(dst) != m.NX()*m.NY() {
		return fmt.Errorf("plane %d into %d values; the field has %d planes of %d x %d", k, len(dst), m.NZ(), m.NX(),
			m.NY())
	}
	return nil
}

// CheckRegions refuses those of another grid.
func CheckRegions(m *mesh.Mesh, r *reduction.Regions) error {
	if r.NX != m.NX() || r.NY != m.NY() || r.NZ != m.NZ() {
		return fmt.Errorf("regions of a grid of %d x %d x %d cells; the field has %d x %d x %d", r.NX, r.NY, r.NZ,
			m.NX(), m.NY(), m.NZ())
	}
	return nil
}

// CheckCounts refuses counts that are not those of all planes.
func CheckCounts(m *mesh.Mesh, q reduction.Quanta, counts []int32) error {
	if want := m.NZ() * q.Side(m.NX()) * q.Side(m.NY()); len(counts) != want {
		return fmt.Errorf("%d counts of a field of %d", len(counts), want)
	}
	return nil
}

// CheckBins refuses bins of another grid.
func CheckBins(m *mesh.Mesh, b *reduction.Maxima, dst []float64) error {
	fits := func(bins reduction.Bins, cells int) bool {
		if len(bins.First) != len(bins.Last) {
			return false
		}
		for n := range bins.First {
			if bins.First[n] < 0 || bins.First[n] > bins.Last[n] || int(bins.Last[n]) >= cells {
				return false
			}
		}
		return true
	}
	if !(0 <= b.Planes[0] && b.Planes[0] < b.Planes[1] && b.Planes[1] <= m.NZ()) || len(dst) != b.Count() ||
		!fits(b.X, m.NX()) || !fits(b.Y, m.NY()) {
		return fmt.Errorf("bins of planes %v into %d values do not fit a field of %d x %d x %d", b.Planes, len(dst),
			m.NX(), m.NY(), m.NZ())
	}
	return nil
}

// Prepared is what a device keeps of regions, made when it is first asked for; nil where planes have to be read.
func Prepared(on any, made map[*reduction.Regions]reduction.Reduction, r *reduction.Regions) (reduction.Reduction,
	error) {
	if known, there := made[r]; there {
		return known, nil
	}
	s, ok := on.(reduction.Reducer)
	if !ok {
		return nil, nil
	}
	fresh, err := s.NewReduction(r)
	if err == nil {
		made[r] = fresh
	}
	return fresh, err
}
