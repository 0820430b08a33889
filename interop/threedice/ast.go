package threedice

import "thermsim/stack"

// The project as written in its files, in 3D-ICE's units: um, W, K, s, W/(um K), J/(um3 K), W/(um2 K).

type project struct {
	materials  []material
	top        *sink
	bottom     *sink
	cavity     *cavity
	dimensions *dimensions
	layers     []layer
	dies       []die
	stack      []element // top to bottom, as in the file
	solver     *solver
	outputs    []Output
	refused    bool // it has parts that thermsim cannot model, each of them a fault
}

// named is a name or path in a file and its position: of a declaration, or of a named to one.
type named struct {
	name string
	pos  stack.Pos
}

func (n *named) declared() *named { return n }

// declaration is a pointer to a type that embeds named.
type declaration[T any] interface {
	*T
	declared() *named
}

// find returns the declaration of a name. Without one it reports a fault and returns nil.
func find[T any, P declaration[T]](c *converter, kind string, list []T, n named) P {
	var have []string
	for i := range list {
		d := P(&list[i])
		if d.declared().name == n.name {
			return d
		}
		have = append(have, d.declared().name)
	}
	c.Faults.Add(n.pos, stack.DidYouMean(n.name, have), "no %s is called %q", kind, n.name)
	return nil
}

type material struct {
	named
	k     [3]decimal
	c     decimal
	index int // in the stack, from 1; 0 if the stack does not use it
}

type sink struct {
	h, temperature decimal
	pos            stack.Pos
}

type dimensions struct {
	length, width         decimal
	cellLength, cellWidth decimal
	nonUniform            bool
	pos                   stack.Pos
}

type layer struct {
	named
	height           decimal
	material, layout named // layout is the path of the .mlt, "" without one
	used             bool  // by the stack
}

type die struct {
	named
	parts  []diePart // top to bottom
	source int       // index of the source layer in parts
	used   bool      // by the stack
}

// diePart is a layer of a die: a height and a material, or the name of a declared layer.
type diePart struct {
	layer
	of string // "" if height and material are given
}

type element struct {
	named
	die, channel bool
	of           named  // layer or die
	floorplan    named  // path
	cells        [2]int // discretization, 0 for that of the dimensions
}

type solver struct {
	transient  bool
	step, slot decimal
	initial    decimal
	pos        stack.Pos
}

// flpPower is the power of an element in a slot in W, and its position in the floorplan. It is small, because a trace
// has millions.
type flpPower struct {
	value     float64
	line, col int32
}

func (w flpPower) pos(file string) stack.Pos {
	return stack.Pos{File: file, Line: int(w.line), Col: int(w.col)}
}

// flpElement is an element of a floorplan.
type flpElement struct {
	named
	rects    []rectangle
	material named
	cells    [2]int // discretization, 0 if not given
	powers   []flpPower
}

type rectangle struct {
	x, y, length, width decimal
	pos                 stack.Pos
}

// um is the rectangle in um.
func (r *rectangle) um() stack.Rect {
	return stack.Rect{X: r.x.value, Y: r.y.value, Width: r.length.value, Height: r.width.value}
}

// metres is the rectangle in m.
func (r *rectangle) metres() stack.Rect {
	return stack.Rect{X: r.x.shifted(-6), Y: r.y.shifted(-6), Width: r.length.shifted(-6), Height: r.width.shifted(-6)}
}

// span is the rectangle from and to, along x and y, in um.
func (r *rectangle) span() [2][2]float64 {
	return [2][2]float64{{r.x.value, r.x.value + r.length.value}, {r.y.value, r.y.value + r.width.value}}
}

// layoutPatch is the rectangles of one material in a layout; its name is that of the material.
type layoutPatch struct {
	named
	rects []rectangle
}

// Output is an instruction of the output section.
type Output struct {
	Kind     string // T, Tflp, Tflpel, Tmap, Pmap, Tcoolant, T3d
	Element  string // stack element
	Block    string // of Tflpel
	X, Y     float64
	File     string
	Quantity string // maximum, minimum, average, gradient
	When     string // step, slot, final
	Pos      stack.Pos
}
