package electrothermal

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"thermsim/gpusolve/sparse/netlist"
	"thermsim/internal/inputfile"
	"thermsim/mesh"
	"thermsim/powermap"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// Bounds of the number of tiles along an axis.
const (
	mostTiles = 2048
	autoTiles = 512 // of a grid that is still to be chosen
)

// mostParts is the number of tiles that all segments may cover together, which take 16 bytes each.
const mostParts = 1 << 27

// tilesOf divides the domain into equal tiles, the cells of a uniform grid. Those of a graded one are as wide as its
// smallest cell, within the bounds.
func tilesOf(s *stack.Stack) powermap.Grid {
	count := func(a stack.Axis, faces []float64, length float64) int {
		switch {
		case s.Grid.Auto != nil:
			return autoTiles
		case len(a.Segments) == 0:
			return a.Cells
		}
		least := length
		for i := range len(faces) - 1 {
			least = math.Min(least, faces[i+1]-faces[i])
		}
		return int(math.Min(math.Ceil(length/least), mostTiles))
	}
	var x, y []float64
	if s.Grid.Auto == nil {
		x, y, _ = mesh.Faces(s) // a fault is reported with the mesh
	}
	return powermap.Grid{X: edges(s.Size[0], count(s.Grid.X, x, s.Size[0])),
		Y: edges(s.Size[1], count(s.Grid.Y, y, s.Size[1]))}
}

func edges(length float64, n int) []float64 {
	e := make([]float64, n+1)
	for i := range e {
		e[i] = length * (float64(i) / float64(n))
	}
	return e
}

// node is the location of a node.
type node struct {
	name string // without coordinates; empty outside the stack
	x, y float64
}

// nodeOf reads the name of a node: NAME_X_Y, or NAME_X_Y_LAYER with the number of a layer, which belongs to the name.
func (g *Grid) nodeOf(name string) node {
	words := strings.Split(name, "_")
	var numbers []float64 // at the end, the last first
	for n := len(words) - 1; n > 0 && len(numbers) < 3; n-- {
		v, err := inputfile.Number(words[n])
		if err != nil {
			break
		}
		numbers = append(numbers, v)
	}
	if len(numbers) < 2 {
		return node{}
	}
	family, layer := strings.Join(words[:len(words)-len(numbers)], "_"), ""
	if len(numbers) == 3 {
		layer = "_" + words[len(words)-1]
		numbers = numbers[1:]
	}
	return node{family + layer, g.of.Origin[0] + numbers[1]*g.of.Unit, g.of.Origin[1] + numbers[0]*g.of.Unit}
}

// place finds the segments of the netlist.
func (g *Grid) place() error {
	nodes := make([]node, len(g.net.Names))
	for n := 1; n < len(nodes); n++ {
		nodes[n] = g.nodeOf(g.net.Names[n])
	}
	metals := map[string]*stack.Metal{}
	for i := range g.of.Metals {
		for _, name := range g.of.Metals[i].Nodes {
			metals[name] = &g.of.Metals[i]
		}
	}
	parts := 0.0
	for n := range g.ohms {
		r := &g.ohms[n]
		a, b := &nodes[r.A], &nodes[r.B]
		if a.name == "" || b.name == "" {
			continue
		}
		metal := metals[family(a.name, b.name)]
		if metal == nil {
			return g.noMetal(r, a, b)
		}
		for k, at := range []*node{a, b} {
			if !g.inside(at) {
				return g.outside([]int32{r.A, r.B}[k], at, r)
			}
		}
		if parts += g.covered(a, b, metal.Width); parts > mostParts {
			return &stack.Error{Pos: metal.Pos, Msg: fmt.Sprintf("the resistors of the power grid cover more than %d "+
				"cells in all", mostParts), Remedy: "check the width of this metal, or coarsen the grid"}
		}
		g.segments = append(g.segments, segment{resistor: n, metal: metal, layer: g.heats(metal), x: (a.x + b.x) / 2,
			y: (a.y + b.y) / 2, length: math.Hypot(b.x-a.x, b.y-a.y), parts: g.parts(a, b, metal.Width)})
	}
	if len(g.segments) == 0 {
		return &stack.Error{Pos: stack.Pos{File: g.of.File}, Msg: "no resistor lies in the stack",
			Remedy: "the names of both its nodes must end in coordinates, as in n1_20_30"}
	}
	return nil
}

// heats is the index in Grid.layers of the layer of a metal.
func (g *Grid) heats(metal *stack.Metal) int {
	n := slices.IndexFunc(g.layers, func(l heated) bool { return l.layer == metal.Layer })
	if n < 0 {
		n = len(g.layers)
		g.layers = append(g.layers, heated{layer: metal.Layer, low: 1,
			powers: slices.Clip(g.stack.Layers[metal.Layer].Powers)})
	}
	if l := &g.layers[n]; metal.TCR > 0 {
		l.low = math.Max(l.low, metal.At-1/metal.TCR)
	}
	return n
}

// family is the key of a metal: the name of the nodes of a wire, or both of a via.
func family(a, b string) string {
	if a == b {
		return a
	}
	return min(a, b) + " " + max(a, b)
}

func (g *Grid) noMetal(r *netlist.Resistor, a, b *node) error {
	names := g.net.Names
	return &stack.Error{Pos: stack.Pos{File: g.of.File, Line: r.Line, Col: g.column(r.Line, names[r.A])},
		Msg: fmt.Sprintf("no metal has the resistor between %q and %q", names[r.A], names[r.B]),
		Remedy: fmt.Sprintf("add [[power_grid.metal]] with nodes = [%q] to %s", family(a.name, b.name),
			g.of.Pos.File)}
}

// column is that of a node in a line of the netlist, 0 where that is compressed or continued.
func (g *Grid) column(line int, name string) int {
	lines := bytes.SplitN(g.of.Data, []byte("\n"), line+1)
	before, _, found := strings.Cut(string(lines[min(line, len(lines))-1]), name)
	if !found {
		return 0
	}
	return utf8.RuneCountInString(before) + 1
}

func (g *Grid) inside(n *node) bool {
	slack := stack.Tolerance * math.Max(g.stack.Size[0], g.stack.Size[1])
	return n.x >= -slack && n.y >= -slack && n.x <= g.stack.Size[0]+slack && n.y <= g.stack.Size[1]+slack
}

func (g *Grid) outside(n int32, at *node, r *netlist.Resistor) error {
	return &stack.Error{Pos: stack.Pos{File: g.of.File, Line: r.Line, Col: g.column(r.Line, g.net.Names[n])},
		Msg: fmt.Sprintf("node %q is at x = %.6g mm, y = %.6g mm, outside the domain of %.6g mm by %.6g mm",
			g.net.Names[n], at.x*1e3, at.y*1e3, g.stack.Size[0]*1e3, g.stack.Size[1]*1e3),
		Remedy: "correct unit or origin of [power_grid] in " + g.of.Pos.File}
}

// covered is about the number of tiles that a segment covers.
func (g *Grid) covered(a, b *node, width float64) float64 {
	along := func(from, to, size float64, tiles int) float64 {
		return 1 + float64(tiles)*math.Min(1, (math.Abs(to-from)+width)/size)
	}
	return along(a.x, b.x, g.stack.Size[0], g.tiles.NX()) * along(a.y, b.y, g.stack.Size[1], g.tiles.NY())
}

// parts divides the heat of a segment among the tiles that it covers: a strip between its nodes, a square of a via.
// Coordinates that differ by rounding are equal.
func (g *Grid) parts(a, b *node, width float64) []part {
	dx, dy := math.Abs(b.x-a.x), math.Abs(b.y-a.y)
	rounding := 1e-6 * g.of.Unit
	if dx > rounding && dy > rounding {
		return g.oblique(a, b, width)
	}
	half := [2]float64{width / 2, width / 2}
	if dx > rounding {
		half[0] = 0
	} else if dy > rounding {
		half[1] = 0
	}
	i, x := powermap.Overlap(g.tiles.X, min(a.x, b.x)-half[0], max(a.x, b.x)+half[0], nil)
	j, y := powermap.Overlap(g.tiles.Y, min(a.y, b.y)-half[1], max(a.y, b.y)+half[1], nil)
	var parts []part
	for v, share := range y {
		for u := range x {
			parts = append(parts, part{int32((j+v)*g.tiles.NX() + i + u), share * x[u]})
		}
	}
	return parts
}

// oblique is parts of a segment along neither axis.
func (g *Grid) oblique(a, b *node, width float64) (parts []part) {
	length := math.Hypot(b.x-a.x, b.y-a.y)
	u, v := (b.x-a.x)/length*width/2, (b.y-a.y)/length*width/2
	strip := geometry.Polygon{{X: a.x + v, Y: a.y - u}, {X: b.x + v, Y: b.y - u}, {X: b.x - v, Y: b.y + u},
		{X: a.x - v, Y: a.y + u}}
	total := 0.0
	for _, row := range powermap.Rows(g.tiles, strip) {
		for i, area := range row.Areas {
			parts = append(parts, part{int32(row.J*g.tiles.NX() + row.I + i), area})
			total += area
		}
	}
	if total == 0 { // narrower than rounding
		i, _ := powermap.Overlap(g.tiles.X, (a.x+b.x-length/2)/2, (a.x+b.x+length/2)/2, nil)
		j, _ := powermap.Overlap(g.tiles.Y, (a.y+b.y-length/2)/2, (a.y+b.y+length/2)/2, nil)
		return []part{{int32(j*g.tiles.NX() + i), 1}}
	}
	for n := range parts {
		parts[n].share /= total
	}
	return parts
}
