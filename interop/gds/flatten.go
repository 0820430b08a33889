package gds

import (
	"context"
	"errors"
	"math/bits"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

const (
	mostKept  = 1 << 28 // bytes of decoded chunks that are kept
	keptUses  = 8       // structures used at least as often are kept
	mostItems = 1 << 19 // shapes and references on the lists of a worker, apart from what it may add in any case
	fewShapes = 64      // that the union of is computed directly
)

// content is a list of shapes and references.
type content struct {
	shapes     []shape
	placements []placement
}

// shape is a trapezoid that is part of the maps of a set.
type shape struct {
	trapezoid
	maps uint64
}

// worker measures parts of the layout. Its lists are stacks, on which each patch puts what is in it.
type worker struct {
	*layout
	ctx              context.Context
	in               records
	e                element
	cut              slicer
	steps, mostSteps int64 // of work, to bound the time
	region           box
	scratch          content

	grid  *grid
	areas [][]float64 // by map and tile
	content
}

// pool runs workers on all cores.
type pool []*worker

// each calls do for 0 to n-1, until an error.
func (p pool) each(n int, do func(w *worker, i int) error) error {
	var next atomic.Int64
	var group errgroup.Group
	for _, w := range p[:min(n, len(p))] {
		group.Go(func() error {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := do(w, i); err != nil {
					next.Store(int64(n))
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// step counts work, and ends it when there is too much or the user interrupts.
func (w *worker) step(n int) error {
	before := w.steps >> 20
	if w.steps += int64(n); w.steps>>20 == before {
		return nil
	}
	if w.steps > w.mostSteps {
		return w.crowded()
	}
	return w.ctx.Err()
}

func (w *worker) crowded() error {
	return fault(w.path, "merge them in the layout", "the shapes near x = %.9g um, y = %.9g um overlap too often",
		w.region.x0*w.unit*1e6, w.region.y0*w.unit*1e6)
}

var errFull = errors.New("too many shapes at a time")

// measure adds the areas of a patch to its tiles. What is in the patch is among the shapes from s0 and the placements
// from r0; maps in done are covered already. Shapes that cover the patch are done at once. The references are replaced
// by what they contain, level by level; where that is too much at a time, or there are several tiles or many shapes,
// the patch is divided. stuck is the number of times in a row that dividing a tile did not help.
func (w *worker) measure(p patch, s0, r0 int, done uint64, stuck int) error {
	s, r := len(w.shapes), len(w.placements)
	defer func() { w.shapes, w.placements = w.shapes[:s], w.placements[:r] }()
	w.region = p.box
	done = w.keep(p, s0, r0, done)
	for from := r; from < len(w.placements); {
		ns, np := len(w.shapes), len(w.placements)
		err := w.expand(from, np)
		if errors.Is(err, errFull) {
			w.shapes, w.placements = w.shapes[:ns], w.placements[:np]
			return w.halves(p, s, from, done, 0)
		}
		if err != nil {
			return err
		}
		from = np
	}
	n := len(w.shapes) - s
	if err := w.step(s - s0 + n); n == 0 || err != nil {
		return err
	}
	if !p.single() {
		return w.halves(p, s, len(w.placements), done, 0)
	}
	if n > fewShapes && stuck < 10 {
		if stuck++; 4*n < 3*(s-s0) {
			stuck = 0
		}
		return w.halves(p, s, len(w.placements), done, stuck)
	}
	var maps uint64
	for i := range w.shapes[s:] {
		maps |= w.shapes[s+i].maps
	}
	for maps &^= done; maps != 0; maps &= maps - 1 {
		before := w.cut.work
		area, err := w.cut.union(w.shapes[s:], maps&-maps, &p.box)
		if err != nil {
			return w.crowded()
		}
		w.areas[bits.TrailingZeros64(maps)][p.j0*w.grid.nx+p.i0] += area
		if err := w.step(int(w.cut.work - before)); err != nil {
			return err
		}
	}
	return nil
}

// halves measures the halves of a patch.
func (w *worker) halves(p patch, s0, r0 int, done uint64, stuck int) error {
	if p.cuts > 64 || len(w.shapes) > 16*mostItems {
		return w.crowded()
	}
	a, b := w.grid.split(p)
	if err := w.measure(a, s0, r0, done, stuck); err != nil {
		return err
	}
	return w.measure(b, s0, r0, done, stuck)
}

// keep puts what meets a patch on the lists, and returns the maps that are done.
func (w *worker) keep(p patch, s0, r0 int, done uint64) uint64 {
	for i, s := s0, len(w.shapes); i < s; i++ {
		t := &w.shapes[i]
		if t.maps&^done == 0 {
			continue
		}
		switch meets, covers := t.over(&p.box); {
		case covers:
			for fresh := t.maps &^ done; fresh != 0; fresh &= fresh - 1 {
				w.grid.fill(w.areas[bits.TrailingZeros64(fresh)], &p)
			}
			done |= t.maps
		case meets:
			w.shapes = append(w.shapes, *t)
		}
	}
	for i, r := r0, len(w.placements); i < r; i++ {
		if q := &w.placements[i]; q.bounds(w.cells[q.child].bounds).meets(p.box) {
			w.placements = append(w.placements, *q)
		}
	}
	return done
}

// expand appends what placements from to to-1 contain of the region.
func (w *worker) expand(from, to int) error {
	most := max(mostItems, len(w.shapes)+len(w.placements)+mostItems/8)
	for i := from; i < to; i++ {
		if err := w.place(w.placements[i], most); err != nil {
			return err
		}
	}
	return nil
}

// place appends what the elements of a placement contain of the region, until the lists have the most entries.
func (w *worker) place(p placement, most int) error {
	if err := w.step(1); err != nil {
		return err
	}
	child := &w.cells[p.child]
	switch {
	case !p.bounds(child.bounds).meets(w.region):
		return nil
	case len(w.shapes)+len(w.placements) > most:
		return errFull
	case p.columns == 1 && p.lines == 1:
		return w.flatten(child, &p.transform)
	}
	a, b := p.halves()
	if err := w.place(a, most); err != nil {
		return err
	}
	return w.place(b, most)
}

// flatten appends the shapes and references of a structure that meet the region.
func (w *worker) flatten(c *cell, t *transform) error {
	window := t.before(w.region)
	for i := range c.chunks {
		k := &c.chunks[i]
		if !k.bounds.meets(window) {
			continue
		}
		all, err := w.load(c, k, window)
		if err != nil {
			return err
		}
		for i := range all.shapes {
			w.cut.out = w.cut.out[:0]
			if err := w.cut.moved(&all.shapes[i].trapezoid, t); err != nil {
				return err
			}
			for _, one := range w.cut.out {
				if meets, _ := one.over(&w.region); meets {
					w.shapes = append(w.shapes, shape{one, all.shapes[i].maps})
				}
			}
		}
		for i := range all.placements {
			p := all.placements[i].moved(t)
			if p.bounds(w.cells[p.child].bounds).meets(w.region) {
				w.placements = append(w.placements, p)
			}
		}
		if err := w.step(1 + len(all.shapes) + len(all.placements)); err != nil {
			return err
		}
	}
	return nil
}

// load is what a chunk contains, at least within a window.
func (w *worker) load(c *cell, k *chunk, window box) (*content, error) {
	if kept := k.content.Load(); kept != nil {
		return kept, nil
	}
	if c.uses.Load() < keptUses || w.kept.Load() > mostKept {
		return &w.scratch, w.decode(k, &w.scratch, window)
	}
	all := &content{}
	err := w.decode(k, all, everywhere)
	if err == nil && k.content.CompareAndSwap(nil, all) {
		w.kept.Add(int64(56*cap(all.shapes) + 96*cap(all.placements)))
	}
	return all, err
}
