package powermap

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestOverlapByHand(t *testing.T) {
	faces := []float64{0, 1, 2, 4}
	for _, c := range []struct {
		name   string
		lo, hi float64
		first  int
		shares []float64
	}{
		{"inside one cell", 0.25, 0.75, 0, []float64{1}},
		{"two halves", 0.5, 1.5, 0, []float64{0.5, 0.5}},
		{"face to face", 1, 2, 1, []float64{1}},
		{"whole axis", 0, 4, 0, []float64{0.25, 0.25, 0.5}},
		{"wide last cell", 1.5, 3.5, 1, []float64{0.25, 0.75}},
		{"rounding beyond a face", 1 - 1e-16, 2 + 4e-16, 1, []float64{1}},
		{"clipped by the grid", -1, 0.5, 0, []float64{1}},
		{"beyond the grid", 4, 5, 0, nil},
		{"narrower than rounding", 3, 3 + 5e-16, 2, []float64{1}},
	} {
		first, shares := Overlap(faces, c.lo, c.hi, nil)
		if len(shares) != len(c.shares) || len(shares) > 0 && first != c.first {
			t.Errorf("%s: cells from %d, shares %v; want from %d, %v", c.name, first, shares, c.first, c.shares)
			continue
		}
		for i := range shares {
			if math.Abs(shares[i]-c.shares[i]) > 1e-15 {
				t.Errorf("%s: shares %v, want %v", c.name, shares, c.shares)
			}
		}
	}
}

func TestOverlapSharesSumToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		faces := drawFaces(t, "faces", 1e-2)
		lo := rapid.Float64Range(0, 0.999e-2).Draw(t, "lo")
		hi := rapid.Float64Range(math.Nextafter(lo, 1), 1e-2).Draw(t, "hi")
		first, shares := Overlap(faces, lo, hi, nil)
		var total Sum
		for i, s := range shares {
			total.Add(s)
			if s < 0 {
				t.Fatalf("share %d is %g", i, s)
			}
		}
		if len(shares) == 0 || first+len(shares) > len(faces)-1 || math.Abs(total.Value()-1) > 2e-16 {
			t.Fatalf("cells from %d, shares %v, sum %.17g", first, shares, total.Value())
		}
	})
}

// drawFaces makes a graded axis from 0 to length with 1 to 40 cells, neighbours differing by up to a factor 100.
func drawFaces(t *rapid.T, label string, length float64) []float64 {
	widths := rapid.SliceOfN(rapid.Float64Range(0.01, 1), 1, 40).Draw(t, label)
	faces := []float64{0}
	for _, w := range widths {
		faces = append(faces, faces[len(faces)-1]+w)
	}
	last := faces[len(faces)-1]
	for i := range faces {
		faces[i] *= length / last
	}
	faces[len(faces)-1] = length
	return faces
}
