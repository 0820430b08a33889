package eda

import (
	"bytes"

	"thermsim/stack"
)

// Box is a rectangle in um.
type Box struct{ X0, Y0, X1, Y1 float64 }

// Area is in um^2.
func (b Box) Area() float64 { return (b.X1 - b.X0) * (b.Y1 - b.Y0) }

func (b Box) intersect(c Box) Box {
	return Box{max(b.X0, c.X0), max(b.Y0, c.Y0), min(b.X1, c.X1), min(b.Y1, c.Y1)}
}

// valid reports whether the box has an area at all.
func (b Box) valid() bool { return b.X1 > b.X0 && b.Y1 > b.Y0 }

// minSide is the shortest side of a cell and of a die in um, a thousandth of the finest database unit; below it areas
// lose their digits.
const minSide = 1e-6

func (b Box) wide() bool { return b.X1-b.X0 >= minSide && b.Y1-b.Y0 >= minSide }

func bounds(boxes []Box) Box {
	all := boxes[0]
	for _, b := range boxes[1:] {
		all = Box{min(all.X0, b.X0), min(all.Y0, b.Y0), max(all.X1, b.X1), max(all.Y1, b.Y1)}
	}
	return all
}

// instance is one cell or macro of the design. There are millions of them, so they hold no pointers.
type instance struct {
	x, y, w, h float64 // footprint as placed, in um
	watts      float64
	kind       int32 // number of the macro's name
	line       int32 // in the file of the placement
	row        int32 // line in the report, 0 where it has none
	placed     bool
}

func (i *instance) box() Box { return Box{i.x, i.y, i.x + i.w, i.y + i.h} }

// cells are the instances of a design by name.
type cells struct {
	file  string // where they are placed
	names *names
	list  []instance // by number of the name
	kinds *names     // of macros

	// Names as they read without backslashes and with / between levels, where that differs. Tools disagree about when
	// to escape.
	plain   *names
	plainOf []int32 // instance, or ambiguous
	scratch []byte
}

const ambiguous = -2

func newCells(file string) *cells {
	return &cells{file: file, names: newNames(), kinds: newNames(), plain: newNames()}
}

// add appends an instance. known is one of the same name, or nil.
func (c *cells) add(name []byte, divider byte, in instance) (known *instance) {
	i, dup := c.names.add(name)
	if dup {
		return &c.list[i]
	}
	c.list = append(c.list, in)
	if divider == '/' && bytes.IndexByte(name, '\\') < 0 {
		return nil
	}
	if p := c.strip(name, divider); !bytes.Equal(p, name) {
		switch n, known := c.plain.add(p); {
		case known:
			c.plainOf[n] = ambiguous
		default:
			c.plainOf = append(c.plainOf, i)
		}
	}
	return nil
}

// strip takes the backslashes from a name and puts / in place of the divider; a divider behind a backslash is part of a
// name and stays.
func (c *cells) strip(name []byte, divider byte) []byte {
	c.scratch = c.scratch[:0]
	for i := 0; i < len(name); i++ {
		switch b := name[i]; {
		case b == '\\' && i+1 < len(name):
			i++
			c.scratch = append(c.scratch, name[i])
		case b == divider:
			c.scratch = append(c.scratch, '/')
		case b != '\\':
			c.scratch = append(c.scratch, b)
		}
	}
	return c.scratch
}

// find returns the number of the instance that a report means by a name, -1 for none, or ambiguous.
func (c *cells) find(name []byte) int32 {
	if i := c.names.find(name); i >= 0 {
		return i
	}
	if c.plain.len() > 0 {
		if p := c.plain.find(name); p >= 0 {
			return c.plainOf[p]
		}
	}
	if bytes.IndexByte(name, '\\') < 0 {
		return -1
	}
	stripped := c.strip(name, '/')
	if i := c.names.find(stripped); i >= 0 {
		return i
	}
	if p := c.plain.find(stripped); p >= 0 {
		return c.plainOf[p]
	}
	return -1
}

func (c *cells) pos(i *instance) stack.Pos { return stack.Pos{File: c.file, Line: int(i.line)} }
