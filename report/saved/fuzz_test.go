package saved

import (
	"archive/zip"
	"errors"
	"os"
	"strings"
	"testing"

	"thermsim/stack"
)

// Whatever stands in an entry of a saved run, or in the whole file, opening and reading it ends in fields of the mesh's
// size or in an error that names the file.
func FuzzOpen(f *testing.F) {
	names := []string{"", manifestName, stackName, traceName, planeName(1, 0)}
	f.Add(uint8(1), []byte(`{"schema":1}`))
	f.Add(uint8(2), []byte("schema = 1\n"))
	f.Add(uint8(3), []byte("time_s,power_W,max_K\n1,2,3\n"))
	f.Add(uint8(4), []byte("\x00\x00\x00\x00\x00\x00\xf0\x7f"))
	f.Add(uint8(0), []byte("PK\x05\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		path := write(t, sampleMesh(t))
		if name := names[int(which)%len(names)]; name != "" {
			path = rewrite(t, path, name, zip.Store, func([]byte) []byte { return data })
		} else if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		room := func(s *stack.Stack) error {
			if s.Grid.X.Cells > 100 || s.Grid.Y.Cells > 100 || len(s.Layers) > 100 {
				return errTooLarge
			}
			return nil
		}
		r, err := Open(path, room)
		if err != nil {
			if !errors.Is(err, errTooLarge) && !strings.Contains(err.Error(), FileName) {
				t.Fatalf("the error does not name the file: %v", err)
			}
			return
		}
		defer r.Close()
		plane := make([]float64, r.Mesh.NX()*r.Mesh.NY())
		for _, step := range r.Manifest.Saved {
			field, err := r.Field(step)
			if err != nil {
				t.Fatal(err)
			}
			for k := range r.Mesh.NZ() {
				if err := field.Plane(k, plane); err != nil && !errors.Is(err, ErrDamaged) {
					t.Fatal(err)
				}
			}
		}
	})
}

var errTooLarge = errors.New("too large for a test")
