package threedice

import (
	"thermsim/interop/importer"
	"thermsim/stack"
)

// parseFlp reads the text of a floorplan (.flp).
func parseFlp(c *importer.Collector, file string, data []byte) []flpElement {
	p := newParser(c, file, data, "dimension position power rectangle values discretization material")
	var elements []flpElement
	for !p.failed {
		elements = append(elements, p.flpElement())
		if p.tok.kind == endOfFile {
			break
		}
	}
	return elements
}

// flpElement reads ID : then either a position and a dimension or rectangles, then powers.
func (p *parser) flpElement() (e flpElement) {
	e.named = p.identifier("the name of a floorplan element")
	p.expect(":")
	e.rects = p.rectangles()
	if len(e.rects) == 1 {
		if p.accept("material") {
			e.material = p.identifier("a material")
			p.expect(";")
		}
		if p.accept("discretization") {
			e.cells[0] = p.count("the number of cells along x")
			p.expect(",")
			e.cells[1] = p.count("the number of cells along y")
			p.expect(";")
		}
	}
	if p.accept("power") {
		p.expect("values")
		e.powers = append(e.powers, p.power())
		for p.accept(",") {
			e.powers = append(e.powers, p.power())
		}
		p.expect(";")
	}
	return e
}

func (p *parser) power() flpPower {
	d := p.decimal("a power")
	if d.value < 0 {
		p.Faults.Add(d.pos, "", "a power must not be negative, got %s", stack.Shorten(d.text))
		d.value = 0
	}
	return flpPower{d.value, int32(d.pos.Line), int32(d.pos.Col)}
}

// rectangles reads position x, y ; dimension length, width ; or one or more rectangle (x, y, length, width) ;
func (p *parser) rectangles() (rects []rectangle) {
	if p.is("position") {
		r := rectangle{pos: p.tok.pos}
		p.advance()
		p.point(&r)
		r.length = p.quantity("; dimension", "the length")
		r.width = p.quantity(",", "the width")
		p.expect(";")
		return []rectangle{r}
	}
	for p.is("rectangle") {
		r := rectangle{pos: p.tok.pos}
		p.advance()
		p.expect("(")
		p.point(&r)
		r.length = p.quantity(",", "the length")
		r.width = p.quantity(",", "the width")
		p.expect(") ;")
		rects = append(rects, r)
	}
	if len(rects) == 0 {
		p.stop("position or rectangle")
	}
	return rects
}

// point reads the corner of a rectangle: x, y.
func (p *parser) point(r *rectangle) {
	r.x = p.decimal("x")
	p.expect(",")
	r.y = p.decimal("y")
}
