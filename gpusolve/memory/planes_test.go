package memory

import (
	"testing"

	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
	"thermsim/stack"
)

// Planes that faces touch are counted once each: bottom and top of a single plane are one, sides touch all.
func TestPlanesThatFacesTouch(t *testing.T) {
	m, err := mesh.Build(cases.Stack10(cases.Options{NX: 4}))
	if err != nil {
		t.Fatal(err)
	}
	single := &mesh.Mesh{Planes: make([]mesh.Plane, 1)}
	for _, c := range []struct {
		m     *mesh.Mesh
		faces []stack.Face
		want  int64
	}{
		{m, nil, 0}, {m, []stack.Face{stack.Top}, 1}, {m, []stack.Face{stack.Bottom}, 1},
		{m, []stack.Face{stack.Bottom, stack.Top}, 2},
		{m, []stack.Face{stack.West}, int64(m.NZ())}, {single, []stack.Face{stack.Bottom, stack.Top}, 1},
	} {
		got := planesOf(c.m, func(f stack.Face) bool {
			for _, w := range c.faces {
				if w == f {
					return true
				}
			}
			return false
		})
		if got != c.want {
			t.Errorf("%v touch %d planes of %d, want %d", c.faces, got, c.m.NZ(), c.want)
		}
	}
}
