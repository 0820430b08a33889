package threedice

import (
	"strings"

	"thermsim/interop/importer"
)

// parseFlp reads the text of a floorplan (.flp). chip is the length and width of the chip in um.
func parseFlp(file string, data []byte, faults *importer.Faults, notes *[]importer.Note) []flpElement {
	keywords := strings.Fields("dimension position power rectangle values discretization material")
	p := newParser(file, data, keywords, faults, notes)
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
	e.pos = p.tok.pos
	e.name, _ = p.identifier("the name of a floorplan element")
	p.expect(":")
	e.rects = p.rectangles()
	if len(e.rects) == 1 && !p.failed {
		if p.accept("material") {
			e.material, e.materialP = p.identifier("a material")
			p.expect(";")
		}
		if p.accept("discretization") {
			e.cells[0], _ = p.count("the number of cells along x")
			p.expect(",")
			e.cells[1], _ = p.count("the number of cells along y")
			p.expect(";")
		}
	}
	if !p.failed && p.accept("power") {
		p.expect("values")
		e.powers = append(e.powers, p.power())
		for !p.failed && p.accept(",") {
			e.powers = append(e.powers, p.power())
		}
		p.expect(";")
	}
	return e
}

func (p *parser) power() flpPower {
	d := p.decimal("a power")
	if d.value < 0 {
		p.faults.Add(d.pos, "", "a power must not be negative, got %s", importer.Shorten(d.text))
		d.value = 0
	}
	return flpPower{d.value, int32(d.pos.Line), int32(d.pos.Col)}
}

// rectangles reads position x, y ; dimension length, width ; or one or more rectangle (x, y, length, width) ;
func (p *parser) rectangles() (rects []rectangle) {
	if p.is("position") {
		r := rectangle{pos: p.tok.pos}
		p.advance()
		r.x = p.decimal("x")
		p.expect(",")
		r.y = p.decimal("y")
		p.expect(";", "dimension")
		r.length = p.positive("the length")
		p.expect(",")
		r.width = p.positive("the width")
		p.expect(";")
		return []rectangle{r}
	}
	for !p.failed && p.is("rectangle") {
		r := rectangle{pos: p.tok.pos}
		p.advance()
		p.expect("(")
		r.x = p.decimal("x")
		p.expect(",")
		r.y = p.decimal("y")
		p.expect(",")
		r.length = p.positive("the length")
		p.expect(",")
		r.width = p.positive("the width")
		p.expect(")", ";")
		rects = append(rects, r)
	}
	if len(rects) == 0 && !p.failed {
		p.stop("position or rectangle")
	}
	return rects
}
