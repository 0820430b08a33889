package report

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/powermap"
	"thermsim/report/picture"
	"thermsim/report/quantity"
	"thermsim/report/tables"
	"thermsim/stack"
)

// mostDrawn is the number of floorplans drawn in parallel: each holds planes of the grid and pixels.
const mostDrawn = 8

// CheckPictures draws a stack without solving it: stack.png with the layers, materials and boundary conditions, and
// floorplan_<layer>.png for every layer with power, and fill_<layer>.png for every layer with maps of inclusions. Of
// style, the formats matter.
func CheckPictures(ctx context.Context, files *staging.Transaction, m *mesh.Mesh, style *PictureStyle) error {
	if len(style.formats()) == 0 {
		return nil
	}
	names := fileNames(m.Stack)
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(min(mostDrawn, runtime.GOMAXPROCS(0)))
	if m.NX()*m.NY() > hugePlane {
		g.SetLimit(1)
	}
	g.Go(func() error { return writePicture(inner, files, style.files("stack", crossSection(m, nil).Write)) })
	for i := range m.Power.Layers {
		if inner.Err() != nil {
			break
		}
		g.Go(func() error {
			l := &m.Power.Layers[i]
			return writePicture(inner, files, style.files("floorplan_"+names[l.Layer], floorplan(m, l).Write))
		})
	}
	for l := range m.Stack.Layers {
		if p := fillMap(m, l); p != nil {
			g.Go(func() error { return writePicture(inner, files, style.files("fill_"+names[l], p.Write)) })
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// fillMap prepares the picture of the inclusions in a layer, or nil if none has a map.
func fillMap(m *mesh.Mesh, layer int) *picture.Floorplan {
	s := m.Stack
	var percent []float64
	inclusion := ""
	for i := range s.Layers[layer].Regions {
		r := &s.Layers[layer].Regions[i]
		if r.Fill == nil || len(r.Fill.Values) == 1 {
			continue
		}
		if percent == nil {
			percent = make([]float64, m.NX()*m.NY())
			inclusion = s.Materials[r.Fill.Inclusion].Name
		}
		of := m.Fractions(r)
		for c := range percent {
			if f := of(c); f > 0 {
				percent[c] = 100 * f
			}
		}
	}
	if percent == nil {
		return nil
	}
	return &picture.Floorplan{Title: pictureTitle(s), Extent: s.Domain(), Regions: regionOutlines(s, layer), Unit: "%",
		Subtitle: fmt.Sprintf("layer %s, share of %s on the grid", s.Layers[layer].Name, inclusion),
		Cells:    &picture.DensityGrid{X: m.X, Y: m.Y, Values: percent}}
}

// writePicture stages a picture in all its formats.
func writePicture(ctx context.Context, to *staging.Transaction, formats []staging.File) error {
	for _, f := range formats {
		if err := to.Write(ctx, f.Name, f.Write); err != nil {
			return err
		}
	}
	return nil
}

// floorplan prepares the picture of a layer's power. Blocks are drawn with their exact outlines. If the layer has a
// map, a uniform power or overlapping blocks, the power on the grid is drawn.
func floorplan(m *mesh.Mesh, l *powermap.LayerMap) *picture.Floorplan {
	s := m.Stack
	layer := &s.Layers[l.Layer]
	p := &picture.Floorplan{
		Title: pictureTitle(s), Extent: powered(m, l), Regions: regionOutlines(s, l.Layer),
		Subtitle: fmt.Sprintf("layer %s, %s W", layer.Name, quantity.Significant(l.Mapped, 4)),
	}
	onGrid, inBlocks := false, 0.0
	for i := range layer.Powers {
		power := &layer.Powers[i]
		onGrid = onGrid || len(power.Blocks) == 0 || power.AllowOverlap || i > 0
		for b := range power.Blocks {
			block := &power.Blocks[b]
			inBlocks += block.Watts
			p.Blocks = append(p.Blocks, picture.Outline{Name: block.Name, Note: wattsText(block.Watts),
				Rects: func() []stack.Rect { return blockRects(s, block) }})
			p.Density = append(p.Density, block.Watts/block.Area()*1e-4)
		}
	}
	if n := len(p.Blocks); n > 0 {
		if l.Mapped-inBlocks > 1e-6*inBlocks { // a map or uniform power, too
			p.Subtitle += fmt.Sprintf(", %s W of it", quantity.Significant(inBlocks, 4))
		}
		p.Subtitle += fmt.Sprintf(" in %d blocks", n)
		if n == 1 {
			p.Subtitle = strings.TrimSuffix(p.Subtitle, "s")
		}
	}
	if onGrid {
		p.Cells = &picture.DensityGrid{X: m.X, Y: m.Y, Values: densities(m, l.Watts())}
	}
	return p
}

// powered is the part of a layer to show: the powered area with a margin of 10 %, or the whole domain if that is most
// of it.
func powered(m *mesh.Mesh, l *powermap.LayerMap) stack.Rect {
	x, y := l.Powered()
	if x[1] <= x[0] || y[1] <= y[0] {
		return m.Stack.Domain()
	}
	x0, y0, x1, y1 := m.X[x[0]], m.Y[y[0]], m.X[x[1]], m.Y[y[1]]
	return withEdge(m.Stack, stack.Rect{X: x0, Y: y0, Width: x1 - x0, Height: y1 - y0}, 0.1)
}

// withEdge adds a margin, relative to the longer side, to a rectangle within the domain. It returns the whole domain if
// the result covers most of it.
func withEdge(s *stack.Stack, r stack.Rect, share float64) stack.Rect {
	all, edge := s.Domain(), share*max(r.Width, r.Height)
	x0, y0 := max(all.X, r.X-edge), max(all.Y, r.Y-edge)
	x1, y1 := min(all.X+all.Width, r.X+r.Width+edge), min(all.Y+all.Height, r.Y+r.Height+edge)
	if (x1-x0)*(y1-y0) > 0.7*all.Width*all.Height {
		return all
	}
	return stack.Rect{X: x0, Y: y0, Width: x1 - x0, Height: y1 - y0}
}

// wattsText formats the power of a small block.
func wattsText(w float64) string {
	if a := math.Abs(w); a > 0 && a < 0.0995 {
		return quantity.Significant(w*1e3, 3) + " mW"
	}
	return quantity.Significant(w, 3) + " W"
}

// densities converts W per cell to W/cm2.
func densities(m *mesh.Mesh, watts []float64) []float64 {
	out := make([]float64, len(watts))
	nx := m.NX()
	for n, w := range watts {
		i, j := n%nx, n/nx
		out[n] = w / ((m.X[i+1] - m.X[i]) * (m.Y[j+1] - m.Y[j])) * 1e-4
	}
	return out
}

// crossSection is the drawing of a stack with temperatures in a unit; nil for °C.
func crossSection(m *mesh.Mesh, unit *quantity.Scale) *picture.CrossSection {
	s := m.Stack
	c := &picture.CrossSection{
		Title: pictureTitle(s), Width: s.Size[0],
		Subtitle: fmt.Sprintf("%s x %s mm, %s high, %s W; %d x %d x %d cells",
			quantity.Trimmed(s.Size[0]*1e3), quantity.Trimmed(s.Size[1]*1e3), quantity.Length(s.Height()),
			quantity.Significant(m.Power.Mapped, 4), m.NX(), m.NY(), m.NZ()),
		Top:    "top: " + faceText(&s.Boundary[stack.Top], unit),
		Bottom: "bottom: " + faceText(&s.Boundary[stack.Bottom], unit),
	}
	if b := &s.Boundary[stack.West]; !b.Adiabatic() {
		c.West = "west: " + faceText(b, unit)
	}
	if b := &s.Boundary[stack.East]; !b.Adiabatic() {
		c.East = "east: " + faceText(b, unit)
	}
	for i := range s.Materials {
		c.Materials = append(c.Materials, s.Materials[i].Name)
	}
	legend := "Heights grow with the logarithm of the thickness. Dashed red: layers with power."
	contact := false
	for l := range s.Layers {
		drawn := slab(m, l)
		contact = contact || drawn.Contact
		c.Slabs = append(c.Slabs, heatedSlabs(&s.Layers[l], drawn)...)
	}
	if contact {
		legend += " Thick black dashes: contact resistance."
	}
	c.Notes = []string{legend}
	for _, f := range []stack.Face{stack.South, stack.North} { // the faces in front of and behind the section
		if b := &s.Boundary[f]; !b.Adiabatic() {
			c.Notes = append(c.Notes, fmt.Sprintf("%v: %s", f, faceText(b, unit)))
		}
	}
	for f := range stack.Face(stack.NumFaces) {
		for n := range s.Boundary[f].Patches {
			if n == mostPatchNotes {
				c.Notes = append(c.Notes, fmt.Sprintf("%v: and %d more", f, len(s.Boundary[f].Patches)-n))
				break
			}
			c.Notes = append(c.Notes, fmt.Sprintf("%v, %s", f, patchText(&s.Boundary[f].Patches[n], unit)))
		}
	}
	return c
}

// heatedSlabs splits a layer that is heated at a surface into two slabs: the heated slice and the rest.
func heatedSlabs(layer *stack.Layer, whole picture.Slab) []picture.Slab {
	depth := layer.HeatedDepth()
	if depth >= layer.Thickness || !whole.Powered {
		return []picture.Slab{whole}
	}
	slice, rest := whole, whole
	power := len(whole.Cells) - 1
	slice.Name, slice.Thickness = whole.Name+", heated", depth
	slice.Cells = []string{whole.Cells[0], whole.Cells[1], quantity.Length(depth), "1", whole.Cells[power]}
	rest.Thickness, rest.Powered, rest.Cells = layer.Thickness-depth, false, slices.Clone(whole.Cells)
	rest.Cells[2], rest.Cells[3], rest.Cells[power] = quantity.Length(layer.Thickness-depth), fmt.Sprint(layer.Cells),
		"-"
	if layer.PowerAt == stack.HeatedTop {
		rest.Contact = false
		return []picture.Slab{rest, slice}
	}
	slice.Contact = false
	return []picture.Slab{slice, rest}
}

func slab(m *mesh.Mesh, l int) picture.Slab {
	s := m.Stack
	layer := &s.Layers[l]
	k := s.Materials[layer.Material].K
	if n := len(layer.Regions); n > 0 { // of the material that is named first
		k = tables.RegionConductivity(s, &layer.Regions[n-1])
	}
	out := picture.Slab{
		Name: layer.Name, Material: layer.Material, Thickness: layer.Thickness,
		Contact: layer.ContactResistance > 0 && l+1 < len(s.Layers),
	}
	power := "-"
	if i := slices.IndexFunc(m.Power.Layers, func(p powermap.LayerMap) bool { return p.Layer == l }); i >= 0 {
		out.Powered = true
		power = quantity.Significant(m.Power.Layers[i].Mapped, 4) + " W"
	}
	out.Cells = []string{materialsText(s, l), tables.Conductivity(k), quantity.Length(layer.Thickness),
		fmt.Sprint(layer.Planes()),
		power}
	for _, r := range layer.Regions {
		part := picture.Part{Name: s.Materials[r.Material].Name, Material: r.Material, X0: r.X, X1: r.X + r.Width}
		if r.Name != "" {
			part.Name, part.Note = r.Name, ": "+part.Name
		}
		out.Parts = append(out.Parts, part)
	}
	return out
}

// materialsText lists the materials of a layer for drawings and pages.
func materialsText(s *stack.Stack, l int) string {
	return quantity.Shorten(tables.LayerMaterials(s, l), 60)
}

// mostPatchNotes is the number of patches per face listed below a cross-section.
const mostPatchNotes = 4

// faceText describes the boundary condition of a face and the number of its patches.
func faceText(b *stack.Boundary, unit *quantity.Scale) string {
	switch n := len(b.Patches); n {
	case 0:
		return boundaryText(b, unit)
	case 1:
		return boundaryText(b, unit) + ", and a patch"
	default:
		return fmt.Sprintf("%s, and %d patches", boundaryText(b, unit), n)
	}
}

// notation of boundary conditions in drawings and pages, in a unit of temperatures.
func notation(unit *quantity.Scale) stack.Notation {
	unit = unit.Or("degC")
	return stack.Notation{Brief: true, Number: quantity.Trimmed, Celsius: func(kelvin float64) string {
		return quantity.Trimmed(math.Round(unit.Of(kelvin)*1e6)/1e6) + " " + unit.Symbol()
	}}
}

var typeset = strings.NewReplacer("m2", "m²", " x ", " × ")

func boundaryText(b *stack.Boundary, unit *quantity.Scale) string {
	return typeset.Replace(b.Text(notation(unit)))
}

// patchText describes a patch.
func patchText(p *stack.Patch, unit *quantity.Scale) string {
	return p.Name + ": " + typeset.Replace(p.Text(notation(unit)))
}
