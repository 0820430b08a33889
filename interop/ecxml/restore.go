package ecxml

import (
	"io/fs"
	"math"
	"slices"

	"thermsim/interop/importer"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// restored takes from thermsim's processing instruction what ECXML has no elements for. It reports whether there is one
// that fits the geometry.
func (c *converter) restored(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	pos := stack.Pos{File: c.Stack.File, Line: 1, Col: 1}
	refuse := func(string) ([]byte, error) { return nil, fs.ErrPermission }
	saved, err := stackfile.Parse(instruction, text, refuse)
	if err != nil {
		c.Note(importer.Warning, pos, "the processing instruction of thermsim is not valid and is ignored: %v", err)
		return false
	}
	s := c.Stack
	if !sameLayers(s, saved) {
		c.Note(importer.Warning, pos, "the processing instruction of thermsim is of another geometry and is ignored")
		return false
	}
	s.Ambient, s.TMax, s.Grid, s.Boundary, s.Transient = saved.Ambient, saved.TMax, saved.Grid, saved.Boundary,
		saved.Transient
	s.Solver, s.Output, s.Author, s.Revision = saved.Solver, saved.Output, saved.Author, saved.Revision
	for i := range s.Layers {
		from, to := &saved.Layers[i], &s.Layers[i]
		to.Name, to.Cells, to.ContactResistance = from.Name, from.Cells, from.ContactResistance
		to.TMax, to.MeanOfAll = from.TMax, from.MeanOfAll
	}
	for i := range s.Materials {
		m := &s.Materials[i]
		n := slices.IndexFunc(saved.Materials, func(o stack.Material) bool { return o.Name == m.Name })
		if n >= 0 && sameMaterial(&saved.Materials[n], m) {
			*m = saved.Materials[n]
		}
	}
	return true
}

// sameMaterial reports whether the properties of two materials are the same, except for what points of a curve miss.
func sameMaterial(a, b *stack.Material) bool {
	const miss = 0.01
	for i := range a.K {
		if math.Abs(a.K[i]-b.K[i]) > miss*a.K[i] {
			return false
		}
	}
	return math.Abs(a.C-b.C) <= miss*a.C
}

// sameLayers reports whether two stacks have the same size and the same layers, except for rounding.
func sameLayers(a, b *stack.Stack) bool {
	same := func(x, y float64) bool { return math.Abs(x-y) <= 1e-6*math.Abs(y) }
	return same(a.Size[0], b.Size[0]) && same(a.Size[1], b.Size[1]) &&
		slices.EqualFunc(a.Layers, b.Layers, func(x, y stack.Layer) bool { return same(x.Thickness, y.Thickness) })
}
