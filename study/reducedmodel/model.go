// Package reducedmodel contains reduced-order models of linear stacks: temperatures of blocks and probes from the power
// of arbitrary sources. It steps models in time, and exports them as matrices, as networks of resistances and
// capacitances, and as netlists. It is independent of grids; package reduce builds the models.
//
// A model is diagonal. State m has the time constant tau_m, input i drives it with B[m][i] in K/W, and output o reads
// it with L[o][m].
//
//	tau_m dz_m/dt = -z_m + sum over i of B[m][i] P_i        T_o = Rest_o + sum over m of L[o][m] z_m
//
// from z_m = Start_m at time 0.
//
// Therefore L[o][m] B[m][i] is a thermal resistance in K/W with the time constant tau_m, and the sum of the resistances
// over m is the steady rise of o per watt in i. All time constants are positive: the poles -1/tau_m are real and
// negative.
package reducedmodel

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Model is a linear time-invariant model.
type Model struct {
	Title   string
	Ambient float64 // K
	Inputs  []Input
	Outputs []Output  // the means of all inputs first, in their order.
	Tau     []float64 // s, descending
	B       Matrix    // states x inputs, K/W.
	L       Matrix    // outputs x states, dimensionless.
	// Start is the initial state of a transient in K; nil for the state without power, 0. Initial is the corresponding
	// uniform temperature in K.
	Start   []float64
	Initial float64
	// Error is the accuracy relative to the full model.
	Error  Accuracy
	Origin Origin
}

// Input is a heat source.
type Input struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // block, uniform or map
	// Watts is the power in a steady state of the stack; Range is the largest power for which the errors are valid.
	Watts float64 `json:"watts_W"`
	Range float64 `json:"range_W"`
}

// Output is a temperature.
type Output struct {
	Name string  `json:"name"`
	Kind string  `json:"kind"`   // mean of the heated volume, layer (mean over the whole thickness), peak or probe
	Rest float64 `json:"rest_K"` // K, without power.
	Of   int     `json:"-"`      // input, -1 for a probe.
}

// Column is the output's column in trace.csv. The full model has the same columns for means and probes. A peak is that
// of one cell.
func (o *Output) Column() string {
	switch o.Kind {
	case "mean", "layer":
		return o.Name + "_mean_K"
	case "probe":
		return strings.TrimPrefix(o.Name, "probe/") + "_K"
	}
	return o.Name + "_K"
}

// Accuracy contains errors in K, for simultaneous powers between 0 and Range in all inputs, at the worst output.
type Accuracy struct {
	WantedK float64 `json:"wanted_K"`
	// EstimateK is the estimated error after steps of any of the powers: BasisK plus StepK.
	EstimateK float64 `json:"estimate_K"`
	// FrequencyK is the largest error of the final model at the held-out frequencies.
	FrequencyK float64   `json:"held_out_K"`
	HeldOut    []float64 `json:"held_out_per_s"` // 1/s
	Shifts     []float64 `json:"shifts_per_s"`   // 1/s, of the basis, 0 of the steady states
	// BasisK is the change after steps of powers by the last refinement of the basis.
	BasisK float64 `json:"basis_K"`
	// ProjectionK is the largest error of the complete basis at held-out real frequencies, at which the full model was
	// solved but which are not part of the basis.
	ProjectionK float64 `json:"projection_K"`
	// OrderK bounds the error of the reduction from BasisStates to the final states, for powers with any time
	// dependence. StepK is the same for steps of all powers.
	StepK       float64 `json:"order_step_K"`
	OrderK      float64 `json:"order_any_power_K"`
	BasisStates int     `json:"basis_states"`
	Solves      int     `json:"full_solves"` // of the full model
}

// Origin identifies the full model.
type Origin struct {
	StackSHA256 string `json:"stack_sha256"` // of all input files, in order.
	Grid        [3]int `json:"grid"`
	Version     string `json:"thermsim_version"`
	// Stack are the parts of the stack that the model contains; nil in files of earlier versions.
	Stack []Section `json:"stack,omitempty"`
	// LayerCells are the numbers of cells over the layers; nil for a grid that was chosen, and in files of earlier
	// versions.
	LayerCells []int `json:"layer_cells,omitempty"`
}

// Section is a part of a stack, such as a layer or a face, and the hash of its content.
type Section struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Differs returns the name of the first section of a stack that the model does not have, or "". Probes come last, and
// those of one of the two only do not count.
func (o *Origin) Differs(from []Section) string {
	for n, s := range from {
		if strings.HasPrefix(s.Name, "probe.") {
			n = slices.IndexFunc(o.Stack, func(own Section) bool { return own.Name == s.Name })
			if n < 0 {
				continue
			}
		}
		if n >= len(o.Stack) || o.Stack[n] != s {
			return s.Name
		}
	}
	return ""
}

// start is Start, or 0 if that is nil.
func (m *Model) start() []float64 {
	if m.Start != nil {
		return m.Start
	}
	return make([]float64, len(m.Tau))
}

// Uniform reports whether all outputs are at the ambient temperature without power.
func (m *Model) Uniform() bool {
	return !slices.ContainsFunc(m.Outputs, func(o Output) bool { return o.Rest != m.Ambient })
}

// States is the number of states.
func (m *Model) States() int { return len(m.Tau) }

// ErrModel reports an invalid model.
var ErrModel = errors.New("invalid reduced model")

// Check rejects invalid models: inconsistent sizes, time constants that are not positive, numbers that are not finite.
func (m *Model) Check() error {
	n := len(m.Tau)
	if n == 0 || len(m.Inputs) == 0 || len(m.Outputs) == 0 {
		return fmt.Errorf("%w: %d states, %d inputs and %d outputs", ErrModel, n, len(m.Inputs), len(m.Outputs))
	}
	if err := cmp.Or(m.B.shaped("B (states x inputs)", n, len(m.Inputs)),
		m.L.shaped("L (outputs x states)", len(m.Outputs), n)); err != nil {
		return err
	}
	if m.Start != nil && len(m.Start) != n || m.Initial < 0 {
		return fmt.Errorf("%w: the initial state has %d of %d states, at %g K", ErrModel, len(m.Start), n, m.Initial)
	}
	for k, tau := range m.Tau {
		if !(tau > 0) || math.IsInf(tau, 0) {
			return fmt.Errorf("%w: time constant %d is %g s; expected a positive time", ErrModel, k, tau)
		}
		if k > 0 && tau > m.Tau[k-1] {
			return fmt.Errorf("%w: time constant %d, %g s, is longer than the previous one; expected descending order",
				ErrModel, k, tau)
		}
	}
	if !(m.Ambient > 0) {
		return fmt.Errorf("%w: got an ambient temperature of %g K; expected a positive one", ErrModel, m.Ambient)
	}
	for _, in := range m.Inputs {
		if !(in.Range >= 0) || math.IsInf(in.Range, 0) {
			return fmt.Errorf("%w: invalid range of input %s: %g W", ErrModel, in.Name, in.Range)
		}
	}
	for _, data := range [][]float64{m.B.Data, m.L.Data, m.Start, {m.Ambient, m.Initial}} {
		for _, v := range data {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("%w: it contains %g", ErrModel, v)
			}
		}
	}
	if len(m.Outputs) < len(m.Inputs) {
		return fmt.Errorf("%w: got %d outputs for %d inputs; expected at least one mean per input", ErrModel,
			len(m.Outputs), len(m.Inputs))
	}
	for n, o := range m.Outputs {
		if n < len(m.Inputs) && (o.Kind != "mean" || o.Of != n) {
			return fmt.Errorf("%w: output %d must be the mean of input %s", ErrModel, n+1, m.Inputs[n].Name)
		}
		if !(o.Rest >= 0) || math.IsInf(o.Rest, 0) || o.Of >= len(m.Inputs) {
			return fmt.Errorf("%w: output %s: invalid temperature without power %g K or input %d", ErrModel,
				o.Name, o.Rest, o.Of)
		}
	}
	return nil
}
