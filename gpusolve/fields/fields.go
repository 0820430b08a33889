// Package fields has what all temperature fields on the planes of a mesh share: checks, what a run starts from, and
// fields that are held in memory.
package fields

import (
	"errors"
	"fmt"
	"math"

	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
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

// Uniform is the rise that a stack starts with where no field is given.
func Uniform(m *mesh.Mesh) float64 {
	if initial := m.Stack.Transient.Initial; initial > 0 {
		return initial - m.Stack.Ambient
	}
	return 0
}

// RisesOf reads a field on the planes of a mesh.
func RisesOf(m *mesh.Mesh, f solution.Field) ([]float64, error) {
	sheet := m.NX() * m.NY()
	rises := make([]float64, m.Cells())
	for k := range m.NZ() {
		if err := ReadRises(m, f, k, rises[k*sheet:(k+1)*sheet]); err != nil {
			return nil, err
		}
	}
	return rises, nil
}

func ReadRises(m *mesh.Mesh, f solution.Field, k int, plane []float64) error {
	if err := f.Plane(k, plane); err != nil {
		return fmt.Errorf("the field to start from: %w", err)
	}
	for c, kelvin := range plane {
		if !(kelvin > 0) || math.IsInf(kelvin, 0) {
			return fmt.Errorf("%w: the field to start from has %g K in cell %d of plane %d", solution.ErrOption, kelvin,
				c, k)
		}
		plane[c] = kelvin - m.Stack.Ambient
	}
	return nil
}

// Hold copies a field on the planes of a mesh into memory, where it outlives its device.
func Hold(m *mesh.Mesh, f solution.Field) (solution.Field, error) {
	sheet := m.NX() * m.NY()
	kelvin := make(heldField, m.Cells())
	for k := range m.NZ() {
		if err := f.Plane(k, kelvin[k*sheet:(k+1)*sheet]); err != nil {
			return nil, err
		}
	}
	return kelvin, nil
}

type heldField []float64

func (h heldField) Plane(k int, dst []float64) error {
	copy(dst, h[k*len(dst):])
	return nil
}

// Evenly is a field of one temperature in K.
type Evenly float64

func (e Evenly) Plane(_ int, dst []float64) error {
	for c := range dst {
		dst[c] = float64(e)
	}
	return nil
}

// ErrNotKept is the error of reading a field of which statistics alone were asked for: see TransientOptions.Reads.
var ErrNotKept = errors.New("the field at the end of this step was not requested in advance, and is not available")

// Seen is the field at the end of a step whose statistics are known.
type Seen struct {
	Of      solution.Field // nil where it is not kept
	Regions *reduction.Regions
	Values  *reduction.Values
}

var _ solution.Reducer = (*Seen)(nil)

func (s *Seen) Plane(k int, dst []float64) error {
	if s.Of == nil {
		return ErrNotKept
	}
	return s.Of.Plane(k, dst)
}

// Reduce knows the statistics of the regions, and takes others.
func (s *Seen) Reduce(r *reduction.Regions) (*reduction.Values, error) {
	switch {
	case r == s.Regions:
		return s.Values, nil
	case s.Of == nil:
		return nil, ErrNotKept
	}
	return solution.Reduce(s.Of, r)
}

func (s *Seen) Quantise(q reduction.Quanta, counts []int32) (bool, error) {
	if s.Of == nil {
		return false, ErrNotKept
	}
	if own := solution.ReducerOf(s.Of); own != nil {
		return own.Quantise(q, counts)
	}
	return false, nil
}
