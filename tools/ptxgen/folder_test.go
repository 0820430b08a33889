package ptxgen

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folderOf writes files and returns their folder.
func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFolder(t *testing.T) {
	dir := folderOf(t, map[string]string{
		LauncherFile: "package stale\n", "a_test.go": "package method_test\n", "method.go": "package method\n",
		"method.cu": "#include \"shared.h\"\n#include \"own.h\"\nKERNEL void BOUNDS(32) run(const Node *n) {}\n",
		"own.h":     "struct Node { int first; const double *at; };\nstruct Local { int n[2]; };\n",
		"none.h":    "#define X 1\n",
	})
	f, err := ReadFolder(dir, "../kernels")
	if err != nil {
		t.Fatal(err)
	}
	code, err := f.Launcher()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"package method\n", "type Node struct {\n\tFirst int32\n\tAt    " +
		"cudriver.Ptr[float64]\n}\n", "N cudriver.Ptr[Node]\n"} {
		if !strings.Contains(string(code), want) {
			t.Errorf("%q is missing in\n%s", want, code)
		}
	}
	if strings.Contains(string(code), "Local") {
		t.Errorf("a struct that no kernel takes is declared in\n%s", code)
	}
}

// The shared header is found where -I says, and nowhere else.
func TestHeadersOfAnotherFolder(t *testing.T) {
	headers := folderOf(t,
		map[string]string{"shared.h": "#define KERNEL extern \"C\" __attribute__((global))\n#define BOUNDS(n) " +
			"__attribute__((launch_bounds(n)))\n"})
	dir := folderOf(t, map[string]string{"m.go": "package m\n", "one.cu": "#include \"shared.h\"\nKERNEL void " +
		"BOUNDS(32) run(int *n) { *n = 1; }\n"})
	for _, c := range []struct{ headers, want string }{{headers, ""}, {"", "'shared.h' file not found"}} {
		f, err := ReadFolder(dir, c.headers)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Compile(f.Sources[0], f.Sources[0].Builds()[0])
		if err == ErrNoClang {
			t.Skip(err)
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("headers in %q: error %v, want %q", c.headers, err, c.want)
		}
	}
}

func TestReadFolderRefuses(t *testing.T) {
	for want, files := range map[string]map[string]string{
		"no .cu files":                      {"m.go": "package m\n"},
		"no Go file that names the package": {"one.cu": "KERNEL void BOUNDS(32) run(int n) {}\n"},
	} {
		if _, err := ReadFolder(folderOf(t, files), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
