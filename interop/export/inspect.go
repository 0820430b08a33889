package export

import (
	"strings"

	"thermsim/gpusolve/solution"
	"thermsim/interop/threedice"
	"thermsim/mesh"
	"thermsim/powermap"
)

// Inspection reads what the instructions of a 3D-ICE project ask of a field, as numbers: the cells and averages are
// 3D-ICE's.
type Inspection struct{ *threeDICE }

// NewInspection prepares the instructions of a project.
func NewInspection(o *threedice.Outputs, m *mesh.Mesh) *Inspection {
	return &Inspection{&threeDICE{outputs: o, mesh: m, cells: newCellMap(o, m), plane: make([]float64, m.NX()*m.NY()),
		layer: -1, decimals: threeDICEDecimals}}
}

// Heading is that of an instruction's file, each line with its end.
func (p *Inspection) Heading(ins *threedice.Output) string {
	var text strings.Builder
	p.heading(&text, ins)
	return text.String()
}

// Renew tells that the field has changed since it was last read.
func (p *Inspection) Renew() { p.layer = -1 }

// Values are what an instruction asks of a field in K: of Tmap all cells, the southern row first, in so many columns;
// of Tflp every element of the floorplan, of the others one.
func (p *Inspection) Values(ins *threedice.Output, f solution.Field) (values []float64, columns int, err error) {
	layer := p.outputs.Layer(ins.Element)
	if err := p.show(layer, f); err != nil {
		return nil, 0, err
	}
	switch ins.Kind {
	case "Tmap":
		values, columns = p.mapOf(ins.Element, p.plane, p.cells.mean)
		return values, columns, nil
	case "T":
		return []float64{p.cells.at(ins, p.plane)}, 1, nil
	case "Tcoolant":
		return []float64{p.outlet(ins, layer)}, 1, nil
	}
	for i, e := range p.outputs.Floorplans[ins.Element] {
		if ins.Kind == "Tflp" || e.Name == ins.Block {
			values = append(values, p.cells.element(ins, i, p.plane))
		}
		if ins.Kind == "Tflpel" && len(values) > 0 { // the first of that name, as there
			break
		}
	}
	return values, len(values), nil
}

// Powers are what Pmap asks for in W: what 3D-ICE has on its right-hand side for a layer, sinks included. The drawings
// are those of all layers with power.
func (p *Inspection) Powers(ins *threedice.Output, drawings []powermap.Drawing) (values []float64, columns int,
	err error) {
	p.drawn = drawings
	plane, err := p.powerPlane(p.outputs.Layer(ins.Element), 0)
	if err != nil {
		return nil, 0, err
	}
	values, columns = p.mapOf(ins.Element, plane, p.cells.sum)
	return values, columns, nil
}

// mapOf is a plane as 3D-ICE has it: all cells, or in non-uniform mode the element's own in one row.
func (p *Inspection) mapOf(element string, plane []float64, value func(plane []float64, c cell) float64) (
	values []float64, columns int) {
	if !p.outputs.NonUniform {
		return append(values, plane...), p.mesh.NX()
	}
	for _, c := range p.cells.of(element) {
		values = append(values, value(plane, c))
	}
	return values, len(values)
}
