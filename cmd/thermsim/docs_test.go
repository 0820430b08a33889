package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"thermsim/tools/notebook"
)

// workplace is an empty folder with the examples and the measurements, and no GPU.
func workplace(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a POSIX shell")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"examples", "docs"} {
		if err := os.Symlink(filepath.Join(root, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// squeeze makes every run of white space one space.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// The notebook for users of Python, which is made of its page: its cells run one after the other in an empty folder,
// and print what it shows.
func TestPythonNotebook(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../docs/guides/python.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	var book notebook.Notebook
	if err := json.Unmarshal(data, &book); err != nil {
		t.Fatal(err)
	}
	const end = "--- end of cell"
	var script strings.Builder
	var shown []string
	for _, c := range book.Cells {
		source := strings.Join(c.Source, "")
		if c.Run == nil {
			continue
		}
		script.WriteString(source + "\nprint(" + strconv.Quote(end) + ")\n")
		text := ""
		for _, o := range c.Outputs {
			text += strings.Join(o.Text, "")
		}
		shown = append(shown, text)
	}
	cmd := python(t, "-c", script.String())
	cmd.Dir = workplace(t)
	printed, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	blocks := strings.Split(string(printed), end)
	if len(blocks) != len(shown)+1 || len(shown) < 6 {
		t.Fatalf("%d cells ran, %d are there", len(blocks)-1, len(shown))
	}
	for i, want := range shown {
		if squeeze(blocks[i]) != squeeze(want) {
			t.Errorf("the notebook shows\n%s\nin place of\n%s", want, blocks[i])
		}
	}
}

// The tests of the Python package, with the program of these tests on PATH.
func TestPythonPackage(t *testing.T) {
	t.Parallel()
	cmd := python(t, "-W", "error", "-m", "unittest", "discover", "-s", "../../python/tests")
	if printed, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
}

// python runs an interpreter that has NumPy, with the package of this source.
func python(t *testing.T, args ...string) *exec.Cmd {
	folder, err := filepath.Abs("../../python")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(path, "-c", "import numpy").Run() == nil {
			cmd := exec.Command(path, append([]string{"-B"}, args...)...)
			cmd.Env = append(os.Environ(), "PYTHONPATH="+folder)
			return cmd
		}
	}
	t.Skip("no python3 with numpy here; Debian has both")
	return nil
}
