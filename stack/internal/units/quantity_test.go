package units

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "thermsim/internal/testtier" // fixes the seed of drawn tests
)

// A bare temperature is refused where people write such numbers in degC.
func TestBareTemperatures(t *testing.T) {
	for text, want := range map[string]float64{"300": 300, "250": 250, "358.15": 358.15} {
		if got, err := Temperature.Parse(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"25": `"25 degC" or "25 K"`, "85.5": `"85.5 degC" or "85.5 K"`, "249.9": "could be degC or K",
		"0": `write "0 degC"`, "-40": `write "-40 degC"`,
	} {
		if _, err := Temperature.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for _, q := range []Quantity{TemperatureRise, Length, Number} {
		if got, err := q.Parse("25"); err != nil || got != 25 {
			t.Errorf("%s: %v, %v", q.Name, got, err)
		}
	}
}

func TestParse(t *testing.T) {
	tests := []struct {
		q    Quantity
		text string
		want float64
	}{
		{Length, "10 um", 1e-5},
		{Length, "10 µm", 1e-5},
		{Length, "10 \u03bcm", 1e-5},
		{Length, "10um", 1e-5},
		{Length, "  3.3 mm ", 3.3e-3},
		{Length, "1e-2 m", 1e-2},
		{Length, ".5 cm", 0.5e-2},
		{Length, "1 in", 25.4e-3},
		{Length, "4 mil", 101.6e-6},
		{Length, "5 \u00c5", 5e-10},
		{Length, "7 nm", 7e-9},
		{Length, "0.001", 0.001},
		{Conductivity, "130 W/(m K)", 130},
		{Conductivity, "130 W/mK", 130},
		{Conductivity, "130 W/m K", 130},
		{Conductivity, "130 W/(m*K)", 130},
		{Conductivity, "130 W/m*K", 130},
		{Conductivity, "130 W/m/K", 130},
		{Conductivity, "130 W m^-1 K^-1", 130},
		{Conductivity, "130 W m⁻¹ K⁻¹", 130},
		{Conductivity, "130 W·m-1·K-1", 130},
		{Conductivity, "1.3 W/(cm K)", 130},
		{Conductivity, "1.3 W/cmK", 130},
		{Conductivity, "130 W/(m °C)", 130},
		{Conductivity, "130 W/(m degC)", 130},
		{Conductivity, "1 mW/(um K)", 1e3},
		{VolumetricHeat, "1e6 J/(m^3 K)", 1e6},
		{VolumetricHeat, "1.6 J/(cm^3 K)", 1.6e6},
		{VolumetricHeat, "1.6 J/cm3K", 1.6e6},
		{VolumetricHeat, "1.6 MJ/m³K", 1.6e6},
		{Temperature, "300 K", 300},
		{Temperature, "85 degC", 358.15},
		{Temperature, "85 °C", 358.15},
		{Temperature, "185 degF", 358.15},
		{Temperature, "-40 °F", 233.15},
		{Temperature, "5 mK", 0.005},
		{TemperatureRise, "0.1 mK", 1e-4},
		{Time, "5 ms", 5e-3},
		{Time, "2 min", 120},
		{Time, "1 h", 3600},
		{Power, "10 W", 10},
		{Power, "250 mW", 0.25},
		{Power, "3 J/s", 3},
		{HeatTransfer, "10000 W/(m^2 K)", 1e4},
		{HeatTransfer, "10000 W/m2K", 1e4},
		{HeatTransfer, "10000 W/(m**2*K)", 1e4},
		{HeatTransfer, "1 W/(cm^2 K)", 1e4},
		{Flux, "100 W/cm^2", 1e6},
		{Flux, "1 W/mm²", 1e6},
		{Resistance, "0.3 K/W", 0.3},
		{Resistance, "0.3 °C/W", 0.3},
		{ContactResistance, "1e-6 m^2 K/W", 1e-6},
		{ContactResistance, "1 mm^2 K/W", 1e-6},
		{ContactResistance, "1 K mm2/W", 1e-6},
		{ContactResistance, "10 mm^2·K/W", 1e-5},
		{Density, "2330 kg/m^3", 2330},
		{Density, "2.33 g/cm^3", 2330},
		{SpecificHeat, "700 J/(kg K)", 700},
		{SpecificHeat, "0.7 J/gK", 700},
		{SpecificHeat, "0.7 kJ/kgK", 700},
		{Number, "10 %", 0.1},
		{Number, "0.25", 0.25},
	}
	for _, tt := range tests {
		got, err := tt.q.Parse(tt.text)
		if err != nil {
			t.Errorf("%s %q: %v", tt.q.Name, tt.text, err)
			continue
		}
		// A decimal unit converts exactly; degF and inches may round twice.
		tolerance := 0.0
		if strings.Contains(tt.text, "F") || strings.Contains(tt.text, "mil") || strings.Contains(tt.text, "in") {
			tolerance = 1e-15
		}
		if math.Abs(got-tt.want) > tolerance*math.Abs(tt.want) {
			t.Errorf("%s %q = %v, want %v", tt.q.Name, tt.text, got, tt.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct {
		q          Quantity
		text, want string
	}{
		{Length, "10 W", `expected a length such as "10 um", got W`},
		{Length, "10 mm^2", `expected a length such as "10 um", got mm^2`},
		{Length, "10 parsec", `expected a length such as "10 um": unknown unit "parsec"`},
		{Length, "ten um", `expected a length such as "10 um", got "ten um"`},
		{Length, "", `expected a length such as "10 um", got ""`},
		{Length, "nan", `expected a length such as "10 um", got "nan"`},
		{Length, "0x10 m", `expected a length such as "10 um": unknown unit "x"`},
		{Length, "1e999 m", `"1e999 m" is out of range`},
		{Length, "1e99999999999999999999", `"1e99999999999999999999" is out of range`},
		{Length, "1,5 mm", `expected a length such as "10 um": unexpected ",5 mm" in the unit`},
		{Conductivity, "1 W/(m K", `expected a thermal conductivity such as "130 W/(m K)": missing ) in the unit`},
		{Conductivity, "1 W/", `expected a thermal conductivity such as "130 W/(m K)": unit ends too early`},
		{Conductivity, "1 W/m^", `expected a thermal conductivity such as "130 W/(m K)": missing power in the unit`},
		{ContactResistance, "1 mmK/W", `expected a contact resistance such as "1 mm^2 K/W": unknown unit "mmK"; did you mean "mm"?`},
		{TemperatureRise, "1 degC",
			`expected a temperature difference such as "1e-4 K", got degC, which is a unit for absolute temperatures, not for differences`},
		{Temperature, "1 K^0.5", `expected a temperature such as "85 degC": unexpected ".5" in the unit`},
		{Length, "1 m^77", `expected a length such as "10 um": power out of range in the unit`},
		{Length, "1 " + strings.Repeat("(", 99), `expected a length such as "10 um": unit of 99 characters`},
	}
	for _, tt := range tests {
		if x, err := tt.q.Parse(tt.text); err == nil || err.Error() != tt.want {
			t.Errorf("%s %q = %v, %v\nwant %s", tt.q.Name, tt.text, x, err, tt.want)
		}
	}
}

func TestScale(t *testing.T) {
	if got, err := Flux.Scale("W/cm^2"); err != nil || got != 1e4 {
		t.Errorf("W/cm^2 = %v, %v; want 1e4", got, err)
	}
	if _, err := Power.Scale("W/m^2"); err == nil {
		t.Error("W/m^2 taken for a power")
	}
}

func TestConvert(t *testing.T) {
	for _, c := range []struct {
		text, unit string
		want       float64
	}{
		{"0.05 mm", "um", 50}, {"5e-5", "um", 50}, {"4 W/(m K)", "", 4}, {"3", "", 3}, {"300 K", "degC", 26.85},
		{"25 degC", "K", 298.15}, {"2 K/W", "mK/W", 2000},
	} {
		if got, ok := Convert(c.text, c.unit); !ok || math.Abs(got-c.want) > 1e-9*math.Abs(c.want) {
			t.Errorf("%s in %q: got %v, %v; expected %v", c.text, c.unit, got, ok, c.want)
		}
	}
	for _, c := range [][2]string{{"1 mm", "s"}, {"2*a", "mm"}, {"copper", ""}, {"1 mm", "furlong"}} {
		if got, ok := Convert(c[0], c[1]); ok {
			t.Errorf("%s in %q: got %v; expected none", c[0], c[1], got)
		}
	}
}

// Every quantity must read back what it prints, bit by bit.
func TestFormatRoundTrip(t *testing.T) {
	quantities := []Quantity{Length, Time, Temperature, TemperatureRise, Power, Flux, Conductivity, HeatTransfer,
		Resistance, ContactResistance, VolumetricHeat, SpecificHeat, Density, Number}
	rapid.Check(t, func(t *rapid.T) {
		q := rapid.SampledFrom(quantities).Draw(t, "quantity")
		x := rapid.Float64().Draw(t, "x")
		got, err := q.Parse(q.Format(x))
		if err != nil || got != x {
			t.Fatalf("%v printed as %q reads as %v, %v", x, q.Format(x), got, err)
		}
	})
	for x, want := range map[float64]string{1e-5: "10 um", 0.0015: "1.5 mm", 0: "0 m", 12: "12 m",
		2.5e-10: "2.5e-10 m"} {
		if got := Length.Format(x); got != want {
			t.Errorf("Format(%v) = %q, want %q", x, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"10 um", "130 W/mK", "1e-6 m^2 K/W", "85 °C", "(((", "1 W m⁻¹ K⁻¹", "1/1/1 K**-2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, q := range []Quantity{Length, Temperature, Conductivity, Number} {
			if x, err := q.Parse(s); err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
				t.Errorf("%q = %v", s, x)
			}
		}
	})
}
