package plausibility

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// Slips of whole stacks make one warning each. The figures are worked out beside the case.
func TestSlipsOfStacks(t *testing.T) {
	lid := "\n[[layer]]\nname = \"lid\"\nmaterial = \"copper\"\nthickness = \"1 mm\"\n"
	upright := strings.TrimSuffix(sane, lid[1:])
	if upright == sane {
		t.Fatal("the sane stack ends otherwise")
	}
	for name, c := range map[string]struct{ text, code, says string }{
		"none": {sane, "", ""},
		// 8 W through 60 W/(m2 K) on 1 cm2 is 1333 K.
		"sink too small": {strings.Replace(sane, "h = \"6000", "h = \"60", 1), Cooler, "of 0.006 W/K, 8 W gives a " +
			"mean surface temperature of 1358 degC"},
		// 8 W through 0.6 W/K is 13.3 K, to 38.3 degC.
		"limit below the sink's": {"tmax = \"35 degC\"\n" + sane, Cooler, "38.33 degC: the limit of 35 degC " +
			"cannot be met"},
		"limit above the sink's": {"tmax = \"45 degC\"\n" + sane, "", ""},
		"a fixed temperature": {strings.Replace(sane, "{ h = \"6000 W/(m^2 K)\" }", "{ temperature = \"25 degC\" }",
			1), "", ""},
		// 2 mm of a foam of 0.15 W/(m K), 0.0133 m2 K/W, times 1e5 W/(m2 K).
		"film on foam": {strings.Replace(strings.Replace(sane, "h = \"6000", "h = \"100000", 1),
			"name = \"bond\"\nmaterial = \"tim_grease\"\nthickness = \"20 um\"", "name = \"bond\"\nmaterial = "+
				"\"foam\"\nthickness = \"2 mm\"", 1) + "[materials.foam]\nk = 0.15\nc = 1e5\n", Film,
			"the Biot number of the top face is 1.3e+03"},
		"upside down": {strings.Replace(upright, "\n[[layer]]", lid+"\n[[layer]]", 1), Order,
			`layer "lid", a metal plate, lies below the silicon of layer "active"`},
		"a thick die below": {strings.Replace(upright, "\n[[layer]]", strings.NewReplacer("\"lid", "\"solid", "copper",
			"silicon").Replace(lid)+"\n[[layer]]", 1), "", ""},
		"cooled below": {strings.Replace(strings.Replace(upright, "\n[[layer]]", lid+"\n[[layer]]", 1),
			"boundary.top", "boundary.bottom", 1), "", ""},
		"no interface": {strings.Replace(sane, "material = \"tim_grease\"\nthickness = \"20 um\"",
			"material = \"air\"\nthickness = \"20 um\"", 1), NoPath,
			`layer "active" has no heat-flow path up or down from its densest source at x = 2 mm, y = 3 mm`},
		"a thin gap": {strings.Replace(sane, "material = \"tim_grease\"\nthickness = \"20 um\"",
			"material = \"air\"\nthickness = \"1 um\"", 1), "", ""},
		"a way down too": {"boundary.bottom = { h = 10 }\n" +
			strings.Replace(sane, "material = \"tim_grease\"\nthickness = \"20 um\"", "material = \"air\"\nthickness "+
				"= \"20 um\"", 1), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			found := Of(meshOf(t, c.text))
			var want []string
			if c.code != "" {
				want = []string{c.code}
			}
			if !slices.Equal(codes(found), want) && !(len(want) == 0 && len(found) == 0) {
				t.Fatalf("got %v", found)
			}
			if len(found) > 0 && (!strings.Contains(found[0].Text, c.says) || found[0].Remedy == "" ||
				!strings.HasPrefix(found[0].Place, "chip.toml:")) {
				t.Errorf("got %q at %q, want %q", found[0].Text, found[0].Place, c.says)
			}
		})
	}
}

// 6000 W/(m2 K) over 20 um of 4 W/(m K) and 1 mm of 401: 6000 (5e-6 + 2.494e-6).
func TestBiot(t *testing.T) {
	m := meshOf(t, sane)
	if got, want := Biot(m.Stack, 1), 6000*(20e-6/4+1e-3/401); math.Abs(got/want-1) > 1e-12 {
		t.Errorf("the Biot number is %g, want %g", got, want)
	}
}
