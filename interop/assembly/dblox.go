package assembly

import (
	"bytes"
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// Limits of the files of a 3Dblox design.
const (
	maxFiles   = 100
	maxDefines = 100
)

// dblox reads the files of a 3Dblox design.
type dblox struct {
	*assembly
	seen     map[string]bool // paths
	kinds    map[string]*kind
	designs  map[string]*design
	placed   map[string]*part                 // by the path of the instance
	sizes    map[string]map[string][2]float64 // of cells in LEF files, by the paths of these
	unfolded int                              // designs so far
	bumps    int                              // likewise
}

// dbloxFile is the contents of a .3dbv or .3dbx.
type dbloxFile struct {
	source `yaml:"-"`
	Header struct {
		Unit    scalar
		Include list[scalar]
	} `yaml:"Header"`
	ChipletDef named[chipletDef]      `yaml:"ChipletDef"`
	Design     *struct{ Name scalar } `yaml:"Design"`
	Instances  named[struct {
		Reference scalar
		External  struct {
			DEF list[scalar] `yaml:"def_file"`
		}
	}] `yaml:"ChipletInst"`
	Stack named[struct {
		Loc    list[number]
		Z      number
		Orient scalar
	}] `yaml:"Stack"`
	Connections named[connection] `yaml:"Connection"`
}

// design is the contents of a .3dbx.
type design struct {
	file      *dbloxFile
	instances []*instance
	size      [3]float64 // of the box around all instances, in um
	pos       stack.Pos
}

// instance is a ChipletInst with its entry in Stack.
type instance struct {
	name    string
	kind    *kind   // nil for one of a design
	of      *design // likewise
	def     file
	corner  [3]float64
	turned  placement
	stacked bool
	pos     stack.Pos
}

// connection has the paths of two regions, of which one may be missing or ~ for the outside.
type connection struct {
	Top, Bot  scalar
	Thickness number
}

func (a *assembly) readThreeDblox(data []byte) {
	r := &dblox{assembly: a, seen: map[string]bool{}, kinds: map[string]*kind{}, designs: map[string]*design{},
		placed: map[string]*part{}, sizes: map[string]map[string][2]float64{}}
	path := a.Request.Files[0]
	r.seen[filepath.Clean(path)] = true
	top := r.read(path, data)
	switch {
	case a.Faults.Len() > 0:
	case top == nil:
		a.Faults.Add(stack.Pos{File: path, Line: 1, Col: 1}, "give the .3dbx of a design", "the file has no Design")
	default:
		r.unfold(top, "", placement{turn: turns["R0"]})
	}
}

// read reads a file after those that it includes; nil if it has no design.
func (r *dblox) read(path string, data []byte) *design {
	f := &dbloxFile{source: source{&r.Faults, path}}
	text, ok := f.define(data)
	if !ok {
		return nil
	}
	others, ok := f.parse(text, f, "Header", "ChipletDef", "Design", "ChipletInst", "Stack", "Connection")
	if !ok {
		return nil
	}
	r.Notes = append(r.Notes, others...)
	if u := f.Header.Unit; u.text != "" && u.text != "micron" {
		f.fail(u, "", "unit: got %.40q; expected micron", u.text)
	}
	for _, name := range f.Header.Include {
		for _, one := range r.paths(file{name.text, f.pos(name)}) {
			r.include(filepath.Clean(one), f.pos(name))
		}
	}
	for i := range f.ChipletDef {
		r.chipletDef(f, &f.ChipletDef[i])
	}
	if f.Design == nil || r.Faults.Len() > 0 {
		return nil
	}
	return r.design(f)
}

// include reads a further file, unless it was read before.
func (r *dblox) include(path string, pos stack.Pos) {
	if r.seen[path] || r.Faults.Len() > 0 {
		return
	}
	if r.seen[path] = true; len(r.seen) > maxFiles {
		r.Faults.Add(pos, "", "more than %d files are included", maxFiles)
		return
	}
	if data, ok := r.OpenNear(path, pos); ok {
		r.read(path, data)
	}
}

// define replaces the words that lines "#!define word value" define in later lines, in the order of the words. Lines
// keep their numbers.
func (f *source) define(data []byte) ([]byte, bool) {
	defined := map[string]string{}
	var out []byte
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if rest, ok := bytes.CutPrefix(line, []byte("#!define")); ok {
			word, value, _ := strings.Cut(strings.TrimSpace(string(rest)), " ")
			defined[word] = strings.TrimSpace(value)
			line = []byte("\n")
		}
		for _, word := range slices.Sorted(maps.Keys(defined)) {
			n := bytes.Count(line, []byte(word))
			if word == "" || len(defined) > maxDefines || len(line)+n*(len(defined[word])-len(word)) > maxText {
				f.Add(stack.Pos{File: f.file, Line: number}, "", "#!define: expected a word, at most %d times, and "+
					"lines of at most %d MiB", maxDefines, maxText>>20)
				return nil, false
			}
			line = bytes.ReplaceAll(line, []byte(word), []byte(defined[word]))
		}
		if out = append(out, line...); len(out) > maxText {
			f.Add(stack.Pos{File: f.file, Line: number}, "split the file", "the text has more than %d MiB", maxText>>20)
			return nil, false
		}
	}
	return out, true
}

// design reads the instances, their locations and the connections.
func (r *dblox) design(f *dbloxFile) *design {
	g, byName := &design{file: f, pos: f.pos(f.Design.Name)}, map[string]*instance{}
	for _, e := range f.Instances {
		i := &instance{name: e.key.text, pos: f.pos(e.key)}
		reference := e.value.Reference
		if i.kind, i.of = r.kinds[reference.text], r.designs[reference.text]; i.kind == nil && i.of == nil {
			f.fail(e.key, "include its .3dbv or .3dbx", "reference of instance %.40q: got %.40q; expected the name of "+
				"a ChipletDef or of a Design", i.name, reference.text)
		}
		for _, def := range e.value.External.DEF {
			i.def = file{def.text, f.pos(def)}
		}
		g.instances, byName[i.name] = append(g.instances, i), i
	}
	for _, e := range f.Stack {
		i, v := byName[e.key.text], e.value
		if i == nil || len(v.Loc) != 2 || v.Z.text == "" {
			f.fail(e.key, "", "Stack of %.40q: expected an instance of ChipletInst, with loc [x, y] and z", e.key.text)
			continue
		}
		i.stacked = true
		i.corner = [3]float64{v.Loc[0].value, v.Loc[1].value, v.Z.value}
		ok := false
		if i.turned, ok = oriented(v.Orient.text); !ok {
			f.fail(cmp.Or(v.Orient, e.key), "", "orient: got %.40q; expected R0, R90, R180, R270, MX, MY, MX_R90 or "+
				"MY_R90, each also after MZ", v.Orient.text)
		}
	}
	for _, i := range g.instances {
		if !i.stacked {
			r.Faults.Add(i.pos, "add it", "instance %.40q is not in Stack", i.name)
		}
	}
	if r.Faults.Len() == 0 {
		g.measure()
	}
	name := f.Design.Name
	if name.text == "" || r.designs[name.text] != nil || r.kinds[name.text] != nil {
		f.fail(name, "", "name of Design: got %.40q; expected one that no other Design or ChipletDef has", name.text)
	}
	r.designs[name.text] = g
	r.Stack.Title = importer.Label(name.text, r.Stack.Title) // the design at the top is read last
	return g
}

// measure determines the size of a design: that of the box around its instances, as in OpenROAD.
func (g *design) measure() {
	around := nowhere()
	for _, i := range g.instances {
		where := i.turned.moved(i.size(), i.corner)
		around.include(where.box(box{hi: i.size()}))
	}
	for k := range g.size {
		g.size[k] = max(0, around.extent(k))
	}
}

// size is that of what an instance refers to, in its own coordinates.
func (i *instance) size() [3]float64 {
	if i.kind != nil {
		return i.kind.size
	}
	return i.of.size
}
