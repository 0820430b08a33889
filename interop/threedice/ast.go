package threedice

import "thermsim/stack"

// The project as it stands in its files, in 3D-ICE's units: um, W, K, s, W/(um K), J/(um3 K), W/(um2 K).

type project struct {
	file       string
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

type material struct {
	name string
	k    [3]decimal
	c    decimal
	pos  stack.Pos
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
	name      string
	height    decimal
	material  string
	materialP stack.Pos
	layout    string // path of the .mlt, "" without
	layoutPos stack.Pos
	pos       stack.Pos
}

type die struct {
	name   string
	parts  []diePart // top to bottom
	source int       // index of the source layer in parts
	pos    stack.Pos
}

// diePart is a layer of a die: a height and a material, or the name of a layer.
type diePart struct {
	layer     string // "" where height and material are given
	height    decimal
	material  string
	materialP stack.Pos
	pos       stack.Pos
}

type element struct {
	name         string
	die, channel bool
	of           string // layer or die
	ofPos        stack.Pos
	floorplan    string // path
	floorplanPos stack.Pos
	cells        [2]int // discretization, 0 where it is that of the dimensions
	pos          stack.Pos
}

type solver struct {
	transient  bool
	step, slot decimal
	initial    decimal
	pos        stack.Pos
}

// flpPower is the power of an element in a slot in W, and its place in the floorplan: a trace has millions.
type flpPower struct {
	value     float64
	line, col int32
}

func (w flpPower) pos(file string) stack.Pos {
	return stack.Pos{File: file, Line: int(w.line), Col: int(w.col)}
}

// flpElement is an element of a floorplan.
type flpElement struct {
	name      string
	rects     []rectangle
	material  string
	materialP stack.Pos
	cells     [2]int // discretization, 0 where not given
	powers    []flpPower
	pos       stack.Pos
}

type rectangle struct {
	x, y, length, width decimal
	pos                 stack.Pos
}

// layoutPatch is the rectangles of one material in a layout.
type layoutPatch struct {
	material string
	rects    []rectangle
	pos      stack.Pos
}

// Output is an instruction of the output section.
type Output struct {
	Kind     string // T, Tflp, Tflpel, Tmap, Pmap, Tcoolant
	Element  string // stack element
	Block    string // of Tflpel
	X, Y     float64
	File     string
	Quantity string // maximum, minimum, average, gradient
	When     string // step, slot, final
	Pos      stack.Pos
}
