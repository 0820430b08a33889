package optimise

import (
	"context"
	"fmt"
	"math"
	"slices"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/study/response"
	"thermsim/study/sensitivity"
)

// model is a coarse linear model: the rises of square tiles of all heated layers by the power in each. Layers around
// moved dies have their material, so that it does not depend on the placement.
type model struct {
	*layout
	x, y    []float64 // edges of the tiles
	sources []source
	r       [][]float64 // K/W, by tile
	of      []int       // sources whose rises count
}

// source is the power of an input.
type source struct {
	name  string
	owner int // moved part that contains it, or -1
	level int // number of its layer among the heated ones
	rects []stack.Rect
	watts float64
}

const (
	// mostTiles limits the number of solves for a model.
	mostTiles = 196
	// cellsOfTile is the number of cells of a tile, if they are not limited.
	cellsOfTile          = 2
	fewestCells, mostOne = 16, 128
	modelRTol            = 1e-5
)

// newModel solves for the model of a stack.
func newModel(ctx context.Context, s *stack.Stack, l *layout, o gpusolve.Options, of string) (*model, error) {
	m := &model{layout: l}
	layers, err := m.find(s)
	if err != nil {
		return nil, err
	}
	around := m.extent()
	n := int(math.Sqrt(mostTiles / float64(len(layers))))
	for i := range n + 1 {
		m.x = append(m.x, around.X+around.Width*float64(i)/float64(n))
		m.y = append(m.y, around.Y+around.Height*float64(i)/float64(n))
	}
	coarse := m.tiled(s, layers)
	for axis, a := range []*stack.Axis{&coarse.Grid.X, &coarse.Grid.Y} {
		tiles := s.Size[axis] / [2]float64{around.Width, around.Height}[axis] * float64(n)
		*a = stack.Axis{Cells: int(min(mostOne, max(fewestCells, cellsOfTile*tiles)))}
	}
	coarse.Grid.Auto = nil
	o.RTol, o.Tol, o.ATol = modelRTol, 0, 0
	x, err := response.Resistances(ctx, coarse, response.Options{Solver: o, Mesh: mesh.Build}, false)
	if err != nil {
		return nil, err
	}
	m.r = x.R[:len(x.Inputs)]
	var names []string
	for i := range m.sources {
		names, m.of = append(names, m.sources[i].name), append(m.of, i)
	}
	if i, err := ports.Find(names, of); err == nil && of != "" {
		m.of = []int{i}
	}
	return m, nil
}

// find finds the sources, and the heated layers.
func (m *model) find(s *stack.Stack) (layers []int, err error) {
	inputs := ports.InputsOf(s)
	for i := range inputs {
		in := &inputs[i]
		q := source{name: in.Name, owner: -1, watts: in.Watts, rects: rectsOf(s, in)}
		if q.level = slices.Index(layers, in.Layer); q.level < 0 {
			q.level, layers = len(layers), append(layers, in.Layer)
		}
		m.sources = append(m.sources, q)
	}
	for n, name := range m.names() {
		shifted := sensitivity.Moved(s, map[string]sensitivity.Shift{name: {By: [2]float64{m.size, 0}}})
		for i := range inputs {
			q := &m.sources[i]
			if rectsOf(shifted, &inputs[i])[0] == q.rects[0] {
				continue
			}
			if q.owner >= 0 {
				return nil, fmt.Errorf("%w: %q moves with %q. Fix: move one of them", ErrPart,
					m.parts[q.owner].Name, name)
			}
			q.owner = n
		}
	}
	for i := range m.sources {
		if q := &m.sources[i]; q.owner >= 0 { // relative to its part
			q.rects = slices.Clone(q.rects)
			for k := range q.rects {
				q.rects[k].X -= m.parts[q.owner].X
				q.rects[k].Y -= m.parts[q.owner].Y
			}
		}
	}
	return layers, nil
}

// turned is the model with the moved parts turned by quarters.
func (m *model) turned(quarters []int) *model {
	t := *m
	t.layout, t.sources = m.layout.turned(quarters), slices.Clone(m.sources)
	for i := range t.sources {
		q := &t.sources[i]
		if q.owner >= 0 && quarters[q.owner] > 0 {
			q.rects = slices.Clone(q.rects)
			for k := range q.rects {
				q.rects[k] = m.orientation(q.owner, quarters).Rect(q.rects[k])
			}
		}
	}
	return &t
}

// rectsOf are the rectangles of an input.
func rectsOf(s *stack.Stack, in *ports.Input) []stack.Rect {
	p := &s.Layers[in.Layer].Powers[in.Power]
	switch {
	case in.Block >= 0:
		return p.Blocks[in.Block].Bounds()
	case p.Area == (stack.Rect{}):
		return []stack.Rect{s.Domain()}
	}
	return []stack.Rect{p.Area}
}

// extent is the area of the tiles: that of the moved parts and of all other sources.
func (m *model) extent() stack.Rect {
	west, east := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{}
	add := func(r stack.Rect) {
		west = [2]float64{min(west[0], r.X), min(west[1], r.Y)}
		east = [2]float64{max(east[0], r.X+r.Width), max(east[1], r.Y+r.Height)}
	}
	for i := range m.parts[:m.moved] {
		add(m.parts[i].area)
	}
	for i := range m.sources {
		if m.sources[i].owner < 0 {
			for _, r := range m.sources[i].rects {
				add(r)
			}
		}
	}
	return stack.Rect{X: west[0], Y: west[1], Width: east[0] - west[0], Height: east[1] - west[1]}
}

// tiled is the stack with tiles as inputs and without the moved regions.
func (m *model) tiled(s *stack.Stack, layers []int) *stack.Stack {
	out := *s
	out.Layers = slices.Clone(s.Layers)
	by := map[string]sensitivity.Shift{}
	for _, name := range m.names() {
		by[name] = sensitivity.Shift{By: [2]float64{m.size, 0}}
	}
	moved := sensitivity.Moved(s, by)
	for l := range out.Layers {
		y, largest := &out.Layers[l], 0.0
		y.Powers, y.Regions = nil, nil
		for n, g := range s.Layers[l].Regions {
			if moved.Layers[l].Regions[n].X == g.X {
				y.Regions = append(y.Regions, g)
			} else if area := g.Width * g.Height; area > largest {
				largest, y.Material = area, g.Material
			}
		}
	}
	for _, l := range layers {
		y := &out.Layers[l]
		for j := range len(m.y) - 1 {
			for i := range len(m.x) - 1 {
				y.Powers = append(y.Powers, stack.Power{Name: fmt.Sprintf("%d.%d", i, j), Area: stack.Rect{X: m.x[i],
					Y: m.y[j], Width: m.x[i+1] - m.x[i], Height: m.y[j+1] - m.y[j]}})
			}
		}
	}
	return &out
}

// spread visits the tiles under a source with the parts of its power in them.
func (m *model) spread(q *source, at [][2]float64, visit func(tile int, part float64)) {
	n, total := len(m.x)-1, 0.0
	for _, r := range q.rects {
		total += r.Width * r.Height
	}
	for _, r := range q.rects {
		if q.owner >= 0 {
			r.X, r.Y = r.X+at[q.owner][0], r.Y+at[q.owner][1]
		}
		first := func(edges []float64, v float64) int {
			return min(n-1, max(0, int((v-edges[0])/(edges[1]-edges[0]))))
		}
		for j := first(m.y, r.Y); j < n && m.y[j] < r.Y+r.Height; j++ {
			dy := min(r.Y+r.Height, m.y[j+1]) - max(r.Y, m.y[j])
			for i := first(m.x, r.X); i < n && m.x[i] < r.X+r.Width; i++ {
				if dx := min(r.X+r.Width, m.x[i+1]) - max(r.X, m.x[i]); dx > 0 && dy > 0 {
					visit((q.level*n+j)*n+i, dx*dy/total)
				}
			}
		}
	}
}

// heat adds the rises by a source, times a factor.
func (m *model) heat(rises []float64, q *source, at [][2]float64, factor float64) {
	m.spread(q, at, func(tile int, part float64) {
		w := q.watts * part * factor
		for o := range rises {
			rises[o] += w * m.r[o][tile]
		}
	})
}

// norm of the mean rises of the sources, as the objective of package sensitivity.
func (m *model) norm(rises []float64, at [][2]float64) float64 {
	means, top := make([]float64, len(m.of)), 0.0
	for n, i := range m.of {
		m.spread(&m.sources[i], at, func(tile int, part float64) { means[n] += part * rises[tile] })
		top = max(top, means[n])
	}
	if top == 0 {
		return 0
	}
	sum := 0.0
	for _, t := range means {
		sum += math.Pow(max(0, t)/top, sensitivity.DefaultNorm)
	}
	return top * math.Pow(sum/float64(len(means)), 1/float64(sensitivity.DefaultNorm))
}
