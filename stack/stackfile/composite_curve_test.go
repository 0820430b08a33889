package stackfile

import (
	"math"
	"strings"
	"testing"
)

const warmParts = "schema = 1\nsize = ['1 mm', '1 mm']\n[materials.die]\nk = { value = 153, exponent = 1.5, range = " +
	"[250, 500] }\nc = 1.6e6\n" +
	"[materials.metal]\nk = { polynomial = [400, -0.07], range = ['200 K', '450 K'] }\nc = { polynomial = [3.4e6, " +
	"800], range = ['200 K', '450 K'] }\n" +
	"[materials.cold]\nk = { value = 1, exponent = 1, range = ['50 K', '100 K'] }\nc = 1\n"

// A composite conducts at every temperature what its rule makes of its parts there: by hand for sheets of 2 um and 1
// um, and for wires.
func TestCompositesFollow(t *testing.T) {
	s, err := Parse("s.toml", []byte(warmParts+`
[materials.pile]
laminate = [{ material = "die", thickness = "2 um" }, { material = "metal", thickness = "1 um" }]
[materials.wires]
mix = { inclusion = "metal", matrix = "die", fraction = 0.25, rule = "lines-x" }
[[layer]]
name = "a"
material = "pile"
thickness = 1
[[layer]]
name = "b"
material = "wires"
thickness = 1
`), files{}.open)
	if err != nil {
		t.Fatal(err)
	}
	for _, kelvin := range []float64{250, 251.7, 300, 368.2, 450} {
		d, m := 153*math.Pow(300/kelvin, 1.5), 400-0.07*(kelvin-300)
		cm := 3.4e6 + 800*(kelvin-300)
		want := [2][4]float64{
			{(2*d + m) / 3, (2*d + m) / 3, 3 / (2/d + 1/m), (2*1.6e6 + cm) / 3},
			{0.75*d + 0.25*m, 1 / (0.75/d + 0.25/m), 0.75*d + 0.25*m, 0.75*1.6e6 + 0.25*cm},
		}
		for i := range s.Materials {
			at := s.Materials[i].At(kelvin)
			for n, got := range [4]float64{at.K[0], at.K[1], at.K[2], at.C} {
				if w := want[i][n]; math.Abs(got-w) > 2e-5*w {
					t.Errorf("%s at %g K: property %d is %g, want %g", at.Name, kelvin, n, got, w)
				}
			}
		}
	}
	if from, to, _ := s.Materials[0].Range(); from != 250 || to != 450 {
		t.Errorf("holds from %g to %g K", from, to)
	}
}

// A film conducts at every temperature a share of the bulk that depends on the mean free path there: 300 nm at 300 K,
// where it is not given, and in proportion to k/c.
func TestThinFilmsFollow(t *testing.T) {
	s, err := Parse("s.toml", []byte(warmParts+`
[materials.film]
thin_film = { material = "die", thickness = "100 nm" }
[materials.fine]
thin_film = { material = "film", thickness = "100 nm", mean_free_path = "1 nm" }
[[layer]]
name = "a"
material = "film"
thickness = "100 nm"
[[layer]]
name = "b"
material = "fine"
thickness = "100 nm"
`), files{}.open)
	if err != nil {
		t.Fatal(err)
	}
	for _, kelvin := range []float64{250, 300, 351.7, 500} {
		k := 153 * math.Pow(300/kelvin, 1.5)
		at := s.Materials[0].At(kelvin)
		// Across: 1/(1 + 4 path/3 thickness); along, the share lies between that and 1.
		path := 3 * math.Pow(300/kelvin, 1.5) // in thicknesses
		if want := k / (1 + 4*path/3); math.Abs(at.K[2]-want) > 2e-5*want {
			t.Errorf("at %g K: %g across, want %g", kelvin, at.K[2], want)
		}
		if along := at.K[0]; !(along > at.K[2] && along < k) || at.C != 1.6e6 || at.K[1] != along {
			t.Errorf("at %g K: k = %v, c = %g", kelvin, at.K, at.C)
		}
		// Of a path far below the thickness: 1 - 3 path/8 thickness.
		if got, want := s.Materials[1].At(kelvin).K[0]/at.K[0], 1-3.0/800; math.Abs(got-want) > 3e-3 {
			t.Errorf("at %g K: a film of short paths keeps %g, want %g", kelvin, got, want)
		}
	}
}

// However wide the range in which the parts hold, a composite has few rows, and conducts as its rule says: by hand, and
// checked between rows.
func TestWideCompositesFollow(t *testing.T) {
	s, err := Parse("s.toml", []byte(strings.NewReplacer("500", "1e30", "'450 K'", "1e30", "-0.07",
		"0.07").Replace(warmParts)+`
[materials.pile]
laminate = [{ material = "die", thickness = "2 um" }, { material = "metal", thickness = "1 um" }]
[[layer]]
name = "a"
material = "pile"
thickness = 1
`), files{}.open)
	if err != nil {
		t.Fatal(err)
	}
	pile := &s.Materials[0]
	for _, kelvin := range []float64{250, 303.3, 497, 777.7, 1234.5, 1e5, 3.3e12} {
		d, m := 153*math.Pow(300/kelvin, 1.5), 400+0.07*(kelvin-300)
		at := pile.At(kelvin)
		for n, want := range map[int]float64{0: (2*d + m) / 3, 2: 3 / (2/d + 1/m)} {
			if got := at.K[n]; math.Abs(got-want) > 2e-4*want {
				t.Errorf("at %g K: k along %c is %g, want %g", kelvin, "xyz"[n], got, want)
			}
		}
	}
	if n := len(pile.KCurve[0].Temperatures); n > 8000 {
		t.Errorf("%d rows", n)
	}
}

// What cannot follow the temperature is refused where it stands, with what to do.
func TestUnfollowable(t *testing.T) {
	layer := "[[layer]]\nname = 'a'\nmaterial = '%'\nthickness = 1\n"
	of := func(material, regions string) string { return strings.Replace(layer, "%", material, 1) + regions }
	for text, want := range map[string]string{
		"[materials.x]\nmix = { inclusion = 'cold', matrix = 'die', fraction = 0.1 }\n" +
			of("x",
				""): `s.toml:13:7: the constituents of material "x" have no common temperature range; give all constituents overlapping ranges`,
		"[materials.x]\nlaminate = [{ material = 'cold', thickness = 1 }, { material = 'die', thickness = 1 }]\n" +
			of("x", ""): `the constituents of material "x" have no common temperature range`,
		of("die", "fill = { inclusion = 'copper', "+
			"fraction = 0.1 }\n"): `material "die" is temperature-dependent, which a fill does not support`,
		of("silicon", "region = [{ material = 'die', x = 0, y = 0, width = 1e-3, height = 1e-3, fill = { inclusion = "+
			"'copper', fraction = 0.1 } }]\n"): `material "die" is temperature-dependent, which a fill does not support; use materials with constant properties, or replace a uniform fill by a material with mix`,
		of("silicon", "region = [{ material = 'silicon', x = 0, y = 0, width = 1e-3, height = 1e-3, fill = { "+
			"inclusion = 'metal', fraction "+
			"= 0.1 } }]\n"): `material "metal" is temperature-dependent, which a fill does not support`,
	} {
		_, err := Parse("s.toml", []byte(warmParts+text), files{}.open)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "s.toml:1") {
			t.Errorf("%s:\n got  %v\n want %s", text, err, want)
		}
	}
}
