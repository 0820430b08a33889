// Package fit calibrates parameters of a stack to measured temperatures and step responses: nonlinear least squares
// with bounds and priors, the uncertainty of the result, and the combinations of parameters that the data do not
// determine.
package fit

import (
	"errors"
	"fmt"
	"strings"

	"thermsim/stack/stackfile"
)

// Parameter is a value of the stack file that is fitted.
type Parameter struct {
	Key  string // in the form of --set
	Unit string // of the numbers; may be empty
	stackfile.Range
	Start float64
	Prior *Prior
}

// Prior is what is known of a parameter in advance: a normal distribution.
type Prior struct{ Mean, Sigma float64 }

// ParseParameter reads KEY=LOW:HIGH or KEY=LOW:HIGH,MEAN:SIGMA, such as "layer.tim.thickness=20:100 um,50:5 um" with a
// prior. A unit stands behind the second number of a pair. The start is the middle of the range.
func ParseParameter(text string) (p Parameter, err error) {
	at := strings.LastIndex(text, "=")
	if at < 0 {
		return p, errors.New("write KEY=LOW:HIGH, such as layer.tim.thickness=20:100 um")
	}
	p.Key = strings.TrimSpace(text[:at])
	if _, err = stackfile.NewOverride(p.Key, "1"); err != nil {
		return p, err
	}
	bounds, prior, given := strings.Cut(text[at+1:], ",")
	if p.Low, p.High, p.Unit, err = parsePair(bounds); err != nil {
		return p, err
	}
	if !(p.Low < p.High) {
		return p, fmt.Errorf("got the range %g:%g; expected LOW below HIGH", p.Low, p.High)
	}
	p.Start = p.At(0.5)
	if given {
		unit := ""
		p.Prior = &Prior{}
		p.Prior.Mean, p.Prior.Sigma, unit, err = parsePair(prior)
		if err == nil && (!(p.Prior.Sigma > 0) || unit != p.Unit) {
			err = fmt.Errorf("got the prior %q; expected MEAN:SIGMA in the unit of the range, and SIGMA above 0", prior)
		}
	}
	return p, err
}

// parsePair reads two numbers of the same unit.
func parsePair(text string) (a, b float64, unit string, err error) {
	first, second, ok := strings.Cut(text, ":")
	if !ok {
		return 0, 0, "", fmt.Errorf("got %q; expected two numbers, such as 20:100 um", text)
	}
	a, own, err := stackfile.SplitQuantity(first)
	if err != nil {
		return 0, 0, "", err
	}
	if b, unit, err = stackfile.SplitQuantity(second); err == nil && own != "" && own != unit {
		err = fmt.Errorf("got the units %q and %q; expected the same one", own, unit)
	}
	return a, b, unit, err
}
