package sensitivity

import (
	"context"
	"errors"
	"slices"

	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// piece is a part of a stack that has a position: blocks, regions and powers that move together, or a patch.
type piece struct {
	name    string
	west    [2]float64 // x and y of its west and south edge
	blocks  [][3]int   // layer, power, block
	powers  [][2]int   // layer, power, with all blocks
	regions [][2]int   // layer, region
	patch   *[2]int    // face, patch
}

// positionStep is the largest step of a position, as a part of the smallest cell.
const positionStep = 0.25

var errOutside = errors.New("it is moved out of the stack")

// positions are the tasks of all pieces in x and y.
func (r *run) positions() (all []task) {
	for _, p := range piecesOf(r.stack) {
		for axis, kind := range []Kind{X, Y} {
			faces := r.mesh.X
			if axis == 1 {
				faces = r.mesh.Y
			}
			cell := faces[len(faces)-1]
			for i := range len(faces) - 1 {
				cell = min(cell, faces[i+1]-faces[i])
			}
			of := Sensitivity{Kind: kind, Name: p.name, Value: p.west[axis], Unit: "m"}
			all = append(all, task{of, func(ctx context.Context) ([]float64, error) {
				d, err := extrapolated(func(shift float64) ([]float64, error) {
					if err := ctx.Err(); err != nil {
						return nil, err
					}
					var by [2]float64
					by[axis] = shift
					return r.moved(&p, by)
				}, positionStep*cell)
				if errors.Is(err, errOutside) {
					return nil, nil // it fills the stack
				}
				return d, err
			}})
		}
	}
	return all
}

// moved are the sums of the stack with a piece elsewhere.
func (r *run) moved(p *piece, by [2]float64) ([]float64, error) {
	s, inside := p.moved(r.stack, by)
	if !inside {
		return nil, errOutside
	}
	if p.patch == nil && len(p.regions) == 0 {
		m, err := r.repowered(s)
		if err != nil {
			return nil, err
		}
		return r.sums(m, extent{layer: inPowers}), nil
	}
	m, err := mesh.Build(s)
	if err != nil {
		return nil, err
	}
	e := extent{layer: everywhere}
	if p.patch != nil {
		e = extent{onFace, stack.Face(p.patch[0])}
	}
	return r.sums(m, e), nil
}

// piecesOf lists the pieces of a stack: its named blocks, uniform powers and maps, its regions with their powers, dies,
// and patches.
func piecesOf(s *stack.Stack) (all []piece) {
	dies := map[string]int{}
	for l := range s.Layers {
		y := &s.Layers[l]
		for n := range y.Powers {
			for b := range y.Powers[n].Blocks {
				k := &y.Powers[n].Blocks[b]
				all = append(all, piece{name: y.Name + "/" + k.Name, west: cornerOf(k.Rects, k.Shapes),
					blocks: [][3]int{{l, n, b}}})
			}
			if q := &y.Powers[n]; len(q.Blocks) == 0 && q.Name != "" && q.Area != (stack.Rect{}) {
				all = append(all, piece{name: y.Name + "/" + q.Name, west: [2]float64{q.Area.X, q.Area.Y},
					powers: [][2]int{{l, n}}})
			}
		}
		for n := range y.Regions {
			g := &y.Regions[n]
			own := piece{name: y.Name + "/" + g.Name, west: [2]float64{g.X, g.Y}, regions: [][2]int{{l, n}}}
			for q := range y.Powers {
				if y.Powers[q].Area == g.Rect {
					own.powers = append(own.powers, [2]int{l, q})
				}
			}
			i, known := dies[g.Die]
			switch {
			case g.Die != "" && known:
				all[i].add(&own)
			case g.Die != "":
				dies[g.Die], own.name = len(all), g.Die
				all = append(all, own)
			case g.Name != "":
				all = append(all, own)
			}
		}
	}
	for f := range stack.Face(stack.NumFaces) {
		for n := range s.Boundary[f].Patches {
			p := &s.Boundary[f].Patches[n]
			var shapes []geometry.Shape
			if p.Shape != nil {
				shapes = append(shapes, p.Shape)
			}
			all = append(all, piece{name: f.String() + "/" + p.Name, west: cornerOf(p.Rects, shapes),
				patch: &[2]int{int(f), n}})
		}
	}
	return all
}

// add joins a part of the same die.
func (p *piece) add(o *piece) {
	p.west = [2]float64{min(p.west[0], o.west[0]), min(p.west[1], o.west[1])}
	p.regions = append(p.regions, o.regions...)
	for _, q := range o.powers {
		if !slices.Contains(p.powers, q) {
			p.powers = append(p.powers, q)
		}
	}
}

// cornerOf is the least x and y of rectangles and shapes.
func cornerOf(rects []stack.Rect, shapes []geometry.Shape) (at [2]float64) {
	for n, r := range rects {
		if n == 0 {
			at = [2]float64{r.X, r.Y}
		}
		at = [2]float64{min(at[0], r.X), min(at[1], r.Y)}
	}
	for n, s := range shapes {
		b := s.Bounds()
		if n == 0 && len(rects) == 0 {
			at = [2]float64{b.X0, b.Y0}
		}
		at = [2]float64{min(at[0], b.X0), min(at[1], b.Y0)}
	}
	return at
}

// mover moves parts of a stack, and notes whether they stay inside.
type mover struct {
	by     [2]float64
	size   [2]float64
	inside bool
}

// moved is the stack with the piece elsewhere, and whether all of it is inside.
func (p *piece) moved(s *stack.Stack, by [2]float64) (*stack.Stack, bool) {
	other := *s
	v := &mover{by, s.Size, true}
	if p.patch != nil {
		b := &other.Boundary[p.patch[0]]
		b.ClonePatches()
		q := &b.Patches[p.patch[1]]
		q.Rects = v.rects(q.Rects)
		q.Shape = v.shape(q.Shape)
		return &other, v.inside
	}
	other.Layers = slices.Clone(s.Layers)
	for _, at := range p.regions {
		y := &other.Layers[at[0]]
		y.Regions = slices.Clone(y.Regions)
		g := &y.Regions[at[1]]
		g.Rect, g.Shape = v.rect(g.Rect), v.shape(g.Shape)
	}
	for _, at := range p.powers {
		q := power(&other, at[0], at[1])
		if q.Area != (stack.Rect{}) {
			q.Area = v.rect(q.Area)
		}
		q.Shape = v.shape(q.Shape)
		for b := range q.Blocks {
			v.block(&q.Blocks[b])
		}
	}
	for _, at := range p.blocks {
		v.block(&power(&other, at[0], at[1]).Blocks[at[2]])
	}
	return &other, v.inside
}

// power is a power of a stack that may be changed: that of a copy of its layer's list.
func power(s *stack.Stack, l, n int) *stack.Power {
	y := &s.Layers[l]
	y.Powers = slices.Clone(y.Powers)
	y.Powers[n].Blocks = slices.Clone(y.Powers[n].Blocks)
	return &y.Powers[n]
}

func (v *mover) block(b *stack.Block) {
	b.Rects = v.rects(b.Rects)
	b.Shapes = slices.Clone(b.Shapes)
	for n := range b.Shapes {
		b.Shapes[n] = v.shape(b.Shapes[n])
	}
}

func (v *mover) rects(list []stack.Rect) []stack.Rect {
	list = slices.Clone(list)
	for n := range list {
		list[n] = v.rect(list[n])
	}
	return list
}

func (v *mover) rect(r stack.Rect) stack.Rect {
	r.X, r.Y = r.X+v.by[0], r.Y+v.by[1]
	v.check(r.X, r.Y, r.X+r.Width, r.Y+r.Height)
	return r
}

func (v *mover) shape(s geometry.Shape) geometry.Shape {
	if s == nil {
		return nil
	}
	s = s.Moved(v.by[0], v.by[1])
	b := s.Bounds()
	v.check(b.X0, b.Y0, b.X1, b.Y1)
	return s
}

// check compares a rectangle with the stack.
func (v *mover) check(x0, y0, x1, y1 float64) {
	within := func(low, high, size float64) bool {
		return low >= -stack.Tolerance*size && high <= size*(1+stack.Tolerance)
	}
	v.inside = v.inside && within(x0, x1, v.size[0]) && within(y0, y1, v.size[1])
}
