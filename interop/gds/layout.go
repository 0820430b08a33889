package gds

import (
	"io"
	"math"
	"slices"
	"sync/atomic"
)

// Limits that keep time and memory within bounds.
const (
	mostDepth  = 256     // of the hierarchy
	mostCells  = 1 << 22 // structures
	mostShapes = 2e9     // shapes and references, flattened
	chunkSize  = 1 << 16
	farthest   = 1e12 // of a coordinate
)

// layout is the index of a GDSII file: where its structures are, what they refer to, and their bounds. The shapes stay
// in the file.
type layout struct {
	file   io.ReaderAt
	path   string
	unit   float64 // m
	cells  []cell
	byName map[string]int32
	found  map[layerKey]int64  // number of shapes in the file
	maps   map[layerKey]uint64 // maps that a layer is part of
	// Assumptions to report.
	absolute, widths int64
	kept             atomic.Int64 // bytes of decoded chunks
	listed           atomic.Int64 // shapes and references of all structures
	steps            int64        // of work that any layout may take
}

// cell is a structure.
type cell struct {
	name     string
	defined  bool
	chunks   []chunk
	children []int32 // each once
	parents  int     // structures that refer to it
	level    int     // above the deepest of its children, from 1; -1 while that is computed
	bounds   box
	shapes   float64 // shapes and references, with those of the children
	uses     atomic.Int64
}

// chunk is a part of a structure.
type chunk struct {
	from, to int64
	bounds   box
	content  atomic.Pointer[content]
}

func newLayout(file io.ReaderAt, path string) *layout {
	return &layout{file: file, path: path, byName: map[string]int32{}, found: map[layerKey]int64{},
		maps: map[layerKey]uint64{}, steps: mostSteps}
}

// cell finds or makes the structure of a name.
func (l *layout) cell(name []byte) int32 {
	if i, ok := l.byName[string(name)]; ok {
		return i
	}
	i := int32(len(l.cells))
	l.cells = append(l.cells, cell{name: string(name), bounds: nowhere})
	l.byName[string(name)] = i
	return i
}

// index reads the whole file once.
func (l *layout) index(size int64) error {
	r := &records{file: l.file, path: l.path}
	r.part(0, size)
	if kind, data, err := r.next(); err != nil || kind != 0 || len(data) != 2 {
		return fault(l.path, "convert OASIS with KLayout's 'strm2gds chip.oas chip.gds', decompress gzip",
			"not a GDSII file: it does not begin with HEADER")
	}
	for {
		kind, data, err := r.next()
		if err != nil {
			return err
		}
		switch kind {
		case recUnits:
			if len(data) < 16 {
				return r.fail("", "UNITS of %d bytes; expected 16", len(data))
			}
			l.unit = real8(data[8:])
		case recBgnStr:
			if err := l.structure(r); err != nil {
				return err
			}
		case recEndLib:
			if !(l.unit >= 1e-15 && l.unit <= 1) {
				return r.fail("", "database unit of %g m; expected 1e-15 to 1 m", l.unit)
			}
			return nil
		}
	}
}

// structure indexes a structure.
func (l *layout) structure(r *records) error {
	kind, data, err := r.next()
	if err != nil {
		return err
	}
	if kind != recStrName || len(text(data)) == 0 {
		return r.fail("", "structure without a name")
	}
	id := l.cell(text(data))
	if l.cells[id].defined {
		return r.fail("", "a second structure %q", l.cells[id].name)
	}
	if len(l.cells) > mostCells {
		return r.fail("", "more than %d structures", mostCells)
	}
	l.cells[id].defined = true
	from := r.at
	children := map[int32]bool{}
	var chunks []chunk
	var e element
	for {
		at := r.at
		kind, _, err := r.next()
		if err != nil {
			return err
		}
		if (kind == recEndStr || at-from >= chunkSize) && at > from {
			chunks = append(chunks, chunk{from: from, to: at})
			from = at
		}
		switch kind {
		case recEndStr:
			l.cells[id].chunks = chunks
			for child := range children {
				l.cells[id].children = append(l.cells[id].children, child)
				l.cells[child].parents++
			}
			slices.Sort(l.cells[id].children)
			return nil
		case recBgnStr, recEndLib:
			return r.fail("copy the file again", "structure %q does not end", l.cells[id].name)
		}
		if !e.begins(kind) {
			continue
		}
		if err := r.element(kind, &e); err != nil {
			return err
		}
		l.note(&e)
		if e.kind == recSref || e.kind == recAref {
			children[l.cell(e.name)] = true
		}
	}
}

// note counts what the report is about.
func (l *layout) note(e *element) {
	switch {
	case e.isShape():
		l.found[e.layer]++
		if e.width < 0 {
			l.widths++
		}
	case e.absolute:
		l.absolute++
	}
}

// bound computes the bounds and the number of shapes of a structure, after those below it.
func (l *layout) bound(workers pool, id int32, depth int) error {
	c := &l.cells[id]
	switch {
	case c.level > 0:
		return nil
	case c.level < 0:
		return workers[0].in.fail("", "structure %q contains itself", c.name)
	}
	c.level = -1
	level := 1
	for _, child := range c.children {
		if depth < mostDepth {
			if err := l.bound(workers, child, depth+1); err != nil {
				return err
			}
		}
		level = max(level, l.cells[child].level+1)
	}
	if c.level = level; level > mostDepth || depth == mostDepth {
		return workers[0].in.fail("", "more than %d levels of references", mostDepth)
	}
	counts := make([]float64, len(c.chunks))
	err := workers.each(len(c.chunks), func(w *worker, i int) (err error) {
		counts[i], err = w.bound(&c.chunks[i])
		return err
	})
	for i, n := range counts {
		c.bounds = c.bounds.with(c.chunks[i].bounds)
		c.shapes += n
	}
	return err
}

// bound computes the bounds of a chunk, and the number of its shapes and references, with those of the children.
func (w *worker) bound(k *chunk) (shapes float64, err error) {
	k.bounds = nowhere
	c := &w.scratch
	if err := w.decode(k, c, everywhere); err != nil {
		return 0, err
	}
	for i := range c.shapes {
		k.bounds = k.bounds.with(c.shapes[i].bounds())
	}
	shapes = float64(len(c.shapes))
	w.listed.Add(int64(len(c.shapes) + len(c.placements)))
	for i := range c.placements {
		p := &c.placements[i]
		child := &w.cells[p.child]
		child.uses.Add(int64(p.columns) * int64(p.lines))
		shapes += float64(p.columns) * float64(p.lines) * (1 + child.shapes)
		k.bounds = k.bounds.with(p.bounds(child.bounds))
	}
	if far := k.bounds; !far.isEmpty() && !(max(-far.x0, -far.y0, far.x1, far.y1) < farthest) {
		return 0, w.in.fail("", "shapes at more than %g database units from the origin", farthest)
	}
	return shapes, nil
}

// decode reads the elements of a chunk that meet a window.
func (w *worker) decode(k *chunk, into *content, window box) error {
	into.shapes, into.placements = into.shapes[:0], into.placements[:0]
	w.in.part(k.from, k.to)
	for w.in.at < k.to {
		kind, _, err := w.in.next()
		if err != nil {
			return err
		}
		e := &w.e
		if !e.begins(kind) {
			continue
		}
		if err := w.in.element(kind, e); err != nil {
			return err
		}
		if err := w.step(1 + len(e.xy)); err != nil {
			return err
		}
		if e.isShape() {
			if err := w.shape(into, window); err != nil {
				return err
			}
		} else if e.kind == recSref || e.kind == recAref {
			p := placing(e, w.byName[string(e.name)])
			if p.bounds(w.cells[p.child].bounds).meets(window) {
				into.placements = append(into.placements, p)
			}
		}
	}
	return nil
}

// shape decodes a shape.
func (w *worker) shape(into *content, window box) error {
	e := &w.e
	maps := w.maps[e.layer]
	if maps == 0 {
		return nil
	}
	around := boundsOf(e.xy)
	if e.kind == recPath { // as far as the corners and ends reach
		far := math.Abs(float64(e.width)) + math.Abs(float64(e.begin)) + math.Abs(float64(e.end))
		around = box{around.x0 - far, around.y0 - far, around.x1 + far, around.y1 + far}
	}
	if !around.meets(window) {
		return nil
	}
	w.cut.out = w.cut.out[:0]
	before := w.cut.work
	if err := w.cut.outline(e); err != nil {
		return w.in.fail("", "%v", err)
	}
	for _, t := range w.cut.out {
		if t.bounds().meets(window) {
			into.shapes = append(into.shapes, shape{t, maps})
		}
	}
	return w.step(int(w.cut.work - before))
}
