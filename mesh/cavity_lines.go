package mesh

import (
	"fmt"
	"math"
	"sort"

	"thermsim/stack"
)

// addCavity makes the planes of layer l, which end the mesh so far, a cavity.
func (m *Mesh) addCavity(l int) error {
	layer := &m.Stack.Layers[l]
	if layer.Coolant == nil {
		return nil
	}
	w := layer.Coolant
	r := m.LayerPlanes[l]
	c := &Cavity{Of: w, Layer: l, Wall: r[0], Fluid: r[1] - 1, Along: w.Direction.Axis(),
		Backward: w.Direction.Backward()}
	across := m.X
	if c.Along == 0 {
		across = m.Y
	}
	c.Heat, c.Lines, c.profile = make([]float64, len(across)-1), make([]bool, len(across)-1), make([]int, len(across)-1)
	streams := m.Stack.Hydraulics(layer).Streams
	velocity := make([]float64, len(c.Heat))
	if w.Model == stack.PorousCavity {
		c.porousLines(streams, across, velocity)
	} else if err := m.channelLines(c, streams, across, velocity); err != nil {
		return err
	}
	m.setFilms(c, velocity)
	for k := r[0]; k < r[1]; k++ {
		m.Planes[k].Cavity = c
	}
	m.Cavities = append(m.Cavities, c)
	return nil
}

// porousLines gives each line its share of the streams that it lies in.
func (c *Cavity) porousLines(streams []stack.Stream, across, velocity []float64) {
	for n := range c.Heat {
		lo, hi := across[n], across[n+1]
		flow := 0.0
		for i := range streams {
			t := &streams[i]
			part := (math.Min(hi, t.To) - math.Max(lo, t.From)) / (hi - lo)
			if part <= 0 {
				continue
			}
			flow += t.Flow * part * (hi - lo) / (t.To - t.From)
			if velocity[n] += t.Velocity * part; part > 1-1e-9 {
				velocity[n] = t.Velocity // to the last bit, so that lines of one stream share their films
			}
		}
		c.Heat[n], c.Lines[n] = c.Of.Fluid.C*flow, true
	}
}

// channelLines gives each channel the one line of cells that it must be.
func (m *Mesh) channelLines(c *Cavity, streams []stack.Stream, across, velocity []float64) error {
	const slack = 1e-6 // of the channel's width
	for n := range streams {
		t := &streams[n]
		width := t.To - t.From
		line := sort.Search(len(c.Heat), func(i int) bool { return across[i+1] >= t.To-slack*width })
		if line == len(c.Heat) || math.Abs(across[line]-t.From) > slack*width ||
			math.Abs(across[line+1]-t.To) > slack*width {
			return &stack.Error{Pos: c.Of.Pos, Remedy: `let the grid follow the channels, or take model = "porous"`,
				Msg: fmt.Sprintf("layer %q: channel %d, from %.6g to %.6g um across the flow, is not exactly "+
					"one cell wide", m.Stack.Layers[c.Layer].Name, n+1, t.From*1e6, t.To*1e6)}
		}
		c.Heat[line], c.Lines[line] = c.Of.Fluid.C*t.Flow, true
		velocity[line] = t.Velocity
	}
	return nil
}

// setFilms finds the coefficients, once for all lines of one velocity.
func (m *Mesh) setFilms(c *Cavity, velocity []float64) {
	y := &m.Stack.Layers[c.Layer]
	along := m.X
	if c.Along == 1 {
		along = m.Y
	}
	length := along[len(along)-1]
	known := map[float64]int{}
	for line, v := range velocity {
		if !c.Of.Local() {
			v = 0 // alike whatever the velocity
		}
		n, ok := known[v]
		if !ok {
			n = len(c.films)
			known[v] = n
			films := make([]stack.Films, 1, len(along)-1)
			films[0] = m.Stack.Films(y, v, 0, length)
			if c.Of.Developing {
				films = films[:cap(films)]
				for i := range films {
					x0, x1 := along[i], along[i+1]
					if c.Backward {
						x0, x1 = length-x1, length-x0
					}
					films[i] = m.Stack.Films(y, v, x0, x1)
				}
			}
			c.films = append(c.films, films)
		}
		c.profile[line] = n
	}
}
