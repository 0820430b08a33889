package stackfile

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"thermsim/stack"
)

// Files with lines lost, doubled or given odd values must load or fail in order, and what loads must survive Print.
// Byte fuzzing seldom gets past the syntax; this does.
func TestMutatedFiles(t *testing.T) {
	odd := []string{"0", "-1", "1e308", "1e-308", "-0.0", "nan", "inf", `""`, `"x"`, `"silicon"`, `"1e300 m"`,
		`"1e-300 K"`, "{}", "[]", "[[]]", "[{}]",
		"true", "1979-05-27", "[0, 0]", "[1, 2, 3]", `"logic.flp"`, `"logic.ptrace"`, `"map.csv"`, `"mean"`, `"all"`,
		"9223372036854775807", `"100 %"`, `"10 mm"`, "\"\\u0000\""}
	value := regexp.MustCompile(`("[^"]*"|[-0-9.e]+)`)
	extra := []string{`power = { map = [[1, 2]], unit = "W", orientation = "south-first" }`,
		`power = { floorplan = "logic.flp", watts = "logic.ptrace", interval = 1, area = [1e-3, 1e-3, 5e-3, 6e-3] }`,
		`power = { floorplan = "logic.flp", trace = { times = [0, 1], end = 2, blocks = ["a", "b"], watts = [[1, 2], [3, 4]] } }`,
		`transient = { until = 1, dt_tol = 0.1, to_steady = 2, at = [0.1, 0.2] }`,
		`transient = { periodic = true, every = 0.2 }`}
	packaged := packageFile("interposer", "jesd51-6", "board = { kind = \"1s0p\", size = [\"50 mm\", \"60 mm\"], "+
		"vias = 0.1 }\n"+
		"lid = { foot = 0, thickness = \"1 mm\", cells = 2 }\nballs = { height = \"0.4 mm\", diameter = \"0.5 mm\", "+
		"pitch = \"0.8 mm\", solder = \"copper\" }\n"+
		"substrate = { thickness = \"1 mm\", dielectric = \"abf\", copper = [{ thickness = \"15 um\", coverage "+
		"= 0.5 }] }\n")
	packaged = strings.Replace(packaged, "tmax =", "tiers = 2\ntier_power = 1\ntmax =", 1)
	rapid.Check(t, func(t *rapid.T) {
		lines := strings.Split(rapid.SampledFrom([]string{full, full, packaged, diesFile + placements}).Draw(t, "file"),
			"\n")
		for range rapid.IntRange(1, 6).Draw(t, "edits") {
			i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
			switch rapid.IntRange(0, 5).Draw(t, "edit") {
			case 0:
				lines[i] = ""
			case 1:
				lines[i] = rapid.SampledFrom(extra).Draw(t, "extra")
			default:
				spans := value.FindAllStringIndex(lines[i], -1)
				if len(spans) > 0 {
					s := rapid.SampledFrom(spans).Draw(t, "value")
					lines[i] = lines[i][:s[0]] + rapid.SampledFrom(odd).Draw(t, "odd") + lines[i][s[1]:]
				}
			}
		}
		s, err := Parse("stack.toml", []byte(strings.Join(lines, "\n")), fullFiles.open)
		if err != nil {
			list, ok := err.(stack.ErrorList)
			if !ok || len(list) == 0 || list[0].Pos.File == "" {
				t.Fatalf("error %T: %v", err, err)
			}
			return
		}
		again, text, err := reload(s)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(s, again, sameStack); diff != "" {
			t.Fatalf("changed (-before +after):\n%s", diff)
		}
	})
}
