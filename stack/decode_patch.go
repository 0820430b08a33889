package stack

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"thermsim/stack/internal/units"
)

// patches reads the patches of all faces, once the layers and the size of the stack are known.
func (l *loader) patches(t *table) {
	all := t.node.find("boundary")
	if all == nil || all.value.kind != tableNode {
		return
	}
	for f := Bottom; f < NumFaces; f++ {
		e := all.value.find(f.String())
		if e == nil || e.value.kind != tableNode || e.value.find("patch") == nil {
			continue
		}
		face := &table{decoder: l.decoder, node: e.value, spec: l.format.Spec("face")} // boundaries opened it
		b := &l.stack.Boundary[f]
		ambient := l.stack.Ambient
		if b.Kind == Convective || b.Kind == LumpedResistance {
			ambient = b.Temperature
		}
		if face.has("ambient") {
			ambient = face.scalar("ambient")
		}
		for i, pt := range face.tables("patch") {
			p := l.patch(pt, f, ambient)
			if p.Name == "" {
				p.Name = fmt.Sprintf("patch%d", i+1)
			}
			b.Patches = append(b.Patches, p)
		}
	}
}

func (l *loader) patch(t *table, f Face, ambient float64) Patch {
	p := Patch{Name: t.text("name")}
	what := fmt.Sprintf("a patch of boundary.%s", f)
	p.Boundary = Boundary{Pos: t.node.pos, Temperature: ambient}
	given := t.given("h", "map", "resistance", "temperature", "flux")
	if len(given) != 1 {
		l.fail(t.node.pos, `give one of them; flux = "0 W/m^2" lets no heat pass`, "%s needs exactly one of h, map, "+
			"resistance, temperature and flux, got %d of them", what, len(given))
		return p
	}
	l.patchPlace(t, &p, f, what)
	driven := true
	switch given[0] {
	case "h":
		p.Kind, p.H = Convective, t.scalar("h")
	case "map":
		p.Kind = Convective
		l.filmMap(t, &p, what)
	case "resistance":
		p.Kind, p.Resistance = LumpedResistance, t.scalar("resistance")
	case "temperature":
		p.Kind, p.Temperature, driven = FixedTemperature, t.scalar("temperature"), false
	case "flux":
		p.Kind, p.Temperature, p.Flux, driven = HeatFlux, 0, t.scalar("flux"), false
	}
	if t.has("ambient") && !driven {
		l.fail(t.pos("ambient"), "remove it", "ambient has no effect on %s without h, map or resistance", what)
	} else if t.has("ambient") {
		p.Temperature = t.scalar("ambient")
	}
	for _, key := range t.given("unit", "orientation", "scale") {
		if given[0] != "map" {
			l.fail(t.pos(key), "remove it", "%s needs a map", key)
		}
	}
	return p
}

// patchPlace reads where a patch lies; the whole face unless the table says it.
func (l *loader) patchPlace(t *table, p *Patch, f Face, what string) {
	axes, size := FaceAxes(f), l.stack.FaceSize(f)
	whole := Rect{0, 0, size[0], size[1]}
	sides := []string{axes[0], axes[1], "width", "height"}
	for _, name := range t.given("x", "y", "z") {
		if !slices.Contains(sides, name) {
			l.fail(t.pos(name), "remove it", "%s has no %s: its coordinates are %s and %s", what, name, axes[0],
				axes[1])
			return
		}
	}
	ways := t.given("circle", "polygon", "layers")
	rectangle := t.given(sides...)
	if len(rectangle) > 0 {
		ways = append(ways, joinWords(rectangle))
	}
	switch {
	case len(ways) > 1:
		l.fail(t.pos(t.given(append(sides, "circle", "polygon", "layers")...)[0]), "leave one of them out",
			"%s has both %s", what, strings.Join(ways, " and "))
	case len(ways) == 0:
		p.Rects = []Rect{whole}
	case t.has("layers"):
		p.Rects = l.layerBands(t, f, whole, what)
	case len(rectangle) > 0:
		if len(rectangle) < len(sides) {
			l.fail(t.node.pos, "a rectangle has "+joinWords(sides), "%s lacks %s", what,
				strings.Join(slices.DeleteFunc(sides, t.has), ", "))
			return
		}
		r := Rect{t.scalar(sides[0]), t.scalar(sides[1]), t.scalar("width"), t.scalar("height")}
		p.Rects = []Rect{clamp(r, whole, tolerance*max(size[0], size[1]))}
	default:
		p.Shape = t.shape(what)
	}
}

// layerBands are the parts of a side beside layers, one rectangle for neighbours.
func (l *loader) layerBands(t *table, f Face, whole Rect, what string) (bands []Rect) {
	if f <= Top {
		l.fail(t.pos("layers"), "give x, y, width and height", "%s cannot cover layers: it is no side", what)
		return nil
	}
	words, nodes := t.texts("layers")
	covered := map[string]bool{}
	for i, word := range words {
		covered[word] = true
		if _, known := l.middles()[word]; !known {
			l.fail(nodes[i].pos, l.suggest(word, l.layerNames), "no layer is called %q", shorten(word))
		}
	}
	bands = l.stack.bands(whole.Width, func(y *Layer, _ float64) bool { return covered[y.Name] })
	if len(bands) == 0 {
		l.fail(t.pos("layers"), "name a layer", "%s covers no layer", what)
	}
	return bands
}

// filmMap reads coefficients by place.
func (l *loader) filmMap(t *table, p *Patch, what string) {
	n, _ := t.get("map")
	picture := n.kind == stringNode && strings.EqualFold(filepath.Ext(n.text), ".png")
	before := len(l.faults.list)
	if !t.has("unit") {
		l.fail(t.node.pos, `add unit = "W/(m^2 K)"`, "a map of coefficients needs unit")
	}
	if !t.has("orientation") && !picture {
		l.fail(t.node.pos, `say which row comes first: orientation = "south-first" or "north-first"`,
			"a map of coefficients needs orientation")
	}
	if !t.has("scale") && picture {
		l.fail(t.node.pos, "add scale = 5000, say", "a picture as a map of coefficients needs scale: what "+
			"white stands for")
	}
	if len(p.Rects) != 1 {
		l.fail(t.pos("map"), "give a rectangle, or leave it out for the whole face",
			"the map of %s needs one rectangle", what)
	}
	unit, factor, northFirst := t.text("unit"), t.scalar("scale"), t.text("orientation") == "north-first" ||
		!t.has("orientation")
	if len(l.faults.list) > before {
		return
	}
	scale, err := units.HeatTransfer.Scale(unit)
	if err != nil {
		l.fail(t.pos("unit"), `write "W/(m^2 K)"`, "unit of a map must be of a heat transfer coefficient, got %q",
			shorten(unit))
		return
	}
	g, ok := l.densities(t)
	if !ok {
		return
	}
	m := &FilmMap{NX: len(g.rows[0]), NY: len(g.rows), File: g.file,
		Values: make([]float64, 0, len(g.rows)*len(g.rows[0]))}
	for j, row := range g.rows {
		for i, v := range row {
			if h := v * scale * factor; !(h >= 0 && h <= mostH) {
				l.fail(g.pos(i, j), "", "a heat transfer coefficient must lie between 0 and %g W/(m^2 K), got %v",
					mostH, h)
				return
			}
		}
	}
	if northFirst {
		slices.Reverse(g.rows)
	}
	for _, row := range g.rows {
		for _, v := range row {
			m.Values = append(m.Values, v*scale*factor)
		}
	}
	p.Map = m
}

// mostH is the largest coefficient of a map in W/(m2 K); half a nanometre of copper conducts as well.
const mostH = 1e12
