package sensitivity

import (
	"context"
	"errors"
	"math"
	"slices"

	"thermsim/mesh"
	"thermsim/stack"
)

// piece is a part of a stack that has a position: a block, a power, a region with its powers, a die or a patch.
type piece struct {
	name   string
	layers []int  // that contain it; none of a patch
	extent extent // whose equations contain the position
	// move moves the parts, in a copy of the stack that shares its lists.
	move []func(s *stack.Stack, v *mover)
}

// onlyPowers is the extent of powers.
var onlyPowers = extent{face: stack.NumFaces, powers: true}

// positionStep is the largest step of a position, as a part of the smallest cell.
const positionStep = 0.25

var errOutside = errors.New("it is moved out of the stack")

// positions are the tasks of all pieces in x and y.
func (r *run) positions() (all []task) {
	for _, p := range piecesOf(r.stack) {
		if r.options.Pieces != nil && !slices.Contains(r.options.Pieces, p.name) {
			continue
		}
		_, at := p.moved(r.stack, Shift{})
		for axis, kind := range []Kind{X, Y} {
			cell, faces := math.Inf(1), [][]float64{r.mesh.X, r.mesh.Y}[axis]
			for i := range len(faces) - 1 {
				cell = min(cell, faces[i+1]-faces[i])
			}
			of := Sensitivity{Kind: kind, Name: p.name, Value: at.west[axis], Unit: "m"}
			all = append(all, task{of, func(ctx context.Context) ([]float64, error) {
				d, err := extrapolated(func(shift float64) ([]float64, error) {
					if err := ctx.Err(); err != nil {
						return nil, err
					}
					var by [2]float64
					by[axis] = shift
					return r.displaced(&p, Shift{By: by})
				}, positionStep*cell, r.options.Levels)
				if errors.Is(err, errOutside) {
					return nil, nil // it fills the stack
				}
				return d, err
			}})
		}
	}
	return all
}

// displaced are the sums of the stack with a piece elsewhere.
func (r *run) displaced(p *piece, by Shift) ([]float64, error) {
	s, at := p.moved(r.stack, by)
	if at.outside {
		return nil, errOutside
	}
	build := mesh.Build
	if p.extent == onlyPowers {
		build = r.repowered
	}
	m, err := build(s)
	if err != nil {
		return nil, err
	}
	return r.sums(m, p.extent), nil
}

// moved is a stack with the piece elsewhere, and where it is.
func (p *piece) moved(s *stack.Stack, by Shift) (*stack.Stack, *mover) {
	other := *s
	other.Layers = slices.Clone(s.Layers)
	v := &mover{Orientation: stack.Orientation{X: by.By[0], Y: by.By[1]}, size: s.Size,
		west: [2]float64{math.Inf(1), math.Inf(1)}}
	if quarters := by.Quarters % 4; quarters != 0 {
		_, at := p.moved(s, Shift{})
		b := at.box()
		v.Orientation = stack.Orientation{Width: b.Width, Height: b.Height, Quarters: quarters}
		r := v.Rect(b)
		v.X, v.Y = b.X-r.X+by.By[0], b.Y-r.Y+by.By[1]
	}
	for _, move := range p.move {
		move(&other, v)
	}
	return &other, v
}

// Box of a piece.
type Box struct {
	Name   string
	Region bool  // a region or a die; otherwise a block, a power or a patch
	Layers []int // that contain it
	stack.Rect
}

// Boxes are the rectangles around all pieces of a stack, by the names of the derivatives by position.
func Boxes(s *stack.Stack) (all []Box) {
	for _, p := range piecesOf(s) {
		_, at := p.moved(s, Shift{})
		all = append(all, Box{p.name, p.extent.layers[1] > 0, p.layers, at.box()})
	}
	return all
}

// Shift is a change of position: a displacement, and quarter turns counter-clockwise, which keep the south-west corner
// of the piece.
type Shift struct {
	By       [2]float64
	Quarters int
}

// Moved is a stack with some pieces displaced and turned, by their names. Blocks within dies move with these.
func Moved(s *stack.Stack, by map[string]Shift) *stack.Stack {
	for _, p := range piecesOf(s) {
		if shift, ok := by[p.name]; ok {
			s, _ = p.moved(s, shift)
		}
	}
	return s
}

// piecesOf lists the pieces of a stack: its blocks, named powers, named regions with their powers, dies and patches.
func piecesOf(s *stack.Stack) (all []piece) {
	dies := map[string]int{}
	for l := range s.Layers {
		y := &s.Layers[l]
		all = append(all, powersOf(y, l)...)
		for n := range y.Regions {
			g := &y.Regions[n]
			own := piece{y.Name + "/" + g.Name, []int{l}, extent{layers: [2]int{l, l + 1}, powers: true},
				regionMoves(y, l, n)}
			i, known := dies[g.Die]
			switch {
			case g.Die != "" && known:
				d := &all[i]
				d.move, d.layers, d.extent.layers[1] = append(d.move, own.move...), append(d.layers, l), l+1
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
			all = append(all, piece{f.String() + "/" + s.Boundary[f].Patches[n].Name, nil, extent{face: f},
				[]func(*stack.Stack, *mover){func(s *stack.Stack, v *mover) {
					s.Boundary[f].ClonePatches()
					p := &s.Boundary[f].Patches[n]
					p.Rects = slices.Clone(p.Rects)
					for i := range p.Rects {
						p.Rects[i] = v.Rect(p.Rects[i])
					}
					if v.note(p.Rects...); p.Shape != nil {
						p.Shape = v.Shape(p.Shape)
						v.note(stack.Around(p.Shape))
					}
				}}})
		}
	}
	return all
}

// powersOf are the blocks and the named powers of a layer.
func powersOf(y *stack.Layer, l int) (all []piece) {
	add := func(name string, move func(*stack.Stack, *mover)) {
		all = append(all, piece{y.Name + "/" + name, []int{l}, onlyPowers, []func(*stack.Stack, *mover){move}})
	}
	for n := range y.Powers {
		q := &y.Powers[n]
		for b := range q.Blocks {
			add(q.Blocks[b].Name, func(s *stack.Stack, v *mover) { v.block(&powerOf(s, l, n).Blocks[b]) })
		}
		if len(q.Blocks) == 0 && q.Name != "" && q.Area != (stack.Rect{}) {
			add(q.Name, func(s *stack.Stack, v *mover) { v.power(powerOf(s, l, n)) })
		}
	}
	return all
}

// regionMoves move a region of a layer, and the powers that belong to it.
func regionMoves(y *stack.Layer, l, n int) []func(*stack.Stack, *mover) {
	all := []func(*stack.Stack, *mover){func(s *stack.Stack, v *mover) {
		y := &s.Layers[l]
		y.Regions = slices.Clone(y.Regions)
		g := &y.Regions[n]
		*g = v.Region(*g)
		v.note(g.Rect)
		g.Material = v.material(s, g.Material)
		if g.Fill != nil {
			g.Fill.Inclusion = v.material(s, g.Fill.Inclusion)
		}
	}}
	g := &y.Regions[n]
	again := slices.ContainsFunc(y.Regions[:n], func(o stack.Region) bool {
		return o.Die != "" && o.Die == g.Die && o.Rect == g.Rect
	})
	for q := range y.Powers {
		if y.Powers[q].Area == g.Rect && !again {
			all = append(all, func(s *stack.Stack, v *mover) { v.power(powerOf(s, l, q)) })
		}
	}
	return all
}

// powerOf is a power of a stack that may be changed: that of a copy of its layer's list.
func powerOf(s *stack.Stack, l, n int) *stack.Power {
	y := &s.Layers[l]
	y.Powers = slices.Clone(y.Powers)
	y.Powers[n].Blocks = slices.Clone(y.Powers[n].Blocks)
	return &y.Powers[n]
}

// mover moves parts of a stack, and notes where they are.
type mover struct {
	stack.Orientation
	size    [2]float64
	west    [2]float64 // least x and y
	east    [2]float64 // largest x and y
	outside bool       // a part leaves the stack
}

func (v *mover) power(p *stack.Power) {
	*p = v.Power(*p)
	v.note(p.Area)
	for b := range p.Blocks {
		v.note(p.Blocks[b].Bounds()...)
	}
}

func (v *mover) block(b *stack.Block) {
	*b = v.Block(*b)
	v.note(b.Bounds()...)
}

// material is the index of a material in a turned part.
func (v *mover) material(s *stack.Stack, i int) int {
	m := &s.Materials[i]
	if !v.ExchangesAxes() || m.K[0] == m.K[1] && m.KCurve[0] == m.KCurve[1] {
		return i
	}
	s.Materials = append(slices.Clip(s.Materials), m.Turned())
	return len(s.Materials) - 1
}

// note takes the rectangles around parts.
func (v *mover) note(rects ...stack.Rect) {
	for _, r := range rects {
		low, high := [2]float64{r.X, r.Y}, [2]float64{r.X + r.Width, r.Y + r.Height}
		for axis, size := range v.size {
			v.west[axis], v.east[axis] = min(v.west[axis], low[axis]), max(v.east[axis], high[axis])
			v.outside = v.outside || low[axis] < -stack.Tolerance*size || high[axis] > size*(1+stack.Tolerance)
		}
	}
}

// box is the rectangle around the parts.
func (v *mover) box() stack.Rect {
	return stack.Rect{X: v.west[0], Y: v.west[1], Width: v.east[0] - v.west[0], Height: v.east[1] - v.west[1]}
}
