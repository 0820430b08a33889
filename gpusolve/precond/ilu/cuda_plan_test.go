package ilu

import (
	"testing"
)

// Every column belongs to one tile, tiles come after those that they wait for, and no two cells share a place of the
// layout, which has no gaps.
func TestWavefrontPlans(t *testing.T) {
	for _, shape := range [][3]int{{1, 1, 1}, {5, 1, 1}, {9, 1871, 10}, {7, 13, 11}, {3, 40, 33}, {12, 2, 90},
		{4, 1, 7}, {30, 25, 1}} {
		for order := range 2 {
			for _, tile := range [][2]int{{}, {1, 1}, {3, 5}, {999, 999}} {
				nx, ny, nz := shape[0], shape[1], shape[2]
				w := newWavefront(order, shape, tile[0], tile[1])
				if w.tileP < 1 || w.tileQ < 1 || w.tileP*w.tileQ > 256 || w.tileP+w.tileQ+1 > 256 {
					t.Fatalf("%v: tile of %dx%d", shape, w.tileP, w.tileQ)
				}
				if w.chunk < 2*KernelsAhead || w.chunk&(w.chunk-1) != 0 ||
					int(w.chunk)*(w.tileP+w.tileQ+1) > KernelsKept {
					t.Fatalf("%v: chunks of %d levels with tiles of %dx%d", shape, w.chunk, w.tileP, w.tileQ)
				}
				w.check(t)
				taken := make([]bool, nx*ny*nz)
				for c := range taken {
					at := w.index(c%nx, c/nx%ny, c/(nx*ny))
					if taken[at] {
						t.Fatalf("%v: place %d is taken twice", shape, at)
					}
					taken[at] = true
				}
			}
		}
	}
}

func (w *wavefront) check(t *testing.T) {
	t.Helper()
	tileOf := map[[2]int]int{} // of a column (p,q)
	for n := range w.tiles() {
		e := w.plan[n*planEntries:]
		for q := int(e[1]); q < int(e[1])+w.tileQ; q++ {
			for p := int(e[0]); p < int(e[0])+w.tileP; p++ {
				if j := p - w.order*q; j < 0 || j >= w.ny || q >= w.nz {
					continue
				}
				tileOf[[2]int{p, q}] = n
				if l := w.level(p, q); l < int(e[2]) || l+w.nx-1 > int(e[3]) {
					t.Fatalf("column (%d,%d) reaches beyond its tile's levels %d to %d", p, q, e[2], e[3])
				}
			}
		}
		for _, before := range e[4:7] {
			if int(before) >= n {
				t.Fatalf("tile %d waits for tile %d", n, before)
			}
		}
	}
	if len(tileOf) != w.ny*w.nz {
		t.Fatalf("%d columns in tiles, want %d", len(tileOf), w.ny*w.nz)
	}
	for c, n := range tileOf {
		e := w.plan[n*planEntries:]
		for _, d := range [][2]int{{-1, 0}, {0, -1}, {-1, -1}}[:2+w.order] {
			m, ok := tileOf[[2]int{c[0] + d[0], c[1] + d[1]}]
			if !ok || m == n {
				continue
			}
			if int32(m) != e[4] && int32(m) != e[5] && int32(m) != e[6] {
				t.Fatalf("tile %d does not wait for tile %d, which it reads", n, m)
			}
		}
	}
}
