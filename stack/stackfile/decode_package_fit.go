package stackfile

import (
	"thermsim/stack"
	"thermsim/stack/heatsink"
	"thermsim/stack/internal/faults"
	"thermsim/stack/packaging"
)

// packageDies reads the dies.
func (l *loader) packageDies(p *loadedPackage) {
	p.dies = p.tables("die")
	names := map[string]bool{}
	for _, t := range p.dies {
		size, _ := t.pair("size")
		d := packaging.Die{Width: size[0], Height: size[1], Thickness: p.Kind.DefaultDie()}
		d.X, d.Y = (p.Width-d.Width)/2, (p.Height-d.Height)/2
		t.into(&d)
		if names[d.Name] {
			l.fail(t.pos("name"), "rename one of them", "two dies are called %q", faults.Shorten(d.Name))
		}
		names[d.Name] = true
		if len(p.dies) > 1 && !(t.has("x") && t.has("y")) {
			l.fail(t.node.Pos, "add x and y, from the south-west corner of the package",
				"die %q is one of %d and has no position", faults.Shorten(d.Name), len(p.dies))
		}
		if stacked := p.Kind == packaging.Interposer || p.Kind == packaging.HBM; d.Tiers > 0 && !stacked {
			l.fail(t.pos("tiers"), `use kind = "hbm" or "interposer"`, "a package of kind %q has no memory dies",
				p.Kind)
		}
		if t.has("tier_power") && d.Tiers == 0 {
			l.fail(t.pos("tier_power"), "add tiers", "die %q has no memory dies to heat", faults.Shorten(d.Name))
		}
		p.Dies = append(p.Dies, d)
	}
}

// fits checks that dies lie in the package and overlap neither each other nor the foot of the lid.
func (p *loadedPackage) fits(l *loader) {
	slack := stack.Tolerance * max(p.Width, p.Height)
	if b := p.Board; b != nil && (p.environment.OnBoard() || b.Width > 0) {
		margin := 0.0
		if p.environment == packaging.RingColdPlate {
			margin = packaging.RingMargin
		}
		if least := min(b.Width-p.Width, b.Height-p.Height) / 2; least < margin-slack {
			l.fail(p.pos("board"), "give it a larger size", "a board of %s by %s leaves %s around %s, but needs %s",
				faults.Metres(b.Width), faults.Metres(b.Height), faults.Metres(least), p.what(),
				faults.Metres(margin))
			return
		}
	}
	inner := stack.Rect{X: 0, Y: 0, Width: p.Width, Height: p.Height}
	margin := 0.0
	if p.Lidded() {
		margin = p.Lid.Foot
	}
	clear := stack.Rect{X: margin, Y: margin, Width: p.Width - 2*margin, Height: p.Height - 2*margin}
	for i, d := range p.Dies {
		r := body(&d)
		at := p.dies[i].pos("size")
		if out := stack.Protrusion(r, inner, slack); out != "" {
			l.fail(at, faults.Outside("make the package larger, or move the die", max(p.Width, p.Height), r.X, r.Y,
				r.Width, r.Height), "die %q extends beyond %s %s", faults.Shorten(d.Name), p.what(), out)
			continue
		}
		if p.Kind == packaging.Interposer {
			r = stack.Rect{X: max(0, r.X-p.Interposer.Margin), Y: max(0, r.Y-p.Interposer.Margin),
				Width:  r.Width + 2*p.Interposer.Margin,
				Height: r.Height + 2*p.Interposer.Margin}
		}
		if out := stack.Protrusion(r, clear, slack); out != "" && p.Lidded() {
			l.fail(at, "make the package larger, or give lid = { foot = 0 }", "die %q, or the interposer under it, "+
				"overlaps the %s wide foot of the lid %s", faults.Shorten(d.Name), faults.Metres(margin), out)
		}
		for j, e := range p.Dies[:i] {
			if w, h := stack.Intersection(body(&d), body(&e)); min(w, h) > slack {
				l.fail(at, "move one", "die %q overlaps die %q", faults.Shorten(d.Name), faults.Shorten(p.Dies[j].Name))
			}
		}
	}
}

// body is the footprint of a die in its package.
func body(d *packaging.Die) stack.Rect {
	return stack.Rect{X: d.X, Y: d.Y, Width: d.Width, Height: d.Height}
}

// testFaces are the domain and its faces: those of the test, or those of the stack file.
func (l *loader) testFaces(t *table, p *loadedPackage) {
	if p.environment == packaging.NoEnvironment {
		for axis, extent := range [2]float64{p.Width, p.Height} {
			if size := l.stack.Size[axis]; size > 0 && size < extent*(1-stack.Tolerance) {
				l.fail(t.pos("size"), "make it larger", "the domain is smaller than %s", p.what())
			}
		}
		switch {
		case l.stack.Size[0] == 0 || p.Board == nil || p.Board.Width == 0:
		case p.Sink == nil:
			l.fail(p.pos("board"), "remove one of them", "size conflicts with the size of the board: both define the "+
				"domain")
		case p.Sink.Width > 0:
			l.fail(t.pos("size"), "remove it", "size has no effect with board.size and heat_sink.size")
		}
		return
	}
	for _, name := range t.given("size", "boundary", "heat_sink") {
		l.fail(t.pos(name), "remove it, or environment", "environment %s of the package conflicts with %s",
			p.environment, name)
	}
	if p.Kind == packaging.HBM && p.environment.OnBoard() {
		l.fail(p.pos("environment"), `use "jesd51-14", or kind = "interposer"`, "an HBM stack has no board")
	}
	faces := map[stack.Face]stack.Boundary{}
	set := func(b stack.Boundary, on ...stack.Face) {
		b.Temperature, b.Pos = l.stack.Ambient, p.pos("environment")
		for _, f := range on {
			faces[f] = b
		}
	}
	switch p.environment {
	case packaging.StillAir:
		l.stillAir(p, set)
	case packaging.MovingAir:
		set(stack.Boundary{Kind: stack.Convective, H: p.scalar("h")}, stack.Bottom, stack.Top, stack.West, stack.East,
			stack.South, stack.North)
	case packaging.RingColdPlate:
		set(stack.Boundary{Kind: stack.FixedTemperature}, stack.Bottom, stack.Top)
	case packaging.TopColdPlate:
		set(stack.Boundary{Kind: stack.FixedTemperature}, stack.Top)
	case packaging.NoEnvironment:
	}
	for f, b := range faces {
		l.stack.Boundary[f] = b
	}
}

// stillAir are natural convection and radiation on both sides of a horizontal board and on its edges.
func (l *loader) stillAir(p *loadedPackage, set func(stack.Boundary, ...stack.Face)) {
	const emissivity = 0.9 // solder mask and mold compound
	face := func(o heatsink.Orientation, length float64) stack.Boundary {
		return stack.Boundary{Kind: stack.Convective,
			Film: stack.Film{Natural: o, Length: length, Emissivity: emissivity}}
	}
	if p.Board == nil {
		return // refused
	}
	w, h := p.Board.Width, p.Board.Height
	length := w * h / (2 * (w + h)) // also of the edges, which are in the flow along the board
	set(face(heatsink.Down, length), stack.Bottom)
	set(face(heatsink.Up, length), stack.Top)
	set(face(heatsink.Vertical, length), stack.West, stack.East, stack.South, stack.North)
}

// jedec reads which metrics to report, unless a package has set them.
func (l *loader) jedec(t *table) {
	j := t.sub("jedec")
	if j == nil || l.stack.Jedec != (stack.Jedec{}) {
		return
	}
	j.into(&l.stack.Jedec)
	var names []string
	known := map[string]bool{"": true}
	for _, p := range l.stack.Probes {
		names = append(names, p.Name)
		known[p.Name] = true
	}
	for _, key := range []string{"case", "board"} {
		if name := j.text(key); !known[name] {
			l.noName(j.pos(key), faults.DidYouMean(name, names), "probe", name)
		}
	}
	if wants := l.stack.Jedec.Environment; j.text("board") == "" && wants == string(packaging.RingColdPlate) {
		l.fail(j.node.Pos, `add board = "..."`, "jesd51-8 needs a probe on the board")
	}
}
