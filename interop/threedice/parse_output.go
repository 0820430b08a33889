package threedice

import "slices"

// outputSection reads output : followed by instructions such as Tmap (DIE, "file.txt", step) ;
func (p *stkParser) outputSection() {
	p.advance()
	p.expect(":")
	for !p.failed && p.tok.kind != endOfFile {
		o := Output{Kind: p.tok.text, Pos: p.tok.pos, When: "final"}
		if p.tok.kind != word || !slices.Contains([]string{"T", "Tflp", "Tflpel", "Tmap", "Pmap", "Tcoolant", "T3d"},
			o.Kind) {
			if sectionRank(p.tok.text) >= 0 {
				return
			}
			p.stop("an output instruction: T, Tflp, Tflpel, Tmap, Pmap, Tcoolant or T3d")
			return
		}
		p.advance()
		p.expect("(")
		if o.Kind != "T3d" {
			o.Element, _ = p.identifier("a stack element")
			if o.Kind == "Tflpel" {
				p.expect(".")
				o.Block, _ = p.identifier("a floorplan element")
			}
			p.expect(",")
		}
		if o.Kind == "T" {
			o.X = p.decimal("x").value
			p.expect(",")
			o.Y = p.decimal("y").value
			p.expect(",")
		}
		o.File, _ = p.quoted("the path of the output file")
		if o.Kind == "Tflp" || o.Kind == "Tflpel" || o.Kind == "Tcoolant" {
			p.expect(",")
			o.Quantity = p.oneOf("maximum", "minimum", "average", "gradient")
		}
		if p.accept(",") {
			o.When = p.oneOf("step", "slot", "final")
		}
		p.expect(")", ";")
		if !p.failed {
			p.addOutput(o)
		}
	}
}

func (p *stkParser) oneOf(words ...string) string {
	if !p.failed && p.tok.kind == word && slices.Contains(words, p.tok.text) {
		return p.advance().text
	}
	if !p.failed {
		p.stop("one of %q", words)
	}
	return ""
}

func (p *stkParser) addOutput(o Output) {
	if p.outputs = append(p.outputs, o); len(p.outputs) > mostOutputs {
		p.tooMany(o.Pos, "outputs", mostOutputs)
	}
}
