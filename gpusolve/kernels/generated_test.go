package kernels

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"thermsim/gpusolve/kernels/internal/ptxgen"
)

// TestLaunchersMatchSources needs no compiler: the committed Go files are those that the sources' declarations ask for, and every committed PTX
// has the same signatures.
func TestLaunchersMatchSources(t *testing.T) {
	files, err := ptxgen.Launchers(".")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s is out of date: run make ptx", name)
		}
	}
	wanted := map[string]bool{}
	for _, s := range sources(t) {
		for _, b := range s.Builds() {
			name := filepath.Join("ptx", b.PTX)
			wanted[name] = true
			ptx, err := os.ReadFile(name)
			if err != nil {
				t.Error(err)
			} else if err := s.Agree(string(ptx)); err != nil {
				t.Errorf("%s: %v; run make ptx", name, err)
			}
		}
	}
	present, err := ptxgen.GeneratedFiles(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range present {
		if files[name] == nil && !wanted[name] {
			t.Errorf("%s comes from no source: run make ptx", name)
		}
	}
}

// TestPTXMatchesSources compiles the sources in another folder, so that a path in the result would show.
func TestPTXMatchesSources(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles every module")
	}
	dir := t.TempDir()
	for _, pattern := range []string{"*.cu", "*.h"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, s := range sources(t) {
		for _, b := range s.Builds() {
			got, err := ptxgen.Compile(dir, s, b)
			if errors.Is(err, ptxgen.ErrNoClang) {
				t.Skip("the PTX is not compared with its sources:", err)
			}
			if err != nil {
				t.Fatal(err)
			}
			committed, err := os.ReadFile(filepath.Join("ptx", b.PTX))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, committed) {
				t.Errorf("ptx/%s differs from what %s makes of %s.cu: run make ptx", b.PTX, ptxgen.Clang, s.Name)
			}
		}
	}
}

func TestLineClass(t *testing.T) {
	classes := LineClasses()
	if !slices.IsSorted(classes) || classes[0] != AnyLength {
		t.Fatalf("classes %v: want %d, then ascending lengths", classes, AnyLength)
	}
	for nz, want := range map[int]int{1: 4, 4: 4, 5: 10, 10: 10, 11: 16, 17: 24, 97: 128, 128: 128, 129: AnyLength, 5000: AnyLength} {
		if got := LineClass(nz); got != want {
			t.Errorf("class of nz %d: %d, want %d", nz, got, want)
		}
	}
}

func sources(t *testing.T) []*ptxgen.Source {
	t.Helper()
	s, err := ptxgen.Sources(".")
	if err != nil {
		t.Fatal(err)
	}
	return s
}
