package report

import (
	"sync"

	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
)

// sharedBytes is the largest size of a field that is cached for the recorders.
const sharedBytes = 64 << 20

// sharedField is the field of a step for several readers: each plane is fetched from the device once. Fields larger
// than sharedBytes are fetched by each reader. Concurrent reads are safe and serialized.
type sharedField struct {
	mu    sync.Mutex
	field solution.Field
	have  []bool
	kept  [][]float64
}

var _ solution.Within = (*sharedField)(nil)

// take starts a new field on the mesh.
func (s *sharedField) take(f solution.Field, m *mesh.Mesh) {
	s.field = f
	if s.have == nil {
		s.have = []bool{}
		if 8*m.Cells() <= sharedBytes {
			s.have = make([]bool, m.NZ())
		}
		s.kept = make([][]float64, len(s.have))
	}
	clear(s.have)
}

// Plane implements solution.Field.
func (s *sharedField) Plane(k int, dst []float64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k >= len(s.have) || k < 0 {
		return s.field.Plane(k, dst)
	}
	if s.have[k] && len(dst) == len(s.kept[k]) {
		copy(dst, s.kept[k])
		return nil
	}
	if err := s.field.Plane(k, dst); err != nil {
		return err
	}
	s.kept[k], s.have[k] = append(s.kept[k][:0], dst...), true
	return nil
}

// Inner returns the field itself, which may reduce its temperatures on the device, one reader at a time.
func (s *sharedField) Inner() solution.Field {
	if own := solution.ReducerOf(s.field); own != nil {
		return &reducedInTurn{s, own}
	}
	return s.field
}

// reducedInTurn reduces a field while no other reader uses it.
type reducedInTurn struct {
	shared *sharedField
	own    solution.Reducer
}

// Plane implements solution.Field.
func (r *reducedInTurn) Plane(k int, dst []float64) error { return r.shared.Plane(k, dst) }

// Reduce implements solution.Reducer.
func (r *reducedInTurn) Reduce(regions *reduction.Regions) (*reduction.Values, error) {
	r.shared.mu.Lock()
	defer r.shared.mu.Unlock()
	return r.own.Reduce(regions)
}

// Quantise implements solution.Reducer.
func (r *reducedInTurn) Quantise(q reduction.Quanta, counts []int32) (bool, error) {
	r.shared.mu.Lock()
	defer r.shared.mu.Unlock()
	return r.own.Quantise(q, counts)
}

// Node is the temperature in K of a node outside the mesh, if the field has any.
func (s *sharedField) Node(n int) (kelvin float64, ok bool) {
	if known, there := s.field.(interface {
		Node(n int) (kelvin float64, ok bool)
	}); there {
		return known.Node(n)
	}
	return 0, false
}

// Maxima implements solution.Binner.
func (r *reducedInTurn) Maxima(m *reduction.Maxima, dst []float64) (bool, error) {
	own := solution.BinnerOf(r.shared.field)
	if own == nil {
		return false, nil
	}
	r.shared.mu.Lock()
	defer r.shared.mu.Unlock()
	return own.Maxima(m, dst)
}
