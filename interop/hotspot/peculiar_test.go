package hotspot

import (
	"math"
	"slices"
	"strings"
	"testing"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// importNamed imports files with the options of a command line; good files stand in for those that are not given.
func importNamed(t *testing.T, p project, compat, direct bool, named map[string]string) (*importer.Result, string,
	error) {
	t.Helper()
	base := project{"c.config": goodConfig, "f.flp": goodFlp, "p.ptrace": goodTrace, "l.lcf": goodLcf}
	for name, text := range p {
		base[name] = text
	}
	all := map[string]string{"ptrace": "p.ptrace"}
	for name, value := range named {
		all[name] = value
	}
	r, err := Format.Import(importer.Request{Files: []string{"c.config"}, Named: all, Compat: compat, Direct: direct,
		Open: base.open})
	if err != nil {
		return nil, "", err
	}
	var notes []string
	for _, n := range r.Notes {
		notes = append(notes, n.String())
	}
	return r, strings.Join(notes, "\n"), nil
}

var layered = map[string]string{"grid_layer_file": "l.lcf", "detailed_3D": "on"}

// HotSpot crashes on a cell that no block touches with detailed_3D, and on no other gap. Cells are 2 x 2 mm.
func TestGaps(t *testing.T) {
	half := project{"f.flp": "core 8e-3 16e-3 0 0\ncache 8e-3 14.1e-3 8e-3 0\n"}
	whole := project{"f.flp": "core 8e-3 16e-3 0 0\ncache 8e-3 14e-3 8e-3 0\n"}
	for _, compat := range []bool{false, true} {
		_, notes, err := importNamed(t, half, compat, true, layered)
		if err != nil || !strings.Contains(notes, "f.flp:2:1") ||
			!strings.Contains(notes, "x = 8 to 10 and y = 14 to 16 mm") {
			t.Errorf("half a cell: %v, notes %s", err, notes)
		}
	}
	if _, notes, err := importNamed(t, whole, false, true, layered); err != nil ||
		!strings.Contains(notes, "treated as unpowered") {
		t.Errorf("a whole cell, our own way: %v, notes %s", err, notes)
	}
	_, _, err := importNamed(t, whole, true, true, layered)
	if err == nil || !strings.Contains(err.Error(), "f.flp:2:1") ||
		!strings.Contains(err.Error(), "x = 8 to 10 and y = 14 to 16 mm; HotSpot crashes") {
		t.Errorf("a whole cell with --compat: %v", err)
	}
}

// HotSpot reads detailed_3D from its command line alone.
func TestDetailedInConfig(t *testing.T) {
	p := project{"c.config": goodConfig + "-detailed_3D on\n", "f.flp": "core 8e-3 16e-3 0 0 2e6 0.02\ncache 8e-3 " +
		"16e-3 8e-3 0\n"}
	lcf := map[string]string{"grid_layer_file": "l.lcf"}
	own, notes, err := importNamed(t, p, false, true, lcf)
	if err != nil || !strings.Contains(notes, "c.config:8:14: warning: HotSpot reads detailed_3D from its "+
		"command line only") || len(own.Stack.Layers[0].Regions) != 2 {
		t.Fatalf("our own way: %v, %s, %+v", err, notes, own.Stack.Layers[0].Regions)
	}
	for _, want := range []string{"detailed-in-config", "face-node"} {
		if !deviates(own, want) {
			t.Errorf("%s is missing", want)
		}
	}
	asIs, _, err := importNamed(t, p, true, true, lcf)
	if err != nil {
		t.Fatal(err)
	}
	delete(p, "c.config")
	without, _, err := importNamed(t, p, true, true, lcf)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range without.Network.Links {
		if asIs.Network.Links[i] != l {
			t.Fatalf("link %d is %+v, without detailed_3D %+v", i, asIs.Network.Links[i], l)
		}
	}
	if _, _, err := importNamed(t, p, true, true, map[string]string{"flp": "f.flp", "detailed_3D": "on"}); err == nil ||
		!strings.Contains(err.Error(), "refuses detailed_3D for a single floorplan") {
		t.Errorf("a single floorplan with detailed_3D: %v", err)
	}
}

func deviates(r *importer.Result, name string) bool {
	for _, d := range r.Deviations {
		if d.Name == name {
			return true
		}
	}
	return false
}

// Materials of the top layer's blocks are none of the plates'.
func TestPlatesHaveTheirOwnMaterials(t *testing.T) {
	p := project{"g.flp": "core 8e-3 16e-3 0 0 4e6 1\ncache 8e-3 16e-3 8e-3 0\n",
		"l.lcf": strings.Replace(goodLcf, "2e-5\nf.flp", "2e-5\ng.flp", 1)}
	r, _, err := importNamed(t, p, false, true, layered)
	if err != nil {
		t.Fatal(err)
	}
	// blocks beside the layer's own place; the spreader within the sink's footprint; the sink
	for l, want := range map[int]int{1: 2, 2: 1, 3: 0} {
		if got := r.Stack.Layers[l].Regions; len(got) != want {
			t.Errorf("layer %s has regions %+v", r.Stack.Layers[l].Name, got)
		}
	}
}

// Columns belong to layers in turn, as HotSpot takes them, also where layers share names and capitals differ.
func TestColumns(t *testing.T) {
	both := strings.Replace(goodLcf, "1\nY\nN", "1\nY\nY", 1)
	lcf := map[string]string{"grid_layer_file": "l.lcf"}
	r, _, err := importNamed(t, project{"l.lcf": both, "p.ptrace": "Cache core core CACHE\n1 2 3 4\n"}, true, true, lcf)
	if err != nil {
		t.Fatal(err)
	}
	want := []OutputColumn{{0, 1, "Cache"}, {0, 0, "core"}, {1, 0, "core"}, {1, 1, "CACHE"}}
	for i, c := range r.Outputs.(*Outputs).Columns {
		if c != want[i] {
			t.Errorf("column %d is %+v, want %+v", i, c, want[i])
		}
	}
	for l, watts := range [][2]float64{{2, 1}, {3, 4}} {
		b := r.Stack.Layers[l].Powers[0].Blocks
		if b[0].Watts != watts[0] || b[1].Watts != watts[1] {
			t.Errorf("layer %d: %+v", l, b)
		}
	}
	mixed := project{"l.lcf": both, "p.ptrace": "core core cache cache\n1 2 3 4\n"}
	if _, notes, err := importNamed(t, mixed, false, true, lcf); err != nil ||
		!strings.Contains(notes, "not grouped by layer") {
		t.Errorf("columns by name: %v, %s", err, notes)
	}
	if _, _, err := importNamed(t, mixed, true, true, lcf); err == nil ||
		!strings.Contains(err.Error(), "p.ptrace:1:1") {
		t.Errorf("columns by name with --compat: %v", err)
	}
	mixed["p.ptrace"] = "core cache core cache core\n1 2 3 4 5\n"
	if _, _, err := importNamed(t, mixed, false, true, lcf); err == nil ||
		!strings.Contains(err.Error(), `p.ptrace:1:23: column "core" is given more often`) {
		t.Errorf("a column too many: %v", err)
	}
}

// Of a repeated parameter the first value holds, and names are those of any capitals.
func TestRepeatedParameter(t *testing.T) {
	r, _, err := importNamed(t, project{"c.config": goodConfig + "-Ambient 400\n-R_CONVEC 0.5\n-s_sink 0.1\n"}, false,
		true, map[string]string{"grid_layer_file": "l.lcf"})
	if err != nil {
		t.Fatal(err)
	}
	if h := r.Stack.Boundary[1].H; r.Stack.Ambient != 318.15 || math.Abs(h-200) > 1e-9 {
		t.Errorf("ambient %g K, h %g W/(m2 K)", r.Stack.Ambient, h)
	}
}

// A direct run begins with each block's temperature, and the plates beside the die with their nodes'; a stack file with
// the mean.
func TestInitialField(t *testing.T) {
	init := "layer_0_core 330\nlayer_0_cache 350\nlayer_1_core 331\nlayer_1_cache 351\nhsp_core 325\nhsp_cache " +
		"326\nhsink_core 321\nhsink_cache 322\n"
	nodes := "inode_0 310\ninode_1 311\ninode_2 312\ninode_3 313\ninode_4 314\ninode_5 315\ninode_6 316\ninode_7 " +
		"317\ninode_8 318\ninode_9 319\ninode_10 320\ninode_11 321\n"
	named := map[string]string{"grid_layer_file": "l.lcf", "init_file": "t.init"}
	r, _, err := importNamed(t, project{"t.init": init + nodes}, false, true, named)
	if err != nil {
		t.Fatal(err)
	}
	at := func(layer int, x, y float64) float64 {
		l := r.Initial[layer]
		for _, a := range l.Areas {
			if x > a.X && x < a.X+a.Width && y > a.Y && y < a.Y+a.Height {
				return a.Kelvin
			}
		}
		return l.Kelvin
	}
	// The die of 16 x 16 mm lies in the middle of a sink of 60 mm, under a spreader of 30 mm.
	for _, c := range []struct{ layer, x, y, want float64 }{
		{0, 25, 30, 330}, {0, 35, 30, 350}, {0, 1, 1, 340}, {1, 35, 30, 351}, {2, 25, 30, 325},
		{2, 18, 30, 310}, {2, 42, 30, 311}, {2, 30, 42, 312}, {2, 30, 18, 313}, {2, 18, 42, 311},
		{3, 35, 30, 322}, {3, 18, 30, 314}, {3, 30, 18, 317}, {3, 5, 30, 318}, {3, 55, 30, 319}, {3, 30, 55, 320},
		{3, 30, 5, 321}, {3, 5, 5, 319.5},
	} {
		if got := at(int(c.layer), c.x*1e-3, c.y*1e-3); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("layer %g at (%g, %g) mm begins with %g K, not %g", c.layer, c.x, c.y, got, c.want)
		}
	}
	r, notes, err := importNamed(t, project{"t.init": init}, false, false, named)
	if err != nil || math.Abs(r.Stack.Transient.Initial-332) > 1e-9 ||
		!strings.Contains(notes, "a stack file has only their mean") {
		t.Errorf("a stack file: %v, %s", err, notes)
	}
	if _, _, err := importNamed(t, project{"t.init": init}, true, true, named); err == nil ||
		!strings.Contains(err.Error(), "inode_0 is missing") {
		t.Errorf("without the nodes: %v", err)
	}
}

// Plates that end alike have no area between, and the nodes there no conductance; a sink that ends with the die is what
// HotSpot divides by zero for.
func TestPlatesOfOneSize(t *testing.T) {
	lcf := map[string]string{"grid_layer_file": "l.lcf"}
	r, _, err := importNamed(t, project{"c.config": goodConfig + "-s_spreader 0.02\n-s_sink 0.02\n"}, true, true, lcf)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Network.Check(); err != nil {
		t.Error(err)
	}
	if _, _, err := importNamed(t, project{"c.config": goodConfig + "-s_spreader 0.016\n-s_sink 0.016\n"}, true, true,
		lcf); err == nil || !strings.Contains(err.Error(), "c.config:9:9: the sink ends with the die") {
		t.Errorf("as large as the die: %v", err)
	}
}

// A die of 8 mm x 4 mm amid a sink of 30 mm lies at (11, 13) mm in all its layers, and a spreader of 20 mm at
// (5, 5) mm: places of blocks, cells over the die, heights, watts and figures, by hand.
func TestPlacesByHand(t *testing.T) {
	plan := "core 2e-3 3e-3 1e-3 0.5e-3\nwest 1e-3 4e-3 0 0\nrest 5e-3 4e-3 3e-3 0\nsouth 2e-3 0.5e-3 1e-3 0\n" +
		"north 2e-3 0.5e-3 1e-3 3.5e-3\n"
	r, err := importProject(project{"c.config": "-model_type grid\n-grid_rows 8\n-grid_cols 4\n-grid_map_mode avg\n" +
		"-ambient 300\n-init_temp 310\n-sampling_intvl 0.01\n-t_chip 2e-4\n-k_chip 120\n-p_chip 1.6e6\n-s_sink 0.03\n" +
		"-s_spreader 0.02\n-t_spreader 2e-3\n-k_spreader 390\n-t_sink 5e-3\n-r_convec 0.4\n-t_interface 3e-5\n" +
		"-k_interface 5\n",
		"f.flp": plan, "p.ptrace": "core west rest south north\n1 2 3 4 5\n"}, false)
	if err != nil {
		t.Fatal(err)
	}
	s := r.Stack
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12*math.Max(1e-3, math.Abs(want)) {
			t.Errorf("%s is %g, want %g", what, got, want)
		}
	}
	box := func(what string, got stack.Rect, x, y, w, h float64) {
		t.Helper()
		near(what+": x", got.X, x)
		near(what+": y", got.Y, y)
		near(what+": width", got.Width, w)
		near(what+": height", got.Height, h)
	}
	near("size in x", s.Size[0], 0.03)
	near("size in y", s.Size[1], 0.03)
	near("ambient", s.Ambient, 300)
	near("h", s.Boundary[stack.Top].H, 1/(0.4*0.03*0.03))
	for l, want := range []struct{ thickness, k, x, y, w, h float64 }{
		{2e-4, 120, 11e-3, 13e-3, 8e-3, 4e-3}, {3e-5, 5, 11e-3, 13e-3, 8e-3, 4e-3},
		{2e-3, 390, 5e-3, 5e-3, 20e-3, 20e-3}, {5e-3, 400, 0, 0, 0, 0},
	} {
		y := &s.Layers[l]
		near(y.Name+": thickness", y.Thickness, want.thickness)
		material := y.Material
		if want.w > 0 {
			material = y.Regions[0].Material
			box(y.Name, y.Regions[0].Rect, want.x, want.y, want.w, want.h)
		}
		near(y.Name+": k", s.Materials[material].K[0], want.k)
	}
	near("c of the die", s.Materials[s.Layers[0].Regions[0].Material].C, 1.6e6)
	for n, want := range [][4]float64{{12e-3, 13.5e-3, 2e-3, 3e-3}, {11e-3, 13e-3, 1e-3, 4e-3},
		{14e-3, 13e-3, 5e-3, 4e-3}, {12e-3, 13e-3, 2e-3, 0.5e-3}, {12e-3, 16.5e-3, 2e-3, 0.5e-3}} {
		b := s.Layers[0].Powers[0].Blocks[n]
		box(b.Name, b.Rects[0], want[0], want[1], want[2], want[3])
		near(b.Name, b.Watts, float64(n+1))
	}
	for axis, want := range []struct {
		of       stack.Axis
		from, to float64
		cells    int
	}{{s.Grid.X, 11e-3, 19e-3, 4}, {s.Grid.Y, 13e-3, 17e-3, 8}} {
		n := slices.IndexFunc(want.of.Segments, func(g stack.Segment) bool { return math.Abs(g.To-want.to) < 1e-12 })
		if n < 1 || want.of.Segments[n].Cells != want.cells || math.Abs(want.of.Segments[n-1].To-want.from) > 1e-12 {
			t.Errorf("axis %d: %+v, want %d cells from %g to %g m", axis, want.of.Segments, want.cells, want.from,
				want.to)
		}
	}
}
