package hotspot_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// randomProject is a HotSpot project with everything drawn at random that the grid model takes.
type randomProject struct {
	Kind     string // "2D", "3D" or "3D detailed"
	options  []string
	detailed bool

	r             *rand.Rand
	files         map[string]*strings.Builder
	width, height float64 // um
	rows, cols    int
	layers        []randomLayer
}

type randomLayer struct {
	name   string // of the floorplan
	blocks []randomBlock
	power  bool
}

// randomBlock is a block in um.
type randomBlock struct {
	name       string
	x, y, w, h float64
}

// newRandomProject draws the project of a seed.
func newRandomProject(seed uint64) *randomProject {
	p := &randomProject{r: rand.New(rand.NewPCG(seed, 7)), files: map[string]*strings.Builder{}}
	p.Kind = []string{"2D", "3D", "3D detailed"}[seed%3]
	p.detailed = p.Kind == "3D detailed"
	p.width, p.height = math.Round(p.between(3e3, 20e3)), math.Round(p.between(3e3, 20e3))
	p.rows, p.cols = 3+p.r.IntN(22), 3+p.r.IntN(22)
	p.config()
	if p.Kind == "2D" {
		l := p.floorplan("die.flp", false)
		l.power = true
		p.layers = append(p.layers, l)
		p.options = append(p.options, "f", "die.flp")
	} else {
		p.layerList()
	}
	p.trace()
	if p.r.IntN(2) == 0 {
		p.initial()
	}
	return p
}

// between draws uniformly, spread by orders of magnitude.
func (p *randomProject) between(lo, hi float64) float64 { return lo + (hi-lo)*p.r.Float64() }
func (p *randomProject) spread(lo, hi float64) float64 {
	return lo * math.Pow(hi/lo, p.r.Float64())
}
func (p *randomProject) chance(of float64) bool { return p.r.Float64() < of }

func (p *randomProject) write(file, format string, args ...any) {
	if p.files[file] == nil {
		p.files[file] = &strings.Builder{}
	}
	fmt.Fprintf(p.files[file], format, args...)
}

// config draws the configuration. Now and then it has what HotSpot passes over: a repeated value, and detailed_3D.
func (p *randomProject) config() {
	set := func(name, format string, v any) { p.write("chip.config", "-%s\t"+format+"\n", name, v) }
	set("model_type", "%s", "grid")
	set("grid_rows", "%d", p.rows)
	set("grid_cols", "%d", p.cols)
	set("grid_map_mode", "%s", []string{"avg", "min", "max", "center"}[p.r.IntN(4)])
	spreader := math.Max(p.width, p.height) * 1e-6 * p.between(1.05, 4)
	set("s_spreader", "%.5f", spreader)
	set("s_sink", "%.5f", spreader*p.between(1.001, 3))
	set("t_spreader", "%.4g", p.spread(1e-4, 4e-3))
	set("t_sink", "%.4g", p.spread(5e-4, 15e-3))
	for _, part := range []string{"spreader", "sink"} {
		set("k_"+part, "%.4g", p.spread(20, 1000))
		set("p_"+part, "%.4g", p.spread(1e6, 5e6))
	}
	set("r_convec", "%.4g", p.spread(0.05, 2))
	set("c_convec", "%.4g", p.spread(1, 500))
	set("ambient", "%.2f", p.between(280, 330))
	set("init_temp", "%.2f", p.between(290, 360))
	set("sampling_intvl", "%.4g", p.spread(1e-5, 1))
	if p.Kind == "2D" {
		set("t_chip", "%.4g", p.spread(2e-5, 8e-4))
		set("k_chip", "%.4g", p.spread(30, 200))
		set("p_chip", "%.4g", p.spread(1e6, 3e6))
		set("t_interface", "%.4g", p.spread(5e-6, 1e-4))
		set("k_interface", "%.4g", p.spread(0.5, 50))
		set("p_interface", "%.4g", p.spread(1e6, 5e6))
	}
	if p.chance(0.1) {
		set("r_convec", "%.4g", p.spread(0.05, 2))
	}
	if p.Kind == "3D" && p.chance(0.2) {
		set("detailed_3D", "%s", "on")
	}
}

// floorplan cuts the die into blocks, most cuts at any um and some on the grid's lines. Some plans have a narrow gap,
// and with materials some blocks have figures of their own.
func (p *randomProject) floorplan(name string, materials bool) randomLayer {
	l := randomLayer{name: name, blocks: []randomBlock{{w: p.width, h: p.height}}}
	for range p.r.IntN(8) {
		l.cut(p)
	}
	if gap := p.r.IntN(len(l.blocks)); len(l.blocks) > 1 && p.chance(0.2) {
		// Narrow enough to leave no cell empty, and not at the die's edge, which would shrink it.
		if b := &l.blocks[gap]; b.x+b.w < p.width && b.w > p.width/float64(p.cols) {
			b.w -= math.Round(p.between(1, 0.4*p.width/float64(p.cols)))
		}
	}
	for i := range l.blocks {
		b := &l.blocks[i]
		b.name = fmt.Sprintf("%c%d", 'a'+rune(p.r.IntN(26)), i)
		p.write(name, "%s\t%.6f\t%.6f\t%.6f\t%.6f", b.name, b.w*1e-6, b.h*1e-6, b.x*1e-6, b.y*1e-6)
		if materials && p.chance(0.5) {
			p.write(name, "\t%.4g\t%.4g", p.spread(1e6, 4e6), 1/p.spread(0.5, 400))
		}
		p.write(name, "\n")
	}
	return l
}

// cut halves a block somewhere, if both parts stay larger than a cell.
func (l *randomLayer) cut(p *randomProject) {
	b := &l.blocks[p.r.IntN(len(l.blocks))]
	size, cell := b.w, p.width/float64(p.cols)
	lengthwise := p.r.IntN(2) == 0
	if lengthwise {
		size, cell = b.h, p.height/float64(p.rows)
	}
	if size < 3*cell {
		return
	}
	at := math.Round(p.between(1.2*cell, size-1.2*cell))
	other := *b
	if lengthwise {
		b.h, other.y, other.h = at, b.y+at, b.h-at
	} else {
		b.w, other.x, other.w = at, b.x+at, b.w-at
	}
	l.blocks = append(l.blocks, other)
}

// layerList draws the layers, with materials by name here and there. The topmost has materials of its blocks too.
func (p *randomProject) layerList() {
	p.options = append(p.options, "grid_layer_file", "chip.lcf")
	if p.detailed {
		p.options = append(p.options, "detailed_3D", "on")
	}
	n := 1 + p.r.IntN(4)
	powered := p.r.IntN(n)
	named := p.chance(0.3)
	if named {
		p.options = append(p.options, "materials_file", "chip.materials")
		p.write("chip.materials", "silicon\nsolid\n%.4g\n1.75e6\npaste\nsolid\n%.4g\n4e6\n", p.between(90, 150),
			p.between(1, 10))
	}
	yes := func(v bool) string { return map[bool]string{true: "Y", false: "N"}[v] }
	for i := range n {
		l := p.floorplan(fmt.Sprintf("layer%d.flp", i), true)
		l.power = i == powered || p.chance(0.5)
		p.write("chip.lcf", "# layer\n%d\n%s\n%s\n", i, yes(p.chance(0.85)), yes(l.power))
		if named && p.chance(0.5) {
			p.write("chip.lcf", "%s\n", []string{"silicon", "paste"}[p.r.IntN(2)])
		} else {
			p.write("chip.lcf", "%.4g\n%.4g\n", p.spread(1e6, 4e6), 1/p.spread(0.5, 400))
		}
		p.write("chip.lcf", "%.4g\n%s\n", p.spread(5e-6, 8e-4), l.name)
		p.layers = append(p.layers, l)
	}
}

// trace draws powers, the columns of a layer in any order.
func (p *randomProject) trace() {
	p.options = append(p.options, "p", "chip.ptrace")
	var names []string
	for _, l := range p.layers {
		if !l.power {
			continue
		}
		for _, i := range p.r.Perm(len(l.blocks)) {
			names = append(names, l.blocks[i].name)
		}
	}
	p.write("chip.ptrace", "%s\n", strings.Join(names, "\t"))
	for range 1 + p.r.IntN(12) {
		for i := range names {
			if i > 0 {
				p.write("chip.ptrace", "\t")
			}
			p.write("chip.ptrace", "%.3f", p.between(0, 60/float64(len(names))))
		}
		p.write("chip.ptrace", "\n")
	}
}

// initial draws the temperatures that a transient begins with.
func (p *randomProject) initial() {
	p.options = append(p.options, "init_file", "chip.init")
	put := func(prefix string, blocks []randomBlock) {
		for _, b := range blocks {
			p.write("chip.init", "%s%s\t%.2f\n", prefix, b.name, p.between(300, 380))
		}
	}
	for i, l := range p.layers {
		prefix := fmt.Sprintf("layer_%d_", i)
		if p.Kind == "2D" {
			prefix = ""
		}
		put(prefix, l.blocks)
	}
	top := p.layers[len(p.layers)-1].blocks
	if p.Kind == "2D" {
		put("iface_", top)
	}
	put("hsp_", top)
	put("hsink_", top)
	for i := range 12 {
		p.write("chip.init", "inode_%d\t%.2f\n", i, p.between(300, 380))
	}
}

// save writes the files of the project into a folder.
func (p *randomProject) save(dir string) error {
	for name, text := range p.files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}
