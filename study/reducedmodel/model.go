// Package reducedmodel holds models of few states that stand for a linear stack: temperatures of blocks and probes from
// the watts of its heat sources, whatever these are. It steps them, and writes them for other programs: as matrices, as
// networks of resistances and capacities, and as netlists. It knows no grid; package reduce makes the models.
//
// A model is diagonal. State m has the time constant tau_m, input i drives it with B[m][i] W^-1 K, and output o reads
// it with L[o][m]:
//
//	tau_m dz_m/dt = -z_m + sum over i of B[m][i] P_i        T_o = Rest_o + sum over m of L[o][m] z_m
//
// from z_m = Start_m at time 0.
//
// so that L[o][m] B[m][i] is a thermal resistance in K/W, tau_m its time constant, and the sum of the resistances over
// m the steady rise of o per watt in i. All time constants are positive: the poles -1/tau_m are real and negative.
package reducedmodel

import (
	"errors"
	"fmt"
	"math"
)

// Model is linear and does not change in time.
type Model struct {
	Title   string
	Ambient float64 // K
	Inputs  []Input
	Outputs []Output  // the means of all inputs first, in their order
	Tau     []float64 // s, descending
	B       Matrix    // states x inputs, K/W
	L       Matrix    // outputs x states, a number
	// Start is the state in K that a transient of the stack starts from; nil where that is the state without power, 0.
	// Initial is its temperature in K, uniform in the stack.
	Start   []float64
	Initial float64
	// Error tells how far the model is from the stack it was made of.
	Error  Accuracy
	Origin Origin
}

// Input is a source of heat.
type Input struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // block, uniform or map
	// Watts in a steady state of the stack; Range is the largest power that the errors are stated for.
	Watts float64 `json:"watts_W"`
	Range float64 `json:"range_W"`
}

// Output is a temperature.
type Output struct {
	Name string  `json:"name"`
	Kind string  `json:"kind"`   // mean, peak or probe
	Rest float64 `json:"rest_K"` // K, without any power
	Of   int     `json:"-"`      // the input that a mean or a peak is of, -1 of a probe
}

// Accuracy states errors in K, for powers between 0 and Range in all inputs at once, at the worst output.
type Accuracy struct {
	WantedK float64 `json:"wanted_K"`
	// EstimateK is what the model is expected to keep after steps of any of the powers: BasisK and StepK.
	EstimateK float64 `json:"estimate_K"`
	// FrequencyK is the largest error of the model as it is at the held-out frequencies.
	FrequencyK float64   `json:"held_out_K"`
	HeldOut    []float64 `json:"held_out_per_s"` // 1/s
	Shifts     []float64 `json:"shifts_per_s"`   // 1/s, of the basis, 0 of the steady states
	// BasisK is what the last refinement of the basis changed after steps of powers.
	BasisK float64 `json:"basis_K"`
	// ProjectionK is the largest error of the whole basis at held-out real frequencies, at which the full model was
	// solved but which the basis does not hold.
	ProjectionK float64 `json:"projection_K"`
	// OrderK bounds what was lost from BasisStates to the states that are left: for powers that change in time in any
	// way. StepK is the same for steps of all powers together.
	StepK       float64 `json:"order_step_K"`
	OrderK      float64 `json:"order_any_power_K"`
	BasisStates int     `json:"basis_states"`
	Solves      int     `json:"full_solves"` // of the full model
}

// Origin is what the model was made of.
type Origin struct {
	StackSHA256 string `json:"stack_sha256"` // of all input files, in order
	Grid        [3]int `json:"grid"`
	Version     string `json:"thermsim_version"`
}

// Matrix is dense, row by row.
type Matrix struct {
	Rows, Cols int
	Data       []float64
}

// NewMatrix is zero.
func NewMatrix(rows, cols int) Matrix {
	return Matrix{rows, cols, make([]float64, rows*cols)}
}

// Row is row i, to read or write.
func (m Matrix) Row(i int) []float64 { return m.Data[i*m.Cols : (i+1)*m.Cols] }

// At is one entry.
func (m Matrix) At(i, j int) float64 { return m.Data[i*m.Cols+j] }

// Minus is the difference of matrices of one size.
func (m Matrix) Minus(o Matrix) Matrix {
	d := NewMatrix(m.Rows, m.Cols)
	for k := range d.Data {
		d.Data[k] = m.Data[k] - o.Data[k]
	}
	return d
}

// start is Start, 0 where that is nil.
func (m *Model) start() []float64 {
	if m.Start != nil {
		return m.Start
	}
	return make([]float64, len(m.Tau))
}

// States is how many there are.
func (m *Model) States() int { return len(m.Tau) }

// ErrModel marks a model that is none.
var ErrModel = errors.New("no reduced model")

// Check refuses what is no model: sizes that do not fit, time constants that are not positive, numbers that are none.
func (m *Model) Check() error {
	n := len(m.Tau)
	switch {
	case n == 0 || len(m.Inputs) == 0 || len(m.Outputs) == 0:
		return fmt.Errorf("%w: %d states, %d inputs and %d outputs", ErrModel, n, len(m.Inputs), len(m.Outputs))
	case m.B.Rows != n || m.B.Cols != len(m.Inputs) || len(m.B.Data) != n*len(m.Inputs):
		return fmt.Errorf("%w: B is %d x %d for %d states and %d inputs", ErrModel, m.B.Rows, m.B.Cols, n,
			len(m.Inputs))
	case m.L.Rows != len(m.Outputs) || m.L.Cols != n || len(m.L.Data) != n*len(m.Outputs):
		return fmt.Errorf("%w: L is %d x %d for %d outputs and %d states", ErrModel, m.L.Rows, m.L.Cols, len(m.Outputs),
			n)
	}
	if m.Start != nil && len(m.Start) != n || m.Initial < 0 {
		return fmt.Errorf("%w: a start of %d states, of %d, at %g K", ErrModel, len(m.Start), n, m.Initial)
	}
	for k, tau := range m.Tau {
		if !(tau > 0) || math.IsInf(tau, 0) {
			return fmt.Errorf("%w: time constant %d is %g s; all must be positive", ErrModel, k, tau)
		}
		if k > 0 && tau > m.Tau[k-1] {
			return fmt.Errorf("%w: time constant %d, %g s, is longer than the one before; the slowest comes first",
				ErrModel, k, tau)
		}
	}
	if !(m.Ambient > 0) {
		return fmt.Errorf("%w: an ambient of %g K", ErrModel, m.Ambient)
	}
	for _, in := range m.Inputs {
		if !(in.Range >= 0) || math.IsInf(in.Range, 0) {
			return fmt.Errorf("%w: the range of %s ends at %g W", ErrModel, in.Name, in.Range)
		}
	}
	for _, data := range [][]float64{m.B.Data, m.L.Data, m.Start, {m.Ambient, m.Initial}} {
		for _, v := range data {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("%w: it holds %g", ErrModel, v)
			}
		}
	}
	if len(m.Outputs) < len(m.Inputs) {
		return fmt.Errorf("%w: %d outputs for %d inputs, each of which has its mean", ErrModel, len(m.Outputs),
			len(m.Inputs))
	}
	for n, o := range m.Outputs {
		if n < len(m.Inputs) && (o.Kind != "mean" || o.Of != n) {
			return fmt.Errorf("%w: output %d is not the mean of input %s", ErrModel, n+1, m.Inputs[n].Name)
		}
		if !(o.Rest >= 0) || math.IsInf(o.Rest, 0) || o.Of >= len(m.Inputs) {
			return fmt.Errorf("%w: output %s rests at %g K and is of input %d", ErrModel, o.Name, o.Rest, o.Of)
		}
	}
	return nil
}
