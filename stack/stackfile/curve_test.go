package stackfile

import (
	"math"
	"strings"
	"testing"

	"thermsim/stack"
)

// curveStack is a stack whose one material has a property as written.
func curveStack(property string) string {
	return "schema = 1\nsize = [1, 1]\n[materials.m]\n" + property + "\n[[layer]]\nname = 'a'\nmaterial = " +
		"'m'\nthickness = 1\n"
}

func parseCurve(t *testing.T, property string) *stack.Material {
	t.Helper()
	s, err := Parse("s.toml", []byte(curveStack(property)), files{}.open)
	if err != nil {
		t.Fatal(err)
	}
	return &s.Materials[0]
}

func TestCurves(t *testing.T) {
	m := parseCurve(t, `k = [{ value = "1.48 W/(cm K)", exponent = 1.3, range = ["-73.15 degC", "500 K"] }, 5, { polynomial = [2, 1e-3, 2e-6], at = "350 K", range = [250, 450] }]
rho = "2 g/cm^3"
cp = { table = [[200, 556], [300, 712], [400, 790], [600, 867]] }`)
	at := m.At(400)
	if want := 148 * math.Pow(400./300, -1.3); math.Abs(at.K[0]-want) > 1e-12*want || at.K[1] != 5 ||
		math.Abs(at.K[2]-(2+0.05+2e-6*2500)) > 1e-14 {
		t.Errorf("k at 400 K: %v", at.K)
	}
	if at.C != 2000*790 || m.C != 2000*712 || math.Abs(m.K[0]-148) > 1e-12 ||
		math.Abs(m.K[2]-(2-0.05+2e-6*2500)) > 1e-14 {
		t.Errorf("c %g, %g at 400 K; k %v", m.C, at.C, m.K)
	}
	if from, to, any := m.Range(); !any || from != 250 || to != 450 {
		t.Errorf("range %g to %g", from, to)
	}
	if cold, end := m.At(10), m.At(250); cold.K[2] != end.K[2] {
		t.Errorf("outside its range k is %g, at the end %g", cold.K[2], end.K[2])
	}
}

// TestTableIsMonotoneCubic compares with slopes worked out by hand.
func TestTableIsMonotoneCubic(t *testing.T) {
	m := parseCurve(t, `k = { table = [[0.5, 1], [1, 3], [2, 3.5], [4, 3.5], [5, 9]] }`+"\nc = 1")
	// By hand: secants 4, 0.5, 0, 5.5; inner slopes by the weighted harmonic mean, 0 beside the flat piece.
	w0, w1 := 2*1+0.5, 1+2*0.5
	s1 := (w0 + w1) / (w0/4 + w1/0.5)
	const x = 0.3 // of the way from 1 to 2
	want := 3*(2*x*x*x-3*x*x+1) + s1*(x*x*x-2*x*x+x) + 3.5*(3*x*x-2*x*x*x)
	if got := m.At(1.3).K[0]; math.Abs(got-want) > 1e-14 {
		t.Errorf("%g at 1.3, want %g", got, want)
	}
	last := 0.0
	for x := 0.5; x <= 5; x += 1e-3 {
		v := m.At(x).K[0]
		if v < last-1e-14 || x > 2 && x < 4 && math.Abs(v-3.5) > 1e-14 {
			t.Fatalf("%g at %g, %g before", v, x, last)
		}
		last = v
	}
}

// TestPieces holds what solvers evaluate against the laws themselves.
func TestPieces(t *testing.T) {
	for _, property := range []string{
		`k = { value = 148, exponent = 1.3, range = ["200 K", "600 K"] }`,
		`k = { value = 148, exponent = -3.7, range = ["100 K", "1600 K"] }`,
		`k = { polynomial = [712, 0.5, -1e-3, 1e-6], range = ["200 K", "600 K"] }`,
		`k = { polynomial = [712, 0.5, -1e-3, 1e-6, 1e-8], range = ["200 K", "600 K"] }`,
		`k = { table = [[200, 264], [300, 148], [400, 98.9], [600, 61.9]] }`,
	} {
		c := parseCurve(t, property+"\nc = 1").KCurve[0]
		pieces := c.Pieces()
		for i := range 1001 {
			kelvin := c.Range[0] + (c.Range[1]-c.Range[0])*float64(i)/1000
			n := 0
			for n+1 < len(pieces) && pieces[n+1].From <= kelvin {
				n++
			}
			if got, want := pieces[n].Of(kelvin), c.Of(kelvin); math.Abs(got-want) > 1e-11*want {
				t.Errorf("%s: %.15g at %g K, want %.15g (%d pieces)", property, got, kelvin, want, len(pieces))
				break
			}
		}
	}
}

func TestFaultyCurves(t *testing.T) {
	for property, want := range map[string]string{
		`k = { table = [[300, 148], [300, 99]] }`:                                 `s.toml:4:28: temperatures of a table must ascend, got 300 K after 300 K; give the rows in ascending order`,
		`k = { table = [[300, 148], [400, -9]] }`:                                 `s.toml:4:15: k: is -9 at 400 K, but must be positive throughout its range; narrow the range`,
		`k = { table = [[300, 148]] }`:                                            `s.toml:4:15: table has 2 entries at least, this one 1; write table = [[300, 148], [400, 98.9]]`,
		`k = { table = [[300, 148, 1], [400, 2, 2]] }`:                            `a row of a table has a temperature in K and a value, got 3 numbers`,
		`k = { table = [[300, 148], [400, 99]], at = 300 }`:                       `s.toml:4:45: at does not belong to a table; remove it`,
		`k = { value = 148, range = [300, 400] }`:                                 `a power law needs the key "exponent"`,
		`k = { value = 148, exponent = 1 }`:                                       `s.toml:4:5: the power law needs the range of temperatures for which it is valid; add range = ["250 K", "450 K"]`,
		`k = { value = -148, exponent = 1, range = [300, 400] }`:                  `k must be positive, got -148`,
		`k = { value = "1 m", exponent = 1, range = [300, 400] }`:                 `k: `,
		`k = { polynomial = [1, -0.02], range = [250, 450] }`:                     `s.toml:4:20: k: is -2 at 450 K, but must be positive throughout its range`,
		`k = { polynomial = [1, -0.02, 1e-4], at = "300 K", range = [250, 450] }`: `k: is 0 at 400 K`,
		`k = { polynomial = [], range = [250, 450] }`:                             `s.toml:4:20: polynomial is empty; write polynomial = [1, 0.02]`,
		`k = { polynomial = [1], range = [450, 250] }`:                            `range from 450 K to 250 K is not valid; give a lower and a higher temperature`,
		`k = { polynomial = [1], table = [[1, 1], [2, 2]] }`:                      `s.toml:4:33: a temperature-dependent property has both table and polynomial; remove one of them`,
		`k = {}`:                     `s.toml:4:5: k has no law: give one of table, polynomial and value with exponent`,
		`k = { range = [250, 450] }`: `k: range needs a law; add table, polynomial or value`,
		`k = { tabel = [[300, 148], [400, 99]] }`: `unknown key "tabel" in a temperature-dependent property; did you mean "table"?`,
		`k = [1, 2]`: `k needs 3 values, got 2`,
		"k = 1\nmix = { inclusion = 'copper_t', matrix = 'silicon', fraction = 0.1 }": `both mix and k`,
	} {
		_, err := Parse("s.toml", []byte(curveStack(property+"\nc = 1")), files{}.open)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n got  %v\n want %s", property, err, want)
		}
	}
}

// TestMixtureOfCurves follows both materials, over the range that they share.
func TestMixtureOfCurves(t *testing.T) {
	s, err := Parse("s.toml", []byte("schema = 1\nsize = [1, 1]\n[materials.die]\nk = { value = 153, exponent = 1.5, "+
		"range = [250, 500] }\nc = 1.6e6\n"+
		"[materials.m]\nmix = { inclusion = 'copper_t', matrix = 'die', fraction = 0.1 }\n[[layer]]\nname = "+
		"'a'\nmaterial = 'm'\nthickness = 1\n"), files{}.open)
	if err != nil {
		t.Fatal(err)
	}
	library, err := Library()
	if err != nil {
		t.Fatal(err)
	}
	var copper stack.Material
	for _, m := range library {
		if m.Name == "copper_t" {
			copper = m
		}
	}
	m := &s.Materials[0]
	if from, to, _ := m.Range(); from != 250 || to != 500 {
		t.Errorf("holds from %g K to %g K", from, to)
	}
	for _, kelvin := range []float64{251, 303.3, 377, 462.1, 500} {
		die := stack.Material{K: [3]float64{1, 1, 1}, C: 1.6e6}
		for axis := range die.K {
			die.K[axis] = 153 * math.Pow(300/kelvin, 1.5)
		}
		warm := copper.At(kelvin)
		k, c := stack.Cylinders.Mix(&warm, &die, 0.1)
		got := m.At(kelvin)
		for axis := range k {
			if math.Abs(got.K[axis]-k[axis]) > 2e-5*k[axis] {
				t.Errorf("k along %d at %g K: %g, want %g", axis, kelvin, got.K[axis], k[axis])
			}
		}
		if math.Abs(got.C-c) > 1e-5*c {
			t.Errorf("c at %g K: %g, want %g", kelvin, got.C, c)
		}
	}
}

// TestOutOfRange warns of temperatures that the stack itself names.
func TestOutOfRange(t *testing.T) {
	text := curveStack("k = { value = 148, exponent = 1.3, range = ['300 K', '400 K'] }\nc = 1")
	s, err := Parse("s.toml", []byte(text), files{}.open)
	if err != nil {
		t.Fatal(err)
	}
	if lines := s.OutOfRange(); len(lines) != 1 ||
		!strings.Contains(lines[0], "material m: its properties are valid from 300 K to 400 K, but the stack has "+
			"temperatures from 298.1 K to 298.1 K") {
		t.Errorf("%q", lines)
	}
	law := *s.Materials[0].KCurve[0]
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, Temperature: 299, Film: stack.Film{Law: &law}}
	if lines := s.OutOfRange(); len(lines) != 2 ||
		!strings.Contains(lines[0], "boundary.top: h is valid for surface temperatures from 300 K to 400 K, but its "+
			"ambient is 299 K") {
		t.Errorf("%q", lines)
	}
	s.Boundary[stack.Top] = stack.Boundary{}
	s.Ambient, s.Transient.Initial = 350, 350
	if lines := s.OutOfRange(); len(lines) != 0 {
		t.Errorf("%q", lines)
	}
}
