package threedice

import "slices"

// mostOutputs bounds the instructions of the output section.
const mostOutputs = 20_000

// outputSection reads output : followed by instructions such as Tmap (DIE, "file.txt", step) ;
func (p *stkParser) outputSection() {
	p.advance()
	p.expect(":")
	for p.tok.kind != endOfFile {
		o := Output{Kind: p.tok.text, Pos: p.tok.pos, When: "final"}
		if p.tok.kind != word || !slices.Contains([]string{"T", "Tflp", "Tflpel", "Tmap", "Pmap", "Tcoolant", "T3d"},
			o.Kind) {
			if p.currentSection() < 0 {
				p.stop("an output instruction: T, Tflp, Tflpel, Tmap, Pmap, Tcoolant or T3d")
			}
			return
		}
		p.advance()
		p.expect("(")
		if o.Kind != "T3d" {
			o.Element = p.identifier("a stack element").name
			if o.Kind == "Tflpel" {
				p.expect(".")
				o.Block = p.identifier("a floorplan element").name
			}
			p.expect(",")
		}
		if o.Kind == "T" {
			o.X = p.decimal("x").value
			p.expect(",")
			o.Y = p.decimal("y").value
			p.expect(",")
		}
		o.File = p.quoted("the path of the output file").name
		if o.Kind == "Tflp" || o.Kind == "Tflpel" || o.Kind == "Tcoolant" {
			p.expect(",")
			o.Quantity = p.oneOf("maximum", "minimum", "average", "gradient")
		}
		if p.accept(",") {
			o.When = p.oneOf("step", "slot", "final")
		}
		p.expect(") ;")
		if p.failed {
			return
		}
		if p.outputs = append(p.outputs, o); len(p.outputs) > mostOutputs {
			p.tooMany(o.Pos, "outputs", mostOutputs)
		}
	}
}
