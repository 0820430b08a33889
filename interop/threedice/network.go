package threedice

import (
	"math"

	"thermsim/interop/network"
	"thermsim/stack"
)

// node is a cell of 3D-ICE's non-uniform mode.
type node struct {
	layer    int           // of the stack
	span     [2][2]float64 // um: from and to, along x and y
	material int
}

func (n *node) length(axis int) float64 { return n.span[axis][1] - n.span[axis][0] }

// networkBuilder assembles 3D-ICE's non-uniform mode: cell-centred two-point fluxes between cells that touch.
type networkBuilder struct {
	*converter
	net   *network.Network
	nodes []node
}

// cellNetwork is the network of the separate cells of floorplan elements and layers. It is built before the outer
// layers of the stack are changed to emulate their nodes: here the conductances emulate them.
func (c *converter) cellNetwork() *network.Network {
	b := &networkBuilder{converter: c, net: &network.Network{}}
	for l := range c.Stack.Layers {
		b.addNodes(l)
	}
	for l := range c.Stack.Layers {
		b.linkLayer(l)
		if l > 0 {
			b.linkLayers(l-1, l)
		}
	}
	b.ground()
	return b.net
}

// addNodes appends the nodes of a layer, element by element, and assigns them to the cells of the mesh they cover.
func (b *networkBuilder) addNodes(l int) {
	from := b.origins[l]
	at := make([]int32, (len(b.edges[0])-1)*(len(b.edges[1])-1))
	y := &b.Stack.Layers[l]
	for _, w := range b.areas {
		if w.element != from.element {
			continue
		}
		material := y.Material
		if from.source {
			if x := &b.floors[w.element][w.block]; x.material.name != "" {
				material = b.material(x.material, &layout{})
			}
		}
		nx, ny := w.cells[0], w.cells[1]
		for n := range nx * ny {
			cell := node{layer: l, material: material,
				span: [2][2]float64{cut(w.rect[0], n%nx, nx), cut(w.rect[1], n/nx, ny)}}
			id := int32(len(b.nodes))
			b.nodes = append(b.nodes, cell)
			volume := cell.length(0) * micro * cell.length(1) * micro * y.Thickness
			b.net.Capacity = append(b.net.Capacity, b.Stack.Materials[material].C*volume)
			if from.source {
				b.net.Sources = append(b.net.Sources,
					network.Source{Node: id, Layer: l, Block: w.block, Share: 1 / float64(nx*ny)})
			}
			b.assign(at, id, &cell)
		}
	}
	b.net.At = append(b.net.At, at)
}

// cut is part i of n equal parts of a span.
func cut(span [2]float64, i, n int) [2]float64 {
	size := (span[1] - span[0]) / float64(n)
	return [2]float64{span[0] + size*float64(i), span[0] + size*float64(i+1)}
}

// assign sets the node of the cells of the mesh that it covers.
func (b *networkBuilder) assign(at []int32, id int32, n *node) {
	i0, i1 := edgesOf(b.edges[0], n.span[0])
	j0, j1 := edgesOf(b.edges[1], n.span[1])
	nx := len(b.edges[0]) - 1
	for j := j0; j < j1; j++ {
		for i := i0; i < i1; i++ {
			at[j*nx+i] = id
		}
	}
}

// linkLayer links the nodes of a layer that share an edge.
func (b *networkBuilder) linkLayer(l int) {
	at := b.net.At[l]
	nx, ny := len(b.edges[0])-1, len(b.edges[1])-1
	for axis, step := range [2]int{1, nx} {
		linked := map[[2]int32]bool{}
		for c := range at {
			if axis == 0 && c%nx == nx-1 || axis == 1 && c/nx == ny-1 {
				continue
			}
			if pair := [2]int32{at[c], at[c+step]}; pair[0] != pair[1] && !linked[pair] {
				linked[pair] = true
				b.lateral(axis, pair)
			}
		}
	}
}

// lateral links two nodes that touch along an axis. 3D-ICE uses as their shared length the smaller of the distances
// between the start of one and the end of the other, which is too long if one lies within the other.
func (b *networkBuilder) lateral(axis int, pair [2]int32) {
	p, q := &b.nodes[pair[0]], &b.nodes[pair[1]]
	across := 1 - axis
	shared := math.Min(math.Abs(p.span[across][0]-q.span[across][1]), math.Abs(p.span[across][1]-q.span[across][0]))
	area := shared * micro * b.Stack.Layers[p.layer].Thickness
	half := func(n *node) float64 {
		return b.Stack.Materials[n.material].K[axis] * area / (n.length(axis) * micro / 2)
	}
	b.link(pair, half(p), half(q))
}

// linkLayers links the nodes of two layers that lie over each other.
func (b *networkBuilder) linkLayers(lower, upper int) {
	linked := map[[2]int32]bool{}
	for c, below := range b.net.At[lower] {
		pair := [2]int32{below, b.net.At[upper][c]}
		if linked[pair] {
			continue
		}
		linked[pair] = true
		p, q := &b.nodes[pair[0]], &b.nodes[pair[1]]
		area := 1.0
		for axis := range 2 {
			area *= micro * (math.Min(p.span[axis][1], q.span[axis][1]) - math.Max(p.span[axis][0], q.span[axis][0]))
		}
		half := func(n *node) float64 {
			height := b.Stack.Layers[n.layer].Thickness
			if !b.outer(n.layer) {
				height /= 2
			}
			return b.Stack.Materials[n.material].K[2] * area / height
		}
		b.link(pair, half(p), half(q))
	}
}

// outer reports whether the nodes of a layer lie on the outer face: at the bottom, and at the top without a sink.
func (b *networkBuilder) outer(layer int) bool {
	return layer == 0 && b.project.bottom == nil || layer == len(b.Stack.Layers)-1 && b.project.top == nil
}

// link puts two conductances in series between two nodes.
func (b *networkBuilder) link(pair [2]int32, g1, g2 float64) {
	b.net.Links = append(b.net.Links, network.Link{A: pair[0], B: pair[1], Conductance: g1 * g2 / (g1 + g2)})
}

// ground links the top layer to its sink, half a cell away.
func (b *networkBuilder) ground() {
	top := b.Stack.Boundary[stack.Top]
	if top.Kind != stack.Convective {
		return
	}
	last := len(b.Stack.Layers) - 1
	half := b.Stack.Layers[last].Thickness / 2
	for id := range b.nodes {
		n := &b.nodes[id]
		if n.layer != last {
			continue
		}
		area := n.length(0) * micro * n.length(1) * micro
		g := area / (1/top.H + half/b.Stack.Materials[n.material].K[2])
		b.net.Grounds = append(b.net.Grounds,
			network.Ground{Node: int32(id), Conductance: g, Temperature: top.Temperature, Face: stack.Top})
	}
}
