package stack

import (
	"fmt"
	"math"
	"strings"

	"thermsim/stack/internal/faults"
	"thermsim/stack/internal/keys"
)

// Validate checks a stack: sizes are positive, blocks, maps and regions lie within their areas, blocks do not overlap,
// names are unique and suitable for files. Load calls it; call it for a stack built in Go. The error is an [ErrorList].
func Validate(s *Stack) error {
	var f faults.List
	validate(s, &f)
	return f.Err(s.File)
}

// validator collects faults.
type validator struct {
	*faults.List
	s     *Stack
	slack float64 // m, allowance for rounding
}

// ValidateProbes checks the probes of a stack that is valid otherwise.
func ValidateProbes(s *Stack) error {
	var f faults.List
	newValidator(s, &f).probes()
	return f.Err(s.File)
}

func newValidator(s *Stack, f *faults.List) *validator {
	return &validator{f, s, Tolerance * max(s.Size[0], s.Size[1])}
}

func validate(s *Stack, f *faults.List) {
	v := newValidator(s, f)
	before := len(f.Found)
	v.domain()
	v.materials()
	if len(f.Found) > before {
		return // the other checks need the domain
	}
	v.layers()
	v.probes()
}

func (v *validator) fail(pos Pos, remedy, format string, args ...any) {
	if pos.File == "" {
		pos.File = v.s.File
	}
	v.Add(&Error{Pos: pos, Msg: fmt.Sprintf(format, args...), Remedy: remedy})
}

// positive checks a value that must be finite and above zero.
func (v *validator) positive(pos Pos, x float64, format string, args ...any) {
	if !(x > 0) || math.IsInf(x, 0) {
		v.fail(pos, "", "%s must be positive and finite, got %v", fmt.Sprintf(format, args...), x)
		return
	}
	v.sane(pos, x, format, args...)
}

// notNegative checks a value that must be finite and not below zero.
func (v *validator) notNegative(pos Pos, x float64, format string, args ...any) {
	if !(x >= 0) || math.IsInf(x, 0) {
		v.fail(pos, "", "%s must be finite and not negative, got %v", fmt.Sprintf(format, args...), x)
		return
	}
	v.sane(pos, x, format, args...)
}

// whole checks an integer against the limits of a key.
func (v *validator) whole(pos Pos, k *keys.Key, x int, what string) {
	if fault := k.Fault(float64(x)); fault != "" {
		v.fail(pos, "", "%s %s, got %d", what, fault, x)
	}
}

// MaxQuantity is the largest of all numbers in SI units: no quantity of a chip comes near it, and products of several
// stay finite.
const MaxQuantity = 1e30

func (v *validator) sane(pos Pos, x float64, format string, args ...any) {
	if x > MaxQuantity {
		v.fail(pos, "is the unit right?", "%s must not exceed %g, got %v", fmt.Sprintf(format, args...), MaxQuantity, x)
	}
}

// The largest power and heat flux: all power stations of the world on a chip, and far above the flux from the surface
// of the Sun. Beyond, squares in the solvers could overflow.
const (
	maxWatts = 1e13 // of one source
	maxFlux  = 1e15 // W/m^2
)

// heat checks watts.
func (v *validator) heat(pos Pos, watts float64, format string, args ...any) {
	if watts > maxWatts && !math.IsInf(watts, 0) {
		v.fail(pos, "is the unit right?", "%s must not exceed %g W, got %v W", fmt.Sprintf(format, args...), maxWatts,
			watts)
		return
	}
	v.notNegative(pos, watts, format, args...)
}

func (v *validator) domain() {
	s := v.s
	v.positive(Pos{}, s.Size[0], "size in x")
	v.positive(Pos{}, s.Size[1], "size in y")
	v.positive(Pos{}, s.Ambient, "ambient")
	v.notNegative(Pos{}, s.TMax, "tmax")
	for key, text := range map[string]string{"title": s.Title, "author": s.Author, "revision": s.Revision} {
		if fault := TitleFault(text); fault != "" {
			v.fail(Pos{}, "", "%s %q %s", key, faults.Shorten(text), fault)
		}
	}
	v.grid()
	for f := range s.Boundary {
		if b := &s.Boundary[f]; b.Kind != Adiabatic {
			v.condition(b, "boundary."+Face(f).String())
		}
		v.patches(Face(f))
	}
}

func (v *validator) grid() {
	s := v.s
	if a := s.Grid.Auto; a != nil {
		if s.Cooled() {
			v.fail(a.Pos, "give nx and ny; the axis across resolved channels can be omitted",
				"an automatic grid does not support coolant")
		}
		v.notNegative(a.Pos, a.Error, "error of the grid")
		v.notNegative(a.Pos, a.Relative, "relative_error of the grid")
		if (a.Error > 0) == (a.Relative > 0) {
			v.fail(a.Pos, "", "an automatic grid needs either error or relative_error")
		}
		v.whole(a.Pos, keys.StackKey("grid", "max_cells"), a.MaxCells, "max_cells")
		return
	}
	for i, a := range []Axis{s.Grid.X, s.Grid.Y} {
		v.axis(a, "xy"[i:i+1], s.Size[i])
	}
}

func (v *validator) axis(a Axis, name string, size float64) {
	v.whole(a.Pos, keys.StackKey("grid", "nx"), a.Cells, "the number of cells along "+name)
	if len(a.Segments) == 0 {
		return
	}
	last, cells := 0.0, 0
	for i, seg := range a.Segments {
		cells += seg.Cells
		if !(seg.To > last) {
			v.fail(a.Pos, "give the segments in ascending order", "grid.%s: segment %d ends at %s, not beyond the "+
				"previous one", name, i+1, faults.Metres(seg.To))
		}
		if !(seg.Ratio >= 1/SteepestSegment && seg.Ratio <= SteepestSegment) {
			v.fail(a.Pos, "", "grid.%s: ratio of segment %d must lie between 1e-6 and 1e6, got %v", name, i+1,
				seg.Ratio)
		}
		if seg.Cells < 1 {
			v.fail(a.Pos, "", "grid.%s: segment %d needs at least one cell", name, i+1)
		}
		last = seg.To
	}
	if math.Abs(last-size) > Tolerance*size {
		v.fail(a.Pos, "end the last segment there", "grid.%s ends at %s, the domain at %s", name, faults.Metres(last),
			faults.Metres(size))
	}
	if cells != a.Cells {
		v.fail(a.Pos, "", "grid.%s: segments have %d cells, the axis %d", name, cells, a.Cells)
	}
}

func (v *validator) materials() {
	seen := map[string]bool{}
	for _, m := range v.s.Materials {
		if fault := faults.Label(m.Name); fault != "" {
			v.fail(m.Pos, "", "material name %q %s", faults.Shorten(m.Name), fault)
		}
		v.unique(m.Pos, seen, m.Name, "two materials")
		for _, k := range m.K {
			v.positive(m.Pos, k, "material %q: k", faults.Shorten(m.Name))
		}
		v.positive(m.Pos, m.C, "material %q: c", faults.Shorten(m.Name))
		v.curves(&m)
	}
}

// unique reports a name that something of its kind has already.
func (v *validator) unique(pos Pos, seen map[string]bool, name, two string) {
	if seen[name] {
		v.fail(pos, "rename one of them", "%s are called %q", two, faults.Shorten(name))
	}
	seen[name] = true
}

// MaxLayers is the largest number of layers: chips have tens.
const MaxLayers = 5000

func (v *validator) layers() {
	if len(v.s.Layers) == 0 {
		v.fail(Pos{}, "add a layer", "the stack has no layers")
		return
	}
	if n := len(v.s.Layers); n > MaxLayers {
		v.fail(v.s.Layers[MaxLayers].Pos, keys.StackKey("stack", "layer").Excess, "a stack has %d layers at most, "+
			"this one %d", MaxLayers, n)
		return
	}
	seen := map[string]string{}
	for i := range v.s.Layers {
		y := &v.s.Layers[i]
		v.layerName(y, seen)
		what := fmt.Sprintf("layer %q", faults.Shorten(y.Name))
		v.positive(y.Pos, y.Thickness, "%s: thickness", what)
		v.notNegative(y.Pos, y.ContactResistance, "%s: contact resistance", what)
		v.notNegative(y.Pos, y.TMax, "%s: tmax", what)
		v.whole(y.Pos, keys.StackKey("layer", "cells"), y.Cells, what+": cells")
		if y.AtSurface() {
			v.positive(y.Pos, y.PowerDepth, "%s: power_depth", what)
		}
		if y.PowerAt != "" && y.PowerAt != HeatedVolume && !y.AtSurface() {
			v.fail(y.Pos, "", "%s: power_at cannot be %q", what, string(y.PowerAt))
		}
		v.materialIndex(y.Pos, y.Material, what)
		for j := range y.Regions {
			v.region(&y.Regions[j], what)
		}
		v.powers(y, what)
		v.coolant(i)
	}
	for _, e := range v.s.UnsupportedMaterials() {
		v.fail(e.Pos, e.Remedy, "%s", e.Msg)
	}
	v.positive(Pos{}, v.s.Height(), "height of the stack")
}

func (v *validator) layerName(y *Layer, seen map[string]string) {
	if fault := faults.Name(y.Name); fault != "" {
		v.fail(y.Pos, "choose a name that can be part of a file name", "layer name %q %s", faults.Shorten(y.Name),
			fault)
	}
	folded := strings.ToLower(y.Name)
	switch other, twice := seen[folded]; {
	case twice && other == y.Name:
		v.fail(y.Pos, "rename one of them", "two layers are called %q", faults.Shorten(y.Name))
	case twice:
		v.fail(y.Pos, "rename one of them: some file systems do not distinguish their maps",
			"layers %q and %q differ in case only", faults.Shorten(other), faults.Shorten(y.Name))
	}
	seen[folded] = y.Name
}

func (v *validator) materialIndex(pos Pos, i int, what string) {
	if i < 0 || i >= len(v.s.Materials) {
		v.fail(pos, "", "%s: there is no material number %d", what, i)
	}
}

func (v *validator) region(r *Region, layer string) {
	what := layer + ": " + r.Describe()
	v.materialIndex(r.Pos, r.Material, what)
	v.notNegative(r.Pos, r.TMax, "%s: tmax", what)
	if r.Shape != nil {
		if !v.shape(r.Pos, r.Shape, what) {
			return
		}
		if Protrusion(r.Rect, Around(r.Shape), v.slack) != "" || Protrusion(Around(r.Shape), r.Rect, v.slack) != "" {
			v.fail(r.Pos, "", "%s: its rectangle is not the bounding rectangle of its shape", what)
		}
	}
	if r.Fill != nil {
		v.fill(r, what)
	}
	if v.rect(r.Pos, r.Rect, what) {
		if out := Protrusion(r.Rect, v.s.Domain(), v.slack); out != "" {
			v.fail(r.Pos, outside("shrink or move it", r.Rect, v.s.Domain()), "%s at x = %s, y = %s extends beyond "+
				"the domain %s", what, faults.Metres(r.X), faults.Metres(r.Y), out)
		}
	}
}

// rect checks that a rectangle is one.
func (v *validator) rect(pos Pos, r Rect, what string) bool {
	for _, x := range []float64{r.X, r.Y, r.Width, r.Height} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			v.fail(pos, "", "%s: coordinates must be finite", what)
			return false
		}
	}
	if r.Width <= 0 || r.Height <= 0 {
		v.fail(pos, "", "%s: width and height must be positive, got %s by %s", what, faults.Metres(r.Width),
			faults.Metres(r.Height))
		return false
	}
	return true
}

func (v *validator) probes() {
	seen := map[string]bool{}
	height := v.s.Height()
	box := v.s.Domain()
	for _, p := range v.s.Probes {
		what := fmt.Sprintf("probe %q", faults.Shorten(p.Name))
		v.unique(p.Pos, seen, p.Name, "two probes")
		if fault := faults.Label(p.Name); fault != "" {
			v.fail(p.Pos, "", "probe name %q %s", faults.Shorten(p.Name), fault)
		}
		inside := p.X >= -v.slack && p.X <= box.Width+v.slack && p.Y >= -v.slack && p.Y <= box.Height+v.slack
		if !inside {
			v.fail(p.Pos, outside("move it", Rect{X: p.X, Y: p.Y}, box), "%s at x = %s, y = %s lies outside the "+
				"domain of %s by %s", what, faults.Metres(p.X), faults.Metres(p.Y), faults.Metres(box.Width),
				faults.Metres(box.Height))
		}
		if !(p.Z >= 0 && p.Z <= height*(1+Tolerance)) {
			v.fail(p.Pos, faults.Outside("move it", height, p.Z), "%s at z = %s lies outside the stack of height %s",
				what, faults.Metres(p.Z), faults.Metres(height))
		}
		v.side(&p, what, height)
	}
}

// Protrusion describes how far a rectangle extends beyond an area and on which sides; empty if it lies inside.
func Protrusion(r, area Rect, slack float64) string {
	var sides []string
	for _, side := range []struct {
		name string
		by   float64
	}{
		{"west", area.X - r.X},
		{"east", r.X + r.Width - (area.X + area.Width)},
		{"south", area.Y - r.Y},
		{"north", r.Y + r.Height - (area.Y + area.Height)},
	} {
		if side.by > slack {
			sides = append(sides, fmt.Sprintf("by %s in the %s", faults.Metres(side.by), side.name))
		}
	}
	return strings.Join(sides, " and ")
}

// outside is the remedy for a rectangle outside an area.
func outside(remedy string, r, area Rect) string {
	return faults.Outside(remedy, max(area.Width, area.Height), r.X, r.Y, r.Width, r.Height)
}

// TitleFault says why a text cannot be a title; empty if it can.
func TitleFault(title string) string { return faults.Text(title, faults.MostNameBytes) }
