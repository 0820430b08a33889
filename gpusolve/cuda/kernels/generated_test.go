package kernels_test

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"thermsim/internal/testtier"
	"thermsim/tools/ptxgen"
)

// folders are all that have kernels, from here.
func folders(t *testing.T) []*ptxgen.Folder {
	t.Helper()
	dirs := map[string]bool{}
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "testdata" {
			return filepath.SkipDir
		}
		if filepath.Ext(path) == ".cu" {
			dirs[filepath.Dir(path)] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []*ptxgen.Folder
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		headers, err := filepath.Rel(dir, filepath.Join("..", "..", "cuda", "kernels"))
		if err != nil {
			t.Fatal(err)
		}
		if headers == "." {
			headers = ""
		}
		f, err := ptxgen.ReadFolder(dir, headers)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}

// TestLaunchersMatchSources needs no compiler: the committed Go files are those that the sources' declarations ask for,
// and every committed PTX has the same signatures.
func TestLaunchersMatchSources(t *testing.T) {
	for _, f := range folders(t) {
		want, err := f.Launcher()
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(f.Dir, ptxgen.LauncherFile))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s in %s is out of date: run make ptx", ptxgen.LauncherFile, f.Dir)
		}
		wanted := map[string]bool{ptxgen.LauncherFile: true}
		for _, s := range f.Sources {
			for _, b := range s.Builds() {
				name := filepath.Join("ptx", b.PTX)
				wanted[name] = true
				ptx, err := os.ReadFile(filepath.Join(f.Dir, name))
				if err != nil {
					t.Error(err)
				} else if err := s.Agree(string(ptx)); err != nil {
					t.Errorf("%s in %s: %v; run make ptx", name, f.Dir, err)
				}
			}
		}
		present, err := ptxgen.GeneratedFiles(f.Dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range present {
			if !wanted[name] {
				t.Errorf("%s in %s comes from no source: run make ptx", name, f.Dir)
			}
		}
	}
}

// TestPTXMatchesSources compiles the sources, in the quick tier of one module, in another folder, so that a path in the
// result would show.
func TestPTXMatchesSources(t *testing.T) {
	all := folders(t)
	for _, f := range testtier.Pick(all[:1], all) {
		copied := *f
		copied.Dir = t.TempDir()
		copySources(t, f.Dir, copied.Dir)
		if f.Headers != "" {
			copied.Headers = t.TempDir()
			copySources(t, filepath.Join(f.Dir, f.Headers), copied.Headers)
		}
		for _, s := range testtier.Pick(f.Sources[:1], f.Sources) {
			for _, b := range s.Builds() {
				got, err := copied.Compile(s, b)
				if errors.Is(err, ptxgen.ErrNoClang) {
					t.Skip("the PTX is not compared with its sources:", err)
				}
				if err != nil {
					t.Fatal(err)
				}
				committed, err := os.ReadFile(filepath.Join(f.Dir, "ptx", b.PTX))
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, committed) {
					t.Errorf("ptx/%s in %s differs from what %s makes of %s.cu: run make ptx", b.PTX, f.Dir,
						ptxgen.Clang, s.Name)
				}
			}
		}
	}
}

func copySources(t *testing.T, from, to string) {
	t.Helper()
	for _, pattern := range []string{"*.cu", "*.h"} {
		paths, err := filepath.Glob(filepath.Join(from, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(to, filepath.Base(path)), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
