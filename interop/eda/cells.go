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

// minSide is the shortest side of a cell and of a die in um, a thousandth of the finest database unit; areas of smaller
// ones have no significant digits.
const minSide = 1e-6

func (b Box) wide() bool { return b.X1-b.X0 >= minSide && b.Y1-b.Y0 >= minSide }

func bounds(boxes []Box) Box {
	all := boxes[0]
	for _, b := range boxes[1:] {
		all = Box{min(all.X0, b.X0), min(all.Y0, b.Y0), max(all.X1, b.X1), max(all.Y1, b.Y1)}
	}
	return all
}

// instance is one cell or macro of the design. There are millions of them, so they have no pointers.
type instance struct {
	x, y, w, h float64 // footprint as placed, in um
	watts      float64
	kind       int32 // number of the macro's name
	line       int32 // in the file of the placement
	row        int32 // line in the report, 0 for none
	placed     bool
}

func (i *instance) box() Box { return Box{i.x, i.y, i.x + i.w, i.y + i.h} }

// cells are the instances of a design by name.
type cells struct {
	file  string // where they are placed
	names *names
	list  []instance // by number of the name
	kinds *names     // of macros

	// Names without backslashes and with / between levels, if they differ. Tools disagree about when to escape.
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
		if n, known := c.plain.add(p); known {
			c.plainOf[n] = ambiguous
		} else {
			c.plainOf = append(c.plainOf, i)
		}
	}
	return nil
}

// strip removes the backslashes from a name and replaces the divider by /, except after a backslash, where it is part
// of the name.
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
	i := c.findPlain(name)
	if i == -1 && bytes.IndexByte(name, '\\') >= 0 {
		i = c.findPlain(c.strip(name, '/'))
	}
	return i
}

func (c *cells) findPlain(name []byte) int32 {
	if i := c.names.find(name); i >= 0 {
		return i
	}
	if c.plain.len() > 0 {
		if p := c.plain.find(name); p >= 0 {
			return c.plainOf[p]
		}
	}
	return -1
}

// pos is the position of instance i in the placement.
func (c *cells) pos(i int) stack.Pos { return stack.Pos{File: c.file, Line: int(c.list[i].line)} }

// shown is the name of instance i for messages.
func (c *cells) shown(i int) string { return stack.Shorten(string(c.names.at(int32(i)))) }
