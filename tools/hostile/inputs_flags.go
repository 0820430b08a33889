//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// flags gives a small sound stack and the words of a command line; the command comes first.
func flags(args ...string) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		_, err := stackText(sheet("flags", heated, "[[probe]]\nname = \"p\"\nx = 1e-3\ny = 1e-3\nlayer = \"die\"\n"))(
			dir)
		return args, err
	}
}

// set gives --set many times.
func set(n int, format string) []string {
	args := []string{"check"}
	for i := range n {
		args = append(args, "--set", fmt.Sprintf(format, i))
	}
	return args
}

// most is the longest argument that Linux takes, but for some bytes.
const longest = 128_000

func flagInputs() []input {
	long := strings.Repeat("x", longest)
	list := strings.Repeat("a,", longest/2)
	inputs := []input{
		{"set-long", "--set of 128 kB", flags("check", "--set", "title="+long), true},
		{"set-key", "--set of a key of 128 kB", flags("check", "--set", long+"=1"), true},
		{"set-dots", "--set of a key of 64,000 dots", flags("check", "--set", strings.Repeat("a.", longest/2)+"a=1"),
			true},
		{"set-quotes", "--set of a key of 60,000 quotes", flags("check", "--set", strings.Repeat(`"`, 60_000)+"=1"),
			true},
		{"set-arrays", "--set of 60,000 arrays in each other",
			flags("check", "--set", "x="+strings.Repeat("[", 60_000)+strings.Repeat("]", 60_000)), true},
		{"set-layers", "--set of 40,000 layers", flags("check", "--set", "layer=["+strings.Repeat("{},", 40_000)+"]"),
			true},
		{"set-numbers", "--set of 60,000 numbers", flags("check", "--set", "size=["+strings.Repeat("1,", 60_000)+"]"),
			true},
		{"set-1e308", "--set of a thickness of 1e308", flags("check", "--set", "layer.die.thickness=1e308"), true},
		{"set-ambient", "--set of an ambient of 1e308 K", flags("steady", "--quiet", "--set", "ambient=1e308"), true},
		{"set-h", "--set of a coefficient of 1e308", flags("steady", "--quiet", "--set", "boundary.top.h=1e308"), true},
		{"set-small", "--set of a thickness of 1e-300",
			flags("steady", "--quiet", "--set", "layer.die.thickness=1e-300"), true},
		{"set-grid", "--set of a grid of 1e6 by 1e6", flags("check", "--set", "grid={nx=1000000,ny=1000000}"), true},
		{"set-lines", "--set of 60,000 lines", flags("check", "--set", "x="+strings.Repeat("1\na=", 30_000)+"1"), true},
		{"set-10000", "10,000 times --set, of keys that are not there", flags(set(10_000, "k%d.a.b=1")...), true},
		{"set-many", "10,000 times --set of the same key", flags(set(10_000, "layer.die.thickness=%d um")[:]...),
			false},
		{"set-materials", "10,000 times --set of a new material", flags(set(10_000, "materials.m%d={k=1,c=1}")...),
			false},
		{"set-control", "--set of ESC and BEL", flags("check", "--set", "title=\x1b]0;x\x07"), true},
	}
	for _, f := range []struct{ name, command, value string }{
		{"grid", "steady", "999999999999x1"}, {"grid", "steady", "99999x99999"}, {"grid", "steady", "1e9x1e9"},
		{"grid", "steady", "auto:1e-300K"}, {"grid", "steady", strings.Repeat("9", 100_000) + "x1"},
		{"precond", "steady", "multigrid:" + list}, {"precond", "steady", "ic:order=99999999999"},
		{"precond", "steady", "ilu:order=1000000000"}, {"precond", "steady", "chebyshev:degree=2000000000"},
		{"precond", "steady", "cmg:repeats=2000000000"},
		{"precond", "steady", "ddilu:parts=1000000000"}, {"precond", "steady", long}, {"tol", "steady", "1e-300"},
		{"tol", "steady", "1e308"}, {"rtol", "steady", "1e-300"}, {"atol", "steady", "1e-300"},
		{"max-iter", "steady", "9223372036854775807"}, {"max-iter", "steady", "-1"},
		{"ranks", "steady", "1000000000"}, {"ranks", "steady", "100000"}, {"ranks", "steady", "17"},
		{"rank", "steady", "-5"}, {"rendezvous", "steady", long}, {"ranks-wait", "steady", "1e300 s"},
		{"device", "steady", "gpu:99999999999"}, {"device", "steady", "gpu:" + strings.Repeat("0,", 50_000) + "0"},
		{"tmax", "steady", "1e308"}, {"page-budget", "steady", "1e300"}, {"page-error", "steady", "1e-300"},
		{"save", "steady", long}, {"maps", "steady", list},
		{"formats", "steady", strings.Repeat("png,", 30_000) + "png"}, {"figures", "steady", list},
		{"figures", "steady", strings.Repeat("panels,", 18_000) + "panels"},
		{"colors", "steady", long}, {"range", "steady", "1e308:1e309"}, {"range", "steady", "-1e308:1e308"},
		{"title", "steady", long}, {"width", "steady", "1e300 mm"}, {"width", "steady", "1e-300 mm"},
		{"font-size", "steady", "1e9"}, {"font-size", "steady", "1e-9"}, {"dpi", "steady", "1000000000"},
		{"cut", "steady", "1e308,1e308"}, {"zoom", "steady", long}, {"frames", "steady", long},
		{"files", "steady", strings.Repeat("vtr,", 30_000) + "vtr"}, {"file-layers", "steady", list},
		{"file-box", "steady", strings.Repeat(":,", 60_000)}, {"file-box", "steady", "1e300 mm:1e301 mm,:,:"},
		{"file-steps", "steady", "0:999999999999999:1"}, {"out", "steady", long}, {"timings", "steady", long},
		{"decimals", "steady", "1000000000"}, {"config", "steady", long},
		{"steps", "transient", "9223372036854775807"}, {"steps", "transient", "1000000000"},
		{"dt", "transient", "1e-300"}, {"dt", "transient", "1e300"}, {"until", "transient", "1e300"},
		{"until", "transient", "1e-300"}, {"until", "transient", "1e-18"}, {"dt", "transient", "1e-18"},
		{"dt-tol", "transient", "1e-300"}, {"to-steady", "transient", "1e-300 K"},
		{"every", "transient", "1e-300"}, {"at", "transient", strings.Repeat("1,", 60_000) + "1"},
		{"at", "transient", "1e300"}, {"initial", "transient", long}, {"initial", "transient", "1e308"},
		{"model", "transient", long}, {"policy", "transient", long}, {"checkpoint", "transient", "1e308 steps"},
		{"checkpoint", "transient", "1e-300 s"},
		{"times", "zth", "1e-300:1e300"}, {"from", "zth", list}, {"norm", "sensitivity", "1e300"},
		{"norm", "sensitivity", "1e-300"}, {"of", "sensitivity", long}, {"rtol", "rth", "1e-300"},
		{"tol", "reduce", "1e-300 K"}, {"tol", "reduce", "1e300 K"},
		{"h", "jedec", "1e308"}, {"power", "jedec", "1e308"}, {"port", "serve", "99999999999"},
		{"idle", "serve", "1e300"}, {"patience", "serve", "1e300"}, {"listen", "serve", "unix:" + long},
		{"listen", "serve", long}, {"states", "serve", long}, {"protocol", "serve", long},
		{"shard", "sweep", "0/99999999999999999999"}, {"grid", "check", "100000x100000"},
		{"grid", "bench", strings.Repeat("64x64,", 20_000) + "64x64"}, {"grid", "bench", "100000x100000"},
		{"systems", "bench", list}, {"tables", "bench", list}, {"max-cells", "bench", "1e308"},
	} {
		shown := f.value
		if len(shown) > 30 {
			shown = fmt.Sprintf("%s... (%d bytes)", shown[:20], len(shown))
		}
		name := fmt.Sprintf("flag-%s-%s-%.12s", f.command, f.name, f.value)
		inputs = append(inputs, input{name, fmt.Sprintf("%s --%s %s", f.command, f.name, shown),
			flags(f.command, "--quiet", "--"+f.name, f.value), true})
	}
	return inputs
}

// otherEnds are the statuses of command lines that are no mistakes: what is asked for is done as far as numbers go, or
// needs more memory or another device than there is (4).
var otherEnds = map[string]string{
	"run-grid": "4", "set-small": "0", "set-many": "0", "set-materials": "0",
	"flag-steady-grid-99999x99999": "4", "flag-check-grid-100000x10000": "4", "flag-steady-grid-auto:1e-300K": "0",
	"flag-steady-tol-1e-300": "0", "flag-steady-rtol-1e-300": "0", "flag-steady-atol-1e-300": "0",
	"flag-rth-rtol-1e-300":            "0",
	"flag-steady-device-gpu:99999999": "4", "flag-steady-page-error-1e-300": "0",
	"flag-steady-figures-panels,panel": "0",
	"flag-transient-steps-1000000000":  "4", "flag-transient-until-1e-18": "0", "flag-transient-dt-1e-18": "0",
	"flag-transient-to-steady-1e-300 K": "0", "flag-transient-at-1e300": "0", "flag-serve-states-xxxxxxxxxxxx": "0",
}

// sweepOf is a sweep of the small stack.
func sweepOf(text func() string, more ...string) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		_, err := flags()(dir)
		return append([]string{"sweep", "sweep.toml", "--quiet", "--out", "out"}, more...),
			errorsOf(err, write(filepath.Join(dir, "sweep.toml"), func(w *bufio.Writer) {
				w.WriteString("stack = \"stack.toml\"\n" + text())
			}))
	}
}

// axis varies a key over n values.
func axis(key string, n int) string {
	return fmt.Sprintf("[[vary]]\nkey = %q\nfrom = 1\nto = 2\ncount = %d\n", key, n)
}

// points is a sweep over a table.
func points(fill func(w io.Writer)) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		args, err := sweepOf(func() string { return "points = \"points.csv\"\n" })(dir)
		return args, errorsOf(err, write(filepath.Join(dir, "points.csv"), func(w *bufio.Writer) { fill(w) }))
	}
}

func sweepInputs() []input {
	axes := func(n, count int) func() string {
		return func() string {
			var b strings.Builder
			for i := range n {
				b.WriteString(axis(fmt.Sprintf("define.a%d", i), count))
			}
			return b.String()
		}
	}
	return []input{
		{"sweep-ten", "sweep of ten axes of 1,000 values", sweepOf(axes(10, 1000)), true},
		{"sweep-ten-1M", "sweep of ten axes of 1,000,000 values", sweepOf(axes(10, 1_000_000)), true},
		{"sweep-1M", "sweep of an axis of 1,000,000 values", sweepOf(axes(1, 1_000_000), "--shard", "0/1000000"),
			false},
		{"sweep-1000x1000", "sweep of two axes of 1,000 values, one part in 1,000,000",
			sweepOf(axes(2, 1000), "--shard", "0/1000000"), false},
		{"sweep-100000-axes", "sweep of 100,000 axes of one value", sweepOf(axes(100_000, 1)), true},
		{"sweep-2e9", "sweep of an axis of 2e9 values", sweepOf(axes(1, 2_000_000_000)), true},
		{"sweep-values", "sweep of 1,500,000 values in a file of 10 MB", sweepOf(func() string {
			return "[[vary]]\nkey = \"ambient\"\nvalues = [" + strings.Repeat("\"300\",", 1_500_000) + "]\n"
		}), true},
		{"sweep-keys", "sweep of an axis of 500,000 keys", sweepOf(func() string {
			return "[[vary]]\nkeys = [" + strings.Repeat("\"ambient\",", 500_000) + "]\nvalues = [1]\n"
		}), true},
		{"sweep-sets", "sweep of 400,000 set values", sweepOf(func() string {
			return "set = [" + many(400_000, "\"define.a%d=1\",") + "]\n" + axis("ambient", 2)
		}), true},
		{"sweep-outputs", "sweep of 500,000 outputs", sweepOf(func() string {
			return "outputs = [" + many(500_000, "\"o%d\",") + "]\n" + axis("ambient", 2)
		}), true},
		{"sweep-outputs-same", "sweep of 500,000 outputs that are there", sweepOf(func() string {
			return "outputs = [" + strings.Repeat("\"probe/p\",", 500_000) +
				"]\n[[vary]]\nkey=\"ambient\"\nvalues=[300]\n"
		}), true},
		{"sweep-hypercube", "Latin hypercube of 1,000,000 samples of 1,000 axes", sweepOf(func() string {
			return "method = \"latin-hypercube\"\nsamples = 1000000\n" +
				strings.ReplaceAll(axes(1000, 1)(), "count = 1\n", "")
		}), true},
		{"sweep-log", "sweep over 1e-308 to 1e308", sweepOf(func() string {
			return "[[vary]]\nkey = \"boundary.top.h\"\nfrom = 1e-308\nto = 1e308\ncount = 3\nscale = \"log\"\n"
		}), false},
		{"sweep-label", "sweep whose label has 1 MB", sweepOf(func() string {
			return "[[vary]]\nlabel = \"" + strings.Repeat("x", 1<<20) + "\"\nkey = \"ambient\"\nvalues = [300]\n"
		}), true},
		{"sweep-value", "sweep of a value of 1 MB", sweepOf(func() string {
			return "[[vary]]\nkey = \"title\"\nvalues = [\"" + strings.Repeat("x", 1<<20) + "\"]\n"
		}), true},
		{"sweep-points", "table of 1,000,000 runs", points(func(w io.Writer) {
			io.WriteString(w, "ambient\n"+strings.Repeat("300\n", 1_000_000))
		}), false},
		{"sweep-points-wide", "table of runs of 500,000 columns", points(func(w io.Writer) {
			io.WriteString(w, many(500_000, "define.a%d,")+"ambient\n")
		}), true},
		{"sweep-points-line", "table of runs of a line of 10 MB", points(func(w io.Writer) {
			io.WriteString(w, strings.Repeat("x", 10_000_000))
		}), true},
		{"sweep-points-quote", "table of runs of a quote that does not end", points(func(w io.Writer) {
			io.WriteString(w, "ambient\n\""+strings.Repeat("x\n", 5_000_000))
		}), true},
		{"sweep-lines-long", "sweep --lines with a line of 10 MB", lines(strings.Repeat("x", 10_000_000)), false},
		{"sweep-lines-deep", "sweep --lines with 900,000 arrays in each other",
			lines(`{"set":` + strings.Repeat("[", 900_000)), false},
		{"sweep-lines-many", "sweep --lines with 1,000,000 lines that are none",
			lines(strings.Repeat("x\n", 1_000_000)), false},
		{"sweep-lines-sets", "sweep --lines with a run of 60,000 values",
			lines(`{"set":{` + many(60_000, `"define.a%d":1,`) + `"ambient":300}}`), false},
	}
}

// lines gives a sweep its runs on standard input.
func lines(text string) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		args, err := sweepOf(func() string { return "" }, "--lines")(dir)
		return args, errorsOf(err, write(filepath.Join(dir, "stdin"), func(w *bufio.Writer) { w.WriteString(text) }))
	}
}
