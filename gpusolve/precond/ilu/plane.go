package ilu

import (
	"cmp"
	"slices"
)

// plane is the plane of columns that a wavefront's threads lie on. A column (p,q) exists where span has p; its first cell or patch is on level(p,q), which grows
// along p and q, and it has `length` of them.
type plane struct {
	width, height, length int
	span                  func(q int) (lo, hi int)
	level                 func(p, q int) int
}

// tile is a rectangle of the plane.
type tile struct {
	p, q, first, last int
}

// tiles finds the tiles that hold columns and sorts them by the level of their lowest column, so that a tile comes after all that it waits for. It returns
// planEntries numbers a tile.
func (a plane) tiles(tileP, tileQ int) (plan []int32) {
	across, along := (a.width+tileP-1)/tileP, (a.height+tileQ-1)/tileQ
	var tiles []tile
	for b := range across * along {
		t := tile{p: b % across * tileP, q: b / across * tileQ, first: -1}
		for q := t.q; q < min(t.q+tileQ, a.height); q++ {
			lo, hi := a.span(q)
			lo, hi = max(t.p, lo), min(t.p+tileP, hi)-1
			if lo > hi {
				continue
			}
			if first := a.level(lo, q); t.first < 0 || first < t.first {
				t.first = first
			}
			t.last = max(t.last, a.level(hi, q)+a.length-1)
		}
		if t.first >= 0 {
			tiles = append(tiles, t)
		}
	}
	slices.SortStableFunc(tiles, func(s, t tile) int { return cmp.Compare(a.level(s.p, s.q), a.level(t.p, t.q)) })
	place := map[[2]int]int32{}
	for n, t := range tiles {
		place[[2]int{t.p, t.q}] = int32(n)
	}
	at := func(p, q int) int32 {
		if n, ok := place[[2]int{p, q}]; ok {
			return n
		}
		return -1
	}
	for _, t := range tiles {
		plan = append(plan, int32(t.p), int32(t.q), int32(t.first), int32(t.last), at(t.p-tileP, t.q), at(t.p, t.q-tileQ), at(t.p-tileP, t.q-tileQ), 0)
	}
	return plan
}
