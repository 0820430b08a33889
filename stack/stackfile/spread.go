package stackfile

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"

	"thermsim/stack/internal/units"
)

// Spread is the distribution of a parameter.
type Spread struct {
	Text string // as it was given
	Law  string // normal, lognormal, uniform or triangular
	Unit string // behind its numbers; may be empty
	// Mean and Sigma, the standard deviation, of all laws.
	Mean, Sigma float64
	low, mode   float64 // of uniform and triangular
	high        float64
}

// spreadForm is a law with its numbers.
var spreadForm = regexp.MustCompile(`^\s*([a-z]+)\s*\((.*)\)\s*$`)

// ParseSpread reads a distribution: "50 um +- 5 um", "50 um +- 10 %", "normal(50 um, 5 um)", "lognormal(50 um, 10 %)",
// which all give mean and standard deviation, "uniform(40 um, 60 um)" or "triangular(40 um, 50 um, 60 um)".
func ParseSpread(text string) (*Spread, error) {
	s := &Spread{Text: text, Law: "normal"}
	numbers := strings.Split(strings.Replace(text, "±", "+-", 1), "+-")
	if m := spreadForm.FindStringSubmatch(text); m != nil {
		s.Law, numbers = m[1], strings.Split(m[2], ",")
	}
	values, err := s.numbers(numbers)
	if err != nil {
		return nil, err
	}
	switch n := len(values); {
	case (s.Law == "normal" || s.Law == "lognormal") && n == 2:
		s.Mean, s.Sigma = values[0], values[1]
	case s.Law == "uniform" && n == 2:
		s.low, s.high = values[0], values[1]
		s.Mean, s.Sigma = (s.low+s.high)/2, (s.high-s.low)/math.Sqrt(12)
	case s.Law == "triangular" && n == 3:
		s.low, s.mode, s.high = values[0], values[1], values[2]
		s.Mean = (s.low + s.mode + s.high) / 3
		s.Sigma = math.Sqrt(((s.high-s.low)*(s.high-s.low) + (s.mode-s.low)*(s.mode-s.high)) / 18)
	default:
		return nil, fmt.Errorf(`got %q; expected "50 um +- 5 um", "normal(50 um, 10 %%)", "lognormal(50 um, 10 %%)", `+
			`"uniform(40 um, 60 um)" or "triangular(40 um, 50 um, 60 um)"`, text)
	}
	switch {
	case !(s.Sigma > 0) || s.Law == "triangular" && !(s.low <= s.mode && s.mode <= s.high):
		return nil, fmt.Errorf("%q has no width, or limits that are not ascending", text)
	case s.Law == "lognormal" && !(s.Mean > 0):
		return nil, fmt.Errorf("%q: the mean of a lognormal distribution must be positive", text)
	}
	return s, nil
}

// numbers reads the numbers of a distribution, all in the unit of the first. A percentage is one of the first.
func (s *Spread) numbers(texts []string) (values []float64, err error) {
	for n, text := range texts {
		x, unit, err := units.Split(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("%q: expected a number with or without a unit", strings.TrimSpace(text))
		}
		second := n == 1 && (s.Law == "normal" || s.Law == "lognormal")
		switch {
		case n == 0:
			s.Unit = unit
		case second && unit == "%" && (s.Unit == "degC" || s.Unit == "degF"):
			return nil, fmt.Errorf("%q: a part of a temperature depends on its unit. Fix: give the width in %s", s.Text,
				s.Unit)
		case second && unit == "%":
			x *= math.Abs(values[0]) / 100
		case second && s.Unit == "degC" && unit == "K":
		case unit != s.Unit:
			return nil, fmt.Errorf("%q: got the units %q and %q; expected one", s.Text, s.Unit, unit)
		}
		values = append(values, x)
	}
	return values, nil
}

// Quantile is the value that a part p of the distribution, between 0 and 1, lies below.
func (s *Spread) Quantile(p float64) float64 {
	z := math.Sqrt2 * math.Erfinv(2*p-1)
	switch s.Law {
	case "lognormal":
		v := math.Log1p(s.Sigma / s.Mean * (s.Sigma / s.Mean))
		return s.Mean * math.Exp(math.Sqrt(v)*z-v/2)
	case "uniform":
		return s.low + p*(s.high-s.low)
	case "triangular":
		width := s.high - s.low
		if p*width < s.mode-s.low {
			return s.low + math.Sqrt(p*width*(s.mode-s.low))
		}
		return s.high - math.Sqrt((1-p)*width*(s.high-s.mode))
	}
	return s.Mean + s.Sigma*z
}

// ParseVary reads a parameter with a spread: KEY=SPREAD.
func ParseVary(text string) (Vary, error) {
	o, err := ParseOverride(text)
	if err != nil {
		return Vary{}, err
	}
	if o.value == "" {
		return Vary{}, errors.New("write KEY=SPREAD, such as 'layer.tim.thickness=50 um +- 5 um'")
	}
	key := o.path(len(o.steps))
	spread, err := ParseSpread(o.value)
	return Vary{Keys: []string{key}, Label: key, Spread: spread}, err
}
