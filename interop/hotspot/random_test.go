package hotspot_test

import (
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
			if p.files[value] != nil {
				value = filepath.Join(dir, value)
			}
			named[name] = value
		}
		for _, compat := range []bool{false, true} {
			r, err := hotspot.Format.Import(importer.Request{Files: []string{filepath.Join(dir, "chip.config")},
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
