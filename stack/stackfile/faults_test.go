package stackfile

import (
	"regexp"
	"strings"
	"testing"

	"thermsim/stack"
	"thermsim/stack/internal/faults"
)

// small is a valid stack; the faults below replace or append to parts of it.
const small = `schema = 1
size = ["10 mm", "10 mm"]
boundary.top = { h = 1e4 }
[[layer]]
name = "die"
material = "silicon"
thickness = "1 mm"
`

// two has an interface at 1 mm.
const two = small + "[[layer]]\nname = \"lid\"\nmaterial = \"copper\"\nthickness = \"1 mm\"\n"

func TestFaults(t *testing.T) {
	power := func(p string) string { return small + "power = " + p + "\n" }
	face := func(s string) string { return strings.Replace(small, "{ h = 1e4 }", "{ "+s+" }", 1) }
	sink := func(s string) string {
		return strings.Replace(small, "boundary.top = { h = 1e4 }\n", "", 1) + "[heat_sink]\nmaterial = " +
			"\"copper\"\nbase = \"5 mm\"\n" + s + "\n"
	}
	region := func(r string) string { return small + "[[layer.region]]\nmaterial = \"copper\"\n" + r + "\n" }
	inputs := files{
		"two.flp":    "a 1e-3 1e-3 0 0\nb 1e-3 1e-3 1e-3 0\n",
		"wide.flp":   "a 11e-3 1e-3 0 0\n",
		"short.flp":  "a 1e-3 1e-3\nb 1e-3 1e-3 0 0\n",
		"empty.flp":  "# nothing\n",
		"bad.flp":    "a 1e-3 1,5e-3 0 0\n\ta 1e-3 -1 0 0\na nan 1 0 0 \n",
		"twice.flp":  "a 1e-3 1e-3 0 0\na 1e-3 1e-3 1e-3 0\n",
		"two.ptrace": "a b\n1 2\n",
		"one.ptrace": "a\n1\n",
		"odd.ptrace": "a bb b\n1 2 3\n",
		"ragged.csv": "1,2\n1\n",
		"neg.csv":    "1,2\n1,-2\n",
		"word.csv":   "1;2\n3;x\n",
		"quote.csv":  "1,2\n\"3,4\n",
		"t.csv":      "time [ms],a,b\n0,1,2\n5,3,4\n",
		"late.csv":   "time,a,b\n1,1,2\n",
		"down.csv":   "time,a,b\n0,1,2\n0,1,2\n",
		"when.csv":   "when,a,b\n0,1,2\n",
		"dense.csv":  "0.1, 0.2\n0.3,1.5\n",
		"dense.npy":  "numbers",
		"dense.png":  "dots",
		"single.csv": "t,a,b\n0,1,2\n",
	}
	tests := []struct{ name, text, want string }{
		{"syntax", "schema = 1\nsize = [1\nlayer", `stack.toml:3:1: not valid TOML: `},
		{"duplicate key", small + "name = \"x\"\n", "stack.toml:8:1: not valid TOML: key name is already defined"},
		{"version", "schema = 2\n", "stack.toml:1:10: schema 2 is not supported; this version reads schema = 1; a " +
			"newer one may read this file"},
		{"empty", "", `stack.toml:1:1: a stack file needs the key "schema"; add schema = 1`},
		{"unknown key", small + "thicknes = 1\n",
			`stack.toml:8:1: unknown key "thicknes" in a layer; did you mean "thickness"?`},
		{"misspelled required key", strings.Replace(small, "thickness", "thicknes", 1),
			`stack.toml:7:1: unknown key "thicknes" in a layer; did you mean "thickness"?`},
		{"misspelled table", strings.Replace(small, "[[layer]]", "[[layr]]", 1),
			`stack.toml:4:3: unknown key "layr" in a stack file; did you mean "layer"?`},
		{"misspelled side", region("x = 0\ny = 0\nwidht = \"1 mm\"\nheight = \"1 mm\""),
			`stack.toml:12:1: unknown key "widht" in a region; did you mean "width"?`},
		{"unknown key at top", "ambiant = 3\n" + small,
			`stack.toml:1:1: unknown key "ambiant" in a stack file; did you mean "ambient"?`},
		{"unknown key far off", small + "[transient]\nfoo_bar_baz = 1\n",
			`stack.toml:9:1: unknown key "foo_bar_baz" in a transient table; known: dt, steps, initial, until, dt_tol, to_steady, every, at or periodic`},
		{"missing key", strings.Replace(small, "thickness = \"1 mm\"\n", "", 1),
			`stack.toml:4:3: a layer needs the key "thickness"; add thickness = "10 um"`},
		{"no layers", "schema = 1\nsize = [1, 1]\nlayer = []\n", "stack.toml:3:9: layer is empty; add a [[layer]] " +
			"table"},
		{"wrong unit", strings.Replace(small, "1 mm", "10 W", 1),
			`stack.toml:7:13: thickness: expected a length such as "10 um", got W`},
		{"negative", strings.Replace(small, "1 mm", "-2 um", 1),
			`stack.toml:7:13: thickness must be positive, got "-2 um"`},
		{"nan", strings.Replace(small, `"1 mm"`, "nan", 1), "stack.toml:7:13: thickness must be a finite " +
			"number, got nan"},
		{"not a quantity", strings.Replace(small, `"1 mm"`, "true", 1),
			`stack.toml:7:13: thickness: expected a length such as "10 um", got true`},
		{"pair", strings.Replace(small, `, "10 mm"`, "", 1),
			`stack.toml:2:8: size needs 2 values, got 1; write size = ["10 mm", "10 mm"]`},
		{"pair item", strings.Replace(small, `, "10 mm"`, `, "10 s"`, 1),
			`stack.toml:2:18: size: expected a length such as "10 um", got s`},
		{"cells", small + "cells = 0\n", "stack.toml:8:9: cells must lie between 1 and 10000, got 0"},
		{"cells float", small + "cells = 1.5\n", "stack.toml:8:9: cells must be a whole number, got 1.5"},
		{"table", small + "[[probe]]\nname = 3\nx = 0\ny = 0\nz = 0\n", "stack.toml:9:8: name must be a string, got " +
			"3; write it in quotes"},
		{"array of tables", small + "region = { x = 1 }\n", "stack.toml:8:10: region must be an array of tables, got " +
			"a table; write it as an array of tables"},
		{"transient dt and dt_tol", "transient = { dt = 1, dt_tol = 1 }\n" + small, "stack.toml:1:20: dt selects " +
			"fixed time steps; dt_tol, to_steady, every, at and periodic require adaptive ones; remove dt, or " +
			"dt_tol, to_steady, every, at and periodic"},
		{"transient at and every", "transient = { until = 1, at = [0.1], every = 0.1 }\n" + small,
			"stack.toml:1:46: a transient table has both every and at; remove one of them"},
		{"transient at descends", "transient = { until = 1, at = [0.2, 0.1] }\n" + small,
			"stack.toml:1:31: the times in at do not ascend: entry 2 is 0.1; " +
				"give positive times in s, in ascending order"},
		{"transient periodic until", "transient = { until = 1, periodic = true }\n" + small,
			"stack.toml:1:37: a periodic run covers exactly one period; remove until and to_steady"},
		{"transient steps until", "transient = { until = 1, steps = 3, dt = 1 }\n" + small,
			"stack.toml:1:34: steps and until both define the end of the run; remove steps or until"},
		{"transient not a table", "transient = 3\n" + small, "stack.toml:1:13: expected a transient table, got 3; " +
			"write a table with keys such as dt, steps or initial"},
		{"file name", strings.Replace(small, `"die"`, `"a/b"`, 1),
			`stack.toml:5:8: name "a/b" contains one of / \ : * ? " < > |; choose a name that can be part of a file name`},
		{"duplicate layer", small + "[[layer]]\nname = \"die\"\nmaterial = \"copper\"\nthickness = 1\n",
			`stack.toml:8:3: two layers are called "die"; rename one of them`},
		{"material", strings.Replace(small, "silicon", "silicom", 1),
			`stack.toml:6:12: unknown material "silicom"; did you mean "silicon"?`},
		{"material far off", strings.Replace(small, "silicon", "unobtainium", 1), "stack.toml:6:12: unknown material " +
			"\"unobtainium\"; define [materials.unobtainium] or see `thermsim materials`"},
		{"material without k", small + "[materials.x]\nc = 1\n",
			`stack.toml:8:12: material "x" has no k; add k = "130 W/(m K)"`},
		{"material without c", small + "[materials.x]\nk = 1\nrho = 1\n",
			`stack.toml:8:12: material "x" has no heat capacity; add c = "1.6e6 J/(m^3 K)", or rho and cp`},
		{"material k of two", small + "[materials.x]\nk = [1, 2]\nc = 1\n",
			`stack.toml:9:5: k needs 3 values, got 2; write k = ["130 W/(m K)", "130 W/(m K)", "10 W/(m K)"]`},
		{"mixture of itself", strings.Replace(small, "silicon", "x", 1) + "[materials.x]\nmix = { inclusion = \"x\", " +
			"matrix = \"copper\", fraction = 0.1 }\n", `stack.toml:9:21: material "x" contains itself`},
		{"fraction", strings.Replace(small, "silicon", "x", 1) + "[materials.x]\nmix = { inclusion = \"copper\", " +
			"matrix = \"silicon\", fraction = 1.5 }\n", "stack.toml:9:62: fraction must lie between 0 and 1, got 1.5"},
		{"boundary word", strings.Replace(small, "{ h = 1e4 }", `"adiabetic"`, 1), "stack.toml:3:16: boundary.top " +
			"cannot be \"adiabetic\"; write \"adiabatic\", or a table such as { h = \"10000 W/(m^2 K)\" }"},
		{"boundary twice", strings.Replace(small, "1e4 }", "1e4, temperature = 300 }", 1),
			"stack.toml:3:16: boundary.top needs exactly one of h (with convection and emissivity), temperature, " +
				"flux and resistance, got 2 of them"},
		{"law of h", face("h = { table = [[300, 10], [350, -1]] }"), "stack.toml:3:32: h: is -1 at 350 K, but must " +
			"be positive throughout its range"},
		{"law and air", face("h = { table = [[300, 10], [350, 11]] }, convection = 'natural'"),
			"stack.toml:3:71: convection cannot be combined with a temperature-dependent h; give h as a constant, or " +
				"remove one of them"},
		{"emissivity", face("emissivity = 1.2"), "stack.toml:3:31: emissivity must lie between 0 and 1, got 1.2; " +
			"typical values: polished metal 0.05"},
		{"no emissivity", face("emissivity = 0"), "stack.toml:3:31: emissivity must be positive, got 0"},
		{"radiation and resistance", face("emissivity = 0.9, resistance = 1"), "stack.toml:3:16: boundary.top needs " +
			"exactly one of h (with convection and emissivity), temperature, flux and resistance, got 2 of them"},
		{"forced air", face("convection = 'forced'"), `stack.toml:3:31: convection cannot be "forced"; known: natural`},
		{"upright top", face("convection = 'natural', orientation = 'vertical'"),
			`stack.toml:3:56: natural convection on a vertical top needs its height; add length, for example length = "40 mm"`},
		{"orientation of h", face("h = 5, orientation = 'down'"),
			`stack.toml:3:39: orientation applies to natural convection only; add convection = "natural", or remove it`},
		{"hot air", face("convection = 'natural', ambient = '700 K'"),
			"stack.toml:3:31: properties of air are available from 200 to 600 K, not at 700 K; give h"},
		{"boundary face", strings.Replace(small, "top", "tpo", 1),
			`stack.toml:3:10: unknown key "tpo" in a set of boundaries; did you mean "top"?`},
		{"grid segments", "grid = { nx = 4, y = [{ to = \"5 mm\", cells = 2 }, { to = \"4 mm\", cells = 2 }, { to = " +
			"\"9 mm\", cells = 2 }] }\n" + small,
			"stack.toml:1:22: grid.y: segment 2 ends at 4 mm, not beyond the previous one; " +
				"give the segments in ascending order\nstack.toml:1:22: grid.y ends at 9 mm, the domain at " +
				"10 mm; end the last segment there"},
		{"grid both", "grid = { nx = 4, x = [{ to = \"10 mm\", cells = 2 }] }\n" + small,
			"stack.toml:1:15: a grid has both nx and x; remove one of them"},
		{"grid word", "grid = \"fine\"\n" + small,
			`stack.toml:1:8: grid cannot be "fine"; write "auto", or a table such as { nx = 256, ny = 256 }`},
		{"grid chosen and divided", "grid = { nx = 4, error = \"0.1 K\" }\n" + small,
			"stack.toml:1:26: a grid has both error and nx; remove one of them"},
		{"grid two errors", "grid = { error = \"0.1 K\", relative_error = 0.01 }\n" + small,
			"stack.toml:1:18: a grid has both error and relative_error; remove one of them"},
		{"grid error of no size", "grid = { error = \"0 K\" }\n" + small, "stack.toml:1:18: error must be positive"},
		{"grid of few cells", "grid = { max_cells = 10 }\n" + small, "stack.toml:1:22: max_cells must lie between " +
			"1000 and 1000000000, got 10"},
		{"grid huge", "grid = { nx = 100000, ny = 100000 }\n" + small, "stack.toml:1:8: 100000 x 100000 cells are " +
			"more than 1000000000 in one plane; ask for fewer"},
		{"region outside", small + "[[layer.region]]\nmaterial = \"copper\"\nx = 0\ny = \"9 mm\"\nwidth = \"1 " +
			"mm\"\nheight = \"2 mm\"\n",
			`stack.toml:8:9: layer "die": region at x = 0 m, y = 9 mm extends beyond the domain by 1 mm in the north; shrink or move it`},
		{"region in m", region("x = 1\ny = 0\nwidth = \"1 mm\"\nheight = \"2 mm\""),
			`stack.toml:8:9: layer "die": region at x = 1 m, y = 0 m extends beyond the domain by 991 mm in the east; ` +
				`numbers without a unit are in m: write "1 mm"`},
		{"block in m", power(`{ block = [{ name = "a", x = 0, y = 0, width = 5, height = "2 mm", power = 1 }] }`),
			`stack.toml:8:20: layer "die": block "a" at x = 0 m, y = 0 m extends beyond the domain by 4.99 m in the ` +
				`east; numbers without a unit are in m: write "1 mm"`},
		{"probe in m", small + "[[probe]]\nname = \"p\"\nx = \"1 mm\"\ny = \"1 mm\"\nz = 1\n",
			`stack.toml:8:3: probe "p" at z = 1 m lies outside the stack of height 1 mm; numbers without a unit are ` +
				`in m: write "1 mm"`},
		{"die in m", "schema = 1\n[package]\nkind = \"flip-chip\"\nsize = [\"30 mm\", \"30 mm\"]\n" +
			"[[package.die]]\nname = \"a\"\nsize = [5, 5]\n",
			`stack.toml:7:8: die "a" extends beyond a package of 30 mm by 30 mm by 2.485 m in the west and by 2.485 m in ` +
				`the east and by 2.485 m in the south and by 2.485 m in the north; numbers without a unit are in m: ` +
				`write "1 mm"`},
		{"no source", power(`{ origin = [0, 0] }`), "stack.toml:8:9: power of layer \"die\" needs exactly one of " +
			"floorplan, block, uniform, density and map, got none; use an array of tables for several sources"},
		{"misplaced key", power(`{ uniform = 1, row = 2 }`), "stack.toml:8:24: row has no effect on a power with " +
			"uniform; remove it"},
		{"missing file", power(`{ floorplan = "no.flp", watts = "two.ptrace" }`), "stack.toml:8:23: cannot read " +
			"no.flp: file does not exist; paths are relative to the folder of the file that names them"},
		{"floorplan without watts", power(`{ floorplan = "two.flp" }`),
			`stack.toml:8:9: floorplan without watts; add watts = "file.ptrace" or watts = { block = "5 W" }`},
		{"flp outside", power(`{ floorplan = "wide.flp", watts = "one.ptrace" }`),
			`wide.flp:1:1: layer "die": block "a" at x = 0 m, y = 0 m extends beyond the domain by 1 mm in the east; shrink or move it, or set origin`},
		{"flp short", power(`{ floorplan = "short.flp", watts = "one.ptrace" }`),
			`short.flp:1:1: a line of three words must connect two blocks: "a" is not a block; a block has name, width, height, left-x and bottom-y`},
		{"flp empty", power(`{ floorplan = "empty.flp", watts = "one.ptrace" }`), "empty.flp:1:1: the floorplan has " +
			"no blocks; write lines of name, width, height, left-x and bottom-y in m"},
		{"flp bad", power(`{ floorplan = "bad.flp", watts = "one.ptrace" }`), "bad.flp:1:8: height must be a finite " +
			"number, got \"1,5e-3\"\nbad.flp:2:9: height of block \"a\" must be positive, got -1\nbad.flp:3:3: width " +
			"must be a finite number, got \"nan\""},
		{"flp twice", power(`{ floorplan = "twice.flp", watts = "one.ptrace" }`),
			`twice.flp:2:1: block "a" is defined twice, first in line 1; give each block its own name`},
		{"block without column", power(`{ floorplan = "two.flp", watts = "one.ptrace" }`),
			`two.flp:2:1: block "b" has no column in one.ptrace; did you mean "a"?`},
		{"column without block", power(`{ floorplan = "two.flp", watts = "odd.ptrace" }`),
			`odd.ptrace:1:3: no block of a floorplan is called "bb", so its power would be lost; did you mean "b"?`},
		{"row", power(`{ floorplan = "two.flp", watts = "two.ptrace", row = 2 }`), "stack.toml:8:62: row must lie " +
			"between 1 and 1, the rows of two.ptrace, got 2"},
		{"row word", power(`{ floorplan = "two.flp", watts = "two.ptrace", row = "first" }`),
			`stack.toml:8:62: row cannot be "first"; write a row number from 1, "mean" or "max"`},
		{"watts unknown", power(`{ floorplan = "two.flp", watts = { a = 1, b = 2, bb = 3 } }`),
			`stack.toml:8:58: no block is called "bb"; did you mean "b"?`},
		{"watts missing", power(`{ floorplan = "two.flp", watts = { a = 1 } }`),
			`stack.toml:8:42: block "b" has no watts; give it a power, "0 W" if it has none`},
		{"watts negative", power(`{ floorplan = "two.flp", watts = { a = 1, b = "-3 W" } }`),
			`stack.toml:8:55: b must not be negative, got "-3 W"`},
		{"map without unit", power(`{ map = "neg.csv", orientation = "south-first" }`),
			`stack.toml:8:9: a power map needs unit; add unit = "W" (per tile) or unit = "W/m^2" (per area)`},
		{"map unit", power(`{ map = [[1]], unit = "K", orientation = "south-first" }`),
			`stack.toml:8:31: unit of a map must be a power ("W", per tile) or a power per area ("W/m^2"), got "K"`},
		{"map orientation", power(`{ map = [[1]], unit = "W", orientation = "north" }`),
			`stack.toml:8:50: orientation cannot be "north"; known: south-first or north-first`},
		{"map negative", power(`{ map = "neg.csv", unit = "W", orientation = "south-first" }`),
			"neg.csv:2:3: a value of a power map must not be negative, got -2"},
		{"map ragged", power(`{ map = "ragged.csv", unit = "W", orientation = "south-first" }`),
			"ragged.csv:2:1: row has 1 values, the first has 2"},
		{"map word", power(`{ map = "word.csv", unit = "W", orientation = "south-first" }`),
			`word.csv:2:3: a value of a power map must be a finite number, got "x"`},
		{"map quote", power(`{ map = "quote.csv", unit = "W", orientation = "south-first" }`),
			"quote.csv:2:6: not valid CSV: extraneous or missing \" in quoted-field"},
		{"map rows", power(`{ map = [[1, 2], [3]], unit = "W", orientation = "south-first" }`),
			"stack.toml:8:26: map: row 2 has 1 numbers, the first has 2"},
		{"trace late", power(`{ floorplan = "two.flp", trace = "late.csv" }`), "late.csv:2:1: the first time must " +
			"be 0, got 1"},
		{"trace down", power(`{ floorplan = "two.flp", trace = "down.csv" }`),
			"down.csv:3:1: times must ascend, got 0"},
		{"trace header", power(`{ floorplan = "two.flp", trace = "when.csv" }`),
			`when.csv:1:1: the first column of a trace must be the time, got "when"; call the first column "time"`},
		{"trace single", power(`{ floorplan = "two.flp", trace = "single.csv" }`),
			`stack.toml:8:42: the duration of a trace with one row is undefined; add end = "1 s"`},
		{"trace end", power(`{ floorplan = "two.flp", trace = "t.csv", end = "5 ms" }`), "stack.toml:8:57: end must " +
			"come after the last time, 0.005 s"},
		{"trace table",
			power(
				`{ floorplan = "two.flp", trace = { times = [0, 1], end = 2, blocks = ["a", "b"], watts = [[1, 2]] } }`), "stack.toml:8:98: watts has 1 rows of 2, expected 2 times by 2 blocks"},
		{"trace table times",
			power(
				`{ floorplan = "two.flp", trace = { times = [0, 0], end = 2, blocks = ["a", "b"], watts = [[1, 2]] } }`), "stack.toml:8:56: times must ascend from 0, got 0"},
		{"trace table end",
			power(
				`{ floorplan = "two.flp", trace = { times = [0], end = 0.0, blocks = ["a", "b"], watts = [[1, 2]] } }`),
			"stack.toml:8:63: end must be positive, got 0.0"},
		{"trace table twice",
			power(`{ floorplan = "two.flp", trace = { times = [0], end = 1, blocks = ["a", "a"], watts = [[1, 2]] } }`),
			`stack.toml:8:81: block "a" is listed twice`},
		{"trace table unclaimed",
			power(
				`{ floorplan = "two.flp", trace = { times = [0], end = 1, blocks = ["a", "b", "c"], watts = [[1, 2, 3]] } }`), `stack.toml:8:86: no block is called "c", so its power would be lost`},
		{"trace and interval", power(`{ floorplan = "two.flp", watts = "two.ptrace", interval = 1, trace = "t.csv" }`),
			"stack.toml:8:67: a power has both interval and trace; remove one of them"},
		{"watts and block power",
			power(
				`{ block = [{ name = "a", x = 0, y = 0, width = 1e-3, height = 1e-3, power = 1 }], watts = { a = 1 } }`), `stack.toml:8:20: block "a" has its own power in addition to watts; remove one of them`},
		{"interval alone", power(`{ floorplan = "two.flp", watts = { a = 1, b = 1 }, interval = 1 }`),
			"stack.toml:8:71: interval needs watts from a .ptrace file; remove it"},
		{"area outside", power(`{ uniform = 1, area = [0, 0, "12 mm", "1 mm"] }`),
			`stack.toml:8:31: area of a power of layer "die" extends beyond it by 2 mm in the east`},
		{"area without size", power(`{ uniform = 1, area = [0, 0, 0, "1 mm"] }`), "stack.toml:8:31: area: width and " +
			"height must be positive"},
		{"map of words", power(`{ map = [["1 W"]], unit = "W", orientation = "south-first" }`),
			`stack.toml:8:19: map must hold numbers, got "1 W"`},
		{"map empty", power(`{ map = [[]], unit = "W", orientation = "south-first" }`),
			"stack.toml:8:17: map is empty"},
		{"bool", power(`{ uniform = 1, allow_overlap = 1 }`), "stack.toml:8:24: allow_overlap has no effect on a " +
			"power with uniform; remove it\nstack.toml:8:40: allow_overlap must be true or false, got 1"},
		{"maps not strings", small + "[output]\nmaps = [1]\n", "stack.toml:9:9: maps must hold strings, got 1; write " +
			"it in quotes"},
		{"repeat alone", power(`{ floorplan = "two.flp", watts = "two.ptrace", repeat = true }`),
			"stack.toml:8:65: repeat needs a time trace; add interval or trace"},
		{"schedule", power(`{ uniform = 1, schedule = [{ t = 1, factor = 1 }] }`),
			`stack.toml:8:42: a schedule must start at 0 s; start with { t = "0 s", factor = 1 }`},
		{"block without power", power(`{ block = [{ name = "a", x = 0, y = 0, width = 1e-3, height = 1e-3 }] }`),
			`stack.toml:8:20: block "a" has no power; add power = "0 W" if it has none`},
		{"block without place", power(`{ block = [{ name = "a", x = 0, y = 0, power = 1 }] }`),
			`stack.toml:8:20: block "a" lacks width, height; give x, y, width and height, or rects, circle or polygon`},
		{"overlap",
			power(
				`{ block = [{ name = "a", x = 0, y = 0, width = 2e-3, height = 2e-3, power = 1 }, { name = "b", x = 1e-3, y = 1e-3, width = 2e-3, height = 2e-3, power = 1 }] }`),
			`stack.toml:8:90: layer "die": block "b" overlaps block "a" by 1 mm x 1 mm at x = 1 mm, y = 1 mm; move one, or set allow_overlap = true in its power if the powers are meant to add`},
		{"region without place", region("x = 0"),
			`stack.toml:8:9: region lacks y, width, height; give x, y, width and height, or circle, or polygon`},
		{"region twice", region("x = 0\ncircle = { x = 1e-3, y = 1e-3, diameter = 1e-4 }"),
			`stack.toml:11:10: a region has both circle and x; remove one of them`},
		{"circle outside", region("circle = { x = 0, y = 1e-3, diameter = \"1 mm\" }"),
			`stack.toml:8:9: layer "die": region at x = -500 um, y = 500 um extends beyond the domain by 500 um in the west; shrink or move it`},
		{"circle of no size", region("circle = { x = 0, y = 1e-3, diameter = 0 }"),
			`stack.toml:10:40: diameter must be positive, got 0`},
		{"polygon of two", region("polygon = [[0, 0], [1e-3, 0]]"),
			`stack.toml:10:11: polygon has 3 entries at least, this one 2; write polygon = [["0 mm", "0 mm"], ["1 mm", "0 mm"], ["0 mm", "1 mm"]]`},
		{"polygon that crosses itself", region("polygon = [[0, 0], [1e-3, 1e-3], [1e-3, 0], [0, 1e-3]]"),
			`stack.toml:10:34: the polygon of region is not simple: the edge from corner 3 intersects the edge from corner 1; list each corner once, in order around the polygon`},
		{"array with power",
			region("circle = { x = 1e-3, y = 1e-3, diameter = 1e-4 }\narray = { nx = 2, ny = 2, pitch = [1e-3, 1e-3] " +
				"}\npower = { uniform = 1 }"),
			`stack.toml:11:9: region with array cannot have a power; move the power to the layer, or write the regions one by one`},
		{"huge array", region("circle = { x = 1e-3, y = 1e-3, diameter = 1e-4 }\narray = { nx = 9999, ny = 9999, " +
			"pitch = [1e-3, 1e-3] }"),
			`stack.toml:11:9: arrays and dies of the stack expand to more than 1000000 regions and sources; homogenize arrays with fill, or align the heights of dies`},
		{"arrays that are huge together",
			region("circle = { x = 1e-3, y = 1e-3, diameter = 1e-9 }\narray = { nx = 1000, ny = 1000, pitch = [1e-9, " +
				"1e-9] }\n[[layer.region]]\nmaterial = \"copper\"\ncircle = { x = 1e-3, y = 1e-3, diameter = 1e-9 " +
				"}\narray = { nx = 1, ny = 1, pitch = [1e-9, 1e-9] }"),
			`stack.toml:15:9: arrays and dies of the stack expand to more than 1000000 regions and sources; homogenize arrays with fill, or align the heights of dies`},
		{"table of many rows",
			strings.Replace(small, "[[layer]]", "[materials.rows]\nc = 1e6\nk = "+
				"{ table = ["+strings.Repeat("[300, 1], ", 4097)+"] }\n[[layer]]", 1), "stack.toml:6:40976: table " +
				"has 4096 entries at most, this one 4097; remove rows: values between rows are interpolated"},
		{"polynomial of many",
			strings.Replace(small, "[[layer]]", "[materials.rows]\nc = 1e6\nk = { polynomial = [1"+strings.Repeat(", 0",
				32)+"], range = [250, 400] }\n[[layer]]", 1), "stack.toml:6:117: polynomial has 32 entries at most, " +
				"this one 33; use a table"},
		{"blocks in a circle",
			region("circle = { x = 1e-3, y = 1e-3, diameter = 1e-4 }\npower = { map = [[1]], unit = \"W\", " +
				"orientation = \"south-first\" }"),
			`stack.toml:11:17: region is not a rectangle and accepts only uniform or density, not map; give the power to the layer`},
		{"overlapping circles",
			power(
				`{ block = [{ name = "a", circle = { x = "2 mm", y = "2 mm", diameter = "2 mm" }, power = 1 }, { name = "b", circle = { x = "3 mm", y = "2 mm", diameter = "2 mm" }, power = 1 }] }`), `stack.toml:8:103: layer "die": block "b" overlaps block "a" near x = 2.0002 mm, y = 1.98 mm; move one, or set allow_overlap = true in its power if the powers are meant to add`},
		{"fraction above 1", small + "fill = { inclusion = \"copper\", fraction = \"120 %\" }\n",
			`stack.toml:8:43: fraction must lie between 0 and 1, got 1.2`},
		{"fraction of an array", small + "fill = { inclusion = \"copper\", rule = \"square\", fraction = 0.8 }\n",
			`stack.toml:8:60: cylinders in a square array touch at a fraction of 0.7854, got 0.8; use rule = "pattern" if they merge`},
		{"cylinders that overlap", small + "fill = { inclusion = \"copper\", diameter = \"12 um\", pitch = " +
			"\"10 um\" }\n",
			`stack.toml:8:43: cylinders in a square array touch at a fraction of 0.7854, got 1.131; use rule = "pattern" if they merge`},
		{"cylinders without room", small + "fill = { inclusion = \"copper\", diameter = \"1 mm\", count = 1000 }\n",
			`stack.toml:8:43: cylinders of this diameter cover 7.854 of the area, more than all of it`},
		{"fill of nothing", small + "fill = { inclusion = \"copper\" }\n",
			`stack.toml:8:8: a fill needs one of fraction, diameter with pitch, diameter with count, and map; write fraction = "5 %", or diameter = "5 um", pitch = "20 um"`},
		{"wires with a diameter", small + "fill = { inclusion = \"copper\", rule = \"lines-x\", diameter = \"1 um\", " +
			"pitch = \"2 um\" }\n",
			`stack.toml:8:61: rule "lines-x" has no cylinders, so diameter does not apply; give the fraction, or rule = "square"`},
		{"map above 1", small + "fill = { inclusion = \"copper\", map = \"dense.csv\", orientation = " +
			"\"south-first\" }\n", `dense.csv:2:5: a fraction must lie between 0 and 1, got 1.5`},
		{"map below 0", small + "fill = { inclusion = \"copper\", map = [[0.1, -0.1]], orientation = " +
			"\"south-first\" }\n", `stack.toml:8:45: map must not hold negative numbers, got -0.1`},
		{"map without orientation", small + "fill = { inclusion = \"copper\", map = [[0.1]] }\n",
			`stack.toml:8:8: a map of fractions needs orientation; add orientation = "south-first" or "north-first", by which row comes first`},
		{"map and fraction", small + "fill = { inclusion = \"copper\", map = [[0.1]], orientation = \"south-first\", " +
			"fraction = 0.1 }\n", `stack.toml:8:38: a fill has both map and fraction; remove one of them`},
		{"not an array", small + "fill = { inclusion = \"copper\", map = \"dense.npy\", orientation = " +
			"\"south-first\" }\n", `dense.npy: not an NPY file; stack.toml:8 names the file`},
		{"not a picture", small + "fill = { inclusion = \"copper\", map = \"dense.png\" }\n",
			`dense.png: not a readable PNG: `},
		{"mix of dense cylinders", small + "[materials.silicon]\nmix = { inclusion = \"copper\", matrix = \"sio2\", " +
			"diameter = 3, pitch = 2 }\n",
			`stack.toml:9:59: cylinders in a square array touch at a fraction of 0.7854, got 1.767; use rule = "pattern" if they merge`},
		{"laminate and k", small + "[materials.silicon]\nk = 1\nlaminate = [{ material = \"copper\", " +
			"thickness = 1 }]\n", `stack.toml:10:12: a material has both laminate and k; remove one of them`},
		{"laminate of itself", small + "[materials.silicon]\nlaminate = [{ material = \"silicon\", thickness = 1 }]\n",
			`stack.toml:9:26: material "silicon" contains itself`},
		{"heat sink and boundary", small + "[heat_sink]\nmaterial = \"copper\"\nbase = \"5 mm\"\nresistance = 0.3\n",
			`stack.toml:3:16: boundary.top conflicts with heat_sink; remove it: the heat sink defines the top boundary`},
		{"heat sink without a way out", sink(""),
			`stack.toml:7:2: a heat sink needs either resistance or fins; add resistance = "0.3 K/W", or [heat_sink.fins]`},
		{"heat sink of nothing", sink("resistance = 0"), `stack.toml:10:14: resistance must be positive, got 0`},
		{"fins without air", sink("fins = { count = 5, thickness = \"1 mm\", height = \"20 mm\" }"),
			`stack.toml:10:8: fins: give either h, velocity or fan; for example velocity = "3 m/s" (air speed between the fins) or h = "40 W/(m^2 K)"`},
		{"fins that do not fit", sink("fins = { count = 10, thickness = \"1 mm\", height = \"20 mm\", h = 50 }"),
			`stack.toml:10:18: 10 fins of 1 mm do not fit on a base 10 mm wide; use fewer or thinner fins`},
		{"wind beyond the correlation",
			sink("fins = { count = 5, thickness = \"1 mm\", height = \"20 mm\", velocity = \"30 m/s\" }"),
			`stack.toml:10:70: the modified Reynolds number of the channels, 298, is outside the range of the correlation, 0.1 to 100; give h`},
		{"no such air", sink("ambient = \"700 K\"\nfins = { count = 5, thickness = \"1 mm\", height = \"20 mm\", " +
			"velocity = \"1 m/s\" }"),
			`stack.toml:11:70: properties of air are available from 200 to 600 K, not at 700 K; give h`},
		{"probe outside", small + "[[probe]]\nname = \"p\"\nx = \"11 mm\"\ny = 0\nlayer = \"die\"\n",
			`stack.toml:8:3: probe "p" at x = 11 mm, y = 0 m lies outside the domain of 10 mm by 10 mm; move it`},
		{"probe side", two + "[[probe]]\nname = \"p\"\nx = 0\ny = 0\nz = \"1 mm\"\nside = \"top\"\n",
			`stack.toml:17:8: side cannot be "top"; known: below or above`},
		{"probe side within a layer", two + "[[probe]]\nname = \"p\"\nx = 0\ny = 0\nlayer = \"lid\"\nside = " +
			"\"below\"\n",
			`stack.toml:12:3: probe "p": z = 1.5 mm is not an interface between two layers; remove side, or give z = "1 mm"`},
		{"probe side on the top", two + "[[probe]]\nname = \"p\"\nx = 0\ny = 0\nz = \"2 mm\"\nside = \"below\"\n",
			`stack.toml:12:3: probe "p": z = 2 mm is not an interface between two layers; remove side, or give z = "1 mm"`},
		{"probe side in one layer", small + "[[probe]]\nname = \"p\"\nx = 0\ny = 0\nz = 0\nside = \"above\"\n",
			`stack.toml:8:3: probe "p": a stack with one layer has no interface; remove side`},
		{"probe layer", small + "[[probe]]\nname = \"p\"\nx = 0\ny = 0\nlayer = \"dei\"\n",
			`stack.toml:12:9: no layer is called "dei"; did you mean "die"?`},
		{"maps layer", small + "[output]\nmaps = [\"die\", \"dye\"]\n",
			`stack.toml:9:16: no layer is called "dye"; did you mean "die"?`},
		{"no such device", small + "[solver]\ndevice = \"tpu\"\n",
			`stack.toml:9:10: device cannot be "tpu"; write auto, cpu, gpu or gpu:0`},
		{"device", small + "[solver]\ndevice = \"gpu:x\"\n",
			`stack.toml:9:10: device cannot be "gpu:x"; write auto, cpu, gpu or gpu:0`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("stack.toml", []byte(tt.text), inputs.open)
			if err == nil {
				t.Fatal("no error")
			}
			if got := err.Error(); !strings.HasPrefix(got, tt.want) || strings.Contains(got[len(tt.want):], ": ") &&
				tt.name != "syntax" && tt.name != "empty" {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// Faults come in the order of the file, at most 20 at a time.
func TestFaultsAreCapped(t *testing.T) {
	text := small
	for range 30 {
		text += "[[probe]]\nname = \"\"\n"
	}
	_, err := Parse("stack.toml", []byte(text), files{}.open)
	list, ok := err.(stack.ErrorList)
	if !ok || len(list) != faults.Most+1 || !strings.Contains(list[faults.Most].Msg, "more errors") {
		t.Fatalf("%T of %d: %v", err, len(list), err)
	}
	for i := 1; i < faults.Most; i++ {
		if list[i].Pos.Line < list[i-1].Pos.Line {
			t.Errorf("line %d after line %d", list[i].Pos.Line, list[i-1].Pos.Line)
		}
	}
}

// A misspelled key or table is one error, whichever it is: what it would have given is not missed in addition.
func TestOneErrorForEachMisspelledKey(t *testing.T) {
	key := regexp.MustCompile(`(?m)(?:^|[{,\s])([a-z_]+)\s*=|^\s*\[+([a-z_.]+)\]`)
	misspelled := 0
	for _, text := range []string{full, diesFile + placements, packageFile("interposer", "jesd51-6", "")} {
		for _, m := range key.FindAllStringSubmatchIndex(text, -1) {
			end := max(m[3], m[5])
			_, err := Parse("stack.toml", []byte(text[:end]+"x"+text[end:]), fullFiles.open)
			if err == nil || !strings.Contains(err.Error(), "unknown key") {
				continue // the name of a material or a block
			}
			misspelled++
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v", text[max(m[2], m[4]):end], err)
			}
		}
	}
	if misspelled < 150 {
		t.Errorf("only %d keys were misspelled", misspelled)
	}
}
