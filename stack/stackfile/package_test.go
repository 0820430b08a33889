package stackfile

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"thermsim/stack"
	"thermsim/stack/heatsink"
	"thermsim/stack/internal/keys"
	"thermsim/stack/packaging"
)

// packageFile is a stack file with a package of a kind in an environment, "" for none.
func packageFile(kind packaging.Kind, environment, more string) string {
	text := "schema = 1\n"
	if environment == "" {
		text += "boundary.bottom = { h = 100 }\n"
	}
	text += fmt.Sprintf("[package]\nkind = %q\nsize = [\"21 mm\", \"17 mm\"]\n%s", kind, more)
	if environment != "" {
		text += fmt.Sprintf("environment = %q\n", environment)
	}
	if environment == "jesd51-6" {
		text += "h = 20\n"
	}
	return text + "  [[package.die]]\n  name = \"soc\"\n  size = [\"8 mm\", \"6 mm\"]\n  tmax = \"105 degC\"\n" +
		"  power = { block = [{ name = \"core\", x = \"1 mm\", y = \"1 mm\", width = \"2 mm\", height = \"3 mm\", " +
		"power = \"2 W\" }] }\n"
}

// Every kind in every environment becomes layers that Print writes and Parse reads back to the last bit, with the watts
// of the file at the place of the die.
func TestPackagesRoundTrip(t *testing.T) {
	for _, name := range keys.StackKey("package", "kind").Enum {
		kind := packaging.Kind(name)
		for _, environment := range append(TestEnvironments(), "") {
			if kind == packaging.HBM && packaging.Environment(environment).OnBoard() {
				continue
			}
			s, err := Parse("stack.toml", []byte(packageFile(kind, environment, "")), nil)
			if err != nil {
				t.Fatalf("%s in %q: %v", kind, environment, err)
			}
			again, text, err := reload(s)
			if err != nil {
				t.Fatalf("%s in %q: %v\n%s", kind, environment, err, text)
			}
			if diff := cmp.Diff(s, again, sameStack); diff != "" {
				t.Errorf("%s in %q changed (-before +after):\n%s", kind, environment, diff)
			}
			watts := 0.0
			for _, y := range s.Layers {
				if want := math.Min(stack.DefaultPowerDepth, y.Thickness); y.AtSurface() && y.PowerDepth != want {
					t.Errorf("%s in %q: layer %s is heated over %g m, want %g", kind, environment, y.Name, y.PowerDepth,
						want)
				}
				for _, p := range y.Powers {
					watts += p.Watts()
					// The block lies 1 mm inside of the die, which lies in the middle of the body; the body is in the
					// middle along x everywhere.
					if r := p.Blocks[0].Rects[0]; math.Abs(r.X-(s.Size[0]-8e-3)/2-1e-3) > 1e-12 {
						t.Errorf("%s in %q: the block begins at %g of %g", kind, environment, r.X, s.Size[0])
					}
				}
			}
			if watts != 2 {
				t.Errorf("%s in %q: %g W", kind, environment, watts)
			}
			if (s.Jedec.Environment != environment) || environment != "" && s.Jedec.Case != "case_top" {
				t.Errorf("%s in %q: %+v", kind, environment, s.Jedec)
			}
		}
	}
}

// Mixtures of a package, worked out by hand from the library: along the columns and the vias side by side, across
// sheets one behind the other.
func TestPackageMaterials(t *testing.T) {
	const copper, abf, solder, air = 401.0, 0.4, 58.0, 0.0263
	more := "balls = { diameter = \"0.5 mm\", pitch = \"1 mm\", height = \"0.4 mm\" }\n" +
		"substrate = { thickness = \"1 mm\", vias = \"1 %\", copper = [{ thickness = \"20 um\", coverage = \"50 %\" " +
		"}, { thickness = \"30 um\", coverage = 1 }] }\n"
	s, err := Parse("stack.toml", []byte(packageFile("flip-chip", "jesd51-2a", more)), nil)
	if err != nil {
		t.Fatal(err)
	}
	along := func(f, ki, km float64) float64 { return f*ki + (1-f)*km }
	pile := 1e-3 / (20e-6/along(0.5, copper, abf) + 30e-6/copper + 950e-6/abf)
	plane := (20e-6*along(0.5, copper, abf) + 30e-6*copper + 950e-6*abf) / 1e-3
	want := map[string][2]float64{ // along x, z
		"balls": {0, along(math.Pi/4*0.25, solder, air)},
		"substrate": {plane * (copper + plane + 0.01*(copper-plane)) / (copper + plane - 0.01*(copper-plane)),
			along(0.01, copper, pile)},
	}
	for _, m := range s.Materials {
		w, known := want[m.Name]
		if !known {
			continue
		}
		delete(want, m.Name)
		if math.Abs(m.K[2]/w[1]-1) > 1e-12 || w[0] > 0 && (math.Abs(m.K[0]/w[0]-1) > 1e-12 || m.K[1] != m.K[0]) {
			t.Errorf("%s conducts %v, want %v along x and z", m.Name, m.K, w)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

// A material of the file takes the place of the package's own.
func TestPackageMaterialReplaced(t *testing.T) {
	text := packageFile("flip-chip-lid", "jesd51-2a", "") + "[materials.substrate]\nk = [10, 10, 1]\nc = " +
		"2e6\n[materials.copper]\nk = 300\nc = 3.4e6\n"
	s, err := Parse("stack.toml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range s.Materials {
		switch {
		case m.Name == "substrate" && m.K != [3]float64{10, 10, 1}, m.Name == "copper" && m.K[0] != 300,
			m.Name == "board_copper_2" && m.K[0] != 300:
			t.Errorf("%s conducts %v", m.Name, m.K)
		}
	}
}

// Still air: a horizontal board of JESD51-9, area over perimeter for all faces.
func TestStillAirFaces(t *testing.T) {
	s, err := Parse("stack.toml", []byte(packageFile("wire-bond", "jesd51-2a", "")), nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Size != [2]float64{101.5e-3, 114.5e-3} {
		t.Errorf("the board is %v", s.Size)
	}
	for f, b := range s.Boundary {
		want := heatsink.Vertical
		switch stack.Face(f) {
		case stack.Top:
			want = heatsink.Up
		case stack.Bottom:
			want = heatsink.Down
		}
		if length := 101.5e-3 * 114.5e-3 / (2 * (101.5e-3 + 114.5e-3)); b.Natural != want ||
			math.Abs(b.Length/length-1) > 1e-12 || b.Emissivity != 0.9 || b.Temperature != s.Ambient {
			t.Errorf("%s: %+v", stack.Face(f), b)
		}
	}
}

// What is wrong with a package is told with its place.
func TestPackageFaults(t *testing.T) {
	good := packageFile("flip-chip-lid", "jesd51-2a", "")
	replaced := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	part := func(more string) string { return packageFile("flip-chip-lid", "jesd51-2a", more+"\n") }
	const sink = "[heat_sink]\nmaterial = \"copper\"\nbase = \"5 mm\"\nresistance = 0.3\n"
	for name, c := range map[string]struct{ text, want string }{
		"die larger than package": {replaced(`size = ["8 mm", "6 mm"]`, `size = ["8 mm", "20 mm"]`),
			`stack.toml:8:10: die "soc" extends beyond a package of 21 mm by 17 mm by 1.5 mm in the south and by 1.5 mm in the north; make the package larger`},
		"die under the foot": {replaced(`size = ["8 mm", "6 mm"]`, `size = ["16 mm", "6 mm"]`),
			`stack.toml:8:10: die "soc", or the interposer under it, overlaps the 3 mm wide foot of the lid by 500 um in the west and by 500 um in the east`},
		"die outside": {replaced(`size = ["8 mm", "6 mm"]`, "size = [\"8 mm\", \"6 mm\"]\nx = \"-1 mm\""),
			`stack.toml:8:10: die "soc" extends beyond a package of 21 mm by 17 mm by 1 mm in the west`},
		"no dies": {"schema = 1\n[package]\nkind = \"hbm\"\nsize = [1e-2, 1e-2]\ndie = []\n",
			`stack.toml:5:7: die is empty; add a [[die]] table`},
		"dies that overlap": {good + "[[package.die]]\nname = \"b\"\nsize = [2e-3, 2e-3]\nx = \"9 mm\"\ny " +
			"= \"7 mm\"\n", `stack.toml:6:13: die "soc" is one of 2 and has no position`},
		"two dies of one place": {replaced(`size = ["8 mm", "6 mm"]`, "size = [\"8 mm\", \"6 mm\"]\nx = \"6 "+
			"mm\"\ny = \"5 mm\"") + "[[package.die]]\nname = \"b\"\nsize = [2e-3, 2e-3]\nx = \"9 mm\"\ny = \"7 mm\"\n",
			`stack.toml:15:8: die "b" overlaps die "soc"; move one`},
		"coverage over 1": {part(`substrate = { copper = [{ thickness = "15 um", coverage = 1.2 }] }`),
			`stack.toml:5:59: coverage must lie between 0 and 1, got 1.2`},
		"vias over 1": {part(`board = { vias = "150 %" }`),
			`stack.toml:5:18: vias must lie between 0 and 1, got "150 %"`},
		"more copper than board": {part(`board = { thickness = "200 um" }`),
			`stack.toml:5:23: the copper layers of the board have a total thickness of 210 um, but it is only 200 um thick; increase the thickness`},
		"joints that touch": {part(`balls = { pitch = "0.6 mm" }`),
			`stack.toml:5:19: balls of 600 um diameter touch at a pitch of 600 um`},
		"no lid on a bare die": {packageFile("flip-chip", "jesd51-2a", "lid = { thickness = \"1 mm\" }\n"),
			`stack.toml:5:1: lid has no effect on a package of kind "flip-chip"; remove it`},
		"unknown material": {part(`tim1 = { material = "butter" }`),
			`stack.toml:5:8: unknown material "butter"`},
		"tim2 without a sink": {part(`tim2 = { thickness = "1 mm" }`),
			`stack.toml:5:8: tim2 requires a heat sink; add [heat_sink]`},
		"moving air without h": {replaced("jesd51-2a", "jesd51-6"),
			`stack.toml:5:15: environment environment jesd51-6 needs h of the moving air; add h`},
		"size and environment": {"size = [0.1, 0.1]\n" + good,
			`stack.toml:1:8: environment jesd51-2a of the package conflicts with size; remove it, or environment`},
		"sink and environment": {good + sink,
			`stack.toml:11:2: environment jesd51-2a of the package conflicts with heat_sink`},
		"layer and package": {good + "[[layer]]\nname = \"x\"\nmaterial = \"copper\"\nthickness = 1\n",
			`stack.toml:11:3: layer conflicts with package; remove one of them`},
		"HBM on a board": {packageFile("hbm", "jesd51-8", ""),
			`stack.toml:5:15: an HBM stack has no board`},
		"package beyond boards": {replaced(`["21 mm", "17 mm"]`, `["120 mm", "17 mm"]`),
			`stack.toml:4:8: JESD51-9 defines no board for a package of 120 mm`},
		"tiers of a flip chip": {replaced(`tmax =`, "tiers = 4\n  tmax ="),
			`stack.toml:9:11: a package of kind "flip-chip-lid" has no memory dies`},
		"tier power alone": {replaced(`tmax =`, "tier_power = 1\n  tmax ="),
			`stack.toml:9:16: die "soc" has no memory dies to heat; add tiers`},
		"board none in a test": {part(`board = "none"`),
			`stack.toml:5:9: the environment jesd51-2a needs a board; remove it`},
		"board too small": {part(`board = { size = ["20 mm", "20 mm"] }`),
			`stack.toml:5:9: a board of 20 mm by 20 mm leaves -500 um around a package of 21 mm by 17 mm, but needs 0 m; give it a larger size`},
		"no room for the ring": {packageFile("flip-chip", "jesd51-8", "board = { size = [\"30 mm\", \"30 mm\"] }\n"),
			`stack.toml:5:9: a board of 30 mm by 30 mm leaves 4.5 mm around a package of 21 mm by 17 mm, but needs 6 mm`},
		"sink, board and domain": {"size = [0.05, 0.05]\n" +
			packageFile("flip-chip", "", "board = { size = [0.1, 0.1] }\n") + sink + "size = [0.04, 0.04]\n",
			`stack.toml:1:8: size has no effect with board.size and heat_sink.size; remove it`},
		"sized sink without a package": {"schema = 1\nsize = [0.05, 0.05]\n[[layer]]\nname = \"x\"\n" +
			"material = \"copper\"\nthickness = 1\n" + sink + "size = [0.04, 0.04]\n",
			`stack.toml:11:8: heat_sink.size needs a package; remove it`},
		"face under a whole sink": {packageFile("flip-chip", "", "") + "[boundary.top]\nh = 10\n" + sink,
			`stack.toml:11:11: boundary.top conflicts with heat_sink`},
		"board and domain": {"size = [0.05, 0.05]\n" +
			packageFile("flip-chip", "", "board = { size = [0.1, 0.1] }\n"),
			`stack.toml:7:9: size conflicts with the size of the board: both define the domain`},
		"domain too small": {"size = [0.02, 0.02]\n" + packageFile("flip-chip", "", ""),
			`stack.toml:1:8: the domain is smaller than a package of 21 mm by 17 mm; make it larger`},
		"neither": {"schema = 1\n", `stack.toml:1:1: a stack file needs the key "size"`},
		"probe of figures": {small + "[jedec]\nenvironment = \"jesd51-2a\"\ncase = \"lid\"\n",
			`stack.toml:10:8: no probe is called "lid"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("stack.toml", []byte(c.text), nil)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got\n%v\nwant\n%s", err, c.want)
			}
		})
	}
}
