package report

import (
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
)

// sharedBytes is up to what size a field is kept while recorders look at it.
const sharedBytes = 64 << 20

// sharedField is the field of a step for several readers: each plane is fetched from the device once. A field larger than sharedBytes is fetched by
// each reader as before. One goroutine at a time may read it.
type sharedField struct {
	field solution.Field
	have  []bool
	kept  [][]float64
}

var _ solution.Within = (*sharedField)(nil)

// take begins a new field of the mesh.
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

// Inner is the field itself, which may reduce its temperatures where they are.
func (s *sharedField) Inner() solution.Field { return s.field }

// Node is the temperature in K of a node beside the mesh, where the field knows such.
func (s *sharedField) Node(n int) (kelvin float64, ok bool) {
	if known, there := s.field.(interface {
		Node(n int) (kelvin float64, ok bool)
	}); there {
		return known.Node(n)
	}
	return 0, false
}
