package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"thermsim/cmd/thermsim/exit"
	"thermsim/stack"
)

// Files are replaced by consent only, also where nobody can tell whether they are there.
func TestRefuseToReplace(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	if err := os.WriteFile(there, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "free"):           "",
		filepath.Join(there, "below a file"): "",
		there:                                "exists already",
		filepath.Join(dir, strings.Repeat("x", 5000)): "cannot find out whether",
	} {
		err := RefuseToReplace("out", false, nil, path)
		if (err == nil) != (want == "") || err != nil &&
			(!strings.Contains(err.Error(), want) || exit.Status(err) != exit.Input) {
			t.Errorf("%.100s: %v, want %q", path, err, want)
		}
		if err := RefuseToReplace("out", true, nil, path); err != nil {
			t.Errorf("by consent: %.100s: %v", path, err)
		}
		inputs := []stack.Input{{Path: "other"}, {Path: path}}
		if err := RefuseToReplace("ecxml", true, inputs, path); err == nil ||
			!strings.HasSuffix(err.Error(), "is an input of this run; name another file with --ecxml") {
			t.Errorf("an input: %.100s: %v", path, err)
		}
	}
}
