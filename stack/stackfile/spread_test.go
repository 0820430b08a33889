package stackfile

import (
	"math"
	"strings"
	"testing"
)

// Mean and standard deviation are those of the quantiles: integrals over p from 0 to 1, by the midpoint rule.
func TestSpreads(t *testing.T) {
	for text, want := range map[string][2]float64{
		"50 um +- 5 um":                         {50, 5},
		"50 um ± 10 %":                          {50, 5},
		"-20 +- 10 %":                           {-20, 2},
		"85 degC +- 2 K":                        {85, 2},
		"normal(3, 0.5)":                        {3, 0.5},
		"lognormal(50 um, 20 um)":               {50, 20},
		"uniform(40 um, 60 um)":                 {50, 20 / math.Sqrt(12)},
		"triangular(40 um, 45 um, 60 um)":       {145.0 / 3, math.Sqrt((400 - 5*15) / 18.0)},
		"triangular(1 W/m^2, 1 W/m^2, 2 W/m^2)": {4.0 / 3, math.Sqrt(1.0 / 18)},
	} {
		s, err := ParseSpread(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		const parts = 200_000
		mean, square := 0.0, 0.0
		for n := range parts {
			x := s.Quantile((float64(n) + 0.5) / parts)
			mean, square = mean+x/parts, square+x*x/parts
		}
		sigma := math.Sqrt(square - mean*mean)
		if math.Abs(mean-want[0]) > 1e-4*math.Abs(want[0]) || math.Abs(sigma-want[1]) > 2e-4*want[1] ||
			math.Abs(s.Mean-want[0]) > 1e-12*math.Abs(want[0]) || math.Abs(s.Sigma-want[1]) > 1e-12*want[1] {
			t.Errorf("%s: mean %g (%g), sigma %g (%g), want %v", text, s.Mean, mean, s.Sigma, sigma, want)
		}
	}
	for text, want := range map[string]string{
		"50 um":                    "expected \"50 um +- 5 um\"",
		"50 um +- 0":               "got the units \"um\" and \"\"",
		"50 +- 0":                  "no width",
		"beta(1, 2)":               "expected \"50 um +- 5 um\"",
		"uniform(2, 1)":            "no width",
		"triangular(1, 5, 2)":      "not ascending",
		"lognormal(-1, 2)":         "must be positive",
		"uniform(1 mm, 2 um)":      "got the units \"mm\" and \"um\"",
		"normal(x, 2)":             "expected a number",
		"uniform(10 um, 10 %)":     "got the units",
		"triangular(1, 10 %, 200)": "got the units",
		"25 degC +- 10 %":          "give the width in degC",
	} {
		if s, err := ParseSpread(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v; want %q", text, s, err, want)
		}
	}
	v, err := ParseVary(`layer."a.b".thickness = 50 um +- 5 um`)
	if err != nil || v.Keys[0] != `layer."a.b".thickness` || v.Spread.Unit != "um" {
		t.Errorf("%+v, %v", v, err)
	}
}
