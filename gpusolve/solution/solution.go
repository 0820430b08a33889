// Package solution holds the results of a solve: how it ended, the field, the heat balance, the steps of a transient,
// times and memory. It does not depend on any solver, so reports and saved runs need not either.
package solution

import (
	"errors"
	"fmt"
	"time"

	"thermsim/internal/nullable"
)

// Reasons a solve may end with; they appear in reports as they stand.
const (
	ReasonTolerance   = "tolerance reached"
	ReasonDirect      = "direct"
	ReasonAttainable  = "attainable accuracy"
	ReasonIterations  = "iteration limit"
	ReasonStagnation  = "stagnation"
	ReasonBreakdown   = "breakdown"
	ReasonInterrupted = "interrupted"
	ReasonDivergence  = "divergence"
	ReasonDrift       = "drift of the residual"
	ReasonUnsettled   = "properties did not settle"
	ReasonRunaway     = "thermal runaway"
	ReasonOutOfRange  = "resistances outside their range"
	ReasonImbalance   = "energy imbalance"
)

// Solution is the outcome of a steady or transient solve; its field lives on the device until Close. It always carries
// the best field found, also when the solve did not converge.
type Solution struct {
	Status Status
	Field  Field
	Energy Energy
	PeakK  float64 // hottest cell
	Device DeviceInfo
	Timing Timing
	Memory Memory
	// Steps is nil for a steady solve.
	Steps []Step
	Dt    float64 // s, transient only; the last step where their lengths differ
	// Stepping describes adaptive time steps, nil with fixed ones. Steps are then the requested moments.
	Stepping *Stepping

	// closer gives back what the field lives on.
	closer func()
}

// OnClose has f called by Close, once.
func (s *Solution) OnClose(f func()) { s.closer = f }

// Close gives the device back. The field cannot be read afterwards.
func (s *Solution) Close() {
	if s != nil && s.closer != nil {
		s.closer()
		s.closer = nil
	}
}

// MethodDirect is the method of a solver without iterations.
const MethodDirect = "direct"

// MethodText names a solver and its preconditioner.
func MethodText(method, preconditioner string) string {
	if method == MethodDirect {
		return preconditioner + ", direct"
	}
	return method + " with " + preconditioner
}

// Status says how a solve ended. Residuals are those of b - A x, evaluated in FP64 at the end.
type Status struct {
	Method           string // "pcg", MethodDirect
	Preconditioner   string
	Details          string // what the preconditioner chose by itself, for people; the same in every run
	Timings          string // of the parts of its setup, for people; result files do not contain them
	Iterations       int    // of the last system; the sum over steps is IterationsTotal
	IterationsTotal  int
	ResidualW        float64 // ||b - A x||2 in W
	RelativeResidual float64 // ||b - A x||2 / ||b||2
	// estimate of the largest temperature error; in a transient the sum over the steps, by the direct solver the last
	// step's times their number; NaN where it is unknown
	EstimatedErrorK float64
	Converged       bool
	Reason          string // one of the Reason constants
	// Fallback lists the methods that stalled before this one took over, "" where none did. Iterations are those of
	// all.
	Fallback string
	// Precision is the course of a solve in mixed precision, nil for others.
	Precision *PrecisionLog
	// Nonlinear is the course of the iteration over temperature-dependent properties, nil without any.
	Nonlinear *Nonlinear
	// Spectrum is what chebyshev's polynomial was made for, nil for others.
	Spectrum *Spectrum
}

// Nonlinear is the course of the iteration over temperature-dependent properties.
type Nonlinear struct {
	Systems     int     // steady states or time steps
	Outer       int     // linear systems of the last of them
	OuterTotal  int     // of all
	ResidualW   float64 // ||b(x) - A(x) x||2 in W, at the start of the last linear system
	Contraction float64 // of the error from one linear system to the next, as last seen; 0 where there was one only
	// Outside counts for each material of the stack the cells outside the range of its properties, at the end.
	Outside []int64
	// Leakage is nil without leakage.
	Leakage *Leakage
}

// Leakage describes the effect of temperature-dependent power on a state.
type Leakage struct {
	Watts float64 // leaking at the end
	// Gain is the loop gain of the state at the end, of the steady equations also in a transient: by how much a small
	// rise of the temperatures comes back, the largest eigenvalue of K^-1 dq/dT. From 1 on there is no stable state. 0
	// where it is not known.
	Gain float64
	// I, J and K name the leaking cell in which that eigenvector is largest.
	I, J, K int
	// Runaway says that there is no stable state, or in a transient that the temperatures leave the range of a law on
	// their way to none.
	Runaway bool
	// Time in s at which a transient ended so.
	Time float64
	// Factor is the largest one on all powers together with which the steady equations have a solution, where the
	// powers as they are have none. The field is then that solution.
	Factor float64
	// Outside counts the leaking cells outside the range of their law, which holds from From to To, both in K.
	Outside  int64
	From, To float64
}

// Field is a temperature field, wherever it lives.
type Field interface {
	// Plane copies the temperatures in K of z plane k into dst (length nx*ny, x fastest).
	Plane(k int, dst []float64) error
}

// MethodTRBDF2 is the method of adaptive time steps.
const MethodTRBDF2 = "TR-BDF2"

// Stepping describes adaptive time steps.
type Stepping struct {
	Method        string
	TolK          float64 // largest error of a step that was allowed
	Steps         int     // that were accepted
	Rejected      int     // tried again, shorter
	Solves        int     // linear systems, or nonlinear ones with temperature-dependent properties
	Setups        int     // of the operator, for another length
	Changes       int     // of the power, at which steps end
	LargestErrorK float64 // estimate of the largest error of a step
	ShortestS     float64
	LongestS      float64
	PeakK, PeakS  float64 // hottest cell at the end of any step, and when
	// Steady says that the run ended close to the steady state; RestK is how far the cell that is furthest was from it,
	// 0 where that was not requested.
	Steady bool
	RestK  float64
	// Period in s of a periodic state, 0 in others. Periods were stepped to find it, and ClosureK is how far the state
	// at the end of one is from that at its start.
	Period   float64
	Periods  int
	ClosureK float64
}

// Energy is the heat balance in W. Out is what leaves through the faces, net of what enters through them; ByFace counts
// heat that leaves as positive, in the order of stack.Face. Stored is the rate of change of the heat content over the
// last step, 0 in a steady state. With adaptive time steps all are means over the run.
type Energy struct {
	In, Out, Stored float64
	ByFace          [6]float64
	// what the coolant of each cavity carries out, above what it brings in; nil without coolant. Out includes it.
	Coolant []float64
	Scale   float64 // the largest single flow
	// |In - Out - Stored| / Scale; 0 at the end of a transient in which nothing flows any more
	ImbalanceRel float64
}

// DeviceInfo names what did the work.
type DeviceInfo struct {
	Kind    string // "cpu" or "gpu"
	Name    string
	Threads int    // cpu only
	Why     string // why this device was chosen, for -v
	Ranks   int    // that shared the grid; 0 where one device had it alone
	// Transport is what carries data between ranks, as "NCCL 2.28.9 over NVLink" or "MPI"; "" without ranks.
	Transport string
	// GPUFailure is why "auto" took the processor in place of a GPU; "" where no GPU failed.
	GPUFailure string
}

// Timing splits the time of a solve.
type Timing struct {
	Device time.Duration // opening the device
	Setup  time.Duration // assembly and preconditioner
	Solve  time.Duration
}

// Memory counts what the solve held.
type Memory struct {
	DeviceBytes int64 // buffers on the device that solved (for the cpu, on the host)
}

// Step is one step of a transient.
type Step struct {
	Time       float64 // s, end of the step
	Iterations int
	MaxK       float64 // K, hottest cell
	PowerW     float64 // W during the step, with what leaks at its end
	LeakageW   float64 // of it
	Converged  bool
}

// ErrDevice marks failures of the device: none where one was demanded, out of memory, lost.
var ErrDevice = errors.New("device failure")

// ErrOption marks options that make no sense.
var ErrOption = errors.New("invalid option")

// ErrSingular is returned for a steady problem that no face ties to a temperature.
var ErrSingular = errors.New("no heat-flow path to ambient, so no steady state exists; " +
	"give a face a heat transfer coefficient, a fixed temperature or a resistance, or run a transient")

// Vector is the outcome of solving A x = b for a matrix that is given as it is.
type Vector struct {
	X      []float64 // the best found, also when the solve did not converge
	Status Status    // residuals in the units of b
	Device DeviceInfo
	Timing Timing
	Memory Memory
}

// Numbers that are unknown, as a contraction before the second system, are null in JSON and NaN again when read.

func (n Nonlinear) MarshalJSON() ([]byte, error) { return nullable.Marshal(n) }

func (n *Nonlinear) UnmarshalJSON(data []byte) error { return nullable.Unmarshal(data, n) }

func (l Leakage) MarshalJSON() ([]byte, error) { return nullable.Marshal(l) }

func (l *Leakage) UnmarshalJSON(data []byte) error { return nullable.Unmarshal(data, l) }

func (s Stepping) MarshalJSON() ([]byte, error) { return nullable.Marshal(s) }

func (s *Stepping) UnmarshalJSON(data []byte) error { return nullable.Unmarshal(data, s) }

// PrecisionLog describes all solves of a solver in mixed precision.
type PrecisionLog struct {
	Mode        string
	Solves      int
	Early, Late int // iterations in each stage; fixed modes have late ones only
	Switches    int // solves that changed from the early stage to the late one
	Last        Switch
}

// Switch is the change from the early to the late stage of a solve.
type Switch struct {
	Iteration int // how many were done
	Reason    SwitchReason
	// Norms of the recursive and the true residual and of their difference, W. At iteration 0 there is no recursive one
	// yet.
	Recursive, True, Gap float64
}

// SwitchReason is which of the conditions of equation 14 held first.
type SwitchReason string

// The conditions.
const (
	NearEnd  SwitchReason = "the residual is below the root of the tolerance"
	Slow     SwitchReason = "the true residual falls too slowly"
	Drifting SwitchReason = "the true residual drifts from the recursive one"
)

// Spectrum is the interval of eigenvalues that a polynomial was made for, and how it was found.
type Spectrum struct {
	Low, High float64 // of the interval that the polynomial is made for
	Least     float64 // Lanczos value; Low is larger where the polynomial's degree cannot make use of it
	Largest   float64 // Lanczos value, before the margin
	Steps     int     // done
	Start     string  // the first vector
	Seed      int
	Margin    float64
}

// String is one line for people.
func (b Spectrum) String() string {
	from := "from ones"
	if b.Start == "noise" {
		from = fmt.Sprintf("from noise of seed %d", b.Seed)
	}
	raised := ""
	if b.Low > b.Least {
		raised = fmt.Sprintf(", the least from %.3g to what the degree resolves", b.Least)
	}
	return fmt.Sprintf("spectrum %.3g to %.3g by %d Lanczos steps %s, the largest value raised by %g %%%s", b.Low,
		b.High, b.Steps, from, 100*b.Margin, raised)
}
