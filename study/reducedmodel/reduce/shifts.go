package reduce

import (
	"context"
	"fmt"
	"math"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/mesh"
	"thermsim/study/reducedmodel"
)

// projection is a projection in progress.
type projection struct {
	ctx          context.Context
	mesh         *mesh.Mesh
	options      Options
	inputs       []ports.Input
	wanted       float64 // K, error of the projection at any real frequency
	basis        basis
	model        *reducedmodel.Model
	heldOut      []sample
	heldOutStart []sample // of the initial state
	solves       int
}

// span is a range of shifts between two shifts of the basis.
type span struct{ lo, hi float64 }

// sample is a shift at which the full model was solved but which is not in the basis, between two that are.
type sample struct {
	span
	shift float64
	h     reducedmodel.Matrix // transfer function of the full model
	left  []float64           // K by output, of the initial state
}

const (
	// closest is the ratio of two shifts below which the range between them is not refined.
	closest = 2
	// finer is the factor by which the error wanted at frequencies decreases from one basis to the next.
	finer = 4
	// maxBases is the maximum number of refinements.
	maxBases = 8
	// inTime is the largest observed ratio of errors after steps of power to those at real frequencies.
	inTime = 34
	// finest is the smallest error that fields in FP32 can resolve, as a fraction of the rise under all powers.
	finest = 5e-6
)

// project refines the basis until errors in time are small enough. The error of a model after steps of power is not
// bounded by that at real frequencies, in particular for small errors. Therefore the change after steps due to a
// refinement is used as a bound on the error of the refined basis.
func (r *projection) project(ranges []float64, s *start) error {
	r.model = like(r.inputs, ranges)
	if s != nil {
		r.basis.stored = s.stored(r.basis.ops.capacity)
		r.model.Initial = s.kelvin
	}
	if err := r.first(s); err != nil {
		return err
	}
	shown := false
	for n := 0; n < maxBases && !shown; n++ {
		before, fields := r.model, len(r.basis.fields)
		r.wanted /= finer
		if err := r.refine(s); err != nil {
			return err
		}
		if len(r.basis.fields) == fields {
			continue // nothing was added, so there is no change to judge by
		}
		change, _, err := reducedmodel.Difference(before, r.model)
		if err != nil {
			return err
		}
		r.model.Error.BasisK = change
		shown = change <= bases*r.options.Tol
	}
	e := &r.model.Error
	for _, h := range r.heldOut {
		e.HeldOut = append(e.HeldOut, h.shift)
		e.ProjectionK = math.Max(e.ProjectionK, r.errorAt(h.shift, h.h))
	}
	if !shown {
		e.BasisK = math.Max(e.BasisK, inTime*e.ProjectionK)
	}
	return nil
}

// like is a model with inputs only.
func like(inputs []ports.Input, ranges []float64) *reducedmodel.Model {
	m := &reducedmodel.Model{}
	for n, in := range inputs {
		m.Inputs = append(m.Inputs, reducedmodel.Input{Name: in.Name, Kind: string(in.Kind), Watts: in.Watts,
			Range: ranges[n]})
	}
	return m
}

// first builds a basis of the steady states, and of shifts that bisect, on a logarithmic axis, the range from below the
// slowest time constant to where a step is too short to heat anything, until the error between them is small. A
// frequency at which it is already small is held out of the basis.
func (r *projection) first(s *start) error {
	if err := r.steady(); err != nil {
		return err
	}
	if rise := reducedmodel.Worst(r.model.Inputs, r.model.Transfer(0)); r.options.Tol < finest*rise {
		return fmt.Errorf("%w: an error of %g K is too small for a rise of %.3g K; use %.1g K or more",
			gpusolve.ErrOption, r.options.Tol, rise, 2*finest*rise)
	}
	slow, fast := 1/r.model.Tau[0], r.fastest()
	if s != nil {
		if err := r.begin(s, slow); err != nil {
			return err
		}
	}
	spans, err := r.visit(span{slow / 10, slow * 10})
	if err != nil {
		return err
	}
	if fast > closest*slow {
		spans = append(spans, span{slow, fast})
	}
	return r.bisect(spans)
}

// bisect visits the middle of spans, and of their halves if it was added to the basis.
func (r *projection) bisect(spans []span) error {
	for len(spans) > 0 {
		more, err := r.visit(spans[0])
		if err != nil {
			return err
		}
		spans = append(spans[1:], more...)
	}
	return nil
}

// refine checks the held-out frequencies again with a smaller error.
func (r *projection) refine(s *start) error {
	if err := r.recheckStart(s); err != nil {
		return err
	}
	held := r.heldOut
	r.heldOut = nil
	for _, h := range held {
		if r.errorAt(h.shift, h.h) <= r.wanted {
			r.heldOut = append(r.heldOut, h)
			continue
		}
		if err := r.bisect([]span{h.span}); err != nil {
			return err
		}
	}
	return nil
}

// errorAt is the error of the model at a shift, in K.
func (r *projection) errorAt(shift float64, full reducedmodel.Matrix) float64 {
	return reducedmodel.Worst(r.model.Inputs, full.Minus(r.model.Transfer(shift)))
}

// fastest is the shift above which no cell rises by the wanted error under all powers: no cell heats up faster than
// adiabatically.
func (r *projection) fastest() float64 {
	watts := make([]float64, len(r.basis.ops.capacity))
	for i, in := range r.model.Inputs {
		for n, c := range r.basis.inputs[i].cells {
			watts[c] += in.Range * math.Abs(r.basis.inputs[i].weights[n])
		}
	}
	return r.basis.ops.fastest(watts) / r.wanted
}

// steady starts the basis with the steady states of all inputs, and defines the outputs.
func (r *projection) steady() error {
	fields, peaks, err := r.solve(0, r.all())
	if err != nil {
		return err
	}
	r.define(peaks)
	return r.enrich(0, fields)
}

// define defines the outputs. peaks are the hottest cells of the inputs.
func (r *projection) define(peaks []mesh.Term) {
	outputs, layers := ports.Means(r.inputs), ports.Layers(r.mesh.Stack, r.inputs)
	for _, o := range layers {
		outputs[o.Of].Name += ":heated"
	}
	outputs = append(outputs, layers...)
	if r.options.Peaks {
		outputs = append(outputs, ports.Peaks(r.inputs)...)
	}
	outputs = append(outputs, ports.Probes(r.mesh.Stack)...)
	for _, o := range outputs {
		of := o.Of
		if o.Kind == ports.Probe {
			of = -1
		}
		r.model.Outputs = append(r.model.Outputs, reducedmodel.Output{Name: o.Name, Kind: string(o.Kind), Of: of})
	}
	r.basis.outputs = outputsOf(r.mesh, r.inputs, outputs, peaks)
}

// enrich adds fields to the basis; an infinite shift marks fields without a solve.
func (r *projection) enrich(shift float64, fields [][]float32) error {
	r.basis.extend(fields)
	m, err := r.basis.model(r.model)
	if err != nil {
		return err
	}
	if !math.IsInf(shift, 0) {
		m.Error.Shifts = append(m.Error.Shifts, shift)
	}
	r.model = m
	return nil
}

// visit compares the model with the full one in the middle of a span. If they differ by more than wanted, it adds
// fields to the basis and returns the halves for further visits.
func (r *projection) visit(of span) (halves []span, err error) {
	shift := math.Sqrt(of.lo * of.hi)
	fields, _, err := r.solve(shift, r.all())
	if err != nil {
		return nil, err
	}
	h := r.full(fields)
	if r.errorAt(shift, h) <= r.wanted {
		r.heldOut = append(r.heldOut, sample{span: of, shift: shift, h: h})
		return nil, nil
	}
	var picked [][]float32
	for _, i := range r.chooseInputs(h.Minus(r.model.Transfer(shift))) {
		picked = append(picked, fields[i])
	}
	for _, half := range []span{{of.lo, shift}, {shift, of.hi}} {
		if half.hi > closest*half.lo {
			halves = append(halves, half)
		}
	}
	return halves, r.enrich(shift, picked)
}

// chooseInputs selects the inputs whose responses eliminate the error at a shift, the worst first. With the response of
// input i in the basis, the error e becomes exactly e - e_i e_ii^-1 e_i' at that shift; e_ii belongs to the heat of i,
// whose transpose is the mean over i.
func (r *projection) chooseInputs(e reducedmodel.Matrix) []int {
	const enough = 0.25 // of the wanted error
	var picked []int
	taken := make([]bool, len(r.inputs))
	for range r.inputs {
		if reducedmodel.Worst(r.model.Inputs, e) <= enough*r.wanted {
			break
		}
		worst, top := -1, 0.0
		for i, in := range r.model.Inputs {
			for o := range e.Rows {
				if v := math.Abs(e.At(o, i)) * in.Range; !taken[i] && v > top {
					worst, top = i, v
				}
			}
		}
		if worst < 0 {
			break
		}
		taken[worst] = true
		picked = append(picked, worst)
		eliminate(e, worst)
	}
	return picked
}

// eliminate removes column i from the error.
func eliminate(e reducedmodel.Matrix, i int) {
	own := e.At(i, i)
	if !(own > 0) {
		for o := range e.Rows {
			e.Data[o*e.Cols+i] = 0
		}
		return
	}
	row := append([]float64(nil), e.Row(i)...)
	for o := range e.Rows {
		f := e.At(o, i) / own
		for j, v := range row {
			e.Data[o*e.Cols+j] -= f * v
		}
	}
}

// full is the transfer function of the full model, outputs by inputs, from the responses to each input's range.
func (r *projection) full(fields [][]float32) reducedmodel.Matrix {
	h := reducedmodel.NewMatrix(len(r.basis.outputs), len(r.inputs))
	for i, x := range fields {
		for o, v := range values(r.basis.outputs, x) {
			h.Data[o*len(r.inputs)+i] = v / r.model.Inputs[i].Range
		}
	}
	return h
}

// all are the indices of all inputs.
func (r *projection) all() []int {
	all := make([]int, len(r.inputs))
	for i := range all {
		all[i] = i
	}
	return all
}

// solve solves the full model for the range of each of the given inputs. peaks are the hottest cells of these.
func (r *projection) solve(shift float64, inputs []int) (fields [][]float32, peaks []mesh.Term, err error) {
	watts := make([][]float64, len(inputs))
	for v, i := range inputs {
		watts[v] = make([]float64, len(r.inputs))
		watts[v][i] = r.model.Inputs[i].Range
	}
	many, err := gpusolve.SolveMany(r.ctx, r.mesh, r.options.Solve,
		gpusolve.Many{Watts: watts, Shift: shift, Read: func(v int, f gpusolve.Field) error {
			field, err := r.mesh.ReadField(f)
			if err != nil {
				return err
			}
			x := make([]float32, len(field))
			for c, t := range field {
				x[c] = float32(t)
			}
			fields = append(fields, x)
			r.solves++
			if r.options.Progress != nil {
				r.options.Progress(r.solves, len(r.basis.fields))
			}
			return nil
		}})
	if err != nil {
		return nil, nil, err
	}
	if !many.Status.Converged {
		return nil, nil, fmt.Errorf("%w: a solve with the shift %g /s stopped with %s; choose another preconditioner "+
			"or a larger tolerance", ErrNotConverged, shift, many.Status.Reason)
	}
	for v, i := range inputs {
		peaks = append(peaks, many.Hottest[v][i])
	}
	return fields, peaks, nil
}
