// Package fit calibrates parameters of a stack to measured temperatures and step responses: nonlinear least squares
// with bounds and priors, the uncertainty of the result, and the combinations of parameters that the data do not
// determine.
package fit

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"thermsim/stack/stackfile"
)

// Parameter is a value of the stack file that is fitted.
type Parameter struct {
	Key       string // in the form of --set
	Unit      string // of the numbers; may be empty
	Low, High float64
	Start     float64
	Prior     *Prior
}

// Prior is what is known of a parameter in advance: a normal distribution.
type Prior struct{ Mean, Sigma float64 }

// ParseParameter reads KEY=LOW:HIGH, such as "layer.tim.thickness=20 um:100 um". A unit may be given once, at the end.
// The start is the middle of the range.
func ParseParameter(text string) (p Parameter, err error) {
	key, low, high, unit, err := parsePair(text, "KEY=LOW:HIGH, such as layer.tim.thickness=20:100 um")
	if err == nil && !(low < high) {
		err = fmt.Errorf("the range %g:%g is empty; expected LOW below HIGH", low, high)
	}
	p = Parameter{Key: key, Unit: unit, Low: low, High: high}
	p.Start = p.at(0.5)
	return p, err
}

// ParsePrior reads KEY=MEAN:SIGMA, in the unit of the parameter.
func ParsePrior(text string) (key, unit string, prior Prior, err error) {
	key, prior.Mean, prior.Sigma, unit, err = parsePair(text, "KEY=MEAN:SIGMA, such as layer.tim.thickness=50:5 um")
	if err == nil && !(prior.Sigma > 0) {
		err = fmt.Errorf("got a standard deviation of %g; expected a positive one", prior.Sigma)
	}
	return key, unit, prior, err
}

// parsePair reads a key and two numbers of the same unit.
func parsePair(text, form string) (key string, a, b float64, unit string, err error) {
	at := strings.LastIndex(text, "=")
	first, second, ok := strings.Cut(text[at+1:], ":")
	if at < 0 || !ok {
		return "", 0, 0, "", errors.New("write " + form)
	}
	key = strings.TrimSpace(text[:at])
	if _, err = stackfile.NewOverride(key, "1"); err != nil {
		return "", 0, 0, "", err
	}
	a, own, err := stackfile.SplitQuantity(first)
	if err != nil {
		return "", 0, 0, "", err
	}
	if b, unit, err = stackfile.SplitQuantity(second); err == nil && own != "" && own != unit {
		err = fmt.Errorf("got the units %q and %q; expected the same unit twice, or one at the end", own, unit)
	}
	return key, a, b, unit, err
}

// Logarithmic reports whether the logarithm of the parameter is fitted: its range is positive and at least a decade.
func (p *Parameter) Logarithmic() bool { return p.Low > 0 && p.High >= 10*p.Low }

// at is the value at a part u of the range, or beyond it.
func (p *Parameter) at(u float64) float64 {
	if p.Logarithmic() {
		return p.Low * math.Pow(p.High/p.Low, u)
	}
	return p.Low + u*(p.High-p.Low)
}

// part is the inverse of at.
func (p *Parameter) part(x float64) float64 {
	if p.Logarithmic() {
		return math.Log(x/p.Low) / math.Log(p.High/p.Low)
	}
	return (x - p.Low) / (p.High - p.Low)
}

// slope is the derivative of the value by its part of the range.
func (p *Parameter) slope(x float64) float64 {
	if p.Logarithmic() {
		return x * math.Log(p.High/p.Low)
	}
	return p.High - p.Low
}

// Override sets the parameter in the stack file.
func (p *Parameter) Override(x float64) (stackfile.Override, error) {
	text := strconv.FormatFloat(x, 'g', -1, 64)
	if p.Unit != "" {
		text += " " + p.Unit
	}
	return stackfile.NewOverride(p.Key, text)
}
