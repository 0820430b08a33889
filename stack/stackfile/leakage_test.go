package stackfile

import (
	"math"
	"strings"
	"testing"

	"thermsim/stack"
)

// leakyStack is a stack with two blocks, and a power table with the keys given.
func leakyStack(block, power string) string {
	return "schema = 1\nsize = [1, 1]\n[materials.m]\nk = 1\nc = 1\n[[layer]]\nname = 'a'\nmaterial = 'm'\nthickness " +
		"= 1\n[layer.power]\nblock = [\n" +
		"{ name = 'x', x = 0, y = 0, width = 0.5, height = 0.5, power = 1" + block + " },\n{ name = 'y', x = 0.5, y " +
		"= 0, width = 0.5, height = 1, power = 2 } ]\n" + power + "\n"
}

const law = `at = "85 degC", beta = "0.015 1/K", range = ["0 degC", "150 degC"]`

// TestLeakage reads leakage of blocks and of powers, and the laws themselves.
func TestLeakage(t *testing.T) {
	read := func(block, power string, other files) [2]stack.Leakage {
		t.Helper()
		s, err := Parse("s.toml", []byte(leakyStack(block, power)), other.open)
		if err != nil {
			t.Fatal(err)
		}
		if !s.Leaks() || !s.Nonlinear() || s.TemperatureDependent() {
			t.Error("does not leak")
		}
		b := s.Layers[0].Powers[0].Blocks
		return [2]stack.Leakage{b[0].Leakage, b[1].Leakage}
	}
	for name, c := range map[string]struct {
		block, power string
		x, y         float64
	}{
		"shared by area":       {"", "leakage = { power = 3, " + law + " }", 1, 2},
		"by density":           {"", "leakage = { density = '8 W/m^2', " + law + " }", 2, 4},
		"a law for one":        {", leakage = { power = 5 }", "leakage = { " + law + " }", 5, 0},
		"the rest":             {", leakage = { power = 5 }", "leakage = { power = 7, " + law + " }", 5, 7},
		"all by itself":        {", leakage = { density = 4, " + law + " }", "", 1, 0},
		"by name":              {"", "leakage = { watts = { x = '2 W', y = 0 }, " + law + " }", 2, 0},
		"by a file of one row": {"", "leakage = { watts = 'l.ptrace', " + law + " }", 4, 6},
	} {
		got := read(c.block, c.power, files{"l.ptrace": "y x\n6 4\n"})
		if math.Abs(got[0].Watts-c.x) > 1e-14 || math.Abs(got[1].Watts-c.y) > 1e-14 || got[0].Factor == nil {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		if f := got[0].Factor.Of(380); math.Abs(f-math.Exp(0.015*(380-358.15))) > 1e-14 {
			t.Errorf("%s: %g at 380 K", name, f)
		}
	}
	quadratic := read("",
		`leakage = { power = 3, at = "300 K", polynomial = [1, 0.01, 1e-4], range = ["250 K", "400 K"] }`,
		nil)[0].Factor
	table := read("", `leakage = { power = 3, table = [[300, 1], [400, 3]] }`, nil)[0].Factor
	if a, b := quadratic.Of(350), table.Of(350); math.Abs(a-1.75) > 1e-14 || math.Abs(b-2) > 1e-14 {
		t.Errorf("at 350 K %g and %g", a, b)
	}
	s, err := Parse("s.toml",
		[]byte(leakyStack(", leakage = { power = 1, at = 300, beta = 0.01, range = [300, 400] }", "")), files{}.open)
	if err != nil {
		t.Fatal(err)
	}
	if lines := s.OutOfRange(); len(lines) != 1 ||
		!strings.Contains(lines[0], "leakage: its laws are valid from 300 K to 400 K, but the stack has temperatures "+
			"from 298.1 K") {
		t.Errorf("%q", lines)
	}
	if s, err = Parse("s.toml",
		[]byte(leakyStack(", leakage = { power = 1, at = 300, beta = 0.01, range = [250, 400] }", "")),
		files{}.open); err != nil || len(s.OutOfRange()) != 0 {
		t.Errorf("inside the range: %v, %q", err, s.OutOfRange())
	}
}

func TestFaultyLeakage(t *testing.T) {
	for _, c := range []struct{ block, power, want string }{
		{"", "leakage = { power = 3 }",
			`s.toml:14:11: the leakage of a power needs a law; add beta = "0.015 1/K", polynomial or table`},
		{"", "leakage = { power = -3, " + law + " }", `s.toml:14:21: power`},
		{"", "leakage = { " + law + " }", `s.toml:14:11: a leakage needs power, or density; add power = "2 W"`},
		{"", "leakage = { power = 3, density = 2, " + law + " }",
			`s.toml:14:21: a leakage has both power and density; remove one of them`},
		{"", "leakage = { power = 3, beta = 0.01 }",
			`s.toml:14:11: the exponential needs the range of temperatures for which it is valid; add range`},
		{"", "leakage = { power = 3, beta = 0.01, range = [400, 300] }",
			`s.toml:14:31: leakage: range from 400 K to 300 K is not valid; give a lower and a higher temperature`},
		{"", "leakage = { power = 3, polynomial = [1, -0.02], range = [250, 400] }",
			`s.toml:14:37: leakage: is -1 at 400 K, but must be positive throughout its range; narrow the range`},
		{"", "leakage = { power = 3, polynomial = [], range = [250, 400] }", `s.toml:14:37: polynomial is empty; write polynomial = [1, 0.02]`},
		{"", "leakage = { power = 3, table = [[300, 1], [300, 2]] }", `must ascend, got 300 K after 300 K`},
		{"", "leakage = { power = 3, table = [[300, 1], [400, 2]], at = 300 }",
			`s.toml:14:59: at does not belong to a table; remove it`},
		{"", "leakage = { power = 3, beta = 10, at = 300, range = [250, 1000] }",
			`s.toml:14:31: leakage: law is +Inf at 1000 K, but must not exceed 1e+20; narrow the range, or correct the numbers`},
		{"", "leakage = { power = 3, beta = 0.01, table = [[300, 1], [400, 2]] }", `s.toml:14:31: a leakage has both beta and table; remove one of them`},
		{"", "leakage = { power = 3, beta = '1 W', range = [250, 400] }", `s.toml:14:31: beta: `},
		{"", "leakage = { power = 3, betta = 0.01 }", `unknown key "betta" in a leakage; did you mean "beta"?`},
		{"", "leakage = { watts = { x = 1 }, " + law + " }", `block "y" has no watts`},
		{"", "leakage = { watts = { x = 1, y = 1, z = 1 }, " + law + " }", `no block is called "z"`},
		{"", "leakage = { watts = 'two.ptrace', " + law + " }", `two.ptrace has 2 rows of leakage; write one row`},
		{", leakage = { power = 1 }", "leakage = { watts = { x = 1, y = 1 }, " + law + " }",
			`block "x" has its own leakage in addition to watts`},
		{", leakage = { power = 1 }", "", `s.toml:12:1: leakage of block "x" has no law`},
		{", leakage = { power = 1, at = 300 }", "", `s.toml:12:95: leakage: at needs a law; add beta, polynomial or table`},
		{", leakage = { watts = { x = 1 }, " + law + " }", "", `watts of a leakage applies to floorplans only`},
		{", leakage = 3", "", `expected a leakage, got`},
	} {
		_, err := Parse("s.toml", []byte(leakyStack(c.block, c.power)), files{"two.ptrace": "x y\n1 2\n3 4\n"}.open)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s:\n got  %v\n want %s", c.block, c.power, err, c.want)
		}
	}
	text := strings.Replace(leakyStack("", ""), "block = [", "map = [[1]]\nunit = 'W'\norientation = "+
		"'south-first'\nleakage = { power = 1, "+law+" }\n#", 1)
	text = text[:strings.Index(text, "\n{ name")]
	if _, err := Parse("s.toml", []byte(text), files{}.open); err == nil ||
		!strings.Contains(err.Error(), "s.toml:14:1: leakage has no effect on a power with map; remove it") {
		t.Errorf("%v\n%s", err, text)
	}
}
