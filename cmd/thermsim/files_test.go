package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		err := refuseToReplace(false, path)
		if (err == nil) != (want == "") || err != nil &&
			(!strings.Contains(err.Error(), want) || exitStatus(err) != exitInput) {
			t.Errorf("%.100s: %v, want %q", path, err, want)
		}
		if err := refuseToReplace(true, path); err != nil {
			t.Errorf("by consent: %.100s: %v", path, err)
		}
	}
}
