package stackfile

import (
	"fmt"

	"thermsim/stack"
	"thermsim/stack/gridding"
	"thermsim/stack/internal/faults"
	"thermsim/stack/packaging"
)

// Names of the probes that a package gets.
const (
	caseProbe  = "case_top"
	boardProbe = "board_1mm"
)

// loadedPackage is a package during its expansion to layers.
type loadedPackage struct {
	packaging.Package
	*table
	dies        []*table // of the dies
	environment packaging.Environment
	layout      packaging.Layout
}

// expandPackage turns a package into layers, regions, probes and, in the environment of a test, boundaries.
func (l *loader) expandPackage(t *table) {
	for _, name := range []string{"layer", "jedec"} {
		if t.has(name) && (name == "layer" || t.sub("package") != nil && t.sub("package").has("environment")) {
			l.fail(t.pos(name), "remove one of them", "%s conflicts with package", name)
		}
	}
	before := len(l.faults.Found)
	pt := t.sub("package")
	if pt == nil {
		return
	}
	p := &loadedPackage{table: pt, environment: packaging.Environment(pt.text("environment"))}
	kind := packaging.Kind(pt.text("kind"))
	if kind == "" {
		return
	}
	p.Package = packaging.Defaults(kind)
	if s := t.sub("heat_sink"); s != nil {
		size, _ := s.pair("size")
		p.Sink = &packaging.Base{Width: size[0], Height: size[1]}
	}
	size, _ := pt.pair("size")
	p.Width, p.Height = size[0], size[1]
	l.packageParts(p)
	l.packageDies(p)
	l.testBoard(p)
	l.testFaces(t, p)
	if len(l.faults.Found) > before {
		return
	}
	p.fits(l)
	if len(l.faults.Found) > before {
		return
	}
	p.layout = packaging.Lay(&p.Package, p.environment, l.stack.Size[0], l.stack.Size[1])
	l.stack.Size = [2]float64{p.layout.Width, p.layout.Height}
	if sink := stack.Rect(p.layout.Sink); sink.Area() > 0 && sink != l.stack.Domain() {
		l.sink, l.openSpace = &sink, l.packageMaterial(p, packaging.OpenSpace, pt.node.Pos)
	}
	for i := range p.layout.Layers {
		l.stack.Layers = append(l.stack.Layers, l.packageLayer(p, &p.layout.Layers[i]))
	}
	l.addProbes(p)
}

// defaultGrid chooses the grid of a package whose file has none.
func (l *loader) defaultGrid(pos stack.Pos) {
	on := gridding.NewDefault(l.stack).On(l.stack, 1)
	l.stack.Grid, l.stack.Layers = on.Grid, on.Layers
	l.stack.Grid.Default, l.stack.Grid.X.Pos, l.stack.Grid.Y.Pos = true, pos, pos
}

// packageLayer turns a layer of the layout into one of the stack.
func (l *loader) packageLayer(p *loadedPackage, from *packaging.Layer) stack.Layer {
	pos := p.pos(from.Key)
	y := stack.Layer{Name: from.Name, Thickness: from.Thickness, Cells: from.Cells,
		PowerAt: stack.HeatedPart(from.PowerAt), Pos: pos}
	if y.AtSurface() {
		y.PowerDepth = min(stack.DefaultPowerDepth, y.Thickness)
	}
	y.Material = l.packageMaterial(p, from.Material, pos)
	for i := range from.Parts {
		part := &from.Parts[i]
		r := stack.Region{Name: part.Name, Material: l.packageMaterial(p, part.Material, pos),
			Rect: clamp(stack.Rect(part.Rect), l.stack.Domain(), l.slack()), Pos: pos}
		if part.Die < 0 {
			y.Regions = append(y.Regions, r)
			continue
		}
		dt := p.dies[part.Die]
		r.TMax, r.Pos, r.Die = dt.scalar("tmax"), dt.node.Pos, r.Name
		y.Regions = append(y.Regions, r)
		if part.Heats {
			powers := l.diePowers(dt, p.Dies[part.Die].Tiers, part, &r)
			y.Powers = append(y.Powers, powers...)
			for _, b := range l.blockMaterials(powers) {
				b.Die = r.Die
				y.Regions = append(y.Regions, b)
			}
		}
	}
	return y
}

// diePowers are the sources of a die, or of one of the memory dies on it.
func (l *loader) diePowers(t *table, tiers int, part *packaging.Part, r *stack.Region) []stack.Power {
	if part.Tier > 0 {
		watts := t.scalar("tier_power") / float64(tiers)
		return []stack.Power{{Name: r.Name, Uniform: watts, Area: r.Rect, Pos: t.pos("tier_power")}}
	}
	return l.regionPowers(t, r)
}

// addProbes adds the probes of the standards, and sets the metrics to report.
func (l *loader) addProbes(p *loadedPackage) {
	b := p.layout.Body
	pos := p.node.Pos
	at := stack.Probe{Name: caseProbe, X: b.X + b.Width/2, Y: b.Y + b.Height/2, Z: p.layout.Case, Pos: pos}
	l.stack.Probes = append(l.stack.Probes, at)
	j := stack.Jedec{Environment: string(p.environment), Case: caseProbe}
	if p.layout.BoardTop > 0 {
		// In the middle of the longer side, 1 mm off: JESD51-8, section 5.3.
		const off = 1e-3
		q := stack.Probe{Name: boardProbe, X: b.X + b.Width/2, Y: b.Y - off, Z: p.layout.BoardTop, Pos: pos}
		if b.Height > b.Width {
			q.X, q.Y = b.X-off, b.Y+b.Height/2
		}
		if q.X >= 0 && q.Y >= 0 {
			l.stack.Probes = append(l.stack.Probes, q)
			j.Board = boardProbe
		}
	}
	if p.environment != packaging.NoEnvironment {
		l.stack.Jedec = j
	}
}

// unused reports tables that do not apply to packages of this kind.
func (p *loadedPackage) unused(l *loader) {
	p.onlyWith(string(p.Kind), fmt.Sprintf("a package of kind %q", p.Kind))
	if p.environment == packaging.MovingAir && !p.has("h") {
		l.fail(p.pos("environment"), `add h = "25 W/(m^2 K)"`, "environment environment jesd51-6 needs h of the "+
			"moving air")
	}
	if p.has("tim2") && p.Sink == nil {
		l.fail(p.pos("tim2"), "add [heat_sink]", "tim2 requires a heat sink")
	}
}

func (p *loadedPackage) what() string {
	return fmt.Sprintf("a package of %s by %s", faults.Metres(p.Width), faults.Metres(p.Height))
}
