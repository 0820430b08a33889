package stack

import (
	"fmt"
	"strings"

	"thermsim/stack/internal/units"
)

// faceEntry writes the condition of a face or a patch as keys; empty where it is adiabatic.
func faceEntry(b *Boundary) string {
	ambient := ", ambient = " + quantity(units.Temperature, b.Temperature)
	switch b.Kind {
	case Convective:
		return filmEntry(b) + ambient
	case LumpedResistance:
		return "resistance = " + quantity(units.Resistance, b.Resistance) + ambient
	case FixedTemperature:
		return "temperature = " + quantity(units.Temperature, b.Temperature)
	case HeatFlux:
		return "flux = " + quantity(units.Flux, b.Flux)
	}
	return ""
}

// filmEntry writes the keys of a convective face.
func filmEntry(b *Boundary) string {
	var list []string
	if b.H != 0 || b.Law != nil {
		list = append(list, "h = "+property(units.HeatTransfer, b.H, b.Law))
	}
	if b.Natural != "" {
		list = append(list, `convection = "natural"`)
	}
	return strings.Join(append(list, entries("face", &b.Film)...), ", ")
}

// patches writes a face with patches, which takes several lines.
func (p *printer) patches(f Face, b *Boundary) {
	own := faceEntry(b)
	if own != "" {
		own += ", "
	}
	p.line("boundary.%s = { %spatch = [", f, own)
	for i := range b.Patches {
		patch := &b.Patches[i]
		condition := faceEntry(&patch.Boundary)
		if patch.Map != nil {
			condition = mapEntry(patch)
		}
		p.line("  { name = %s, %s, %s },", quote(patch.Name), p.place(patch, f), condition)
	}
	p.line("] }%s", behind(p.comments.Boundary[f]))
}

// place writes where a patch lies.
func (p *printer) place(patch *Patch, f Face) string {
	if patch.Shape != nil {
		return shapeEntry(patch.Shape)
	}
	if len(patch.Rects) > 1 {
		var names []string
		p.s.bands(0, func(y *Layer, middle float64) bool {
			in := besideAny(patch.Rects, middle)
			if in {
				names = append(names, quote(y.Name))
			}
			return in
		})
		return "layers = " + array(names)
	}
	axes, r := FaceAxes(f), patch.Rects[0]
	return fmt.Sprintf("%s = %s, %s = %s, width = %s, height = %s", axes[0], metric(r.X), axes[1], metric(r.Y),
		metric(r.Width), metric(r.Height))
}

// mapEntry writes coefficients by place.
func mapEntry(patch *Patch) string {
	m := patch.Map
	rows := make([]string, m.NY)
	for j := range rows {
		rows[j] = numberList(m.Values[j*m.NX : (j+1)*m.NX])
	}
	return fmt.Sprintf(`unit = "W/(m^2 K)", orientation = "south-first", map = [%s], ambient = %s`,
		strings.Join(rows, ",\n    "), quantity(units.Temperature, patch.Temperature))
}
