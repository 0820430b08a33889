package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"thermsim/report/picture"
	"thermsim/stack"
)

// zoomEdge is the margin around the zoomed part, relative to its longer side.
const zoomEdge = 0.05

// CheckZoom reports an error if no region or block has the name in Zoom.
func (p *PictureStyle) CheckZoom(s *stack.Stack) error {
	if p.Zoom == "" {
		return nil
	}
	named, names := namedParts(s, p.Zoom)
	if len(named) > 0 {
		return nil
	}
	if len(names) == 0 {
		return fmt.Errorf("no region or block is named %q; this stack has no named regions or blocks", p.Zoom)
	}
	const most = 20
	if len(names) > most {
		names = append(names[:most], "...")
	}
	return fmt.Errorf("no region or block is named %q; expected one of %s", p.Zoom, strings.Join(names, ", "))
}

// namedParts returns the rectangles of all regions and blocks with a name, and the list of all names.
func namedParts(s *stack.Stack, name string) (found []stack.Rect, names []string) {
	seen := map[string]bool{}
	see := func(other string, rects func() []stack.Rect) {
		if other == name {
			found = append(found, rects()...)
		}
		if other != "" && !seen[other] {
			seen[other] = true
			names = append(names, other)
		}
	}
	for l := range s.Layers {
		layer := &s.Layers[l]
		for i := range layer.Regions {
			see(layer.Regions[i].Name, func() []stack.Rect { return []stack.Rect{layer.Regions[i].Rect} })
		}
		for i := range layer.Powers {
			for b := range layer.Powers[i].Blocks {
				see(layer.Powers[i].Blocks[b].Name, func() []stack.Rect {
					return blockRects(s, &layer.Powers[i].Blocks[b])
				})
			}
		}
	}
	return found, names
}

// zoomed is the part of the domain that pictures show; false for the whole domain.
func (p *PictureStyle) zoomed(s *stack.Stack) (stack.Rect, bool) {
	if p.around != nil {
		return *p.around, true
	}
	if p.Zoom == "" {
		return stack.Rect{}, false
	}
	parts, _ := namedParts(s, p.Zoom)
	if len(parts) == 0 {
		return stack.Rect{}, false
	}
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, r := range parts {
		x0, y0, x1, y1 = min(x0, r.X), min(y0, r.Y), max(x1, r.X+r.Width), max(y1, r.Y+r.Height)
	}
	edge, all := zoomEdge*max(x1-x0, y1-y0), s.Domain()
	x0, y0 = max(all.X, x0-edge), max(all.Y, y0-edge)
	return stack.Rect{X: x0, Y: y0, Width: min(all.X+all.Width, x1+edge) - x0, Height: min(all.Y+all.Height, y1+edge) -
		y0}, true
}

// crop crops a map to the part that pictures show.
func (p *PictureStyle) crop(s *stack.Stack, m *picture.HeatMap) {
	part, cut := p.zoomed(s)
	if !cut {
		return
	}
	m.Crop(part)
	if m.Subtitle != "" {
		m.Subtitle += p.zoomNote()
	}
	hidden := func(o picture.Outline) bool {
		return !slices.ContainsFunc(o.Rects(), func(r stack.Rect) bool {
			return r.X < part.X+part.Width && r.X+r.Width > part.X && r.Y < part.Y+part.Height && r.Y+r.Height > part.Y
		})
	}
	m.Blocks, m.Regions = slices.DeleteFunc(m.Blocks, hidden), slices.DeleteFunc(m.Regions, hidden)
}

// zoomNote is the suffix of a subtitle.
func (p *PictureStyle) zoomNote() string {
	if p.Zoom == "" {
		return ""
	}
	return ", shown around " + p.Zoom
}

// hottestShown is the location of the hottest cell in the part that pictures show; false if they show everything.
func (f *Figures) hottestShown() (at [2]float64, ok bool, err error) {
	m := f.Mesh
	if _, cut := f.Style.zoomed(m.Stack); !cut {
		return at, false, nil
	}
	i0, i1 := f.Style.window(m.Stack, 0, m.X)
	j0, j1 := f.Style.window(m.Stack, 1, m.Y)
	plane, nx, most := make([]float64, m.NX()*m.NY()), m.NX(), math.Inf(-1)
	for k := range m.NZ() {
		if err := f.Solution.Field.Plane(k, plane); err != nil {
			return at, false, fmt.Errorf("reading plane %d of the temperature field: %w", k, err)
		}
		for j := j0; j < j1; j++ {
			for i := i0; i < i1; i++ {
				if v := plane[j*nx+i]; v > most {
					most, at, ok = v, [2]float64{(m.X[i] + m.X[i+1]) / 2, (m.Y[j] + m.Y[j+1]) / 2}, true
				}
			}
		}
	}
	return at, ok, nil
}

// window is the range of cells, last excluded, that sections along an axis show.
func (p *PictureStyle) window(s *stack.Stack, axis int, faces []float64) (first, last int) {
	part, cut := p.zoomed(s)
	if !cut {
		return 0, len(faces) - 1
	}
	if axis == 0 {
		return picture.CellsWithin(faces, part.X, part.X+part.Width)
	}
	return picture.CellsWithin(faces, part.Y, part.Y+part.Height)
}
