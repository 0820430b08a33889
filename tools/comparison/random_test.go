package main

import (
	"os"
	"path/filepath"
	"testing"

	"thermsim/interop/hotspot"
	"thermsim/interop/importer"
)

// Random projects are taken in both ways, and a seed always gives the same one.
func TestRandomProjects(t *testing.T) {
	detailed := 0
	for seed := range uint64(60) {
		p, again := newRandomProject(seed), newRandomProject(seed)
		for name, text := range p.files {
			if again.files[name].String() != text.String() {
				t.Fatalf("seed %d gives two versions of %s", seed, name)
			}
		}
		dir := t.TempDir()
		if err := p.save(dir); err != nil {
			t.Fatal(err)
		}
		named := map[string]string{}
		for i := 0; i < len(p.options); i += 2 {
			name, value := p.options[i], p.options[i+1]
			if long, ok := map[string]string{"p": "ptrace", "f": "flp"}[name]; ok {
				name = long
			}
			if path := filepath.Join(dir, value); fileExists(path) {
				value = path
			}
			named[name] = value
		}
		for _, compat := range []bool{false, true} {
			r, err := hotspot.Format{}.Import(importer.Request{Files: []string{filepath.Join(dir, "chip.config")},
				Named: named, Compat: compat, Direct: true})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if len(r.Stack.Layers[len(r.Stack.Layers)-3].Regions) > 1 && p.detailed && !compat {
				detailed++
			}
		}
	}
	if detailed < 10 {
		t.Errorf("%d projects have materials in their topmost layer", detailed)
	}
}

// Files are compared number by number, and anything else to the letter.
func TestApart(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a := file("a", "Layer 0:\n0\t300.25\n1\t301\n")
	if d, n, decimals, err := apart(a, file("b", "Layer 0:\n0\t300.2500\n1\t301.5000\n")); d != 0.5 || n != 4 ||
		decimals != 4 || err != nil {
		t.Errorf("%g K apart, %d numbers with %d decimals, %v", d, n, decimals, err)
	}
	for _, other := range []string{"Layer 0:\n0\t300.25\n", "Layer a:\n0\t300.25\n1\t301\n"} {
		if _, _, _, err := apart(a, file("c", other)); err == nil {
			t.Errorf("%q is taken for the same", other)
		}
	}
}
