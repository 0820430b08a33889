package reducedmodel

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Stepper steps a model in time. It is not safe for concurrent use, and allocates nothing after the first step of a
// length.
type Stepper struct {
	m     *Model
	z     []float64 // K
	drive []float64 // B P of the powers
	watts []float64
	dt    float64
	keep  []float64 // decay factor of each state after dt
	gain  []float64 // gain of the drive
}

// NewStepper starts a model from the initial state of a transient.
func NewStepper(m *Model) (*Stepper, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	n := m.States()
	return &Stepper{m: m, z: append(make([]float64, 0, n), m.start()...), drive: make([]float64, n),
		watts: make([]float64, len(m.Inputs)), keep: make([]float64, n), gain: make([]float64, n)}, nil
}

// Model returns the model.
func (s *Stepper) Model() *Model { return s.m }

// Step advances by dt in s with constant watts, one value in W for each input. It is exact for any length.
func (s *Stepper) Step(dt float64, watts []float64) error {
	if !(dt > 0) || math.IsInf(dt, 0) {
		return fmt.Errorf("got a step of %g s; expected a positive time", dt)
	}
	if err := s.power(watts); err != nil {
		return err
	}
	if dt != s.dt {
		s.dt = dt
		for k, tau := range s.m.Tau {
			s.keep[k], s.gain[k] = math.Exp(-dt/tau), -math.Expm1(-dt/tau)
		}
	}
	for k, z := range s.z {
		s.z[k] = float64(s.keep[k]*z) + float64(s.gain[k]*s.drive[k])
	}
	return nil
}

// power updates the drive of the states, unless the powers are those of the previous step.
func (s *Stepper) power(watts []float64) error {
	if len(watts) != len(s.watts) {
		return fmt.Errorf("got %d powers; expected %d, one per input", len(watts), len(s.watts))
	}
	same := true
	for i, w := range watts {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return fmt.Errorf("%g W in input %s", w, s.m.Inputs[i].Name)
		}
		same = same && w == s.watts[i]
	}
	if same {
		return nil
	}
	copy(s.watts, watts)
	for k := range s.drive {
		s.drive[k] = floats.Dot(s.m.B.Row(k), watts)
	}
	return nil
}

// Settle sets the steady state under watts.
func (s *Stepper) Settle(watts []float64) error {
	if err := s.power(watts); err != nil {
		return err
	}
	copy(s.z, s.drive)
	return nil
}

// Begin sets the state of a uniform temperature in K: the model's initial temperature, or any other if the stack
// without power is at the ambient.
func (s *Stepper) Begin(kelvin float64) error {
	m := s.m
	uniform := m.Uniform()
	switch {
	case m.Start != nil && kelvin == m.Initial:
		copy(s.z, m.Start)
	case uniform && kelvin == m.Ambient:
		s.Rest()
	case uniform && m.Start != nil:
		for k, z := range m.Start {
			s.z[k] = z * ((kelvin - m.Ambient) / (m.Initial - m.Ambient))
		}
	default:
		return fmt.Errorf("the model cannot start at %g K; reduce the stack with initial = \"%g K\" in "+
			"[transient]", kelvin, kelvin)
	}
	return nil
}

// Rest sets the state without power.
func (s *Stepper) Rest() { clear(s.z) }

// Temperatures sets dst to the temperatures of the outputs in K.
func (s *Stepper) Temperatures(dst []float64) {
	for o := range dst {
		dst[o] = s.m.Outputs[o].Rest + floats.Dot(s.m.L.Row(o), s.z)
	}
}
