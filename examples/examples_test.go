package examples

import (
	"math"
	"path/filepath"
	"testing"

	"thermsim/powermap"
	"thermsim/stack/stackfile"
)

// Every example must load, and its power must arrive whole on a grid that fits no block.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("*/stack.toml")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 7 {
		t.Fatalf("found %d examples, expected at least 7", len(files))
	}
	for _, file := range files {
		t.Run(filepath.Dir(file), func(t *testing.T) {
			s, err := stackfile.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			m, err := powermap.New(s, powermap.Grid{X: equalFaces(s.Size[0], 101), Y: equalFaces(s.Size[1], 97)})
			if err != nil {
				t.Fatal(err)
			}
			requested := 0.0
			for l := range s.Layers {
				for p := range s.Layers[l].Powers {
					requested += s.Layers[l].Powers[p].Watts()
				}
			}
			if !(requested > 0) || math.Abs(m.Mapped-requested) > 1e-12*requested {
				t.Errorf("requested %.15g W, mapped %.15g W", requested, m.Mapped)
			}
			for _, c := range m.Coverage() {
				t.Logf("%s: %.4g W on %.4g mm2, %.3g mm2 without power", c.Name, c.Mapped, c.Area*1e6, c.Unpowered*1e6)
				if c.Overlapping > 0 || c.Outside > 0 {
					t.Errorf("layer %s: %g mm2 of blocks overlap, %g W lie outside", c.Name, c.Overlapping*1e6,
						c.Outside)
				}
			}
			if _, err := m.MeanWatts(0, 1); err != nil {
				t.Error(err)
			}
		})
	}
}

func equalFaces(length float64, n int) []float64 {
	faces := make([]float64, n+1)
	for i := range faces {
		faces[i] = length * float64(i) / float64(n)
	}
	return faces
}
