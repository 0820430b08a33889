package statistics

import (
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/stack"
)

// Interval is the time interval of the reported powers: the last step of a transient. The zero value is a steady state.
type Interval struct{ from, to float64 }

// ReportInterval is the last step of a transient.
func ReportInterval(s *solution.Solution) Interval {
	if len(s.Steps) == 0 {
		return Interval{}
	}
	end := s.Steps[len(s.Steps)-1].Time
	return Interval{max(0, end-s.Dt), end}
}

func (t Interval) steady() bool { return t.to <= t.from }

// BlockWatts returns the power of each block.
func (t Interval) BlockWatts(m *mesh.Mesh, blocks []*Block) ([]float64, error) {
	watts := make([]float64, len(blocks))
	var row []float64
	for i, b := range blocks {
		watts[i] = b.Power.Blocks[b.Index].Watts
		if t.steady() || (b.Power.Trace == nil && len(b.Power.Schedule) == 0) {
			continue
		}
		if b.Index == 0 {
			var err error
			if row, err = m.Power.BlockWatts(b.Power, t.from, t.to); err != nil {
				return nil, err
			}
		}
		watts[i] = row[b.Index]
	}
	return watts, nil
}

// LayerWatts returns the power on the grid of every layer.
func (t Interval) LayerWatts(m *mesh.Mesh) ([]float64, error) {
	watts := make([]float64, len(m.Stack.Layers))
	for i, l := range m.Power.Layers {
		if !t.steady() && m.Power.Transient() {
			w, err := m.Power.LayerWatts(i, t.from, t.to)
			if err != nil {
				return nil, err
			}
			watts[l.Layer] = w
			continue
		}
		watts[l.Layer] = l.Mapped
	}
	return watts, nil
}

// PartWatts returns the power of each part: for a region, the power of the overlapping sources by their share of area.
func (t Interval) PartWatts(m *mesh.Mesh, blocks []*Block, blockWatts []float64, parts []*Part) ([]float64, error) {
	sources, err := t.sources(m, blocks, blockWatts)
	if err != nil {
		return nil, err
	}
	watts := make([]float64, len(parts))
	for i, p := range parts {
		for _, s := range sources[p.Layer] {
			if p.power == nil || p.power == s.power {
				watts[i] += s.over(m, p)
			}
		}
	}
	return watts, nil
}

// heatSource is a block, a uniform power or a map over an interval of time.
type heatSource struct {
	rects []stack.Rect
	area  float64 // m2
	watts float64
	power *stack.Power // for a uniform power or a map
}

func newSource(rects []stack.Rect, watts float64, p *stack.Power) heatSource {
	return heatSource{rects, areaOf(rects), watts, p}
}

// sources returns the heat sources of every layer.
func (t Interval) sources(m *mesh.Mesh, blocks []*Block, watts []float64) ([][]heatSource, error) {
	all := make([][]heatSource, len(m.Stack.Layers))
	for i, b := range blocks {
		all[b.Layer] = append(all[b.Layer], newSource(blockArea(&b.Power.Blocks[b.Index]), watts[i], nil))
	}
	for l := range m.Stack.Layers {
		for i := range m.Stack.Layers[l].Powers {
			p := &m.Stack.Layers[l].Powers[i]
			if len(p.Blocks) > 0 {
				continue
			}
			w := p.Watts()
			if !t.steady() && len(p.Schedule) > 0 {
				var err error
				if w, err = m.Power.SourceWatts(p, t.from, t.to); err != nil {
					return nil, err
				}
			}
			all[l] = append(all[l], newSource(powerArea(m.Stack, p), w, p))
		}
	}
	return all, nil
}

// over is the power in W of a source in a part.
func (s *heatSource) over(m *mesh.Mesh, p *Part) float64 {
	if s.power != nil && p.power == s.power {
		return s.watts
	}
	if s.power == nil || s.power.Map == nil {
		return s.watts * (p.under(m, s.rects) / s.area)
	}
	total := s.power.Watts()
	if total == 0 {
		return 0
	}
	over := tilesOver(s.power.Map, s.rects[0], p.shown)
	for _, c := range p.Cells {
		over += c.Share * tilesOver(s.power.Map, s.rects[0], []stack.Rect{cellOf(m, c)})
	}
	return s.watts / total * over
}

// tilesOver is the power in W of a map's tiles over rectangles.
func tilesOver(m *stack.PowerMap, area stack.Rect, rects []stack.Rect) float64 {
	dx, dy := area.Width/float64(m.NX), area.Height/float64(m.NY)
	sum := 0.0
	for _, r := range rects {
		i0, i1 := max(0, int((r.X-area.X)/dx)), min(m.NX, int((r.X+r.Width-area.X)/dx)+1)
		j0, j1 := max(0, int((r.Y-area.Y)/dy)), min(m.NY, int((r.Y+r.Height-area.Y)/dy)+1)
		for j := j0; j < j1; j++ {
			for i := i0; i < i1; i++ {
				tile := stack.Rect{X: area.X + float64(i)*dx, Y: area.Y + float64(j)*dy, Width: dx, Height: dy}
				sum += m.Values[j*m.NX+i] * shared(tile, r) / (dx * dy)
			}
		}
	}
	return sum
}

// leaks is the leakage of the blocks of each power, of the laws of its map, or of a power itself, in W.
type leaks map[*stack.Power][]float64

// LeaksOf computes the leakage from the planes with leaking powers.
func LeaksOf(m *mesh.Mesh, sol *solution.Solution) (leaks, error) {
	if m.Leakage == nil {
		return nil, nil
	}
	scale := 1.0
	if n := sol.Status.Nonlinear; n != nil && n.Leakage != nil && n.Leakage.Factor > 0 {
		scale = n.Leakage.Factor
	}
	all := leaks{}
	for _, layer := range m.Power.Leakage() {
		r := m.PowerPlanes(layer.Layer)
		var planes [][]float64
		for k := r[0]; k < r[1]; k++ {
			plane := make([]float64, m.NX()*m.NY())
			if err := sol.Field.Plane(k, plane); err != nil {
				return nil, err
			}
			planes = append(planes, plane)
		}
		for p := range m.Stack.Layers[layer.Layer].Powers {
			power := &m.Stack.Layers[layer.Layer].Powers[p]
			watts := m.Power.LeakageWatts(power, planes, m.Leakage.Of)
			if len(watts) == 0 { // it has no leakage, unlike another power of the layer
				continue
			}
			for i := range watts {
				watts[i] *= scale
			}
			all[power] = watts
		}
	}
	return all, nil
}

// Block is the leakage of a block.
func (l leaks) Block(b *Block) float64 {
	if w := l[b.Power]; w != nil {
		return w[b.Index]
	}
	return 0
}

// Layer is the leakage of all powers of a layer.
func (l leaks) Layer(y *stack.Layer) float64 {
	sum := 0.0
	for p := range y.Powers {
		for _, w := range l[&y.Powers[p]] {
			sum += w
		}
	}
	return sum
}

// Part is the leakage of the sources in a part, by their share of area.
func (l leaks) Part(m *mesh.Mesh, p *Part) float64 {
	sum := 0.0
	y := &m.Stack.Layers[p.Layer]
	for n := range y.Powers {
		power := &y.Powers[n]
		watts := l[power]
		if watts == nil || p.power != nil && p.power != power {
			continue
		}
		if power.Map != nil {
			for n, w := range watts {
				source := newSource(powerArea(m.Stack, power), w, &stack.Power{Map: power.Map.Rise(n)})
				if p.power == power {
					source.power = power
				}
				sum += source.over(m, p)
			}
			continue
		}
		if len(power.Blocks) == 0 {
			source := newSource(powerArea(m.Stack, power), watts[0], power)
			sum += source.over(m, p)
			continue
		}
		for i := range power.Blocks {
			source := newSource(blockArea(&power.Blocks[i]), watts[i], nil)
			sum += source.over(m, p)
		}
	}
	return sum
}
