package ddilu

import (
	"slices"
	"testing"
)

// Bricks fit their limit, a grid that fits is one brick, and what they drop is what counting finds.
func TestBricksFit(t *testing.T) {
	for _, shape := range [][3]int{{1, 1, 1}, {1, 1, 9000}, {9001, 1, 1}, {1, 97, 89}, {97, 89, 1}, {13, 11, 7},
		{20, 20, 20}, {64, 64, 6}, {714, 714, 10}, {1871, 1871, 10}, {127, 131, 137}} {
		for _, rows := range []int{1, 7, 2000, 4096, 8000} {
			b := brickOf(shape, rows)
			n := b[0] * b[1] * b[2]
			if n > rows || n < 1 {
				t.Errorf("%v in bricks of at most %d rows: %v has %d", shape, rows, b, n)
			}
			all := shape[0] * shape[1] * shape[2]
			if (shape[0]+3)/4*4*shape[1]*shape[2] <= rows && b != shape {
				t.Errorf("%v fits %d rows but is cut to %v", shape, rows, b)
			}
			if all > 100*rows && rows >= 2000 && min(shape[0], shape[1]) > 50 && n < rows/2 {
				t.Errorf("%v in bricks of at most %d rows: %v has only %d", shape, rows, b, n)
			}
		}
	}
	// The paper's bricks of 16 x 16 x 16 drop 3/16 of 3 - 3/160 couplings.
	if b := brickOf([3]int{160, 160, 160}, 4096); b != [3]int{16, 16, 16} {
		t.Errorf("160^3 is cut to %v, want cubes of 16", b)
	}
}

func TestDroppedIsCounted(t *testing.T) {
	shape, b := [3]int{13, 11, 7}, [3]int{5, 4, 7}
	all, lost := 0, 0
	for k := range shape[2] {
		for j := range shape[1] {
			for i := range shape[0] {
				for a, at := range [3]int{i, j, k} {
					if at+1 < shape[a] {
						all++
						if (at+1)%b[a] == 0 {
							lost++
						}
					}
				}
			}
		}
	}
	if got, want := Dropped(shape, b), float64(lost)/float64(all); got != want {
		t.Errorf("share dropped %g, counted %g", got, want)
	}
}

func TestLengthsCutEvenly(t *testing.T) {
	for _, n := range []int{1, 2, 7, 10, 97, 512} {
		var want []int
		for pieces := range n {
			if l := (n + pieces) / (pieces + 1); !slices.Contains(want, l) {
				want = append(want, l)
			}
		}
		if got := lengths(n, n); !slices.Equal(got, want) {
			t.Errorf("%d cells in equal pieces: %v, want %v", n, got, want)
		}
	}
}
