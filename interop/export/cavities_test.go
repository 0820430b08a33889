package export

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Cavities of coolant, imported with --compat, give 3D-ICE's own temperatures in every cell and every step. Only the
// time of Tcoolant has other digits there. Silicon that conducts 2 % better must fail.
func TestCavitiesAre3DICEs(t *testing.T) {
	for _, name := range []string{"channels4rm", "channels2rm", "pinfins"} {
		want := filepath.Join("..", "threedice", "testdata", name, "want")
		largest := largestDifference(t, want, run(t, name, 9))
		better := largestDifference(t, want, runFile(t, betterSilicon(t, filepath.Dir(want)), 9))
		t.Logf("%s: largest difference %.2e K, with better silicon %.2e K", name, largest, better)
		if !(largest <= 1e-6) || !(better > 1e-6) {
			t.Errorf("%s: largest difference %.2e K, with better silicon %.2e K; limit 1e-6 K", name, largest, better)
		}
	}
}

// largestDifference between the files of two folders.
func largestDifference(t *testing.T, want, dir string) float64 {
	t.Helper()
	largest := 0.0
	entries, err := os.ReadDir(want)
	if err != nil || len(entries) != 7 {
		t.Fatalf("%d files, %v", len(entries), err)
	}
	for _, e := range entries {
		a, b := lines(t, filepath.Join(want, e.Name())), lines(t, filepath.Join(dir, e.Name()))
		if len(a) != len(b) || len(a) < 8 {
			t.Fatalf("%s has %d lines, want %d", e.Name(), len(b), len(a))
		}
		for i := range a {
			if a[i] != b[i] {
				largest = math.Max(largest, difference(a[i], b[i]))
			}
		}
	}
	return largest
}

// betterSilicon copies a project and returns its stack file.
func betterSilicon(t *testing.T, project string) string {
	t.Helper()
	dir := t.TempDir()
	for _, file := range []string{"case.stk", "upper.flp", "lower.flp"} {
		text, err := os.ReadFile(filepath.Join(project, file))
		if err != nil {
			t.Fatal(err)
		}
		better := strings.ReplaceAll(string(text), "1.30e-4", "1.326e-4")
		if err := os.WriteFile(filepath.Join(dir, file), []byte(better), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "case.stk")
}
