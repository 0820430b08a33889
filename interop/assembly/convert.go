package assembly

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"thermsim/interop/eda"
	"thermsim/interop/importer"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// materials of parts whose material is not in the parts file, by their type.
var materials = map[string]string{"die": "silicon", "die_array": "silicon", "ip": "silicon", "interposer": "silicon",
	"rdl": "organic_substrate", "substrate": "organic_substrate"}

// metals of bumps.
var metals = map[string]string{"": "solder_sac305", "Cu": "copper", "SnAg": "solder_sac305", "SAC305": "solder_sac305",
	"SnPb": "solder_snpb", "Au": "gold", "Ni": "nickel", "Ag": "silver", "In": "tim_indium", "W": "tungsten"}

// Assumptions about what neither the assembly nor the parts file has.
const (
	wiringThickness = 10.0 // um
	pitchRatio      = 2.0  // of the pitch of bumps to their diameter
	topH            = 5000 // W/(m2 K)
	bumpsPerTile    = 16   // at least, on average
	mostTiles       = 64   // along x and along y, of a map of bumps
)

// writer makes the text of a stack file.
type writer struct {
	*assembly
	bytes.Buffer
	names     importer.Names    // of [[die]] tables
	places    importer.Names    // of [[layer.die]] tables
	templates map[string]string // names of [[die]] tables by what is in them
	around    box               // all parts
	placed    bytes.Buffer      // [[layer.die]] tables
	tiles     int               // of power maps so far
}

// convert makes the stack: a [[die]] for each kind of part and for each bond, placed in one layer.
func (a *assembly) convert() {
	w := &writer{assembly: a, names: importer.Names{}, places: importer.Names{}, templates: map[string]string{},
		around: nowhere()}
	for _, p := range a.parts {
		w.around.include(p.box)
	}
	pos := a.parts[0].pos
	fmt.Fprintf(w, "schema = 1\ngrid = \"auto\"\nsize = [%s]\n", um(w.around.extent(0), w.around.extent(1)))
	if a.given.Stack == "" {
		fmt.Fprintf(w, "boundary.top = { h = \"%d W/(m^2 K)\" }\n", topH)
		a.Note(importer.Warning, pos, "no boundary conditions: %d W/(m2 K) on top is assumed, and the other faces are "+
			"adiabatic; name a stack file with [boundary] in the parts file", topH)
	}
	a.Note(importer.Adapted, pos, "the space around the parts is of %s", a.given.Around)
	for _, p := range a.parts {
		w.part(p)
	}
	for _, b := range a.bonds {
		w.bond(b)
	}
	w.layer("layer", "assembly", a.given.Around, w.around.extent(2), 1)
	w.Write(w.placed.Bytes())
	if a.Faults.Len() > 0 {
		return
	}
	const generated = "generated stack file"
	s, err := stackfile.ParseUnder(generated, w.Bytes(), a.given.Stack, a.Request.Open)
	if err != nil {
		var faults stack.ErrorList
		errors.As(err, &faults)
		for _, e := range faults {
			if e.Pos.File == generated { // because of a value of the parts file
				e.Pos = stack.Pos{File: cmp.Or(a.given.File, a.Stack.File)}
			}
		}
		a.Faults.AddError(err)
		return
	}
	if s.Watts() == 0 && !a.Request.Served {
		a.Note(importer.Warning, pos, "no part has a power; give power or report in the parts file")
	}
	s.File, s.Inputs = a.Stack.File, slices.Concat(a.Stack.Inputs, s.Inputs)
	s.Title = cmp.Or(s.Title, a.Stack.Title)
	*a.Stack = *s
	a.describe(w.around.lo[2])
}

// describe names the layers of the assembly after their strongest powers or largest regions, with comments of their
// heights.
func (a *assembly) describe(z float64) {
	names := importer.Names{}
	for i := range a.Stack.Layers {
		y := &a.Stack.Layers[i]
		if strings.HasPrefix(y.Name, "assembly") && len(y.Regions) > 0 {
			largest := slices.MaxFunc(y.Regions, func(p, q stack.Region) int { return cmp.Compare(p.Area(), q.Area()) })
			strongest := slices.MaxFunc(append(y.Powers, stack.Power{}), func(p, q stack.Power) int {
				return cmp.Compare(p.Watts(), q.Watts())
			})
			y.Name = cmp.Or(strongest.Name, largest.Name)
		}
		y.Name = names.Distinct(y.Name, "layer")
		top := z + 1e6*y.Thickness
		a.Comments.Layers[i] = []string{fmt.Sprintf("z = %.6g um to %.6g um of the assembly", z, top)}
		z = top
	}
}

// um writes lengths.
func um(values ...float64) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = `"` + strconv.FormatFloat(v, 'g', -1, 64) + ` um"`
	}
	return strings.Join(words, ", ")
}

func quoted(name string) string { return strconv.Quote(stack.Shorten(name)) }

// part places a part.
func (w *writer) part(p *part) {
	given := w.given.Part(append([]string{p.name}, p.names...)...)
	key := fmt.Sprintf("%p %+v %+v", p.kind, given, p.def)
	name := cmp.Or(given.Die, w.templates[key])
	if name == "" {
		name = w.names.Distinct(p.names[0], "part")
		w.templates[key] = name
		w.template(name, p, given)
	}
	fmt.Fprintf(&w.placed, "[[layer.die]]\ndie = %q\n", name)
	mirror, rotate, flip := p.keys()
	if mirror {
		fmt.Fprintln(&w.placed, `mirror = "x"`)
	}
	fmt.Fprintf(&w.placed, "rotate = %d\nflip = %v\n", rotate, flip)
	w.located(p.name, &p.box)
}

// located writes the name and the corner of a placed part or bond.
func (w *writer) located(name string, b *box) {
	fmt.Fprintf(&w.placed, "name = %q\nx = %s\ny = %s\nz = %s\n", w.places.Distinct(name, "part"),
		um(b.lo[0]-w.around.lo[0]), um(b.lo[1]-w.around.lo[1]), um(max(0, b.lo[2]-w.around.lo[2])))
}

// layer begins a layer of the stack or of a die.
func (w *writer) layer(table, name, material string, thickness float64, cells int) {
	fmt.Fprintf(w, "[[%s]]\nname = %q\nmaterial = %q\nthickness = %s\ncells = %d\n", table, name, material,
		um(thickness), cells)
}

// template writes a [[die]]: the body with the transistors at its top, and the wiring.
func (w *writer) template(name string, p *part, given stackfile.Part) {
	body := given.Material
	if body == "" {
		if body = materials[p.class]; p.tsv {
			body = "silicon_tsv"
		}
		body = cmp.Or(body, "silicon")
		w.Note(importer.Adapted, p.pos, "%s: material %s is assumed", describe(p), body)
	}
	wiring := 0.0
	if given.Wiring != "" {
		wiring = cmp.Or(1e6*given.WiringThickness, wiringThickness)
		w.Note(importer.Adapted, p.pos, "%s: %g um of %s at the front", describe(p), wiring, given.Wiring)
	}
	size := p.kind.size
	if wiring >= size[2] {
		w.Faults.Add(given.Pos, "", "%s: the wiring is %g um thick; expected less than %g um", describe(p), wiring,
			size[2])
		return
	}
	fmt.Fprintf(w, "[[die]]\nname = %q\nsize = [%s]\n", name, um(size[:2]...))
	w.layer("die.layer", "body", body, size[2]-wiring, 2)
	area := um(p.design.lo[0], p.design.lo[1], p.design.extent(0), p.design.extent(1))
	switch {
	case given.Report != "":
		fmt.Fprintf(w,
			"power_at = \"top\"\npower = { unit = \"W\", orientation = \"south-first\", area = [%s], map = [", area)
		w.powerMap(p, given)
		fmt.Fprintln(w, "] }")
	case given.Power > 0:
		fmt.Fprintf(w, "power_at = \"top\"\npower = { uniform = \"%v W\", area = [%s] }\n", given.Power, area)
	}
	if wiring > 0 {
		w.layer("die.layer", "wiring", given.Wiring, wiring, 1)
	}
}

// powerMap writes the rows of a map of the power of all cells.
func (w *writer) powerMap(p *part, given stackfile.Part) {
	q := eda.Request{DEF: cmp.Or(given.DEF, p.def.near()), LEF: given.LEF, Power: given.Report, NX: w.given.Tiles,
		NY: w.given.Tiles, Open: w.opener}
	if len(q.LEF) == 0 {
		q.LEF = w.paths(p.lef...)
	}
	if w.tiles += q.NX * q.NY; w.tiles > eda.MaxTiles {
		w.Faults.Add(given.Pos, "set tiles", "power maps have more than %d tiles in all", eda.MaxTiles)
		return
	}
	if q.DEF == "" || len(q.LEF) == 0 {
		w.Faults.Add(given.Pos, "give def and lef", "%s has a report, but no placement in DEF and LEF", describe(p))
		return
	}
	r, err := eda.Import(q)
	if err != nil {
		w.Faults.AddError(err)
		return
	}
	w.Notes = append(w.Notes, r.Notes...)
	width, height := r.Bounds.X1-r.Bounds.X0, r.Bounds.Y1-r.Bounds.Y0
	if math.Abs(width-p.design.extent(0)) > 1e-3*width || math.Abs(height-p.design.extent(1)) > 1e-3*height {
		w.Note(importer.Warning, p.pos, "%s: the placement of %g x %g um is scaled to its design area of %g x %g um",
			describe(p), width, height, p.design.extent(0), p.design.extent(1))
	}
	w.rows(r.Map.Watts, q.NX)
}

func (w *writer) rows(values []float64, nx int) {
	for row := range slices.Chunk(values, nx) {
		words := make([]string, nx)
		for i, v := range row {
			words[i] = strconv.FormatFloat(v, 'g', -1, 64)
		}
		fmt.Fprintf(w, "[%s],\n", strings.Join(words, ","))
	}
}

// bond places a layer of bumps between other material.
func (w *writer) bond(b *bond) {
	given := w.given.Bond(b.name, b.stack, "all")
	filler := cmp.Or(given.Material, "underfill")
	name := w.names.Distinct(b.name+" bumps", "bond")
	fmt.Fprintf(w, "[[die]]\nname = %q\nsize = [%s]\n", name, um(b.extent(0), b.extent(1)))
	planes := importer.Names{}
	for _, p := range b.layers {
		metal := cmp.Or(given.Bump, metals[p.metal])
		if metal == "" {
			w.Faults.Add(b.pos, "set bump in [bond."+cmp.Or(b.stack, b.name)+"] of the parts file", "connection stack "+
				"%.40q has bumps of %.40q, which is not known", b.stack, p.metal)
			return
		}
		w.NoteOnce(importer.Adapted, b.pos, "bond %s: bumps of %s in %s", quoted(cmp.Or(b.stack, b.name)), metal,
			filler)
		w.layer("die.layer", planes.Distinct(p.name, "bumps"), filler, cmp.Or(p.height, b.extent(2)), 1)
		w.fill(b, p, metal, given)
	}
	fmt.Fprintf(&w.placed, "[[layer.die]]\ndie = %q\n", name)
	w.located(b.name+" bumps", &b.box)
}

// fill writes the bumps of a layer: their fraction, or a map of it.
func (w *writer) fill(b *bond, p plane, metal string, given stackfile.Bond) {
	diameter := cmp.Or(1e6*given.Diameter, p.diameter)
	pitch := cmp.Or(1e6*given.Pitch, b.pitch)
	fraction := given.Fraction
	switch {
	case fraction > 0:
	case given.Pitch == 0 && len(b.bumps) > 0:
		w.bumpMap(b, metal)
		return
	case pitch > 0 && diameter > 0:
		fraction = math.Pi / 4 * diameter * diameter / (pitch * pitch)
	default:
		fraction = math.Pi / 4 / (pitchRatio * pitchRatio)
		w.NoteOnce(importer.Warning, b.pos, "bond %s has no pitch and diameter of bumps: a pitch of %g diameters is "+
			"assumed, %.3g of the area", quoted(cmp.Or(b.stack, b.name)), pitchRatio, fraction)
	}
	if most := stack.Square.Most(); fraction > most {
		w.Faults.Add(cmp.Or(given.Pos, b.pos), "", "the bumps of bond %s cover %.3g of the area; expected %.3g at most",
			quoted(b.name), fraction, most)
		return
	}
	fmt.Fprintf(w, "fill = { inclusion = %q, rule = \"square\", fraction = %v }\n", metal, fraction)
}

// bumpMap writes the fractions of bumps in tiles that have enough of them.
func (w *writer) bumpMap(b *bond, metal string) {
	tile := math.Sqrt(b.extent(0) * b.extent(1) / max(1, float64(len(b.bumps))/bumpsPerTile))
	nx, ny := min(mostTiles, max(1, int(b.extent(0)/tile))), min(mostTiles, max(1, int(b.extent(1)/tile)))
	values := eda.Density(b.bumps, eda.Box{X0: b.lo[0], Y0: b.lo[1], X1: b.hi[0], Y1: b.hi[1]}, nx, ny)
	for i := range values {
		values[i] *= math.Pi / 4 // of the circle in a square
	}
	if v := slices.Max(values); v > stack.Square.Most() {
		w.Faults.Add(b.pos, "check the bump map and the diameter", "the bumps of bond %s cover %.3g of a tile; "+
			"expected %.3g at most", quoted(b.name), v, stack.Square.Most())
		return
	}
	fmt.Fprintf(w, "fill = { inclusion = %q, rule = \"square\", orientation = \"south-first\", map = [", metal)
	w.rows(values, nx)
	fmt.Fprintln(w, "] }")
}

// opener reads a file for package eda, and adds it to the inputs of the stack.
func (a *assembly) opener(path string) (io.ReadCloser, error) {
	data, err := a.Read(path)
	return io.NopCloser(bytes.NewReader(data)), err
}
