package stack

import (
	"fmt"
	"math"
	"slices"

	"thermsim/stack/geometry"
	"thermsim/stack/heatsink"
	"thermsim/stack/internal/faults"
)

// maxPatches of a face, and how many of them may be circles and polygons, whose parts seen are measured point by point
// against all that lie over them: by the corners of the polygons, maxPatchCorners in all.
const maxPatches, maxRound, maxPatchCorners = 10_000, 1000, 20_000

// patches checks the patches of a face.
func (v *validator) patches(f Face) {
	b := &v.s.Boundary[f]
	if len(b.Patches) == 0 {
		return
	}
	if b.TemperatureDependent() {
		v.fail(b.Pos, "use a constant h, resistance, temperature or flux", "boundary.%s: the heat-transfer "+
			"coefficient of a face with patches must not be temperature-dependent", f)
	}
	if len(b.Patches) > maxPatches {
		v.fail(b.Pos, "give a map", "boundary.%s: more than %d patches", f, maxPatches)
		return
	}
	names, round, corners := map[string]bool{}, 0, 0
	for i := range b.Patches {
		p := &b.Patches[i]
		if fault := faults.Label(p.Name); fault != "" {
			v.fail(p.Pos, "", "boundary.%s: name of a patch %q %s", f, faults.Shorten(p.Name), fault)
		}
		v.unique(p.Pos, names, p.Name, "boundary."+f.String()+": two patches")
		if p.Shape != nil {
			round++
		}
		if polygon, ok := p.Shape.(geometry.Polygon); ok {
			corners += len(polygon)
		}
		if corners > maxPatchCorners {
			v.fail(p.Pos, "give a map, or polygons of fewer corners", "boundary.%s: more than %d corners of polygons",
				f, maxPatchCorners)
			return
		}
		if round > maxRound {
			v.fail(p.Pos, "give a map", "boundary.%s: more than %d circles and polygons", f, maxRound)
			return
		}
		name := "boundary." + f.String() + ": patch " + faults.Shorten(p.Name)
		v.patchPlace(p, f, name)
		if p.Kind == Adiabatic || p.TemperatureDependent() || len(p.Patches) > 0 {
			v.fail(p.Pos, "", "%s: a patch needs a constant condition without patches", name)
			continue
		}
		if p.Map == nil {
			v.condition(&p.Boundary, name)
			continue
		}
		v.positive(p.Pos, p.Temperature, "%s: temperature", name)
		m := p.Map
		if p.Kind != Convective || p.H != 0 || len(p.Rects) != 1 || m.NX < 1 || m.NY < 1 || m.NX*m.NY != len(m.Values) {
			v.fail(p.Pos, "", "%s: a map of %d by %d tiles with %d coefficients does not fit", name, m.NX, m.NY,
				len(m.Values))
			continue
		}
		for _, h := range m.Values {
			if !(h >= 0 && h <= MostH) {
				v.fail(p.Pos, "", "%s: a coefficient of the map must lie between 0 and %g W/(m^2 K), got %v", name,
					MostH, h)
				break
			}
		}
	}
}

// patchPlace checks that a patch has an area and lies on its face.
func (v *validator) patchPlace(p *Patch, f Face, name string) {
	size := v.s.FaceSize(f)
	face, slack := Rect{0, 0, size[0], size[1]}, Tolerance*max(size[0], size[1])
	boxes := p.Rects
	if p.Shape != nil {
		if len(p.Rects) > 0 {
			v.fail(p.Pos, "", "%s has both a shape and rectangles", name)
		}
		if !v.shape(p.Pos, p.Shape, name) {
			return
		}
		boxes = []Rect{Around(p.Shape)}
	}
	if len(boxes) == 0 {
		v.fail(p.Pos, "", "%s covers nothing", name)
	}
	if len(boxes) > 1 && (f <= Top || !slices.Equal(boxes, v.s.Bands(size[0], func(_ *Layer, z float64) bool {
		return BesideAny(boxes, z)
	}))) {
		v.fail(p.Pos, "make a patch of each", "%s: several rectangles must cover whole layers of a side face", name)
	}
	for _, r := range boxes {
		if !finiteShape(r.Box().Polygon()) || r.Width < 0 {
			v.fail(p.Pos, "", "%s: needs finite coordinates and a nonzero area", name)
			continue
		}
		if out := offFace(r, face, slack, FaceAxes(f)); out != "" {
			v.fail(p.Pos, outside("shrink or move it", r, Rect{Width: size[0], Height: size[1]}),
				"%s extends beyond the face of %s by %s: %s", name, faults.Metres(size[0]), faults.Metres(size[1]), out)
		}
	}
}

// offFace says how far a rectangle sticks out of a face; empty where it does not.
func offFace(r, face Rect, slack float64, axes [2]string) string {
	for _, side := range []struct {
		end, axis string
		by        float64
	}{
		{"low", axes[0], -r.X}, {"high", axes[0], r.X + r.Width - face.Width}, {"low", axes[1], -r.Y},
		{"high", axes[1], r.Y + r.Height - face.Height},
	} {
		if side.by > slack {
			return "by " + faults.Metres(side.by) + " at the " + side.end + " end of " + side.axis
		}
	}
	return ""
}

// condition checks the figures of a condition that is there.
func (v *validator) condition(b *Boundary, name string) {
	switch b.Kind {
	case Convective:
		v.film(b, name)
	case LumpedResistance:
		v.positive(b.Pos, b.Resistance, "%s: resistance", name)
	case HeatFlux:
		if math.IsNaN(b.Flux) || math.IsInf(b.Flux, 0) {
			v.fail(b.Pos, "", "%s: flux must be finite", name)
		} else if math.Abs(b.Flux) > maxFlux {
			v.fail(b.Pos, "", "%s: flux must lie between -%g and %g W/m^2, got %v", name, maxFlux, maxFlux, b.Flux)
		}
		return
	case FixedTemperature:
	default:
		v.fail(b.Pos, "", "%s: unknown kind of boundary", name)
		return
	}
	v.positive(b.Pos, b.Temperature, "%s: temperature", name)
}

// film checks the coefficients of a convective face.
func (v *validator) film(b *Boundary, name string) {
	f := &b.Film
	if !b.TemperatureDependent() || b.H != 0 {
		v.positive(b.Pos, b.H, "%s: h", name)
	}
	if f.Law != nil {
		if fault, remedy := f.Law.Fault(); fault != "" {
			v.fail(b.Pos, remedy, "%s: h: %s", name, fault)
		}
		if f.Natural != "" || b.H != 0 {
			v.fail(b.Pos, "remove one of them", "%s: a temperature-dependent h cannot be combined with other "+
				"coefficients", name)
		}
	}
	if !(f.Emissivity >= 0 && f.Emissivity <= 1) {
		v.fail(b.Pos, "", "%s: emissivity must lie between 0 and 1, got %v", name, f.Emissivity)
	}
	switch f.Natural {
	case "":
		if f.Length != 0 {
			v.fail(b.Pos, "remove it", "%s: length applies to natural convection only", name)
		}
	case heatsink.Up, heatsink.Down, heatsink.Vertical:
		v.positive(b.Pos, f.Length, "%s: length", name)
		if len(heatsink.Surfaces(b.Temperature)) == 0 {
			v.fail(b.Pos, "give h", "%s: properties of air are available from %g to %g K, not at %.4g K", name,
				heatsink.ColdestAir, heatsink.HottestAir, b.Temperature)
		}
	default:
		v.fail(b.Pos, "", "%s: unknown orientation: %q", name, faults.Shorten(string(f.Natural)))
	}
}

// side checks that a probe which names a side of an interface lies on one.
func (v *validator) side(p *Probe, what string, height float64) {
	switch p.Side {
	case "":
		return
	case Below, Above:
	default:
		v.fail(p.Pos, `write "below" or "above"`, "%s: side cannot be %q", what, faults.Shorten(string(p.Side)))
		return
	}
	z, nearest := 0.0, math.Inf(1)
	for _, y := range v.s.Layers[:max(1, len(v.s.Layers))-1] {
		z += y.Thickness
		if math.Abs(p.Z-z) < math.Abs(p.Z-nearest) {
			nearest = z
		}
	}
	switch {
	case math.Abs(p.Z-nearest) <= Tolerance*height:
	case math.IsInf(nearest, 0):
		v.fail(p.Pos, "remove side", "%s: a stack with one layer has no interface", what)
	default:
		v.fail(p.Pos, fmt.Sprintf("remove side, or give z = %q", faults.Metres(nearest)),
			"%s: z = %s is not an interface between two layers", what, faults.Metres(p.Z))
	}
}

// MostH is the largest coefficient of a map in W/(m2 K); half a nanometre of copper conducts as well.
const MostH = 1e12
