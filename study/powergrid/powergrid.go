// Package powergrid solves for the voltages of a power grid over time: the operating point, then time steps by backward
// Euler, with one matrix and one setup for all steps.
package powergrid

import (
	"context"
	"errors"
	"fmt"
	"math"

	"thermsim/gpusolve"
	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/sparse/netlist"
)

// ErrStep is the error of a system that was not solved to its tolerance: of the operating point or of a step.
var ErrStep = errors.New("not converged")

// Run is a transient of a power grid. Make one with New.
type Run struct {
	*netlist.Transient
	Matrix     *matrix.Matrix // of the steps
	Grid       *netlist.Grid
	Initial    *matrix.Solution // the operating point; nil where sources fix all its nodes
	Last       *matrix.Solution // of the last step
	Iterations []int            // of each step
	Residual   float64          // largest of a step, relative to the right-hand side
	Solving    []float64        // wall time of each step's solve, s

	Voltages  []float64 // of all nodes at the end, V, in the order of netlist.System.Voltages
	Drop      []float64 // deviation from the nominal voltage at the end, V
	Worst     []float64 // largest deviation over time, V
	WorstTime []float64 // s
	Nets      []Net
	// Waveforms are the times, s, and voltages of the nodes of .print, a row for t = 0 and each step.
	Waveforms [][]float64
}

// Net has the largest deviation of a net over time and at the end.
type Net struct {
	netlist.Net
	Time float64 // s, of the largest deviation
	End  float64 // V
}

// New makes the systems of a netlist with a command .tran.
func New(g *netlist.Grid) (*Run, error) {
	t, err := netlist.NewTransient(g)
	if err != nil {
		return nil, err
	}
	r := &Run{Transient: t, Grid: g}
	if r.Matrix, err = matrix.New(t.CSR, matrix.Shape{}); err != nil {
		return nil, fmt.Errorf("%s: %w", g.File, err)
	}
	return r, nil
}

// Solve takes all steps. It is for one call.
func (r *Run) Solve(ctx context.Context, o gpusolve.Options) error {
	x, err := r.operatingPoint(ctx, o)
	if err != nil {
		return err
	}
	m, err := matrix.Open(r.Matrix, o)
	if err != nil {
		return err
	}
	defer m.Close()
	nominal := r.Nominal()
	for _, list := range []*[]float64{&r.Drop, &r.Worst, &r.WorstTime} {
		*list = make([]float64, len(nominal))
	}
	r.record(0, x, nominal)
	progress, start, before := o.Progress, x, x
	for n := range r.Grid.Tran.Steps {
		t := r.Source()
		if progress != nil {
			o.Progress = func(p driver.Progress) {
				p.Step, p.Steps, p.Time = n, r.Grid.Tran.Steps, t-r.Grid.Tran.Step
				progress(p)
			}
		}
		s, err := m.SolveFrom(ctx, r.B, start, o)
		if err == nil {
			err = converged(s, fmt.Sprintf("time step %d (t = %g s)", n+1, t))
		}
		if err != nil {
			return err
		}
		r.Iterations = append(r.Iterations, s.Status.Iterations)
		r.Solving = append(r.Solving, s.Timing.Solve.Seconds())
		r.Residual = math.Max(r.Residual, s.Status.RelativeResidual)
		if r.Last != nil {
			s.Timing.Device, s.Timing.Setup = r.Last.Timing.Device, r.Last.Timing.Setup
		}
		r.Last = s
		r.Advance(s.X)
		r.record(t, s.X, nominal)
		start, before = extrapolate(s.X, before), s.X
	}
	return nil
}

// extrapolate continues the line through the solutions of the last two steps.
func extrapolate(x, before []float64) []float64 {
	next := make([]float64, len(x))
	for i := range x {
		next[i] = 2*x[i] - before[i]
	}
	return next
}

// operatingPoint sets the state at t = 0 and returns the unknowns of the steps then.
func (r *Run) operatingPoint(ctx context.Context, o gpusolve.Options) ([]float64, error) {
	var x []float64
	if r.DC.CSR.N() > 0 {
		a, err := matrix.New(r.DC.CSR, matrix.Shape{})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Grid.File, err)
		}
		if r.Initial, err = matrix.Solve(ctx, a, r.DC.B, o); err == nil {
			err = converged(r.Initial, "operating point")
		}
		if err != nil {
			return nil, err
		}
		x = r.Initial.X
	}
	return r.Start(x)
}

func converged(s *matrix.Solution, what string) error {
	if s.Status.Converged {
		return nil
	}
	return fmt.Errorf("%s: %w (%s)", what, ErrStep, s.Status.Reason)
}

// record updates the extremes and waveforms at a time.
func (r *Run) record(t float64, x, nominal []float64) {
	r.Voltages = r.Transient.Voltages(x)
	for n, v := range r.Voltages {
		if r.Drop[n] = math.Abs(v - nominal[n]); r.Drop[n] > r.Worst[n] {
			r.Worst[n], r.WorstTime[n] = r.Drop[n], t
		}
	}
	for k, net := range r.DC.Nets(r.Voltages) {
		if k == len(r.Nets) {
			r.Nets = append(r.Nets, Net{Net: net})
		}
		of := &r.Nets[k]
		if of.End = net.Worst; net.Worst > of.Worst {
			of.Net, of.Time = net, t
		}
	}
	if len(r.Grid.Print) == 0 {
		return
	}
	row := []float64{t}
	for _, n := range r.Grid.Print {
		row = append(row, r.Voltages[n-1])
	}
	r.Waveforms = append(r.Waveforms, row)
}
