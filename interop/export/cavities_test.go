package export

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// Cavities of coolant, imported with --compat, give 3D-ICE's own temperatures in every cell and every step. Only the
// time of Tcoolant has other digits there.
func TestCavitiesAre3DICEs(t *testing.T) {
	for _, name := range []string{"channels4rm", "channels2rm", "pinfins"} {
		largest := 0.0
		dir := run(t, name, 9)
		want := filepath.Join("..", "threedice", "testdata", name, "want")
		entries, err := os.ReadDir(want)
		if err != nil || len(entries) != 7 {
			t.Fatalf("%d files, %v", len(entries), err)
		}
		for _, e := range entries {
			a, b := lines(t, filepath.Join(want, e.Name())), lines(t, filepath.Join(dir, e.Name()))
			if len(a) != len(b) || len(a) < 8 {
				t.Fatalf("%s: %s has %d lines, want %d", name, e.Name(), len(b), len(a))
			}
			for i := range a {
				if a[i] == b[i] {
					continue
				}
				d := difference(a[i], b[i])
				largest = math.Max(largest, d)
				if !(d <= 1e-6) {
					t.Fatalf("%s: %s, line %d:\n got %s\nwant %s", name, e.Name(), i+1, b[i], a[i])
				}
			}
		}
		t.Logf("%s: largest difference %.2e K", name, largest)
	}
}
