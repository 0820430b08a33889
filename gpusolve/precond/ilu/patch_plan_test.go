package ilu

import (
	"fmt"
	"testing"
)

// cellIn is that of patches.cu: the n-th cell of row r of the patch that a slab holds of column b of plane k.
func (p *patchPlan) cellIn(slab, r, k, b, n int) (i, j int) {
	b += p.firstColumn(k)
	q, row := ((slab-p.base(b, k))%p.nq+p.nq)%p.nq, b*p.rows+r
	return 4*q + n - p.order*(row%4), row - p.order*k
}

// Every cell is in one patch, every column of patches in one tile of either direction, tiles come after those that they wait for, and a cell's neighbours are in its own
// patch or in one that comes before.
func TestPatchPlans(t *testing.T) {
	for _, shape := range [][3]int{{1, 1, 1}, {5, 1, 1}, {9, 187, 10}, {7, 13, 11}, {3, 40, 33}, {12, 2, 90}, {4, 1, 7}, {30, 25, 1}} {
		for n := range 2 * 4 * 4 {
			order, rows, tile := n%2, []int{0, 1, 2, 4}[n/2%4], [][2]int{{}, {1, 1}, {3, 5}, {999, 999}}[n/8]
			p := newPatchPlan(shape[0], shape[1], shape[2], Options{Order: order, Rows: rows, TileY: tile[0], TileZ: tile[1]})
			what := fmt.Sprintf("%v, order %d, %d rows, tiles of %v", shape, order, p.rows, tile)
			if p.tileP < 1 || p.tileQ < 1 || p.tileP*p.tileQ > PatchesWide || p.items() > PatchesWide {
				t.Fatalf("%s: tile of %dx%d", what, p.tileP, p.tileQ)
			}
			abreast := PatchesWide / p.items()
			if p.chunk&(p.chunk-1) != 0 || int(p.chunk) < max(4, p.underway(false)) || int(p.chunk) > PatchesFetch*abreast {
				t.Fatalf("%s: chunks of %d steps", what, p.chunk)
			}
			p.checkSteps(t, what, shape)
			for upper := range 2 {
				checkTiles(t, fmt.Sprintf("%s, upper %d", what, upper), p.plane(upper == 1), p.plan[upper], p.tileP, p.tileQ)
			}
		}
	}
}

// checkSteps finds the patch of every cell.
func (p *patchPlan) checkSteps(t *testing.T, what string, shape [3]int) {
	t.Helper()
	type at struct{ patch, step int }
	known := map[[3]int]at{}
	for slab := range p.nq {
		for place := range p.rows * p.nz * p.nb * 4 {
			n, b, k, r := place%4, place/4%p.nb, place/4/p.nb%p.nz, place/4/p.nb/p.nz
			i, j := p.cellIn(slab, r, k, b, n)
			if i < 0 || i >= shape[0] || j < 0 || j >= shape[1] {
				continue
			}
			if _, twice := known[[3]int{i, j, k}]; twice {
				t.Fatalf("%s: cell (%d,%d,%d) is in two patches", what, i, j, k)
			}
			column := b + p.firstColumn(k)
			q := (i + p.order*((column*p.rows+r)%4)) / 4
			known[[3]int{i, j, k}] = at{(slab*p.nz+k)*p.nb + b, q + p.base(column, k)}
		}
	}
	if len(known) != shape[0]*shape[1]*shape[2] {
		t.Fatalf("%s: %d cells in patches", what, len(known))
	}
	for c, own := range known {
		for _, d := range Neighbours(p.order) {
			other, ok := known[[3]int{c[0] + d[0], c[1] + d[1], c[2] + d[2]}]
			if ok && other.patch != own.patch && other.step >= own.step {
				t.Fatalf("%s: cell %v on step %d waits for one on step %d", what, c, own.step, other.step)
			}
		}
	}
}

// checkTiles compares a plan with the plane that it is for.
func checkTiles(t *testing.T, what string, a plane, plan []int32, tileP, tileQ int) {
	t.Helper()
	tileOf, columns := map[[2]int]int{}, 0
	for q := range a.height {
		lo, hi := a.span(q)
		columns += hi - lo
	}
	for n := range len(plan) / planEntries {
		e := plan[n*planEntries:]
		for q := int(e[1]); q < min(int(e[1])+tileQ, a.height); q++ {
			lo, hi := a.span(q)
			for p := max(int(e[0]), lo); p < min(int(e[0])+tileP, hi); p++ {
				tileOf[[2]int{p, q}] = n
				if l := a.level(p, q); l < int(e[2]) || l+a.length-1 > int(e[3]) {
					t.Fatalf("%s: column (%d,%d) reaches beyond its tile's steps %d to %d", what, p, q, e[2], e[3])
				}
			}
		}
	}
	if len(tileOf) != columns {
		t.Fatalf("%s: %d columns in tiles, want %d", what, len(tileOf), columns)
	}
	for c, n := range tileOf {
		e := plan[n*planEntries:]
		for m, d := range [][2]int{{-1, 0}, {0, -1}, {-1, -1}} {
			other, ok := tileOf[[2]int{c[0] + d[0], c[1] + d[1]}]
			if ok && other != n && (other > n || int32(other) != e[4] && int32(other) != e[5] && int32(other) != e[6]) {
				t.Fatalf("%s: tile %d does not wait for tile %d, which it reads (%d)", what, n, other, m)
			}
		}
	}
}
