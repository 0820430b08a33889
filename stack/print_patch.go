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
		return "layers = [" + strings.Join(names, ", ") + "]"
	}
	axes, r := FaceAxes(f), patch.Rects[0]
	return fmt.Sprintf("%s = %s, %s = %s, width = %s, height = %s", axes[0], quantity(units.Length, r.X), axes[1],
		quantity(units.Length, r.Y),
		quantity(units.Length, r.Width), quantity(units.Length, r.Height))
}

// mapEntry writes coefficients by place.
func mapEntry(patch *Patch) string {
	m := patch.Map
	rows := make([]string, m.NY)
	for j := range rows {
		words := make([]string, m.NX)
		for i := range words {
			words[i] = number(m.Values[j*m.NX+i])
		}
		rows[j] = "[" + strings.Join(words, ", ") + "]"
	}
	return fmt.Sprintf(`unit = "W/(m^2 K)", orientation = "south-first", map = [%s], ambient = %s`,
		strings.Join(rows, ",\n    "), quantity(units.Temperature, patch.Temperature))
}
