package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every suite names files that are there, and every run of its tests a package that is there.
func TestSuites(t *testing.T) {
	t.Chdir("../..")
	suites, err := readSuites(suitesText)
	if err != nil || len(suites) < 10 {
		t.Fatalf("%d suites, %v", len(suites), err)
	}
	for _, s := range suites {
		if list, err := s.faults(1); err != nil || len(list) < 5 {
			t.Errorf("%s: %d faults, %v", s.files, len(list), err)
		}
		for _, args := range s.tests {
			packages := 0
			for _, a := range args {
				if folder, named := strings.CutPrefix(a, "./"); named {
					packages++
					if _, err := os.Stat(filepath.FromSlash(strings.TrimSuffix(folder, "/..."))); err != nil {
						t.Errorf("%s: %v", s.files, err)
					}
				}
			}
			if packages == 0 {
				t.Errorf("%s: %q names no package", s.files, args)
			}
		}
	}
}

// Shares add up to the sample and follow the weights.
func TestShares(t *testing.T) {
	got := shares([]suite{{weight: 1}, {weight: 2}, {weight: 1}}, 10)
	if got[0]+got[1]+got[2] != 10 || got[1] != 5 {
		t.Errorf("shares %v of 10", got)
	}
}

// Of a comparison all of its faults are planted, each where it stands.
func TestFaultsOfALine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(path, []byte("package a\n\nfunc f(x, y int) bool {\n\treturn x < y && y > 3\n}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	list, err := faultsOf(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{
		"return x <= y && y > 3": true, "return x >= y && y > 3": true, "return x < y || y > 3": true,
		"return x < y && y >= 3": true, "return x < y && y <= 3": true, "return x < y && y > (3 + 1)": true,
	}
	for _, f := range list {
		if !want[f.Becomes] {
			t.Errorf("unexpected or twice: %s", f.Becomes)
		}
		delete(want, f.Becomes)
		if text, err := f.planted(); err != nil || !strings.Contains(text, f.Becomes) {
			t.Errorf("planted %q, %v", text, err)
		}
	}
	if len(want) > 0 {
		t.Errorf("not planted: %v", want)
	}
}
