package saved

import (
	"errors"
	"path/filepath"
	"testing"

	"thermsim/stack"
)

// The caller may refuse a stack before its mesh takes memory, and gets its own error back.
func TestRoomIsAskedBeforeMeshing(t *testing.T) {
	m := sampleMesh(t)
	full := errors.New("no room")
	var seen *stack.Stack
	_, err := Open(filepath.Dir(write(t, m)), func(s *stack.Stack) error {
		seen = s
		return full
	})
	if err != full || seen == nil || seen.Grid.X.Cells != m.NX() {
		t.Errorf("%v, %+v", err, seen)
	}
}
