package picture

import (
	"errors"
	"image"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"
)

// CrossSection is a stack seen from the south. Heights are stretched: every layer can be read, and a thicker one is
// still taller.
type CrossSection struct {
	Title, Subtitle string
	Width           float64 // m, of the domain along x
	Slabs           []Slab  // bottom to top
	// Top, Bottom, West and East say what happens on the faces; empty for nothing. Notes are lines below everything.
	Top, Bottom, West, East string
	Notes                   []string
	Materials               []string // names of all materials, by their numbers; those drawn stand in a legend
	Look                    Look
	Narrow                  bool // for paper: the table takes most of the width
}

// Slab is one layer: its row of the table and what is drawn of it.
type Slab struct {
	Name      string
	Material  int     // number of the material, which gives the colour
	Thickness float64 // m
	Cells     []string
	Powered   bool
	Contact   bool // a contact resistance lies above it
	Parts     []Part
}

// Part is a region inside a slab, from X0 to X1 in m.
type Part struct {
	Name     string
	Note     string // left out where there is no room
	Material int
	X0, X1   float64
}

// slabColumns are the heads of the table beside the stack: the strings of Slab.Cells in their order follow the name.
var slabColumns = [...]string{"layer", "material", "k in W/(m K)", "thickness", "z cells", "power"}

const (
	slabWidth   = 460 // pixels of the drawn stack
	slabNarrow  = 190 // of a narrow one
	slabLow     = 24  // height of the thinnest slab
	slabStretch = 80  // added to the thickest
	sideRoom    = 40
	columnGap   = 22
	// Of the table on paper: the column with a list and its width in pixels.
	materialColumn  = 1
	narrowMaterials = 190
	manySlabs       = 40 // beyond it every slab is low
)

// okabeIto is the palette of M. Okabe and K. Ito (2008), which is distinguishable with any color vision, with grey for
// black: pastel at first, stronger when it starts again, then palest, then full.
func okabeIto(n int) color.RGBA {
	palette := [...]color.RGBA{
		{86, 180, 233, 255}, {230, 159, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
		{240, 228, 66, 255}, {0, 114, 178, 255}, {213, 94, 0, 255}, {150, 150, 150, 255},
	}
	c := palette[n%len(palette)]
	strength := [...]float64{0.5, 0.85, 0.25, 1}[n/len(palette)%4]
	soft := func(v uint8) uint8 { return uint8(float64(v)*strength + 255*(1-strength)) }
	return color.RGBA{soft(c.R), soft(c.G), soft(c.B), 255}
}

// Write draws the stack.
func (s *CrossSection) Write(w io.Writer, format Format) error {
	if len(s.Slabs) == 0 || !(s.Width > 0) {
		return errors.New("drawing a stack: it has no layers or no width")
	}
	thickness := make([]float64, len(s.Slabs))
	for i := range s.Slabs {
		thickness[i] = s.Slabs[i].Thickness
	}
	heights, total := stretched(thickness, slabLow, slabStretch), 0
	for _, h := range heights {
		total += h
	}
	probe, err := newCanvas(1, 1, s.Look, PNG) // to measure text
	if err != nil {
		return err
	}
	columns, tableWidth := s.columnWidths(probe)
	left, top, slabs := sideRoom, marginTop+44, slabWidth
	if s.Narrow {
		slabs = slabNarrow
	}
	width := left + slabs + sideRoom + tableWidth + 20
	legend := s.legend(probe, width-2*left)
	c, err := newCanvas(width, top+total+56+18*len(s.Notes)+legend.height, s.Look, format)
	if err != nil {
		return err
	}
	c.titles(s.Title, s.Subtitle, left, 2*left)
	body := image.Rect(left, top, left+slabs, top+total)
	x := float64(body.Max.X + sideRoom)
	head := style{size: 13, color: grey}
	for i, h := range slabColumns {
		c.print(head, h, x, float64(top-8), anchor{0, 1})
		x += float64(columns[i])
	}
	y := body.Max.Y
	for i := range s.Slabs {
		s.drawSlab(c, i, image.Rect(body.Min.X, y-heights[i], body.Max.X, y), columns, legend.colors)
		y -= heights[i]
	}
	c.frame(body.Inset(-1), black)
	s.drawFaces(c, body)
	legend.draw(c, left, body.Max.Y+46+18*len(s.Notes))
	return c.write(w, format)
}

// stretched returns the heights of layers in pixels: low plus up to most, by the logarithm of their thickness.
func stretched(thickness []float64, low, most int) []int {
	h := slices.Repeat([]int{low}, len(thickness))
	thin, thick := slices.Min(thickness), slices.Max(thickness)
	if thick > thin && thin > 0 && len(h) <= manySlabs {
		for i, l := range thickness {
			h[i] += int(float64(most) * math.Log(l/thin) / max(math.Log(thick/thin), math.Ln10))
		}
	}
	return h
}

func (s *CrossSection) columnWidths(c *canvas) (widths []int, total int) {
	widths = make([]int, len(slabColumns))
	for i, head := range slabColumns {
		widths[i], _ = c.text.size(style{size: 13}, head)
		for _, l := range s.Slabs {
			w, _ := c.text.size(style{size: 14, bold: i == 0}, l.column(i))
			widths[i] = max(widths[i], w)
		}
		if s.Narrow && i == materialColumn {
			widths[i] = min(widths[i], narrowMaterials)
		}
		widths[i] += columnGap
		total += widths[i]
	}
	return widths, total
}

// cell returns a text of the table for a width in pixels: of several materials as many as fit.
func (s *CrossSection) cell(c *canvas, text style, l *Slab, i, width int) string {
	full := l.column(i)
	if i != materialColumn {
		return c.fit(text, full, width)
	}
	names := strings.Split(full, ", ")
	for n := len(names); n > 1; n-- {
		short := strings.Join(names[:n], ", ")
		if n < len(names) {
			short += ", …"
		}
		if w, _ := c.text.size(text, short); w <= width {
			return short
		}
	}
	return c.fit(text, full, width)
}

func (l *Slab) column(i int) string {
	if i == 0 {
		return l.Name
	}
	if i-1 < len(l.Cells) {
		return l.Cells[i-1]
	}
	return ""
}

// drawSlab draws layer i in r and its row of the table to the right.
func (s *CrossSection) drawSlab(c *canvas, i int, r image.Rectangle, columns []int, colors map[int]color.RGBA) {
	l := &s.Slabs[i]
	heat := color.RGBA{200, 30, 20, 255}
	c.fill(r, colors[l.Material])
	s.drawParts(c, l, r, colors)
	if l.Powered {
		middle := (r.Min.Y + r.Max.Y) / 2
		for x := r.Min.X + 2; x < r.Max.X-4; x += 9 {
			c.fill(image.Rect(x, r.Max.Y-4, x+5, r.Max.Y-1), heat)
		}
		c.fill(image.Rect(r.Max.X+4, middle-5, r.Max.X+14, middle+5), heat)
	}
	c.fill(image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+1), fade(black, 0.6))
	if l.Contact {
		for x := r.Min.X; x < r.Max.X; x += 12 {
			c.fill(image.Rect(x, r.Min.Y-1, min(x+7, r.Max.X), r.Min.Y+2), black)
		}
	}
	x := float64(r.Max.X + sideRoom)
	for k, w := range columns {
		text := style{size: 14, bold: k == 0, color: black}
		if k == len(columns)-1 && l.Powered {
			text.color = heat
		}
		c.print(text, s.cell(c, text, l, k, w-columnGap), x, float64(r.Min.Y+r.Max.Y)/2, anchor{0, 0.5})
		x += float64(w)
	}
}

// drawParts draws the regions of a layer, and then their names where most of each is seen.
func (s *CrossSection) drawParts(c *canvas, l *Slab, r image.Rectangle, colors map[int]color.RGBA) {
	at := func(x float64) int {
		return r.Min.X + int(min(max(x/s.Width, 0), 1)*float64(r.Dx())+0.5)
	}
	owner := make([]int, r.Dx()) // the part seen at each pixel, from 1
	for i, p := range l.Parts {
		b := image.Rect(at(p.X0), r.Min.Y, at(p.X1), r.Max.Y)
		c.fill(b, colors[p.Material])
		c.frame(b, fade(black, 0.5))
		for x := b.Min.X; x < b.Max.X; x++ {
			owner[x-r.Min.X] = i + 1
		}
	}
	text := style{size: 12, color: black}
	for from := 0; from < len(owner); {
		to := from + 1
		for to < len(owner) && owner[to] == owner[from] {
			to++
		}
		if n := owner[from]; n > 0 {
			p := &l.Parts[n-1]
			for _, label := range []string{p.Name + p.Note, p.Name} {
				if w, _ := c.text.size(text, label); w > 0 && w+8 <= to-from {
					c.print(text, label, float64(r.Min.X)+float64(from+to)/2, float64(r.Min.Y+r.Max.Y)/2,
						anchor{0.5, 0.5})
					break
				}
			}
		}
		from = to
	}
}

// drawFaces says around the stack what happens on its faces.
func (s *CrossSection) drawFaces(c *canvas, body image.Rectangle) {
	text := style{size: 13, color: color.RGBA{0, 70, 140, 255}}
	middle := float64(body.Min.X+body.Max.X) / 2
	c.print(text, s.Top, middle, float64(body.Min.Y-8), anchor{0.5, 1})
	c.print(text, s.Bottom, middle, float64(body.Max.Y+8), anchor{0.5, 0})
	text.vertical = true
	side := float64(body.Min.Y+body.Max.Y) / 2
	c.print(text, c.fit(text, s.West, body.Dy()), float64(body.Min.X-8), side, anchor{1, 0.5})
	c.print(text, c.fit(text, s.East, body.Dy()), float64(body.Max.X+16), side, anchor{0, 0.5})
	note := style{size: 13, color: grey}
	for i, n := range s.Notes {
		c.print(note, c.fit(note, n, c.w-body.Min.X-10), float64(body.Min.X), float64(body.Max.Y+38+18*i), anchor{})
	}
}

// materialLegend says which colour is which material, of those that a picture shows.
type materialLegend struct {
	colors map[int]color.RGBA
	items  []legendItem
	height int
}

type legendItem struct {
	name  string
	color color.RGBA
	at    image.Point
}

const (
	materialSwatch = 14
	materialRow    = 22
	materialGap    = 18
)

// legend numbers the materials by their appearance, bottom to top, so that those that meet are the furthest apart, and
// sets their names in rows.
func (s *CrossSection) legend(c *canvas, width int) *materialLegend {
	l := &materialLegend{colors: map[int]color.RGBA{}}
	at := image.Point{}
	see := func(material int) {
		if _, known := l.colors[material]; known {
			return
		}
		l.colors[material] = okabeIto(len(l.colors))
		if material < 0 || material >= len(s.Materials) {
			return
		}
		text := style{size: 13, color: black}
		name := c.fit(text, s.Materials[material], width-materialSwatch-6)
		w, _ := c.text.size(text, name)
		if wide := materialSwatch + 6 + w + materialGap; at.X > 0 && at.X+wide > width {
			at = image.Pt(0, at.Y+materialRow)
		}
		l.items = append(l.items, legendItem{name, l.colors[material], at})
		at.X += materialSwatch + 6 + w + materialGap
		l.height = at.Y + materialRow
	}
	for i := range s.Slabs {
		see(s.Slabs[i].Material)
		for _, p := range s.Slabs[i].Parts {
			see(p.Material)
		}
	}
	return l
}

func (l *materialLegend) draw(c *canvas, left, top int) {
	for _, m := range l.items {
		box := image.Rect(0, 0, materialSwatch, materialSwatch).Add(m.at).Add(image.Pt(left, top))
		c.fill(box, m.color)
		c.frame(box, fade(black, 0.6))
		c.print(style{size: 13, color: black}, m.name, float64(box.Max.X+6), float64(box.Min.Y)+materialSwatch/2,
			anchor{0, 0.5})
	}
}
