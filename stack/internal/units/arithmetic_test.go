package units

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func constants(name string) (Constant, bool) {
	c, ok := map[string]Constant{
		"die_w": {8e-3, Length.Dim, false},
		"n":     {4, Dimension{}, false},
		"m2":    {7, Dimension{}, false},
		"limit": {378.15, Temperature.Dim, true},
		"huge":  {1, Dimension{1 << 62}, false},
	}[name]
	return c, ok
}

func TestEvaluate(t *testing.T) {
	for _, tt := range []struct {
		text string
		q    Quantity
		want float64
	}{
		{"die_w/2 - 1 mm", Length, 3e-3},
		{"2*(die_w + 500 um)", Length, 17e-3},
		{"-die_w + 10 mm", Length, 2e-3},
		{"n * 1.5 W", Power, 6},
		{"10 W / (n*25 mm^2)", Flux, 1e5},
		{"10 W/(m^2 K) * n", HeatTransfer, 40},
		{"1 mm / 2 mm", Number, 0.5},
		{"m2*1 mm", Length, 7e-3},
		{"3 m2 / 1 m", Length, 3},
		{"limit - 10 K", Temperature, 368.15},
		{"limit - 85 degC", TemperatureRise, 20},
		{"20 degC + 5 K", Temperature, 298.15},
		{"n - 1 - 1", Number, 2},
		{"n / 2 / 2", Number, 1},
		{"  n  ", Number, 4},
		{"50 %", Number, 0.5},
		{"--n", Number, 4},
	} {
		if tt.text == "3 m2 / 1 m" { // a constant hides the unit, and juxtaposition is for units
			if _, err := Evaluate(tt.text, constants); err == nil ||
				!strings.Contains(err.Error(), "write * before m2") {
				t.Errorf("%q: %v", tt.text, err)
			}
			continue
		}
		c, err := Evaluate(tt.text, constants)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		got, err := tt.q.Of(c)
		if err != nil || math.Abs(got-tt.want) > 1e-14*math.Abs(tt.want) {
			t.Errorf("%q = %v, %v; want %v", tt.text, got, err, tt.want)
		}
	}
}

func TestEvaluateFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "ends too early",
		"die_w +":                "ends too early",
		"die_w + 1 W":            "one kind",
		"(die_w":                 "missing )",
		"die_w)":                 `unexpected ")"`,
		"die_x/2":                `called "die_x"`,
		"2 die_w":                "write * before die_w",
		"2 mm_2":                 "called",
		"limit + limit":          "cannot be added",
		"1 K - limit":            "cannot be added",
		"2 * limit":              "no multiples",
		"-limit":                 "no negative",
		"1/0":                    "finite",
		"huge":                   "power out of range",
		"1/huge":                 "power out of range",
		"1e999":                  "out of range",
		"die_w $ 2":              `unexpected "$ 2"`,
		strings.Repeat("(", 200): "brackets",
		strings.Repeat("1", 500): "characters",
	} {
		if _, err := Evaluate(text, constants); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", text, err, want)
		}
	}
	var unknown *UnknownName
	if _, err := Evaluate("1 mm + gap", constants); !errors.As(err, &unknown) || unknown.Name != "gap" {
		t.Errorf("unknown name: %v", err)
	}
	if _, err := Length.Of(Constant{1, Power.Dim, false}); err == nil {
		t.Error("a power is no length")
	}
	if _, err := TemperatureRise.Of(Constant{300, Temperature.Dim, true}); err == nil {
		t.Error("a temperature is no difference")
	}
}

func FuzzEvaluate(f *testing.F) {
	for _, text := range []string{"die_w/2 - 1 mm", "10 W/(m^2 K) * n", "limit - 10 K", "2*(die_w + 500 um)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Evaluate(text, constants)
		if err == nil && (math.IsNaN(c.X) || math.IsInf(c.X, 0)) {
			t.Errorf("%q = %v", text, c.X)
		}
	})
}
