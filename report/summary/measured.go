package summary

import (
	"fmt"
	"math"

	"thermsim/report/quantity"
)

// Measured compares computed temperatures with measured ones. The first fields are those of all values.
type Measured struct {
	Deviation
	// values at times that the run does not cover: without a time in a transient, with a time in a steady state
	NotCompared int             `json:"not_compared"`
	Limits      []MeasuredLimit `json:"limits"` // of the differences; the exit status is 5 if one is exceeded
	Places      []Deviation     `json:"places"` // those with compared values, in the order of the probes
	Values      []MeasuredValue `json:"-"`      // all of them, in the order of the file
}

// Deviation summarizes the differences of measured values, computed minus measured.
type Deviation struct {
	Count int           `json:"count"`  // number of values compared
	BiasK float64       `json:"bias_K"` // mean difference
	RMSK  float64       `json:"rms_K"`  // root mean square of the differences
	Worst MeasuredValue `json:"worst"`  // value with the largest absolute difference
}

// MeasuredValue is a measured temperature and the computed one.
type MeasuredValue struct {
	Probe     string  `json:"probe"`      // where it was measured
	XM        float64 `json:"x_m"`        // of the probe
	YM        float64 `json:"y_m"`        // of the probe
	ZM        float64 `json:"z_m"`        // of the probe
	TimeS     float64 `json:"time_s"`     // of the measurement; null of a steady state
	MeasuredK float64 `json:"measured_K"` // by the user
	ComputedK float64 `json:"computed_K"` // in this run; null for values that are not compared
}

// DifferenceK is the computed temperature minus the measured one.
func (v *MeasuredValue) DifferenceK() float64 { return v.ComputedK - v.MeasuredK }

// When is the time, for texts; empty of a steady state.
func (v *MeasuredValue) When() string {
	if math.IsNaN(v.TimeS) {
		return ""
	}
	return ", t = " + quantity.Seconds(v.TimeS)
}

// MeasuredLimit is a limit of the differences.
type MeasuredLimit struct {
	Name   string  `json:"name"`    // bias, rms or worst
	LimitK float64 `json:"limit_K"` // highest value allowed
	ValueK float64 `json:"value_K"` // absolute value found
	OK     bool    `json:"ok"`      // the limit is met
}

// Label names the limit.
func (l *MeasuredLimit) Label() string { return "measured." + l.Name }

// Text describes how the limit is met or not.
func (l *MeasuredLimit) Text() string {
	if math.IsNaN(l.ValueK) {
		return fmt.Sprintf("%s has no compared value for its limit of %.3g K", l.Label(), l.LimitK)
	}
	verb := "meets"
	if !l.OK {
		verb = "exceeds"
	}
	return fmt.Sprintf("%s of %.3g K %s its limit of %.3g K", l.Label(), l.ValueK, verb, l.LimitK)
}

// Text summarizes the differences: their mean (bias), root mean square (RMS) and largest value.
func (m *Measured) Text() string {
	if m.Count == 0 {
		return fmt.Sprintf("none of %d values is for a time in this run", m.NotCompared)
	}
	text := "1 value"
	if m.Count > 1 {
		text = fmt.Sprintf("%d values: bias %+.3g K, RMS %.3g K", m.Count, m.BiasK, m.RMSK)
	}
	text += fmt.Sprintf(", worst %+.3g K at %s%s", m.Worst.DifferenceK(), m.Worst.Probe, m.Worst.When())
	if m.NotCompared > 0 {
		text += fmt.Sprintf("; %d not compared, at other times", m.NotCompared)
	}
	return text
}

// ExceededMeasured returns the limits of measured data that are not met.
func (s *Summary) ExceededMeasured() (list []MeasuredLimit) {
	if s.Measured != nil {
		for _, l := range s.Measured.Limits {
			if !l.OK {
				list = append(list, l)
			}
		}
	}
	return list
}
