package optimise

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"thermsim/stack"
	"thermsim/stack/geometry"
	"thermsim/stack/stackfile"
	"thermsim/study/sensitivity"
)

var (
	// ErrPart reports a part that cannot be placed.
	ErrPart = errors.New("parts to place")
	// ErrFull reports areas in which the parts do not fit.
	ErrFull = errors.New("no placement without overlap was found. Fix: larger areas, less spacing, or more restarts")
)

// part is a moved part, or an obstacle.
type part struct {
	sensitivity.Box
	spacing float64
	area    stack.Rect // where it may lie, if it is moved
	rotates bool       // may be turned
}

// layout is the moved parts of a stack, the obstacles, and the wires. A placement is the south-west corners of the
// moved parts.
type layout struct {
	parts  []part // the first moved of them are moved
	moved  int
	wires  []wire
	size   float64 // of the stack, the larger one
	covers float64 // area of the moved parts
}

// wire connects two points of parts.
type wire struct {
	parts [2]int
	at    [2][2]float64 // relative to the corners
	count float64
}

// newLayout finds the parts in a stack.
func newLayout(s *stack.Stack, moves []stackfile.Move, keepOut []stack.Rect, nets []stackfile.Net) (*layout, error) {
	l := &layout{size: max(s.Size[0], s.Size[1])}
	boxes := sensitivity.Boxes(s)
	find := func(name string) int {
		return slices.IndexFunc(boxes, func(b sensitivity.Box) bool { return b.Name == name && len(b.Layers) > 0 })
	}
	for _, m := range moves {
		for _, name := range m.Names {
			i := find(name)
			if i < 0 || l.named(name) >= 0 {
				return nil, fmt.Errorf("%w: %s: got %q; expected the name of one die, LAYER/BLOCK or LAYER/REGION. "+
					"Fix: thermsim sensitivity --positions lists them", ErrPart, m.Pos, name)
			}
			p := part{boxes[i], m.Spacing, m.Area, m.Rotate}
			if p.area == (stack.Rect{}) {
				p.area = areaOf(s, &p.Box)
			}
			if p.Width > p.area.Width+s.Size[0]*stack.Tolerance || p.Height > p.area.Height+s.Size[1]*stack.Tolerance {
				return nil, fmt.Errorf("%w: %s: %q is larger than its area. Fix: a larger area, or a smaller part",
					ErrPart, m.Pos, name)
			}
			l.parts, l.covers = append(l.parts, p), l.covers+p.Width*p.Height
		}
	}
	l.moved = len(l.parts)
	for _, b := range boxes {
		if l.named(b.Name) < 0 && len(b.Layers) > 0 {
			l.parts = append(l.parts, part{Box: b})
		}
	}
	for _, n := range nets {
		w := wire{count: n.Wires}
		for end, name := range []string{n.From, n.To} {
			i := l.named(name)
			if i < 0 {
				return nil, fmt.Errorf("%w: %s: the net names %q, which does not exist. Fix: "+
					"thermsim sensitivity --positions lists the names", ErrPart, n.Pos, name)
			}
			w.parts[end], w.at[end] = i, [2]float64{l.parts[i].Width / 2, l.parts[i].Height / 2}
			if at := n.Ends[end]; at != nil {
				w.at[end] = *at
			}
		}
		l.wires = append(l.wires, w)
	}
	for _, r := range keepOut {
		l.parts = append(l.parts, part{Box: sensitivity.Box{Rect: r}})
	}
	return l, nil
}

// turned is the layout with the moved parts turned by quarters.
func (l *layout) turned(quarters []int) *layout {
	t := *l
	t.parts, t.wires = slices.Clone(l.parts), slices.Clone(l.wires)
	for i := range t.parts[:l.moved] {
		p := &t.parts[i]
		p.Width, p.Height = l.orientation(i, quarters).Size()
	}
	for n := range t.wires {
		w := &t.wires[n]
		for end, i := range w.parts {
			if i < l.moved {
				at := l.orientation(i, quarters).Point(geometry.Point{X: w.at[end][0], Y: w.at[end][1]})
				w.at[end] = [2]float64{at.X, at.Y}
			}
		}
	}
	return &t
}

// orientation of a moved part.
func (l *layout) orientation(i int, quarters []int) *stack.Orientation {
	return &stack.Orientation{Width: l.parts[i].Width, Height: l.parts[i].Height, Quarters: quarters[i]}
}

// rotating lists the parts that may be turned.
func (l *layout) rotating() (all []int) {
	for i := range l.parts[:l.moved] {
		if l.parts[i].rotates {
			all = append(all, i)
		}
	}
	return all
}

// areaOf is where a part may lie by default: a block in the area of its power, any other part in the whole stack.
func areaOf(s *stack.Stack, b *sensitivity.Box) stack.Rect {
	for _, l := range b.Layers {
		y := &s.Layers[l]
		for n := range y.Powers {
			if y.Powers[n].Area != (stack.Rect{}) && slices.ContainsFunc(y.Powers[n].Blocks, func(k stack.Block) bool {
				return y.Name+"/"+k.Name == b.Name
			}) {
				return y.Powers[n].Area
			}
		}
	}
	return s.Domain()
}

// named is the number of a part, -1 if there is none.
func (l *layout) named(name string) int {
	return slices.IndexFunc(l.parts, func(p part) bool { return p.Name == name })
}

// names of the moved parts.
func (l *layout) names() []string {
	names := []string{}
	for i := range l.parts[:l.moved] {
		names = append(names, l.parts[i].Name)
	}
	return names
}

// initial is the placement of the stack.
func (l *layout) initial() [][2]float64 {
	at := make([][2]float64, l.moved)
	for i := range at {
		at[i] = [2]float64{l.parts[i].X, l.parts[i].Y}
	}
	return at
}

// corner of a part.
func (l *layout) corner(at [][2]float64, i int) [2]float64 {
	if i < l.moved {
		return at[i]
	}
	return [2]float64{l.parts[i].X, l.parts[i].Y}
}

// excludes reports whether moved part i must not overlap another part: both are in one layer and of one kind, and the
// other one is no carrier of i, which contains its area.
func (l *layout) excludes(i, j int) bool {
	a, b := &l.parts[i], &l.parts[j]
	if b.Name == "" {
		return true // keep-out
	}
	shared := slices.ContainsFunc(a.Layers, func(y int) bool { return slices.Contains(b.Layers, y) })
	if a.Region != b.Region || !shared {
		return false
	}
	return j < l.moved || !(b.X <= a.X && b.Y <= a.Y && b.X+b.Width >= a.X+a.Width && b.Y+b.Height >= a.Y+a.Height)
}

// overlap is by how much two parts overlap in x and y, with their spacing; not positive without.
func (l *layout) overlap(at [][2]float64, i, j int) (depth [2]float64) {
	a, b := &l.parts[i], &l.parts[j]
	gap := max(a.spacing, b.spacing)
	p, q := l.corner(at, i), l.corner(at, j)
	for axis, size := range [2][2]float64{{a.Width, b.Width}, {a.Height, b.Height}} {
		depth[axis] = min(p[axis]+size[0], q[axis]+size[1]) - max(p[axis], q[axis]) + gap
	}
	return depth
}

// clamp moves a part into its area.
func (l *layout) clamp(at [][2]float64, i int) {
	p := &l.parts[i]
	at[i][0] = min(max(at[i][0], p.area.X), p.area.X+p.area.Width-p.Width)
	at[i][1] = min(max(at[i][1], p.area.Y), p.area.Y+p.area.Height-p.Height)
}

const (
	// legal is the largest overlap, as a part of the size of the stack.
	legal = 1e-10
	// sweeps is the number of times that all pairs are moved apart.
	sweeps = 3000
)

// legalise moves overlapping parts apart, each pair along the axis on which that takes less. It reports whether it
// succeeded.
func (l *layout) legalise(at [][2]float64) bool {
	for i := range at {
		l.clamp(at, i)
	}
	for range sweeps {
		worst := 0.0
		for i := range l.moved {
			for j := i + 1; j < len(l.parts); j++ {
				if !l.excludes(i, j) {
					continue
				}
				d := l.overlap(at, i, j)
				if min(d[0], d[1]) <= 0 {
					continue
				}
				worst = max(worst, min(d[0], d[1]))
				l.separate(at, i, j, d)
			}
		}
		if worst <= legal*l.size {
			return true
		}
	}
	return false
}

// separate moves two overlapping parts apart. Where one is at the edge of its area, the other one moves further.
func (l *layout) separate(at [][2]float64, i, j int, depth [2]float64) {
	axis := 0
	if depth[1] < depth[0] {
		axis = 1
	}
	half := func(n int) float64 {
		if axis == 0 {
			return l.parts[n].Width / 2
		}
		return l.parts[n].Height / 2
	}
	by := depth[axis] * (1 + 1e-3)
	if l.corner(at, i)[axis]+half(i) < l.corner(at, j)[axis]+half(j) {
		by = -by
	}
	if j >= l.moved {
		at[i][axis] += by
		l.clamp(at, i)
		return
	}
	at[i][axis] += by / 2
	l.clamp(at, i)
	at[j][axis] -= by / 2
	l.clamp(at, j)
	if d := l.overlap(at, i, j); d[axis] > 0 {
		at[i][axis] += math.Copysign(d[axis], by)
		l.clamp(at, i)
	}
}

// overlapped is the sum of all overlaps, as a part of the area of the moved parts.
func (l *layout) overlapped(at [][2]float64) (sum float64) {
	for i := range l.moved {
		for j := i + 1; j < len(l.parts); j++ {
			if d := l.overlap(at, i, j); d[0] > 0 && d[1] > 0 && l.excludes(i, j) {
				sum += d[0] * d[1]
			}
		}
	}
	return sum / max(l.covers, math.SmallestNonzeroFloat64)
}

// length of all wires along x and y, and its derivatives by the positions.
func (l *layout) length(at [][2]float64) (sum float64, slopes [][2]float64) {
	slopes = make([][2]float64, l.moved)
	for _, w := range l.wires {
		from, to := l.corner(at, w.parts[0]), l.corner(at, w.parts[1])
		for axis := range 2 {
			d := to[axis] + w.at[1][axis] - from[axis] - w.at[0][axis]
			sum += w.count * math.Abs(d)
			if d == 0 {
				continue
			}
			for end, sign := range []float64{-1, 1} {
				if i := w.parts[end]; i < l.moved {
					slopes[i][axis] += sign * math.Copysign(w.count, d)
				}
			}
		}
	}
	return sum, slopes
}
