// Package assembly imports assemblies of dies: 3Dblox (.3dbx with .3dbv and .bmap), as OpenROAD reads it, and .chiplet
// 1.0. The readers find parts with their boxes and orientations, and the bonds between them; one engine makes a stack
// of these, with a parts file ([stackfile.Parts]) for materials and powers, which the formats do not contain.
//
// docs/guides/import.md describes what is carried over and what is assumed.
package assembly

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"thermsim/interop/eda"
	"thermsim/interop/importer"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// Formats that describe assemblies.
var (
	ThreeDblox = newFormat(&importer.Format{
		Name: "3dblox", Title: "3Dblox", Extension: ".3dbx", Main: "design",
		Files: "one design (.3dbx) and optionally a parts file (.toml)",
		Scope: importer.Scope{
			Carried: "included files, ChipletDefs with seal ring and scribe line, instances with all orientations, " +
				"designs in designs, connections with thickness as bonds, bump maps, DEF and LEF with a power report",
			NotCarried: "paths, netlists, pads",
			Refused: "overlaps, gaps unequal to the thickness, regions that do not face each other, polygonal " +
				"regions",
		},
	}, (*assembly).readThreeDblox)
	Chiplet = newFormat(&importer.Format{
		Name: "chiplet", Title: ".chiplet", Extension: ".chiplet", Main: "assembly",
		Files: "one assembly (.chiplet) and optionally a parts file (.toml)",
		Scope: importer.Scope{
			Carried: "interposers, substrates, dies and arrays, connection stacks with their metals, heights and " +
				"diameters, the pitch of interfaces",
			NotCarried: "netlists, layouts, pads, flows",
			Refused:    "other versions than 1, overlaps, gaps unequal to the height of the connection stack",
		},
	}, (*assembly).readChiplet)
)

func newFormat(f *importer.Format, read func(*assembly, []byte)) *importer.Format {
	f.MaxFiles, f.NextToMain = 2, true
	f.Remark = "Coordinates count from the lower south-west corner of all parts."
	f.Options = []importer.Option{{Name: "parts", Usage: "materials and powers of the parts of an assembly, in " +
		"`FILE`.toml"}}
	f.Convert = func(c *importer.Collector, data []byte) {
		a := &assembly{Collector: c}
		if c.Compat {
			c.Faults.Add(stack.Pos{File: c.Request.Files[0]}, "omit --compat", "%s has no temperatures to reproduce",
				f.Title)
		}
		for _, step := range []func(){a.readParts, func() { read(a, data) }, a.check, a.convert} {
			if c.Faults.Len() == 0 {
				step()
			}
		}
	}
	return f
}

// Limits of an assembly.
const (
	maxParts  = 10_000 // and as many bonds
	maxLength = 1e6    // um
	maxBumps  = 2_000_000
)

// assembly is what a reader finds.
type assembly struct {
	*importer.Collector
	given   *stackfile.Parts
	parts   []*part
	bonds   []*bond
	outside part // what parts are connected to that are held by the package
}

// kind is what parts are copies of: a ChipletDef or a component.
type kind struct {
	names   []string // in the parts file: its own, those of a technology and of a type
	class   string   // die, interposer, substrate, ...
	size    [3]float64
	design  box // the area of transistors, in x and y
	tsv     bool
	def     file
	lef     []file
	regions map[string]*region
	pos     stack.Pos
}

// file is a path that a line names.
type file struct {
	path string
	pos  stack.Pos
}

// near is the path from the working folder.
func (f file) near() string {
	if f.path == "" || filepath.IsAbs(f.path) {
		return f.path
	}
	return filepath.Join(filepath.Dir(f.pos.File), f.path)
}

// paths are those of files from the working folder. A star matches any letters.
func (a *assembly) paths(files ...file) (list []string) {
	for _, f := range files {
		found := []string{f.near()}
		if strings.Contains(f.path, "*") {
			found, _ = filepath.Glob(f.near()) // none for a malformed pattern
		}
		if len(found) == 0 {
			a.Faults.Add(f.pos, "", "no file matches %s", f.near())
		}
		list = append(list, found...)
	}
	return list
}

// part is a die, an interposer or a substrate in its location.
type part struct {
	*kind
	name string
	placement
	box
	def  file
	held *part // a part that it is connected to, directly or not; the root of a union
	pos  stack.Pos
}

// place adds a part; nil after a fault.
func (a *assembly) place(name string, k *kind, p placement, pos stack.Pos) *part {
	if len(a.parts) == maxParts {
		a.Faults.Add(pos, "simplify the assembly", "more than %d parts", maxParts)
		return nil
	}
	q := &part{kind: k, name: name, placement: p, def: k.def, pos: pos, box: p.box(box{hi: k.size})}
	for axis := range 3 {
		if !(k.size[axis] > near) {
			a.Faults.Add(pos, "give it; a thickness may also be in [part."+k.names[0]+"] of the parts file",
				"%s has no size along %c", describe(q), "xyz"[axis])
			return nil
		}
	}
	a.parts = append(a.parts, q)
	return q
}

// thickness is that of the parts file if the assembly has none, in um.
func (a *assembly) thickness(own float64, names ...string) float64 {
	return cmp.Or(own, 1e6*a.given.Part(names...).Thickness)
}

// root represents all parts that are connected to one.
func (p *part) root() *part {
	for p.held != nil {
		if p.held.held != nil {
			p.held = p.held.held
		}
		p = p.held
	}
	return p
}

// hold connects two parts.
func hold(p, q *part) {
	if a, b := p.root(), q.root(); a != b {
		a.held = b
	}
}

// bond is a layer between two faces.
type bond struct {
	box
	name   string // of the connection
	stack  string // of the connection stack, for the parts file
	layers []plane
	pitch  float64   // um, 0 if unknown
	bumps  []eda.Box // in the coordinates of the assembly, nil if unknown
	pos    stack.Pos
}

// plane is a part of the height of all bumps of a bond.
type plane struct {
	name, metal      string
	height, diameter float64 // um, 0 for the height of the bond, and if unknown
}

func describe(p *part) string { return p.class + " " + quoted(p.name) }

// readParts reads the parts file, if there is one.
func (a *assembly) readParts() {
	name := a.Request.Named["parts"]
	if len(a.Request.Files) > 1 {
		name = a.Request.Files[1]
	}
	path, data, ok := "", []byte(nil), true
	if name != "" {
		if path, data, ok = a.Open(name, stack.Pos{File: a.Request.Files[0]}); !ok {
			return
		}
	}
	var err error
	if a.given, err = stackfile.ParseParts(path, data); err != nil {
		a.Faults.AddError(err)
	}
}

// check refuses parts and bonds that overlap, and warns of parts that nothing holds.
func (a *assembly) check() {
	type named struct {
		*box
		what string
		pos  stack.Pos
	}
	var all []named
	for _, p := range a.parts {
		all = append(all, named{&p.box, describe(p), p.pos})
	}
	for _, b := range a.bonds {
		all = append(all, named{&b.box, "bond " + quoted(b.name), b.pos})
	}
	if len(a.parts) == 0 {
		a.Faults.Add(stack.Pos{File: a.Request.Files[0], Line: 1, Col: 1}, "", "the assembly has no parts")
		return
	}
	slices.SortStableFunc(all, func(p, q named) int { return cmp.Compare(p.lo[0], q.lo[0]) })
	for i, p := range all {
		for _, q := range all[i+1:] {
			if q.lo[0] >= p.hi[0]-near {
				break
			}
			if c := p.common(q.box); c.wide() && min(p.hi[2], q.hi[2])-max(p.lo[2], q.lo[2]) > near {
				a.Faults.Add(q.pos, "move one of them", "%s overlaps %s", q.what, p.what)
				return
			}
		}
	}
	a.floating()
}

// floating warns of groups of parts without a connection to the outside, or to the largest group if none has one.
func (a *assembly) floating() {
	groups := map[*part]int{} // numbers of parts
	for _, p := range a.parts {
		groups[p.root()]++
	}
	ground := a.outside.root()
	if groups[ground] == 0 {
		ground = slices.MaxFunc(a.parts, func(p, q *part) int {
			return cmp.Compare(groups[p.root()], groups[q.root()])
		}).root()
	}
	delete(groups, ground)
	const most = 20 // warnings
	for _, p := range a.parts {
		n, unreported := groups[p.root()]
		if !unreported {
			continue
		}
		if delete(groups, p.root()); len(a.Notes) > most {
			a.Note(importer.Warning, p.pos, "%s and %d further groups of parts float", describe(p), len(groups))
			return
		}
		a.Note(importer.Warning, p.pos, "%s floats: no connection leads from it and %d other parts to the rest",
			describe(p), n-1)
	}
}
