package picture

import (
	"image"
	"image/color"
)

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
