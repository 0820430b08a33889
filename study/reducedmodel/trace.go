package reducedmodel

import (
	"bufio"
	"context"
	"io"
	"math"
	"strconv"

	"thermsim/internal/printable"
)

// Trace steps a model and writes its temperatures.
type Trace struct {
	*Stepper
	From  []int     // the model's input of each power
	Watts []float64 // of the inputs
	// Kelvin are the temperatures of the outputs; Top is the highest of each, and When its time in s.
	Kelvin, Top, When []float64
	// Beyond is the largest power in parts of its input's range, or what is below 0 in the same parts.
	Beyond float64
}

// NewTrace starts a model.
func NewTrace(m *Model, from []int) (*Trace, error) {
	s, err := NewStepper(m)
	if err != nil {
		return nil, err
	}
	n := len(m.Outputs)
	return &Trace{Stepper: s, From: from, Watts: make([]float64, len(m.Inputs)), Kelvin: make([]float64, n),
		Top: make([]float64, n), When: make([]float64, n)}, nil
}

// Write steps by dt in s, and writes a row of temperatures after every step. power returns the mean powers of a step.
func (r *Trace) Write(ctx context.Context, w io.Writer, dt float64, steps int,
	power func(t0, t1 float64) ([]float64, error)) error {
	out := bufio.NewWriterSize(w, 1<<16)
	row := []byte("time_s,power_W")
	for _, o := range r.m.Outputs {
		row = append(append(row, ','), printable.Field(o.Column())...)
	}
	if _, err := out.Write(append(row, '\n')); err != nil {
		return err
	}
	for n := range steps {
		t0, t1 := float64(n)*dt, float64(n+1)*dt
		watts, err := power(t0, t1)
		if err != nil {
			return err
		}
		sum := 0.0
		for k, v := range watts {
			r.Watts[r.From[k]] = v
			sum += v
			r.Beyond = math.Max(r.Beyond, excess(v, r.m.Inputs[r.From[k]].Range))
		}
		if err := r.Step(t1-t0, r.Watts); err != nil {
			return err
		}
		if _, err := out.Write(append(r.row(row[:0], t1, sum), '\n')); err != nil {
			return err
		}
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return out.Flush()
}

// row appends the time, the power and the temperatures, and keeps the highest.
func (r *Trace) row(row []byte, time, power float64) []byte {
	r.Temperatures(r.Kelvin)
	row = strconv.AppendFloat(row, time, 'g', 10, 64)
	row = strconv.AppendFloat(append(row, ','), power, 'g', 10, 64)
	for k, v := range r.Kelvin {
		row = strconv.AppendFloat(append(row, ','), v, 'f', 6, 64)
		if v > r.Top[k] {
			r.Top[k], r.When[k] = v, time
		}
	}
	return row
}

// excess is a power in parts of the range from 0 on that a model's errors are stated for: above 1 outside of it.
func excess(watts, most float64) float64 {
	if v := watts / most; v >= 0 {
		return v
	}
	return 1 - watts/most
}
