package reduce

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"thermsim/stack"
	"thermsim/stack/geometry"
	"thermsim/study/reducedmodel"
)

// Sections are hashes of what a model contains of a stack: geometry, materials, boundary conditions, probes and
// where powers act, but not their watts, and not the grid, for which there is LayerCells. Faces and patches with films
// count without their h.
func Sections(s *stack.Stack, films []reducedmodel.Film) (all []reducedmodel.Section) {
	add := func(name string, content any) {
		text, err := json.Marshal(content)
		if err != nil { // an infinite number
			text = fmt.Appendf(nil, "%v", content)
		}
		sum := sha256.Sum256(text)
		all = append(all, reducedmodel.Section{Name: name, SHA256: hex.EncodeToString(sum[:8])})
	}
	add("size", s.Size)
	s = withFilms(s, films, reducedmodel.Middle(films))
	for i := range s.Layers {
		add("layer."+s.Layers[i].Name, layerContent(s, s.Layers[i]))
	}
	for f := range s.Boundary {
		b := &s.Boundary[f]
		for _, c := range b.Conditions() {
			c.Pos = stack.Pos{}
		}
		for p := range b.Patches {
			patch := &b.Patches[p]
			if patch.Name = ""; patch.Map != nil {
				patch.Map = patch.Map.Scaled(1)
				patch.Map.File = ""
			}
		}
		add("boundary."+stack.Face(f).String(), b)
	}
	for _, p := range s.Probes {
		name := "probe." + p.Name
		p.Name, p.Pos = "", stack.Pos{}
		add(name, p)
	}
	return all
}

// Differs names the first part of a stack that is other than in the stack of a model, or that has another number of
// cells over a layer, on which temperatures of thin slices depend; "" if there is none.
func Differs(made *reducedmodel.Origin, s *stack.Stack, films []reducedmodel.Film) string {
	if name := made.Differs(Sections(s, films)); name != "" {
		return name
	}
	for l, cells := range LayerCells(s) {
		if l < len(made.LayerCells) && cells != made.LayerCells[l] {
			return fmt.Sprintf("layer.%s.cells", s.Layers[l].Name)
		}
	}
	return ""
}

// LayerCells are the numbers of cells over the layers; nil for a grid that is to be chosen.
func LayerCells(s *stack.Stack) (cells []int) {
	if s.Grid.Auto != nil {
		return nil
	}
	for i := range s.Layers {
		cells = append(cells, s.Layers[i].Cells)
	}
	return cells
}

// layerContent is a layer without names and settings of reports, with materials in place of their indices.
func layerContent(s *stack.Stack, y stack.Layer) any {
	type material struct {
		K              [3]float64
		C              float64
		KCurve, CCurve any
	}
	var materials []material
	use := func(i int) {
		m := &s.Materials[i]
		materials = append(materials, material{m.K, m.C, m.KCurve, m.CCurve})
	}
	use(y.Material)
	regions, powers := y.Regions, y.Powers
	y.Name, y.Material, y.Cells, y.TMax, y.MeanOfAll, y.Pos = "", 0, 0, 0, false, stack.Pos{}
	y.Regions, y.Powers = nil, nil
	for _, r := range regions {
		use(r.Material)
		if r.Fill != nil {
			use(r.Fill.Inclusion)
			fill := *r.Fill
			fill.Inclusion, fill.File, r.Fill = 0, "", &fill
		}
		r.Name, r.Material, r.TMax, r.Die, r.Pos = "", 0, 0, "", stack.Pos{}
		y.Regions = append(y.Regions, r)
	}
	var heated []any
	for p := range powers {
		heated = append(heated, heatedContent(&powers[p]))
	}
	return []any{y, materials, heated}
}

// heatedContent is where the heat of a power arises: of a map, the part of each tile.
func heatedContent(p *stack.Power) any {
	type block struct {
		Name   string
		Rects  []stack.Rect
		Shapes []geometry.Shape
	}
	var blocks []block
	for _, b := range p.Blocks {
		blocks = append(blocks, block{b.Name, b.Rects, b.Shapes})
	}
	var parts []string
	if p.Map != nil {
		total := p.Map.Watts()
		if total == 0 {
			total = 1
		}
		parts = append(parts, fmt.Sprint(p.Map.NX, p.Map.NY))
		for _, w := range p.Map.Values {
			parts = append(parts, fmt.Sprintf("%.6g", w/total))
		}
	}
	return []any{blocks, p.Area, p.Shape, parts}
}
