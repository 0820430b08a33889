package stackfile

import (
	"fmt"
	"slices"
	"strings"

	"thermsim/stack"
	"thermsim/stack/heatsink"
	"thermsim/stack/internal/faults"
	"thermsim/stack/internal/tree"
	"thermsim/stack/internal/units"
)

func (l *loader) boundaries(t *table) (b [stack.NumFaces]stack.Boundary) {
	faces := t.sub("boundary")
	if faces == nil {
		return b
	}
	for f := stack.Bottom; f < stack.NumFaces; f++ {
		n, k := faces.get(f.String())
		switch {
		case n == nil:
		case n.Kind == tree.String:
			b[f].Pos = n.Pos
			if n.Text != k.Enum[0] {
				l.fail(n.Pos, `write "adiabatic", or a table such as { h = "10000 W/(m^2 K)" }`,
					"boundary.%s cannot be %q", f, faults.Shorten(n.Text))
			}
		default:
			if ft, ok := l.decoder.open(n, k.Sub); ok {
				b[f] = l.boundary(ft, f)
			}
		}
	}
	return b
}

func (l *loader) boundary(t *table, f stack.Face) stack.Boundary {
	b := stack.Boundary{Pos: t.node.Pos, Temperature: l.stack.Ambient}
	if t.has("ambient") {
		b.Temperature = t.scalar("ambient")
	}
	given := 0
	if t.has("h") || t.has("convection") || t.has("emissivity") {
		given++
		b.Kind = stack.Convective
		if b.H, b.Law = t.property("h"); b.Law != nil {
			b.H = 0
		}
	}
	given += t.condition(&b)
	if given == 0 && t.has("patch") {
		return stack.Boundary{Pos: b.Pos}
	}
	if given != 1 {
		l.fail(t.node.Pos, "", "boundary.%s needs exactly one of h (with convection and emissivity), temperature, "+
			"flux and resistance, got %d of them", f, given)
	} else {
		l.films(t, &b, f)
	}
	if !b.HasAmbient() && t.has("ambient") && given == 1 {
		l.fail(t.pos("ambient"), "remove it", "ambient has no effect on boundary.%s without h or resistance", f)
	}
	return b
}

// films reads the temperature-dependent conditions of a face, except its law: natural convection, which needs the sizes
// of the stack, and radiation.
func (l *loader) films(t *table, b *stack.Boundary, f stack.Face) {
	b.Emissivity = t.scalar("emissivity")
	if b.Emissivity > 1 {
		l.fail(t.pos("emissivity"), "typical values: polished metal 0.05, oxidized metal 0.3, paint and plastic 0.9",
			"emissivity must lie between 0 and 1, got %v", b.Emissivity)
	}
	if !t.has("convection") {
		for _, name := range t.given("orientation", "length") {
			l.fail(t.pos(name), `add convection = "natural", or remove it`, "%s applies to natural convection only",
				name)
		}
		return
	}
	t.text("convection")
	b.Natural, b.Length = heatsink.Orientation(t.text("orientation")), t.scalar("length")
	if b.Natural == "" {
		b.Natural = [...]heatsink.Orientation{stack.Bottom: heatsink.Down, stack.Top: heatsink.Up,
			stack.West: heatsink.Vertical,
			stack.East: heatsink.Vertical, stack.South: heatsink.Vertical, stack.North: heatsink.Vertical}[f]
	}
	if b.Law != nil {
		l.fail(t.pos("convection"), "give h as a constant, or remove one of them", "convection cannot be combined "+
			"with a temperature-dependent h")
	}
	if f <= stack.Top && b.Natural == heatsink.Vertical && !t.has("length") {
		l.fail(t.pos("orientation"), `add length, for example length = "40 mm"`, "natural convection on a vertical "+
			"%s needs its height", f)
	}
	if air := b.Temperature; air > 0 && len(heatsink.Surfaces(air)) == 0 {
		l.fail(t.pos("convection"), "give h", "properties of air are available from %g to %g K, not at %.4g K",
			heatsink.ColdestAir, heatsink.HottestAir, air)
	}
}

// characterise gives natural convection the lengths that the file leaves to the sizes of the faces, once all layers are
// known.
func (l *loader) characterise() {
	s := l.stack
	for f := range stack.Face(stack.NumFaces) {
		b := &s.Boundary[f]
		if b.Natural == "" || b.Length != 0 {
			continue
		}
		size := s.FaceSize(f)
		if b.Natural == heatsink.Vertical {
			b.Length = size[1]
			continue
		}
		b.Length = size[0] * size[1] / (2 * (size[0] + size[1]))
	}
}

// patches reads the patches of all faces, once the layers and the size of the stack are known.
func (l *loader) patches(t *table) {
	all := t.node.Find("boundary")
	if all == nil || all.Value.Kind != tree.Table {
		return
	}
	for f := stack.Bottom; f < stack.NumFaces; f++ {
		e := all.Value.Find(f.String())
		if e == nil || e.Value.Kind != tree.Table || e.Value.Find("patch") == nil {
			continue
		}
		face := &table{decoder: l.decoder, node: e.Value, spec: l.format.Spec("face")} // boundaries opened it
		b := &l.stack.Boundary[f]
		ambient := l.stack.Ambient
		if b.HasAmbient() {
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

func (l *loader) patch(t *table, f stack.Face, ambient float64) stack.Patch {
	p := stack.Patch{Name: t.text("name")}
	what := fmt.Sprintf("a patch of boundary.%s", f)
	p.Boundary = stack.Boundary{Pos: t.node.Pos, Temperature: ambient}
	given := t.given("h", "map", "resistance", "temperature", "flux")
	if len(given) != 1 {
		l.fail(t.node.Pos, `give one of them; flux = "0 W/m^2" is adiabatic`, "%s needs exactly one of h, map, "+
			"resistance, temperature and flux, got %d of them", what, len(given))
		return p
	}
	l.patchPlace(t, &p, f, what)
	switch given[0] {
	case "h":
		p.Kind, p.H = stack.Convective, t.scalar("h")
	case "map":
		p.Kind = stack.Convective
		l.filmMap(t, &p, what)
	default:
		t.condition(&p.Boundary)
	}
	if t.has("ambient") && !p.HasAmbient() {
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

// condition reads the kinds that are one number, and returns how many of them there are.
func (t *table) condition(b *stack.Boundary) (given int) {
	for _, c := range stack.SingleValued {
		if t.has(c.Key) {
			given++
			b.Kind, *c.Value(b) = c.Kind, t.scalar(c.Key)
		}
	}
	if !b.Driven() {
		b.Temperature = 0
	}
	return given
}

// patchPlace reads where a patch lies; the whole face unless the table says it.
func (l *loader) patchPlace(t *table, p *stack.Patch, f stack.Face, what string) {
	axes, size := stack.FaceAxes(f), l.stack.FaceSize(f)
	whole := stack.Rect{X: 0, Y: 0, Width: size[0], Height: size[1]}
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
		ways = append(ways, faults.JoinWords(rectangle))
	}
	switch {
	case len(ways) > 1:
		l.fail(t.pos(t.given(append(sides, "circle", "polygon", "layers")...)[0]), "remove one of them",
			"%s has both %s", what, strings.Join(ways, " and "))
	case len(ways) == 0:
		p.Rects = []stack.Rect{whole}
	case t.has("layers"):
		p.Rects = l.layerBands(t, f, whole, what)
	case len(rectangle) > 0:
		if len(rectangle) < len(sides) {
			l.fail(t.node.Pos, "a rectangle has "+faults.JoinWords(sides), "%s lacks %s", what,
				strings.Join(slices.DeleteFunc(sides, t.has), ", "))
			return
		}
		r := stack.Rect{X: t.scalar(sides[0]), Y: t.scalar(sides[1]), Width: t.scalar("width"),
			Height: t.scalar("height")}
		p.Rects = []stack.Rect{clamp(r, whole, stack.Tolerance*max(size[0], size[1]))}
	default:
		p.Shape = t.shape(what)
	}
}

// layerBands are the parts of a side beside layers, one rectangle for neighbours.
func (l *loader) layerBands(t *table, f stack.Face, whole stack.Rect, what string) (bands []stack.Rect) {
	if f <= stack.Top {
		l.fail(t.pos("layers"), "give x, y, width and height", "%s cannot use layers: they apply to side faces only",
			what)
		return nil
	}
	words, nodes := t.texts("layers")
	covered := map[string]bool{}
	for i, word := range words {
		covered[word] = true
		if _, known := l.middles()[word]; !known {
			l.noName(nodes[i].Pos, l.suggest(word, l.layerNames), "layer", word)
		}
	}
	bands = l.stack.Bands(whole.Width, func(y *stack.Layer, _ float64) bool { return covered[y.Name] })
	if len(bands) == 0 {
		l.fail(t.pos("layers"), "name a layer", "%s covers no layer", what)
	}
	return bands
}

// filmMap reads coefficients by place.
func (l *loader) filmMap(t *table, p *stack.Patch, what string) {
	if len(p.Rects) != 1 {
		l.fail(t.pos("map"), "give a rectangle, or none for the whole face",
			"the map of %s needs one rectangle", what)
	}
	if !l.mapMeaning(t, "a map of coefficients", `add unit = "W/(m^2 K)"`, "for example scale = 5000") ||
		len(p.Rects) != 1 {
		return
	}
	unit, factor := t.text("unit"), t.scalar("scale")
	scale, err := units.HeatTransfer.Scale(unit)
	if err != nil {
		l.fail(t.pos("unit"), `write "W/(m^2 K)"`,
			"unit of a map must be a unit of a heat-transfer coefficient, got %q",
			faults.Shorten(unit))
		return
	}
	n, _ := t.get("map")
	g, ok := l.densities(n, false)
	if !ok {
		return
	}
	for j, row := range g.rows {
		for i, v := range row {
			if h := v * scale * factor; !(h >= 0 && h <= stack.MostH) {
				l.fail(g.pos(i, j), "", "a heat-transfer coefficient must lie between 0 and %g W/(m^2 K), got %v",
					stack.MostH, h)
				return
			}
		}
	}
	p.Map = &stack.FilmMap{NX: len(g.rows[0]), NY: len(g.rows), File: g.file,
		Values: g.tiles(t, func(v float64) float64 { return v * scale * factor })}
}
