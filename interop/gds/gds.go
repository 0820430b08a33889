// Package gds makes density maps from a layout in GDSII. A layer table, an XML stackup or CSV, has the materials of its
// layers.
//
// A layout is far larger flattened than in its file, and the file may be larger than the memory. So the file is indexed
// once ([layout.index]): where each structure is, in parts of 64 KiB with their bounds. Then workers take parts of the
// die one by one and divide them ([worker.measure]), replacing references by their shapes where these fit into memory,
// down to tiles with few shapes. There the area of their union is exact ([slicer.union]): what is covered twice counts
// once.
//
// Format: GDSII Stream Format Manual, release 6.0 (Calma, 1987).
package gds

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"thermsim/internal/inputfile"
	"thermsim/interop/eda"
	"thermsim/interop/importer"
	"thermsim/stack"
)

// Request is what to read.
type Request struct {
	File      string
	Table     string
	Cell      string  // top structure; "" for the only one
	Die       eda.Box // in um; zero for the bounds of the shapes
	NX, NY    int     // tiles of the maps
	Datatypes []int   // that count where the table has none
}

// Map is the covered part of each tile, row by row from the south, each from the west.
type Map struct {
	Name   string
	Layers string // of the layout
	Values []float64
}

// Result is a density map for each layer of a stack with shapes.
type Result struct {
	Cell   string
	Die    eda.Box // in um
	NX, NY int
	Maps   []Map
	Shapes float64 // flattened
	Notes  []importer.Note

	request Request
	table   *table
	sheets  []sheet
}

// Import reads a layout and measures the densities of its layers.
func Import(ctx context.Context, q Request) (*Result, error) {
	if q.NX < 1 || q.NY < 1 || q.NX > eda.MaxTiles/q.NY {
		return nil, fmt.Errorf("a density map has 1 to %d tiles, got %d x %d", eda.MaxTiles, q.NX, q.NY)
	}
	t, err := readTable(q.Table)
	if err != nil {
		return nil, err
	}
	f, err := inputfile.Open(q.File)
	if err != nil {
		return nil, fault(q.File, "", "cannot read the layout: %s", importer.Reason(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size()
	l := newLayout(f, q.File)
	if err := l.index(size); err != nil {
		return nil, err
	}
	sheets, names, err := t.sheets(l, q.Datatypes)
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("no layer of the table has shapes in the layout, which has %s", l.list())
	}
	if err == nil && q.NX > mostValues/len(names)/q.NY {
		err = fmt.Errorf("%d maps of %d x %d tiles; expected %d tiles in all", len(names), q.NX, q.NY, mostValues)
	}
	if err != nil {
		return nil, fault(q.Table, "", "%v", err)
	}
	workers := l.pool(ctx, size)
	id, err := l.top(workers, q.Cell)
	if err != nil {
		return nil, err
	}
	top := &l.cells[id]
	r := &Result{Cell: top.name, Die: q.Die, NX: q.NX, NY: q.NY, Shapes: top.shapes, request: q, table: t,
		sheets: sheets}
	um := l.unit * 1e6
	g := &grid{box: box{q.Die.X0 / um, q.Die.Y0 / um, q.Die.X1 / um, q.Die.Y1 / um}, nx: q.NX, ny: q.NY}
	if q.Die == (eda.Box{}) {
		g.box = top.bounds
		r.Die = eda.Box{X0: g.x0 * um, Y0: g.y0 * um, X1: g.x1 * um, Y1: g.y1 * um}
	}
	d, err := l.densities(workers, id, g, len(names))
	if err != nil {
		return nil, err
	}
	for m, name := range names {
		i := slices.IndexFunc(sheets, func(s sheet) bool { return s.mapped == name })
		r.Maps = append(r.Maps, Map{name, sheets[i].keys, d[m]})
	}
	r.Notes = append(t.notes, l.notes(r, q)...)
	return r, nil
}

const (
	mostValues = 1 << 28 // of all maps together, 2 GiB
	mostSteps  = 2e9     // of work, apart from the size: about 20 seconds
)

// pool makes a worker for each processor.
func (l *layout) pool(ctx context.Context, size int64) (p pool) {
	for range runtime.GOMAXPROCS(0) {
		in := records{file: l.file, path: l.path}
		p = append(p, &worker{layout: l, ctx: ctx, in: in, mostSteps: l.steps + 20*size})
	}
	return p
}

// top finds the structure of a name, or the only one with shapes that no other refers to.
func (l *layout) top(workers pool, name string) (at int32, err error) {
	var tops []string
	for i := range l.cells {
		if err := l.bound(workers, int32(i), 0); err != nil {
			return 0, err
		}
		if c := &l.cells[i]; !c.bounds.isEmpty() && (c.name == name || name == "" && c.parents == 0) {
			tops, at = append(tops, c.name), int32(i)
		}
	}
	n := len(tops)
	switch {
	case n == 1:
		return at, nil
	case n == 0:
		err = fmt.Errorf("no structure %q with shapes in the layers of the table", stack.Shorten(name))
	default:
		err = fmt.Errorf("%d structures are not part of others: %s. Fix: choose one with --cell", n,
			strings.Join(tops[:min(n, 10)], ", "))
	}
	return 0, fault(l.path, "", "%v", err)
}

// list is the layers of the layout that are part of no map, with their numbers of shapes.
func (l *layout) list() string {
	var keys []layerKey
	for k := range l.found {
		if l.maps[k] == 0 {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	var all []string
	for i, k := range keys {
		if i == 20 {
			all = append(all, fmt.Sprintf("and %d more", len(keys)-i))
			break
		}
		all = append(all, fmt.Sprintf("%v (%d)", k, l.found[k]))
	}
	if all == nil {
		return "none"
	}
	return strings.Join(all, ", ")
}

// notes are the parts of the layout that were ignored, and assumptions.
func (l *layout) notes(r *Result, q Request) (notes []importer.Note) {
	add := func(kind importer.NoteKind, format string, args ...any) {
		notes = append(notes, note(l.path, kind, format, args...))
	}
	if ignored := l.list(); ignored != "none" {
		add(importer.NotCarried, "layers (shapes) that the table does not name, or with other datatypes than %s: %s",
			strings.Trim(fmt.Sprint(q.Datatypes), "[]"), ignored)
	}
	for i := range l.cells {
		if !l.cells[i].defined {
			add(importer.Warning, "structure %q is not in the file; references to it and others like it are empty",
				l.cells[i].name)
			break
		}
	}
	if l.absolute > 0 {
		add(importer.Adapted, "absolute magnifications or angles of %s taken as relative",
			importer.Plural(int(l.absolute), "reference"))
	}
	if l.widths > 0 {
		add(importer.Adapted, "absolute widths of %s scale with their structures",
			importer.Plural(int(l.widths), "path"))
	}
	if q.Die == (eda.Box{}) {
		add(importer.Adapted, "the die is the bounds of the shapes, %.6g,%.6g,%.6g,%.6g um", r.Die.X0, r.Die.Y0,
			r.Die.X1, r.Die.Y1)
	}
	return notes
}
